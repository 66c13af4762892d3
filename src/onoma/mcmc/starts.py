"""Where a chain starts: a random world that is not forbidden."""

import numpy as np

from onoma.errors import DataError
from onoma.graph._graph_kernels import world_cells
from onoma.graph.changes import World
from onoma.graph.compiled import CompiledGraph
from onoma.mcmc._start_kernels import repair_inplace
from onoma.numerics.rng import kernel_state, stream

__all__ = ["allowed_world"]


def allowed_world(graph: CompiledGraph, seed: int, *keys: int | str, n_steps: int | None = None) -> World:
    """Return a random world; where it is forbidden, repair it.

    Repair is a local search: take a violated factor at random, and give one of its variables the value that violates
    the fewest factors (Minton et al. 1992), one time in ten any value. It gives up after `n_steps`, by default 1,000
    and 100 for each variable: finding an allowed world may be as hard as any puzzle.
    """
    world = graph.world()
    free, n_values = graph.arrays.free, graph.arrays.n_values
    world[free] = stream(seed, "start", *keys).integers(0, n_values[free])
    n_steps = 1000 + 100 * graph.n_variables if n_steps is None else n_steps
    if not repair_inplace(graph.arrays, kernel_state(seed, "repair", *keys), world, n_steps):
        violated = np.flatnonzero(np.isneginf(graph.arrays.cells[world_cells(graph.arrays, world)]))
        names = ", ".join(repr(graph.factor_name(int(factor))) for factor in violated[:3])
        raise DataError(
            f"no allowed world found in {n_steps:,} repairs; still forbidden by {names}",
            hint="If the factors do not contradict each other, pass a starting world, or allow more steps.",
        )
    return world
