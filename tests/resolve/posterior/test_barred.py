"""Is the kernel its slow twin, whatever bears and bars which marks?"""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from onoma.numerics.rng import stream
from onoma.resolve.posterior.barred import BarredSampler, Bars
from reference.resolve_barred import held_apart, members, origins_of, sweep
from reference.resolve_copying import FRESH, neighbour_lists

N_MARKS = 3
MARKS = list(itertools.combinations_with_replacement(range(N_MARKS), 2))


def bars_of(marks, hostile, outside):
    """Every record bars the marks that are hostile to its own."""
    barred = [[m for m in range(N_MARKS) if (mark, m) in hostile or (m, mark) in hostile] for mark in marks]
    offsets = np.cumsum([0, *map(len, barred)])
    flat = np.array([m for some in barred for m in some], dtype=np.int32)
    return Bars(np.array(marks, dtype=np.int32), offsets, flat, np.array(outside))


@given(
    st.integers(0, 2**32),
    st.lists(st.tuples(st.integers(0, N_MARKS - 1), st.booleans()), min_size=2, max_size=6),
    st.sets(st.sampled_from(MARKS)),
)
def test_the_kernel_is_its_slow_twin(seed, records, hostile):
    marks, outside = zip(*records, strict=True)
    n, rng = len(marks), stream(seed, "problem")
    pairs = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < 0.9]
    copy, relative = np.exp(rng.normal(0.5, 1.2, len(pairs))), np.exp(rng.normal(-1.0, 1.0, len(pairs)))
    a, b = np.array(pairs, dtype=np.int32).reshape(-1, 2).T.copy()
    sampler = BarredSampler(bars_of(marks, hostile, outside), a, b, seed=seed, name="barred")
    different = [
        pair for pair in itertools.combinations(range(n), 2) if tuple(sorted(marks[i] for i in pair)) in hostile
    ]
    lists = neighbour_lists(n, pairs)
    time, origins, state = sampler.time.tolist(), (FRESH,) * n, sampler.rng_state.copy()
    for _ in range(5):
        sampler.run(copy, relative, n_sweeps=1)
        origins, time = sweep(
            state, time, origins, lists, copy, relative, held_apart(different), set(np.flatnonzero(outside))
        )
        assert origins_of(sampler) == origins
        assert np.allclose(sampler.time, time)
        for i in range(n):
            # Round each entity, every member is met once.
            met, m = [i], sampler.following[i]
            while m != i:
                met.append(int(m))
                m = sampler.following[m]
            assert sorted(met) == members(origins, i)
