"""The copying model in partitions.

Records are placed by component of the plausible pairs. Pairs are compared and weights learnt before, once, from all
records; what is left to do, sampling, is independent from component to component, so partitions change nothing in the
distribution. Only where a component would not fit a partition are pairs cut, the faintest first; they are counted.
"""

from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.resolve.comparison.weights import Evidence, Weights, edge_weights
from onoma.resolve.contract import Carry
from onoma.resolve.partitions.carried import flat, rectangle, seed_of
from onoma.resolve.posterior._copying_kernels import components_above
from onoma.resolve.posterior.copying import LEAST, CopyingSampler, Draws
from onoma.resolve.posterior.sampling import Tally, WatchedChain, run_chain

__all__ = ["sample_copies"]

_MOST = 1e-2
"""Pairs that weigh more than this (beside 1 for a fresh record) are never cut."""
_LARGEST = 0.5
"""A component may fill this part of a partition before pairs are cut."""
_SEEN = ("copied", "related", "together", "akin")


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
        row[pairs[order]] = flat(found, name)
    roots = np.repeat(np.arange(n, dtype=np.int32)[None], n_samples, axis=0)
    records = found["mention"].to_numpy()
    roots[:, records] = flat(found, "roots").reshape(len(records), n_samples).T
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
    b = np.searchsorted(records, flat(rows, "other")).astype(np.int32)
    copy, relative = (flat(rows, name).copy() for name in ("copy", "relative"))
    sampler = CopyingSampler(len(records), a, b, seed=seed_of(seed, key), threads=1)
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
    columns["roots"] = rectangle(records[draws.roots].T.astype(np.int32))
    return pa.table(columns)
