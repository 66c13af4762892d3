"""The tree of one entity, to be read and looked at: as text, as a picture, as plain objects."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape

from onoma.errors import DataError

__all__ = ["EntityTree", "read_tree", "tree_picture", "tree_text"]

_WIDE, _HIGH, _STEP = 300, 34, 46
_INK, _PALE, _LINE = "#243b4a", "#eef4f5", "#8aa4ab"


@dataclass
class EntityTree:
    """A node with all below it."""

    name: str
    """What it goes by."""
    size: int
    """Records below it."""
    words: str = ""
    """The words that tell most of it."""
    record: str | None = None
    """The id of a leaf's record."""
    children: list["EntityTree"] = field(default_factory=list)

    def __str__(self) -> str:
        return tree_text(self)

    def as_dict(self) -> dict[str, object]:
        """Return JSON-ready objects."""
        if self.record is not None:
            return {"record": self.record, "name": self.name}
        below = [child.as_dict() for child in self.children]
        return {"name": self.name, "size": self.size, "words": self.words, "children": below}

    def order(self) -> list["EntityTree"]:
        """Return its children: sub-entities first, the largest before the others, then records."""
        return sorted(self.children, key=lambda child: (child.record is not None, -child.size))


def read_tree(rows: Iterable[Mapping[str, object]]) -> EntityTree:
    """Make the tree of one entity from its rows of the table of nodes: node, parent, size, record, name, words."""
    found: dict[object, EntityTree] = {}
    parents: dict[object, object] = {}
    for row in rows:
        record = None if row["record"] is None else str(row["record"])
        found[row["node"]] = EntityTree(str(row["name"]), int(str(row["size"])), str(row["words"]), record)
        parents[row["node"]] = row["parent"]
    tops = [node for node, parent in parents.items() if parent is None]
    if len(tops) != 1 or any(parent not in found for parent in parents.values() if parent is not None):
        raise DataError(f"{len(found)} nodes with {len(tops)} roots are not one tree")
    for node, parent in parents.items():
        if parent is not None:
            found[parent].children.append(found[node])
    return found[tops[0]]


def tree_text(tree: EntityTree, *, n_leaves: int = 3) -> str:
    """Return a tree as text: a line for each node, children below and further right; of many records some are shown.

    Examples
    --------
    >>> leaves = [EntityTree("ann lee", 1, record="r1"), EntityTree("a lee", 1, record="r2")]
    >>> print(tree_text(EntityTree("ann lee", 2, "graphs, trees", None, leaves), n_leaves=1))
    2 records  ann lee  (graphs, trees)
      r1  ann lee
      … and 1 more
    """
    lines: list[str] = []

    def show(node: EntityTree, depth: int) -> None:
        indent = "  " * depth
        if node.record is not None:
            lines.append(f"{indent}{node.record}  {node.name}".rstrip())
            return
        words = f"  ({node.words})" if node.words else ""
        lines.append(f"{indent}{node.size:,} records  {node.name}{words}")
        ordered = node.order()
        inner = [child for child in ordered if child.record is None]
        leaves = [child for child in ordered if child.record is not None]
        for child in inner + leaves[:n_leaves]:
            show(child, depth + 1)
        if len(leaves) > n_leaves:
            lines.append(f"{indent}  … and {len(leaves) - n_leaves:,} more")

    show(tree, 0)
    return "\n".join(lines)


def tree_picture(tree: EntityTree, *, title: str = "", n_leaves: int = 3, most: int = 60) -> str:
    """Return a tree as SVG, its root at the left: by node its name, its records and its words.

    Of many records below a node some are drawn, and of a large tree the `most` boxes nearest to the root.
    """
    boxes: list[tuple[int, float, list[str], bool]] = []
    lines: list[tuple[int, int]] = []
    budget = [most]

    def place(node: EntityTree, column: int) -> tuple[int, float]:
        """Draw a node and all below it; return its box and the row it is on."""
        at = len(boxes)
        boxes.append((column, 0.0, _told(node), node.record is not None))
        shown, rest = _some(node, n_leaves, budget)
        rows = []
        for child in shown:
            box, row = place(child, column + 1)
            lines.append((at, box))
            rows.append(row)
        if rest:
            boxes.append((column + 1, next_row(), [f"… {rest:,} more"], True))
            lines.append((at, len(boxes) - 1))
            rows.append(boxes[-1][1])
        row = (rows[0] + rows[-1]) / 2 if rows else next_row()
        boxes[at] = (column, row, *boxes[at][2:])
        return at, row

    taken = [0.0]

    def next_row() -> float:
        taken[0] += 1.0
        return taken[0] - 1.0

    place(tree, 0)
    return "\n".join(_svg(boxes, lines, title or tree.name))


def _some(node: EntityTree, n_leaves: int, budget: list[int]) -> tuple[list[EntityTree], int]:
    """Return the children to draw, and how many records stand for the others."""
    ordered = node.order()
    inner = [child for child in ordered if child.record is None][: max(budget[0], 0)]
    leaves = [child for child in ordered if child.record is not None][:n_leaves]
    shown = inner + leaves if budget[0] > 0 else []
    budget[0] -= len(shown)
    return shown, node.size - sum(child.size for child in shown) if node.children else 0


def _told(node: EntityTree) -> list[str]:
    if node.record is not None:
        return [_short(f"{node.record}  {node.name}")]
    return [
        _short(f"{node.name or '(no name)'} · {node.size:,} records"),
        *([_short(node.words)] if node.words else []),
    ]


def _short(text: str, most: int = 42) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _svg(boxes: list[tuple[int, float, list[str], bool]], lines: list[tuple[int, int]], title: str) -> list[str]:
    wide, gap, top = _WIDE, 36, 12
    width = max(column for column, *_ in boxes) * (wide + gap) + wide + 24
    height = (max(row for _, row, *_ in boxes) + 1) * _STEP + top
    made = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="sans-serif" font-size="12" role="img">',
        f"<title>{escape(title)}</title>",
    ]

    def corner(k: int) -> tuple[float, float]:
        return 12 + boxes[k][0] * (wide + gap), top + boxes[k][1] * _STEP

    for one, other in lines:
        (x, y), (u, v) = corner(one), corner(other)
        x, y, v = x + wide, y + _HIGH / 2, v + _HIGH / 2
        bend = (x + u) / 2
        made.append(
            f'<path d="M{x:g} {y:g} C{bend:g} {y:g} {bend:g} {v:g} {u:g} {v:g}" fill="none" stroke="{_LINE}" '
            'stroke-width="1.5"/>'
        )
    for k, (_, _, texts, is_leaf) in enumerate(boxes):
        x, y = corner(k)
        made.append(
            f'<rect x="{x:g}" y="{y:g}" width="{wide}" height="{_HIGH}" rx="6" fill="{"white" if is_leaf else _PALE}" '
            f'stroke="{_LINE if is_leaf else _INK}"/>'
        )
        first = y + _HIGH / 2 + (4 if len(texts) == 1 else -3)
        weight = "" if is_leaf else ' font-weight="bold"'
        made.append(f'<text x="{x + 10:g}" y="{first:g}" fill="{_INK}"{weight}>{escape(texts[0])}</text>')
        if len(texts) > 1:
            made.append(f'<text x="{x + 10:g}" y="{first + 14:g}" fill="{_INK}">{escape(texts[1])}</text>')
    return [*made, "</svg>"]
