"""Records in partitions: which may be placed apart, and what one partition finds out about its own.

Records are placed by super-entity, and no entity reaches beyond one:

* *copying*: a component of the plausible pairs. Pairs are compared and weights learnt before, once, from all records;
  what is left to do, sampling, is independent from component to component, so partitions change nothing in the
  distribution. Only where a component would not fit a partition are pairs cut, the faintest first; they are counted.
* *hierarchical*: a canopy. A partition learns its weights and frequencies of words from its own records alone.

Random streams are keyed by seed and partition key. Who carries a partition is not known here: `Carry` hides it.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.errors import UnsupportedError
from onoma.numerics.rng import stream
from onoma.resolve.comparison.weights import Evidence, Weights, edge_weights
from onoma.resolve.models.hierarchical.fields import TreeEntities, grow_columns
from onoma.resolve.models.hierarchical.mentions import BagColumn, NameColumn, TreeColumns
from onoma.resolve.models.hierarchical.trees import BagScores
from onoma.resolve.posterior._copying_kernels import components_above
from onoma.resolve.posterior.copying import LEAST, CopyingSampler, Draws
from onoma.resolve.posterior.sampling import Tally, WatchedChain, run_chain

__all__ = ["Carry", "check_carried", "sample_copies", "sample_trees"]

_MOST = 1e-2
"""Pairs that weigh more than this (beside 1 for a fresh record) are never cut."""
_LARGEST = 0.5
"""A component may fill this part of a partition before pairs are cut."""
_SEEN = ("copied", "related", "together", "akin")


class Carry(Protocol):
    """Who brings rows of one `super` together, works on each partition, and gives the rows back in order."""

    @property
    def n_partitions(self) -> int:
        """How many partitions there are."""

    def __call__(self, rows: pa.Table, function: Callable[[pa.Table, int], pa.Table], schema: pa.Schema) -> pa.Table:
        """Return what the function gives, ordered by `mention`; rows have `mention`, `entity` and `super`."""


def check_carried(model: str, *, link: bool, one_to_one: bool, labels: bool) -> None:
    """Refuse what cannot be done in partitions."""
    if model not in ("copying", "hierarchical") or link or one_to_one or (labels and model == "hierarchical"):
        said = "linking" if link or one_to_one else f"the model {model}" + " with labels" * labels
        raise UnsupportedError(
            f"{said} is not done in partitions",
            hint="Partitions are for the models copying, hierarchical (without labels) and cross-document.",
        )


def sample_copies(
    evidence: Evidence, weights: Weights, *, n_burn_in: int, n_samples: int, seed: int, carry: Carry
) -> tuple[Draws, int]:
    """Sample the copying model in partitions; return what was seen, and how many plausible pairs were cut."""
    n, a, b = evidence.n, evidence.a, evidence.b
    copy, relative = edge_weights(evidence, weights)
    largest = n * _LARGEST / carry.n_partitions if carry.n_partitions > 1 else n
    component = _small_components(n, a, b, copy, relative, largest)
    inside = component[a] == component[b]
    cut = int(np.count_nonzero(~inside & (copy + relative > LEAST)))
    pairs = np.flatnonzero(inside)
    rows, order = _pair_rows(n, component, a[pairs], b[pairs], copy[pairs], relative[pairs])
    work = partial(_sample_partition, n_burn_in=n_burn_in, n_samples=n_samples, seed=seed)
    lists = pa.schema([(name, pa.list_(pa.float64())) for name in _SEEN])
    schema = pa.schema([("mention", pa.int64()), *lists, ("roots", pa.list_(pa.int32()))])
    found = carry(rows, work, schema)
    seen = np.zeros((len(_SEEN), len(a)))
    for row, name in zip(seen, _SEEN, strict=True):
        row[pairs[order]] = _flat(found, name)
    roots = np.repeat(np.arange(n, dtype=np.int32)[None], n_samples, axis=0)
    records = found["mention"].to_numpy()
    roots[:, records] = _flat(found, "roots").reshape(len(records), n_samples).T
    n_entities = np.count_nonzero(roots == np.arange(n, dtype=np.int32), axis=1)
    copied, related, together, akin = seen
    return Draws(n_samples, copied, related, together, akin, n_entities, roots), cut


def _small_components(
    n: int,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    largest: float,
) -> NDArray[np.int64]:
    """Return the component of each record under pairs above a floor: as low as components of that size allow."""
    floor = LEAST
    while True:
        found = components_above(n, a, b, copy, relative, floor).astype(np.int64)
        if np.bincount(found).max(initial=0) <= largest or floor >= _MOST:
            return found
        floor *= 10.0


def _pair_rows(
    n: int,
    component: NDArray[np.int64],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
) -> tuple[pa.Table, NDArray[np.int64]]:
    """Return one row for each record that has company, with the pairs it comes first in; and the order of the pairs."""
    order = np.argsort(a, kind="stable")
    records = np.flatnonzero(np.bincount(component, minlength=n)[component] > 1)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(a, minlength=n)[records])])
    whole = pa.array(component[records])  # nothing smaller may be placed apart
    columns: dict[str, pa.Array] = {"mention": pa.array(records), "entity": whole, "super": whole}
    for name, values in (("other", b.astype(np.int64)), ("copy", copy), ("relative", relative)):
        columns[name] = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values[order]))
    return pa.table(columns), order


def _sample_partition(rows: pa.Table, key: int, *, n_burn_in: int, n_samples: int, seed: int) -> pa.Table:
    """Run a chain over the records of one partition."""
    records = rows["mention"].to_numpy()
    lengths = np.diff(rows["other"].combine_chunks().offsets.to_numpy())
    a = np.repeat(np.arange(len(records), dtype=np.int32), lengths)
    b = np.searchsorted(records, _flat(rows, "other")).astype(np.int32)
    copy, relative = (_flat(rows, name).copy() for name in ("copy", "relative"))
    sampler = CopyingSampler(len(records), a, b, seed=_seed_of(seed, key), threads=1)
    chain = WatchedChain(
        sampler,
        lambda n, kept: sampler.run(copy, relative, n_sweeps=n, n_kept=kept),
        lambda n, kept, watch: sampler.run(copy, relative, n_sweeps=n, n_kept=kept, watch=watch),
    )
    tally = Tally.empty(len(records), len(a), n_samples)
    draws, _ = run_chain(chain, tally, n_burn_in=n_burn_in, n_samples=n_samples)
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())
    columns = {"mention": rows["mention"].combine_chunks()}
    columns |= {name: pa.ListArray.from_arrays(offsets, pa.array(getattr(draws, name))) for name in _SEEN}
    columns["roots"] = _rectangle(records[draws.roots].T.astype(np.int32))
    return pa.table(columns)


def sample_trees(columns: TreeColumns, *, seed: int, carry: Carry) -> TreeEntities:
    """Grow trees in partitions of whole canopies; the trees themselves stay where they grew."""
    n = len(columns.canopy)
    table = {"mention": np.arange(n), "entity": columns.canopy, "super": columns.canopy}
    arrays = {name: pa.array(values.astype(np.int64)) for name, values in table.items()}
    for k, name in enumerate(columns.names):
        arrays[f"name {k}"] = name.forms.take(pa.array(name.codes, mask=name.codes < 0)).cast(pa.string())
    for k, bag in enumerate(columns.bags):
        words = bag.words.take(pa.array(bag.ids)).cast(pa.string())
        arrays[f"bag {k}"] = pa.ListArray.from_arrays(pa.array(bag.offsets, pa.int32()), words)
    work = partial(_grow_partition, kinds=list(columns.kinds), linking=list(columns.linking), seed=seed)
    fields = [("mention", pa.int64()), ("label", pa.int64()), ("probability", pa.float64())]
    found = carry(pa.table(arrays), work, pa.schema([*fields, ("roots", pa.list_(pa.int32()))]))
    roots = _flat(found, "roots").reshape(n, -1).T
    clustering = Clustering.from_labels(found["label"])
    return TreeEntities(clustering, np.ascontiguousarray(roots), found["probability"].to_numpy())


def _grow_partition(
    rows: pa.Table, key: int, *, kinds: Sequence[BagScores], linking: Sequence[bool], seed: int
) -> pa.Table:
    """Grow trees over the canopies of one partition."""
    records = rows["mention"].to_numpy()
    names = [NameColumn.of_texts(rows[name]) for name in rows.column_names if name.startswith("name ")]
    bags = [BagColumn.of_lists(rows[name].combine_chunks()) for name in rows.column_names if name.startswith("bag ")]
    canopy = Clustering.from_labels(rows["super"]).labels
    trees = grow_columns(TreeColumns(canopy, names, bags, kinds, linking), seed=_seed_of(seed, key))
    columns = {"mention": rows["mention"].combine_chunks(), "label": records[trees.run.labels]}
    roots = _rectangle(records[trees.roots].T.astype(np.int32))
    return pa.table(columns | {"probability": trees.probability, "roots": roots})


def _seed_of(seed: int, key: int) -> int:
    return int(stream(seed, "partition", key).integers(2**62))


def _flat(table: pa.Table, name: str) -> NDArray[Any]:
    return table[name].combine_chunks().flatten().to_numpy(zero_copy_only=False)


def _rectangle(values: NDArray[np.int32]) -> pa.ListArray:
    """Return lists of one length, a row for each."""
    n, width = values.shape
    return pa.ListArray.from_arrays(pa.array(np.arange(n + 1) * width, pa.int32()), pa.array(values.ravel()))
