"""Pictures of explanations, as SVG."""

import io
import math
from html import escape
from pathlib import Path

from onoma.corpus.writers.files import write_text
from onoma.errors import SettingsError
from onoma.kb.explain import EntityExplanation, PairExplanation
from onoma.resolve.report.entity_tree import EntityTree, tree_picture

__all__ = ["draw_entity", "draw_pair", "save_tree"]

_WIDE, _STEP, _HIGH = 190, 84, 30
_INK, _PALE, _STRONG, _WEAK = "#243b4a", "#eef4f5", "#1c7c74", "#c2571a"


def draw_pair(found: PairExplanation, path: Path) -> None:
    """Draw the waterfall of a pair: each field's bits, one after the other."""
    _check(path)
    drawn = io.StringIO()
    found.resolution.chart.waterfall(0, 1).save(drawn, format="svg")
    write_text(path, [drawn.getvalue()])


def draw_entity(found: EntityExplanation, path: Path) -> None:
    """Draw the tree of an entity: strong links thick, the weakest one in another colour, critical records marked."""
    _check(path)
    write_text(path, ["\n".join(_svg(found)), "\n"])


def save_tree(tree: EntityTree, path: Path, *, title: str) -> None:
    """Draw the tree of sub-entities of an entity."""
    _check(path)
    write_text(path, [tree_picture(tree, title=title), "\n"])


def _check(path: Path) -> None:
    if path.suffix.lower() != ".svg":
        raise SettingsError(f"a picture is an .svg file, not {path.name!r}")


def _svg(found: EntityExplanation) -> list[str]:
    places = _layout(found)
    width = (max(x for x, _ in places.values()) + 1) * _WIDE
    height = (max(y for _, y in places.values()) + 1) * _STEP + 40
    critical = found.critical
    hinge = critical.name if critical is not None and critical.what == "record" else None
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="sans-serif" font-size="13" role="img">',
        f"<title>{escape(found.entity)}</title>",
        f'<text x="12" y="24" fill="{_INK}" font-weight="bold">{escape(_title(found))}</text>',
    ]
    for link in found.tree:
        weakest = link == found.weakest and len(found.tree) > 1
        lines += _line(places[link.a], places[link.b], link.bits, link.probability, _WEAK if weakest else _STRONG)
    for name, place in places.items():
        x, y = _middle(place)
        lines.append(
            f'<rect x="{x - _WIDE / 2 + 14:g}" y="{y - _HIGH / 2:g}" width="{_WIDE - 28}" height="{_HIGH}" rx="6" '
            f'fill="{_PALE}" stroke="{_WEAK if name == hinge else _INK}"/>'
            f'<text x="{x:g}" y="{y + 4.5:g}" text-anchor="middle" fill="{_INK}">{escape(_short(name))}</text>'
        )
    return [*lines, "</svg>"]


def _title(found: EntityExplanation) -> str:
    told = f"{_short(found.entity)}: all one with probability {found.together:.2f}"
    if found.critical is not None:
        told += (
            f"; without the {found.critical.what} {_short(found.critical.name)}, parted with {found.critical.split:.2f}"
        )
    return told


def _short(name: str, most: int = 22) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _layout(found: EntityExplanation) -> dict[str, tuple[float, float]]:
    """Put the record with most links on top and the others below what they hang on, side by side."""
    beside: dict[str, list[str]] = {name: [] for name in found.records}
    for link in found.tree:
        beside[link.a].append(link.b)
        beside[link.b].append(link.a)
    places: dict[str, tuple[float, float]] = {}
    column = 0.0
    for top in sorted(found.records, key=lambda name: (-len(beside[name]), name)):
        if top in places:
            continue
        order, depth, parent = [top], {top: 0}, {top: ""}
        for name in order:
            for other in beside[name]:
                if other not in depth:
                    depth[other], parent[other] = depth[name] + 1, name
                    order.append(other)
        for name in reversed(order):
            below = [places[other][0] for other in beside[name] if parent.get(other) == name]
            x = sum(below) / len(below) if below else column
            column += 0.0 if below else 1.0
            places[name] = (x, float(depth[name]))
    return places


def _middle(place: tuple[float, float]) -> tuple[float, float]:
    return (place[0] + 0.5) * _WIDE, place[1] * _STEP + 40 + _STEP / 2


def _line(one: tuple[float, float], other: tuple[float, float], bits: float, probability: float, ink: str) -> list[str]:
    (x, y), (u, v) = _middle(one), _middle(other)
    thick = 1.0 + min(max(bits, 0.0), 30.0) / 7.5
    told = f"{bits:+.1f} bits, {probability:.2f}"
    shift = 4 if math.isclose(x, u) else 0
    place = f'x="{(x + u) / 2 + shift:g}" y="{(y + v) / 2:g}" font-size="11"'
    return [
        f'<line x1="{x:g}" y1="{y:g}" x2="{u:g}" y2="{v:g}" stroke="{ink}" stroke-width="{thick:.1f}"/>',
        # Once in white, so that the line does not run through the letters; not every viewer knows paint-order.
        f'<text {place} fill="white" stroke="white" stroke-width="4">{told}</text>',
        f'<text {place} fill="{ink}">{told}</text>',
    ]
