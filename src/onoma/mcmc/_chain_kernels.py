"""Kernels of `chains.py`: sweeps of updates, and what is kept of them.

A sweep is as many updates as there are free variables. Everything a chain needs from one sweep to the next is in
`ChainArrays`; `Scratch` is working space that no sweep leaves anything in.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.graph._graph_kernels import GraphArrays, world_log_score
from onoma.mcmc._chain_arrays import (
    ACCEPTED,
    FACTORS,
    METROPOLIS,
    RANDOM,
    SWEEPS,
    ChainArrays,
    Keep,
    Moves,
    Scratch,
)
from onoma.mcmc._gibbs_kernels import gibbs_update
from onoma.mcmc._metropolis_kernels import metropolis_update
from onoma.mcmc._minibatch_kernels import MinibatchArrays
from onoma.mcmc._subsampling_kernels import EXACT, PROPORTION, ScoringPlan
from onoma.numerics.kernels import lean
from onoma.numerics.rng import below


@lean
def run_sweeps(
    graph: GraphArrays,
    plan: ScoringPlan,
    minibatch: MinibatchArrays,
    moves: Moves,
    chain: ChainArrays,
    scratch: Scratch,
    temperatures: NDArray[np.float64],
    proportions: NDArray[np.float64],
    keep: Keep,
) -> int:
    """Run one sweep for each temperature; return how many worlds were kept."""
    kept = 0
    for t in range(len(temperatures)):
        if plan.kind == PROPORTION and proportions[t] >= 1.0:
            sweep_plan = ScoringPlan(EXACT, plan.width, plan.z, plan.minimum, plan.rate, plan.fallback)
        else:
            sweep_plan = plan
        _sweep(graph, sweep_plan, proportions[t], minibatch, moves, chain, scratch, temperatures[t])
        chain.tally[SWEEPS] += 1
        after = chain.tally[SWEEPS] - keep.burn_in
        if after > 0 and after % keep.thin == 0 and kept < len(keep.worlds):
            for i in range(len(chain.world)):
                keep.worlds[kept, i] = chain.world[i]
            keep.n_factors[kept] = chain.tally[FACTORS]
            kept += 1
    return kept


@lean
def _sweep(
    graph: GraphArrays,
    plan: ScoringPlan,
    proportion: float,
    minibatch: MinibatchArrays,
    moves: Moves,
    chain: ChainArrays,
    scratch: Scratch,
    temperature: float,
) -> None:
    """Update as many times as there are free variables, and keep track of the best world where scores are exact."""
    is_exact = plan.kind == EXACT
    log_score, best = chain.log_scores[0], chain.log_scores[1]
    if is_exact and np.isnan(log_score):
        log_score = world_log_score(graph, chain.world)
    n_journal, best_at = 0, -1
    for s in range(len(graph.free)):
        if moves.kind == METROPOLIS:
            n, d_log_score = metropolis_update(graph, plan, proportion, moves, chain, temperature, scratch)
        else:
            variable = graph.free[below(chain.rng_state, len(graph.free)) if moves.kind == RANDOM else s]
            n, d_log_score = gibbs_update(graph, plan, proportion, minibatch, chain, variable, temperature, scratch)
        if n == 0:
            continue
        chain.tally[ACCEPTED] += 1
        if not is_exact:
            log_score = np.nan
            continue
        log_score += d_log_score
        for c in range(n):
            scratch.journal_variables[n_journal] = scratch.variables[c]
            scratch.journal_values[n_journal] = scratch.values[c]
            n_journal += 1
        if log_score > best:
            best = log_score
            best_at = n_journal
    chain.log_scores[0] = log_score
    if best_at >= 0:
        # Walk back from the sweep's last world to its best.
        chain.log_scores[1] = best
        for i in range(len(chain.world)):
            chain.best_world[i] = chain.world[i]
        for k in range(n_journal - 1, best_at - 1, -1):
            chain.best_world[scratch.journal_variables[k]] = scratch.journal_values[k]
