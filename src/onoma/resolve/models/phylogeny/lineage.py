"""The family tree of an entity's names: who descends from whom, what was done on the way, as text and as a picture."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.models.phylogeny.arborescence import best_parents
from onoma.resolve.models.phylogeny.mentions import Mentions
from onoma.resolve.models.phylogeny.model import NameModel, Phylogeny, PhylogenySettings
from onoma.resolve.names.edits import name_edit

__all__ = ["FamilyTree", "draw_tree", "known_tree", "likely_parents", "tell_tree"]

_FAR = -60.0
"""The log weight of a descent that explains nothing."""
_ROW, _STEP, _MARGIN = 26, 30, 12
"""Of the picture, in pixels: height of a line, indentation, margin."""


def likely_parents(phylogeny: Phylogeny) -> NDArray[np.int64]:
    """Return the parent of each node in the most likely family tree of its entity (-1: its first name).

    The tree has the greatest sum of the shares of samples in which its edges, and its root, were there.
    """
    sampled, labels = phylogeny.descent.parents, phylogeny.consensus.clustering.labels
    found = np.full(len(labels), -1, dtype=np.int64)
    clustering = phylogeny.consensus.clustering
    for entity in np.flatnonzero(clustering.sizes > 1).tolist():
        members = clustering.members(entity)
        place = {int(node): i for i, node in enumerate(members)}
        counts: dict[tuple[int, int], int] = {}
        for i, node in enumerate(members):
            parents, often = np.unique(sampled[:, node], return_counts=True)
            for parent, n in zip(parents.tolist(), often.tolist(), strict=True):
                if parent in place:
                    counts[place[parent], i] = n
        # A root is worth least: an entity has one first name, the others descend.
        roots = phylogeny.descent.rooted[members] - len(members)
        edges = list(counts)
        shares = [counts[edge] / len(sampled) for edge in edges]
        best = best_parents(len(members), [p for p, _ in edges], [c for _, c in edges], shares, roots)
        found[members] = np.where(best < 0, -1, members[best])
    return found


def known_tree(names: Sequence[str]) -> "FamilyTree":
    """Return the family tree of names that are known to be one thing's, as names in general change.

    Examples
    --------
    >>> print(tell_tree(known_tree(["Ada Lovelace", "A. Lovelace", "Ada King Lovelace"])))
    Ada King Lovelace
    └─ Ada Lovelace        drop King
       └─ A. Lovelace      initial of Ada
    """
    distinct = list(dict.fromkeys(names))
    model = NameModel(Mentions(distinct), PhylogenySettings(neighbours=None))
    parents, children, weights = model.sampler.parents, model.sampler.children, model.log_weights()
    scores = np.maximum(weights, _FAR)
    best = best_parents(len(distinct), parents, children, scores, np.full(len(distinct), 10 * _FAR * len(distinct)))
    return FamilyTree(distinct, best.tolist(), [list(names).count(name) for name in distinct])


@dataclass(frozen=True, eq=False)
class FamilyTree:
    """Names, and the parent of each (-1: none), parents in any order."""

    names: Sequence[str]
    parents: Sequence[int]
    counts: Sequence[int] | None = None
    """How often each name was met."""

    def walk(self) -> Iterator[tuple[int, int, list[bool]]]:
        """Return each name with its depth and, for it and its ancestors, whether it is the last child."""
        children: dict[int, list[int]] = {}
        for i, parent in enumerate(self.parents):
            children.setdefault(parent, []).append(i)

        def below(node: int, lasts: list[bool]) -> Iterator[tuple[int, int, list[bool]]]:
            yield node, len(lasts), lasts
            theirs = children.get(node, [])
            for k, child in enumerate(theirs):
                yield from below(child, [*lasts, k == len(theirs) - 1])

        for root in children.get(-1, []):
            yield from below(root, [])

    def edit(self, node: int) -> str:
        """Return what was done to the parent's name, "" for a first name."""
        parent = self.parents[node]
        return "" if parent < 0 else name_edit(self.names[parent], self.names[node])

    def times(self, node: int) -> str:
        """Return how often a name was met, if more than once."""
        return f" ×{self.counts[node]}" if self.counts is not None and self.counts[node] > 1 else ""


def tell_tree(tree: FamilyTree) -> str:
    """Write a family tree as text, one name a line, with the edit that made it.

    Examples
    --------
    >>> print(tell_tree(FamilyTree(["William Smith", "Wm Smith", "Bill Smith"], [-1, 0, 0])))
    William Smith
    ├─ Wm Smith          abbreviate William
    └─ Bill Smith        nickname for William
    """
    rows = []
    for node, depth, lasts in tree.walk():
        bars = "".join("   " if last else "│  " for last in lasts[:-1])
        branch = "" if depth == 0 else "└─ " if lasts[-1] else "├─ "
        rows.append((f"{bars}{branch}{tree.names[node]}{tree.times(node)}", tree.edit(node)))
    width = max((len(left) for left, right in rows if right), default=0) + 6
    return "\n".join(f"{left:<{width}}{right}".rstrip() for left, right in rows)


def draw_tree(tree: FamilyTree) -> str:
    """Draw a family tree as SVG."""
    rows = list(tree.walk())
    line = {node: k for k, (node, _, _) in enumerate(rows)}
    depth = {node: d for node, d, _ in rows}
    width = 2 * _MARGIN + max(
        (_STEP * d + 9 * len(tree.names[i]) + 8 * len(tree.edit(i)) for i, d, _ in rows), default=0
    )
    height = 2 * _MARGIN + _ROW * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 40}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="14">',
        "<title>Family tree of names</title>",
    ]
    for node, d, _ in rows:
        x, y = _MARGIN + _STEP * d, _MARGIN + _ROW * line[node] + _ROW // 2
        parent = tree.parents[node]
        if parent >= 0:
            up_x, up_y = _MARGIN + _STEP * depth[parent] + 4, _MARGIN + _ROW * line[parent] + _ROW // 2 + 6
            parts.append(f'<path d="M{up_x} {up_y} V{y} H{x - 3}" fill="none" stroke="#888"/>')
        parts.append(f'<circle cx="{x + 4}" cy="{y}" r="3.5" fill="{"#0072B2" if parent < 0 else "#666"}"/>')
        edit = f'  <tspan fill="#888" font-size="12">{escape(tree.edit(node))}</tspan>' if parent >= 0 else ""
        shown = escape(tree.names[node] + tree.times(node))
        parts.append(f'<text x="{x + 13}" y="{y + 5}" xml:space="preserve">{shown}{edit}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
