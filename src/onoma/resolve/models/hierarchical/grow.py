"""Trees over the rows of a table: which columns are names and which are words, and the trees told as a table.

Names of people make the names of nodes and, where no block is given, the canopies: an initial and the last word of the
family name. Without either, rows that share enough to be compared are a canopy, with all that these share with others.
Texts, places and organisations are bags of their words, sets bags of their elements, any other value is a word of its
own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.numerics.union_find import components
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.blocking.canopies import find_candidates
from onoma.resolve.comparison.choice import equal_weights
from onoma.resolve.comparison.supervision import learn_from_labels
from onoma.resolve.comparison.weights import Evidence, Weights, WeightSettings
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.packed.texts import arrow_of
from onoma.resolve.models.hierarchical._bags_kernels import COUNT, FIRST, NEXT, PARENT
from onoma.resolve.models.hierarchical.learning import AUTHOR_BAGS
from onoma.resolve.models.hierarchical.mentions import BagColumn, TreeColumns
from onoma.resolve.models.hierarchical.nodes import shard_nodes
from onoma.resolve.models.hierarchical.run import TreeRun, TreeSettings, resolve_trees
from onoma.resolve.models.hierarchical.trees import BagScores
from onoma.resolve.models.hierarchical.whole_names import NameColumn, given_and_family
from onoma.resolve.posterior.copying import Draws
from onoma.resolve.report.entity_tree import EntityTree

__all__ = [
    "N_SAMPLES",
    "GrownTrees",
    "TreeEntities",
    "grow_columns",
    "grow_records",
    "tree_columns",
    "tree_names",
]

N_SAMPLES = 20
"""Samples that say how sure a row is of its place."""
_CHOSEN = 25
"""Rows to a whole name, on average, from which on names have been chosen for being many people's, if each has a canopy
nearly for itself. Where many names share one (all the Wangs of an index), they tell people apart."""


@dataclass(frozen=True, eq=False)
class TreeEntities:
    """The entities that trees over rows make, and how sure each row is of its place."""

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


@dataclass(frozen=True, eq=False)
class GrownTrees(TreeEntities):
    """Trees over rows, with the entities they make."""

    run: TreeRun

    def nodes(self, ids: pa.Array | pa.ChunkedArray) -> pa.Table:
        """Return one row for each node: node, parent, entity, size, record (of a leaf), name, words."""
        entity = self.clustering.relabel()
        ids = ids.combine_chunks() if isinstance(ids, pa.ChunkedArray) else ids
        return pa.concat_tables([shard_nodes(self.run, k, ids, entity) for k in range(len(self.run.shards))])

    def tree(self, row: int, ids: pa.Array | pa.ChunkedArray, *, n_words: int = 5) -> EntityTree:
        """Return the tree of a row's entity."""
        run = self.run
        mention = int(run.folding.place[row])
        k = next(k for k, shard in enumerate(run.shards) if (shard.rows == mention).any())
        links, mentions = run.chains[k].forest.links, run.shards[k].rows
        node = int(np.flatnonzero(mentions == mention)[0])
        while links[node, PARENT] >= 0:
            node = int(links[node, PARENT])

        def grown(node: int) -> EntityTree:
            name, size = run.name_of(k, node), int(links[node, COUNT])
            if node >= len(mentions):
                below = [grown(child) for child in _children(links, node)]
            else:
                rows = run.folding.rows_of(int(mentions[node])).tolist()
                below = [EntityTree(name, 1, record=str(ids[r])) for r in rows]
                if size == 1:
                    return below[0]
            return EntityTree(name, size, ", ".join(run.words_of(k, node, n_words)), None, below)

        return grown(node)


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
    n_samples: int = N_SAMPLES,
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
    return grow_columns(columns, labels=labels, n_samples=n_samples, seed=seed, progress=progress, stop=stop)


def grow_columns(
    columns: TreeColumns,
    *,
    labels: NDArray[np.int64] | None = None,
    n_samples: int = N_SAMPLES,
    seed: int = 0,
    progress: Progress = SILENT,
    stop: Stop = NEVER,
) -> GrownTrees:
    """Grow trees over names and bags of words; then sample the model to see how sure it is."""
    run = resolve_trees(columns, settings=TreeSettings(seed=seed), labels=labels, progress=progress, stop=stop)
    clustering = run.clustering
    roots = run.sample(n_samples, progress=progress)
    return GrownTrees(clustering, roots, _shares(clustering, roots), run)


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


def tree_columns(fields: Sequence[FieldData], block: NDArray[np.int32] | None = None) -> TreeColumns:
    """Return the names, words and canopies of prepared fields.

    Where there are neither blocks nor names of people, rows that the canopies of pairs connect are a canopy.
    """
    others = [each for each in fields if each.kind not in ("person", "vector")]
    made = [_bag(each) for each in others]
    labels, names = tree_names(fields, block)
    return TreeColumns(
        labels, names, [bag for bag, _ in made], [kind for _, kind in made], [each.kind == "set" for each in others]
    )


def tree_names(
    fields: Sequence[FieldData], block: NDArray[np.int32] | None = None
) -> tuple[NDArray[np.int64], list[NameColumn]]:
    """Return the canopy of each row, and given and family names; none where names tell nothing within a canopy."""
    people = [each for each in fields if each.kind == "person"]
    given, family = (part.to_pylist() for part in given_and_family(people))
    if block is not None:
        labels = Clustering.from_labels(block.astype(np.int64)).labels
    elif people:
        canopy = Clustering.from_labels([f"{g[:1]} {f.rpartition(' ')[2]}" for g, f in zip(given, family, strict=True)])
        labels = canopy.labels
    else:
        found = find_candidates(fields)
        labels = Clustering.from_labels(
            components(len(fields[0].codes), found.a.astype(np.int64), found.b.astype(np.int64))
        ).labels
    names = [NameColumn.of_texts(pa.array(column, pa.string())) for column in (given, family)] if people else []
    n_canopies = len(np.unique(labels))
    is_block = block is not None and len(people) > 0 and len(names[0].forms) <= n_canopies
    n_names = len(set(zip(given, family, strict=True)))
    if is_block or (len(labels) >= _CHOSEN * n_names > 0 and n_names < 2 * n_canopies):
        return labels, []  # a block is a name, or a name is a block: it tells nothing inside
    return labels, names


def _bag(field: FieldData) -> tuple[BagColumn, BagScores]:
    """Return a field as words, and what these score where nothing can be learnt."""
    column = arrow_of(field.values).cast(pa.string()).take(pa.array(field.codes, mask=field.codes < 0))
    if field.kind == "set":
        return BagColumn.of_texts(column, by="; "), AUTHOR_BAGS["people"]
    if field.kind in ("text", "place", "organisation"):
        return BagColumn.of_texts(column), AUTHOR_BAGS["text"]
    return BagColumn.of_texts(column, by="\x1f"), AUTHOR_BAGS["category"]
