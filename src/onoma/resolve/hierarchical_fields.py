"""Trees over the rows of a table: which columns are names and which are words, and the trees told as a table.

Names of people make the names of nodes and, where no block is given, the canopies: an initial and the last word of the
family name. Texts are bags of their words, sets bags of their elements, any other value is a word of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.errors import SettingsError
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve._hierarchical_bags_kernels import COUNT, FIRST, NEXT, PARENT
from onoma.resolve.choice import ModelName, equal_weights
from onoma.resolve.copying import Draws
from onoma.resolve.fields.field import FieldData
from onoma.resolve.hierarchical import BagScores
from onoma.resolve.hierarchical_learning import AUTHOR_BAGS
from onoma.resolve.hierarchical_mentions import BagColumn, NameColumn
from onoma.resolve.hierarchical_run import TreeColumns, TreeRun, TreeSettings, resolve_trees
from onoma.resolve.supervision import learn_from_labels
from onoma.resolve.weights import Evidence, Weights, WeightSettings

__all__ = ["GrownTrees", "grow_records", "pick_model", "tree_columns"]

_FAMILY = ("last", "surname", "family", "nachname", "nom")
_N_SAMPLES = 20
_SHOWN = 8
"""Words of a node that its row in the table of nodes tells."""


@dataclass(frozen=True, eq=False)
class GrownTrees:
    """Trees over rows, the entities they make, and how sure each row is of its place."""

    run: TreeRun
    clustering: Clustering
    roots: NDArray[np.int32]
    """By sample and row, one row of its entity."""
    probability: NDArray[np.float64]
    """Share of samples in which a row is with most of its entity."""

    def draws(self, evidence: Evidence) -> Draws:
        """Return the samples as a sampler of pairs would tell them."""
        together = (self.roots[:, evidence.a] == self.roots[:, evidence.b]).mean(axis=0)
        n_entities = np.array([len(np.unique(sample)) for sample in self.roots])
        return Draws(len(self.roots), together, np.zeros(len(together)), together, together, n_entities, self.roots)

    def weights(
        self, evidence: Evidence, names: Sequence[tuple[str, Sequence[str]]], settings: WeightSettings
    ) -> Weights:
        """Return what records of one entity share, as weights of pairs: for explanations, the trees do not use them."""
        if len(evidence.a) == 0:
            return equal_weights(evidence, names)
        return learn_from_labels(evidence, self.clustering.labels, settings).weights

    def nodes(self, ids: pa.ChunkedArray) -> pa.Table:
        """Return one row for each node: node, parent, entity, size, record (of a leaf), name, words."""
        entity = self.clustering.relabel()
        return pa.concat_tables(
            [_nodes_of(self.run, k, ids.combine_chunks(), entity) for k in range(len(self.run.shards))]
        )

    def draw(self, row: int, ids: pa.ChunkedArray, *, n_leaves: int = 3, n_words: int = 5) -> str:
        """Return the tree of a row's entity as text: a line for each node, children below and further right.

        Of many records below one node, some are shown.
        """
        k = next(k for k, shard in enumerate(self.run.shards) if (shard.rows == row).any())
        shard, links = self.run.shards[k], self.run.chains[k].forest.links
        node = int(np.flatnonzero(shard.rows == row)[0])
        while links[node, PARENT] >= 0:
            node = int(links[node, PARENT])
        lines: list[str] = []

        def show(node: int, depth: int) -> None:
            name, indent = self.run.name_of(k, node), "  " * depth
            if node < len(shard.rows):
                lines.append(f"{indent}{ids[int(shard.rows[node])]}  {name}".rstrip())
                return
            words = ", ".join(self.run.words_of(k, node, n_words))
            lines.append(f"{indent}{links[node, COUNT]:,} records  {name}  ({words})")
            children = sorted(_children(links, node), key=lambda child: (-int(links[child, COUNT]), child))
            inner = [child for child in children if child >= len(shard.rows)]
            leaves = [child for child in children if child < len(shard.rows)]
            for child in inner + leaves[:n_leaves]:
                show(child, depth + 1)
            if len(leaves) > n_leaves:
                lines.append(f"{indent}  … and {len(leaves) - n_leaves:,} more")

        show(node, 0)
        return "\n".join(lines)


def _children(links: NDArray[np.int32], node: int) -> list[int]:
    found, child = [], int(links[node, FIRST])
    while child >= 0:
        found.append(child)
        child = int(links[child, NEXT])
    return found


def grow_records(
    fields: Sequence[FieldData],
    block: NDArray[np.int32] | None = None,
    *,
    labels: NDArray[np.int64] | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
    stop: Stop = NEVER,
) -> GrownTrees:
    """Grow trees over records given as prepared fields; then sample the model to see how sure it is.

    Parameters
    ----------
    fields
        At least one field.
    block
        Only records of one block can be the same; None: of one initial and family name.
    labels
        The true entity of some records, -1 for the others; None: weights are learnt without.
    """
    columns = tree_columns(fields, block)
    run = resolve_trees(columns, settings=TreeSettings(seed=seed), labels=labels, progress=progress, stop=stop)
    clustering = run.clustering
    roots = run.sample(_N_SAMPLES, progress=progress)
    return GrownTrees(run, clustering, roots, _shares(clustering, roots))


def _shares(clustering: Clustering, roots: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return for each row the share of samples in which it is with most rows of its entity."""
    total = np.zeros(len(clustering))
    n = len(clustering)
    for sample in roots:
        keys, place, sizes = np.unique(clustering.labels * n + sample, return_inverse=True, return_counts=True)
        most = np.zeros(clustering.n_entities, np.int64)
        np.maximum.at(most, keys // n, sizes)
        total += sizes[place] == most[clustering.labels]
    return total / max(len(roots), 1)


def pick_model(fields: Sequence[FieldData], *, link: bool) -> tuple[ModelName, str]:
    """Return the model for a table, and why.

    Names of people with lists around them (co-authors) are for trees: on simulated authors they find more at any size
    that was measured, 200 to 5,000 rows, and larger tables are what they are made for.
    """
    kinds = {each.kind for each in fields}
    if {"person", "set"} <= kinds and not link:
        return "hierarchical", "there are names of people with lists around them"
    return "copying", "rows are linked" if link else "there are no names of people with lists around them"


def tree_columns(fields: Sequence[FieldData], block: NDArray[np.int32] | None = None) -> TreeColumns:
    """Return the names, words and canopies of prepared fields."""
    people = [each for each in fields if each.kind == "person"]
    if not people and block is None:
        raise SettingsError(
            "the hierarchical model puts rows of one initial and family name side by side, and there is no column of "
            "names of people",
            hint="Say which column is one (--field COLUMN=person), or give blocks (--block COLUMN).",
        )
    given, family = _names(people)
    others = [each for each in fields if each.kind not in ("person", "vector")]
    made = [_bag(each) for each in others]
    if block is None:
        canopy = Clustering.from_labels([f"{g[:1]} {f.rpartition(' ')[2]}" for g, f in zip(given, family, strict=True)])
        labels = canopy.labels
    else:
        labels = Clustering.from_labels(block.astype(np.int64)).labels
    names = [NameColumn.of_texts(pa.array(column)) for column in (given, family)] if people else []
    if names and block is not None and len(names[0].forms) <= len(np.unique(labels)):
        names = []  # a block is a name: it tells nothing inside
    return TreeColumns(
        labels, names, [bag for bag, _ in made], [kind for _, kind in made], [each.kind == "set" for each in others]
    )


def _names(people: Sequence[FieldData]) -> tuple[list[str], list[str]]:
    """Return given and family names: of columns of their own, or the last word of whole names and what is before."""
    texts = [_texts(each) for each in people]
    if not people:
        return [], []
    if len(people) == 1:
        parts = [text.rpartition(" ") for text in texts[0]]
        return [given for given, _, _ in parts], [family for _, _, family in parts]
    marked = [k for k, each in enumerate(people) if any(word in each.name.lower() for word in _FAMILY)]
    last = marked[0] if marked else len(people) - 1
    rest = [column for k, column in enumerate(texts) if k != last]
    return [" ".join(filter(None, row)) for row in zip(*rest, strict=True)], texts[last]


def _texts(field: FieldData) -> list[str]:
    return [field.values[code] if code >= 0 else "" for code in field.codes.tolist()]


def _bag(field: FieldData) -> tuple[BagColumn, BagScores]:
    """Return a field as words, and what these score where nothing can be learnt."""
    column = pa.array(field.values, pa.string()).take(pa.array(field.codes, mask=field.codes < 0))
    if field.kind == "set":
        return BagColumn.of_texts(column, by="; "), AUTHOR_BAGS["people"]
    if field.kind == "text":
        return BagColumn.of_texts(column), AUTHOR_BAGS["text"]
    return BagColumn.of_texts(column, by="\x1f"), AUTHOR_BAGS["category"]


def _nodes_of(run: TreeRun, k: int, ids: pa.Array, entity: pa.Array) -> pa.Table:
    shard, chain = run.shards[k], run.chains[k]
    forest, n = chain.forest, len(shard.rows)
    nodes = np.flatnonzero(forest.links[:, PARENT] != -2)
    parent, size = forest.links[nodes, PARENT], forest.links[nodes, COUNT]
    leaf = np.where(nodes < n, nodes, -1)
    at_leaf = _some_leaf(forest.links[:, PARENT], n)[nodes]
    written = pa.array([f"{k}.{node}" for node in nodes.tolist()])
    words, names = [], []
    for node in nodes.tolist():
        names.append(run.name_of(k, node))
        words.append("" if node < n else ", ".join(run.words_of(k, node, _SHOWN)))
    return pa.table(
        {
            "node": written,
            "parent": pa.array([f"{k}.{p}" if p >= 0 else None for p in parent.tolist()], pa.string()),
            "entity": entity.take(pa.array(shard.rows[at_leaf])),
            "size": pa.array(size.astype(np.int64)),
            "record": ids.take(pa.array(np.where(leaf >= 0, shard.rows[leaf], 0), mask=leaf < 0)),
            "name": names,
            "words": words,
        }
    )


def _some_leaf(parent: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Return for each node a leaf below it."""
    found = np.full(len(parent), -1, np.int64)
    found[:n] = np.arange(n)
    for leaf in range(n):
        node = int(parent[leaf])
        while node >= 0 and found[node] < 0:
            found[node] = leaf
            node = int(parent[node])
    return found
