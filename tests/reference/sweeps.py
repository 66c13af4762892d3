"""Gibbs and Metropolis–Hastings sweeps written for the reader: whole worlds scored, lists shuffled, nothing cached.

They draw from the same random stream in the same order as the kernels, so the worlds must be equal, not merely alike.
"""

import numpy as np

from onoma.mcmc.subsampling import Confidence, Exact
from onoma.numerics.rng import below, uniform


def factor_score(graph, factor, world):
    """A factor's log score, read off its table."""
    variables = graph.factor_variables(factor)
    shape = tuple(int(graph.arrays.n_values[v]) for v in variables)
    start = int(graph.arrays.cell_offsets[factor])
    table = graph.arrays.cells[start : start + int(np.prod(shape))].reshape(shape)
    return float(table[tuple(world[variables])]), bool(np.isneginf(table).any())


def full_log_score(graph, world):
    return sum(factor_score(graph, factor, world)[0] for factor in range(graph.n_factors))


def factors_at(graph, variable):
    """The factors that look at a variable: hard ones, soft ones."""
    at = [f for f in range(graph.n_factors) if variable in graph.factor_variables(f)]
    is_hard = {f: factor_score(graph, f, graph.world())[1] for f in at}
    return [f for f in at if is_hard[f]], [f for f in at if not is_hard[f]]


def sampled_mean(strategy, proportion, items, score, rng_state):
    """The mean of score(item), a vector, over items drawn without replacement as the strategy says; and how many."""
    left, drawn = list(items), []
    while left:
        n, k = len(items), len(drawn)
        if isinstance(strategy, Confidence):
            if k >= strategy.minimum:
                sigma = np.std(drawn, axis=0, ddof=1).max()
                width = 2 * strategy.z * sigma / np.sqrt(k) * np.sqrt((n - k) / (n - 1))
                if width < strategy.width:
                    break
        elif k >= max(1, int(np.floor(proportion * n + 0.5))):
            break
        # Draw as from a shuffled deck: the drawn place is filled by the first item left.
        j = below(rng_state, len(left))
        left[0], left[j] = left[j], left[0]
        drawn.append(score(left.pop(0)))
    return np.mean(drawn, axis=0), len(drawn)


def gibbs_sweeps(graph, world, strategy, rng_state, temperatures, scan="systematic"):
    """Sweep a world in place; return how many factors were scored."""
    n_scored, free = 0, graph.arrays.free
    for t, temperature in enumerate(temperatures):
        proportion = strategy.proportions(t, 1)[0]
        for s in range(len(free)):
            variable = free[s if scan == "systematic" else below(rng_state, len(free))]
            values = range(graph.arrays.n_values[variable])
            hard, soft = factors_at(graph, variable)

            def scores(factor, variable=variable, values=values):
                result = []
                for value in values:
                    other = world.copy()
                    other[variable] = value
                    result.append(factor_score(graph, factor, other)[0])
                return np.array(result)

            total = sum((scores(f) for f in hard), np.zeros(len(values)))
            n_scored += len(hard)
            if isinstance(strategy, Exact) or not soft:
                total = sum((scores(f) for f in soft), total)
                n_scored += len(soft)
            else:
                mean, k = sampled_mean(strategy, proportion, soft, scores, rng_state)
                total = total + len(soft) * mean
                n_scored += k
            weights = np.exp(total / temperature - np.max(total / temperature))
            world[variable] = np.searchsorted(np.cumsum(weights), uniform(rng_state) * weights.sum(), side="right")
    return n_scored


def flip_sweeps(graph, world, strategy, rng_state, temperatures):
    """Metropolis–Hastings with single flips, in place; return how many factors were scored and changes accepted."""
    n_scored = n_accepted = 0
    free = graph.arrays.free
    for t, temperature in enumerate(temperatures):
        proportion = strategy.proportions(t, 1)[0]
        for _ in range(len(free)):
            variable = free[below(rng_state, len(free))]
            others = [x for x in range(graph.arrays.n_values[variable]) if x != world[variable]]
            other = world.copy()
            other[variable] = others[below(rng_state, len(others))]
            hard, soft = factors_at(graph, variable)

            def change(factor, other=other):
                return np.array([factor_score(graph, factor, other)[0] - factor_score(graph, factor, world)[0]])

            total = sum(float(change(f)[0]) for f in hard)
            n_scored += len(hard)
            if isinstance(strategy, Exact):
                total += sum(float(change(f)[0]) for f in soft)
                n_scored += len(soft)
            elif total > -np.inf and soft:
                mean, k = sampled_mean(strategy, proportion, soft, change, rng_state)
                total += len(soft) * float(mean[0])
                n_scored += k
            if uniform(rng_state) < np.exp(min(0.0, total / temperature)):
                world[:] = other
                n_accepted += 1
    return n_scored, n_accepted
