"""Why a fact is predicted, as a picture: the two it joins, and the known facts that carry it around them."""

from html import escape
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from onoma.corpus.writers.files import write_text
from onoma.errors import SettingsError
from onoma.pipeline.knowledge.question import Query

__all__ = ["check_picture", "draw_support"]

_WIDE, _STEP, _HIGH, _GAP = 190, 58, 30, 190
_INK, _PALE, _STRONG, _WEAK = "#243b4a", "#eef4f5", "#1c7c74", "#c2571a"
_MOST_LABELS = 2

Place = tuple[float, float]


class _Edge(NamedTuple):
    """All facts between two things: which is the subject of each, its relation, and what they give together."""

    first: str
    second: str
    facts: list[tuple[str, str]]
    weight: float


def check_picture(path: Path) -> None:
    """Refuse a name that is no picture, before the work."""
    if path.suffix.lower() != ".svg":
        raise SettingsError(f"a picture is an .svg file, not {path.name!r}")


def draw_support(query: Query, score: float, support: pa.Table, path: Path) -> None:
    """Draw a fact (`Query` with all parts) and the known facts that carry it, a table of `SUPPORT`.

    What is known of the subject alone stands left, of the object alone right, of both between them. A thick line gives
    much; one in another colour speaks against the fact.
    """
    check_picture(path)
    subject, object_ = str(query.subject), str(query.object)
    edges = _edges(support)
    places, width, height = _layout(subject, object_, edges)
    most = max((abs(edge.weight) for edge in edges), default=1.0) or 1.0
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="sans-serif" font-size="13" role="img">',
        f"<title>{escape(str(query))}</title>",
        f'<text x="12" y="24" fill="{_INK}" font-weight="bold">{escape(f"{query}: score {score:.4f}")}</text>',
        *_line(places[subject], places[object_], [f"{_short(str(query.relation))} →"], 2.0, _INK, dashed=True),
    ]
    for edge in edges:
        thick = 1.0 + 4.0 * abs(edge.weight) / most
        ink = _STRONG if edge.weight >= 0.0 else _WEAK
        left, right = sorted((edge.first, edge.second), key=lambda name: places[name])
        # Labels stand nearer to the outer end, where lines are apart.
        at = 0.5 + 0.18 * ((left in (subject, object_)) - (right in (subject, object_)))
        between = {left, right} == {subject, object_}
        lines += _line(places[left], places[right], _labels(edge, left), thick, ink, at=at, lower=between)
    for name, place in places.items():
        lines.append(_box(name, place, _STRONG if name in (subject, object_) else _INK))
    write_text(path, ["\n".join([*lines, "</svg>"]), "\n"])


def _edges(support: pa.Table) -> list[_Edge]:
    """Join the facts between the same two things, either way round; a fact counts with its largest contribution."""
    facts: dict[tuple[str, str, str], float] = {}
    for row in support.to_pylist():
        key = row["subject"], row["relation"], row["object"]
        if abs(row["contribution"]) > abs(facts.get(key, 0.0)):
            facts[key] = row["contribution"]
    found: dict[frozenset[str], _Edge] = {}
    for (subject, relation, object_), weight in facts.items():
        ends = frozenset((subject, object_))
        edge = found.get(ends, _Edge(subject, object_, [], 0.0))
        found[ends] = edge._replace(facts=[*edge.facts, (subject, relation)], weight=edge.weight + weight)
    return [edge for edge in found.values() if edge.first != edge.second]


def _layout(subject: str, object_: str, edges: list[_Edge]) -> tuple[dict[str, Place], float, float]:
    """Return the middle of each box, and the size of the picture."""
    beside: dict[str, set[str]] = {}
    for edge in edges:
        for one, other in ((edge.first, edge.second), (edge.second, edge.first)):
            if one not in (subject, object_):
                beside.setdefault(one, set()).add(other)
    columns: dict[int, list[str]] = {0: [], 2: [], 4: []}
    for name, others in beside.items():
        columns[{frozenset((subject,)): 0, frozenset((object_,)): 4}.get(frozenset(others), 2)].append(name)
    sides = max(1, len(columns[0]), len(columns[4]))
    middle = 50 + sides * _STEP / 2
    used = [at for at in range(5) if at in (1, 3) or columns.get(at)]
    across = {at: 12 + _WIDE / 2 + n * (_WIDE + _GAP) for n, at in enumerate(used)}
    places = {subject: (across[1], middle), object_: (across[3], middle)}
    for at, names in columns.items():
        for n, name in enumerate(names):
            row = n + 1.2 if at == 2 else n - (len(names) - 1) / 2
            places[name] = (across[at], middle + row * _STEP)
    lowest = max(y for _, y in places.values())
    return places, max(across.values()) + _WIDE / 2 + 12, max(lowest, middle + 20) + _HIGH / 2 + 16


def _labels(edge: _Edge, left: str) -> list[str]:
    """Return the relations with arrows as they run in the picture, the last with what all give."""
    named = [
        f"{_short(relation)} →" if subject == left else f"← {_short(relation)}" for subject, relation in edge.facts
    ]
    more = len(named) - _MOST_LABELS
    shown = named[:_MOST_LABELS] + ([f"{more} more"] if more > 0 else [])
    return [*shown[:-1], f"{shown[-1]}  {edge.weight:+.3f}"]


def _box(name: str, place: Place, ink: str) -> str:
    x, y = place
    return (
        f'<rect x="{x - _WIDE / 2:g}" y="{y - _HIGH / 2:g}" width="{_WIDE}" height="{_HIGH}" rx="6" fill="{_PALE}" '
        f'stroke="{ink}"/><text x="{x:g}" y="{y + 4.5:g}" text-anchor="middle" fill="{_INK}">{escape(_short(name))}'
        f"<title>{escape(name)}</title></text>"
    )


def _line(
    left: Place,
    right: Place,
    labels: list[str],
    thick: float,
    ink: str,
    *,
    at: float = 0.5,
    dashed: bool = False,
    lower: bool = False,
) -> list[str]:
    """Draw a line from the right edge of one box to the left edge of another, its labels over a place on it."""
    (x, y), (u, v) = left, right
    x, u = x + _WIDE / 2, u - _WIDE / 2
    if lower:  # beside the fact itself, which runs between the same two
        y, v = y + 9, v + 9
    dash = ' stroke-dasharray="7 5"' if dashed else ""
    lines = [f'<line x1="{x:g}" y1="{y:g}" x2="{u:g}" y2="{v:g}" stroke="{ink}" stroke-width="{thick:.1f}"{dash}/>']
    for n, label in enumerate(labels):
        high = y + at * (v - y) + (16 + 13 * n if lower else -6 - 13 * (len(labels) - 1 - n))
        place = f'x="{x + at * (u - x):g}" y="{high:g}" font-size="11" text-anchor="middle"'
        # Once in white, so that the line does not run through the letters; not every viewer knows paint-order.
        lines.append(f'<text {place} fill="white" stroke="white" stroke-width="4">{escape(label)}</text>')
        lines.append(f'<text {place} fill="{ink}">{escape(label)}</text>')
    return lines


def _short(name: str, most: int = 24) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
