"""Kernels of `linking.py`: a sampler over matchings."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel, lean
from onoma.numerics.rng import below, uniform
from onoma.resolve.posterior._copying_kernels import Neighbours


@lean
def step(
    rng_state: NDArray[np.uint64],
    i: int,
    partner: NDArray[np.int64],
    near: Neighbours,
    weight: NDArray[np.float64],
    total: NDArray[np.float64],
) -> None:
    """Let record i choose: nobody (weight 1) or a neighbour p (its weight), from all its neighbours.

    `partner[i]` is the place in i's neighbour list of the record it is matched with, -1 for none. If i is matched, only
    the choice of nobody counts: the match ends. If i is single it joins p; a p that is matched with j leaves j with
    probability min(1, total[i] / total[j]), where total is 1 + the sum of a record's weights.

    A match begins by either side's choice with rate w (1/total_i + 1/total_p) and ends with rate 1/total_i + 1/total_p.
    A change of p from j to i has rate (w_ip / total_i) min(1, total_i / total_j), the reverse likewise. So detailed
    balance holds for P(matching) proportional to the product of its weights.
    """
    x = uniform(rng_state) * total[i] - 1.0
    if partner[i] >= 0:
        if x < 0.0:
            p = near.records[partner[i]]
            partner[p] = -1
            partner[i] = -1
        return
    if x < 0.0:
        return
    chosen = -1
    for at in range(near.offsets[i], near.offsets[i + 1]):
        chosen = at
        x -= weight[near.pairs[at]]
        if x < 0.0:
            break
    p = near.records[chosen]
    if partner[p] >= 0:
        j = near.records[partner[p]]
        if uniform(rng_state) * total[j] >= total[i]:
            return
        partner[j] = -1
    partner[i] = chosen
    for at in range(near.offsets[p], near.offsets[p + 1]):
        if near.pairs[at] == near.pairs[chosen]:
            partner[p] = at
            break


@kernel
def sweep(
    rng_state: NDArray[np.uint64],
    n_sweeps: int,
    partner: NDArray[np.int64],
    near: Neighbours,
    weight: NDArray[np.float64],
    total: NDArray[np.float64],
    together: NDArray[np.float64],
    n_entities: NDArray[np.int64],
    roots: NDArray[np.int32],
) -> None:
    """Run sweeps of one step a record, adding to the counts of pairs matched."""
    n, records, pairs = len(partner), near.records, near.pairs
    first_kept = n_sweeps - len(roots)
    for s in range(n_sweeps):
        for _ in range(n):
            step(rng_state, below(rng_state, n), partner, near, weight, total)
        matched = 0
        for i in range(n):
            if partner[i] >= 0 and i < records[partner[i]]:
                together[pairs[partner[i]]] += 1.0
                matched += 1
        n_entities[s] = n - matched
        if s >= first_kept:
            for i in range(n):
                other = i if partner[i] < 0 else records[partner[i]]
                roots[s - first_kept, i] = min(i, other)
