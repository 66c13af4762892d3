"""Exact Gibbs sampling that looks at few factors: Poisson minibatches (Zhang and De Sa, NeurIPS 2019).

Resample variable i, everything else held fixed. Each of its factors, less its minimum over the variable's values, is
g_f(v) = f(v) - min_u f(u), and M_f ≥ g_f bounds it in every world; L = Σ_f M_f. Then p(v) ∝ exp Σ_f g_f(v). Add to the
variable one count for each factor,

    s_f | v ~ Poisson(λ M_f/L + g_f(v)),   independent,

so that jointly

    p(v, s) ∝ Π_f e^{g_f(v)} · e^{-λ M_f/L - g_f(v)} (λ M_f/L + g_f(v))^{s_f} / s_f!
            ∝ Π_f (λ M_f/L + g_f(v))^{s_f} / s_f!            (the exponentials cancel)

and given s the value has p(v | s) ∝ Π_f (1 + L g_f(v) / (λ M_f))^{s_f}, in which only factors with s_f > 0 appear. An
update draws s given the current value, then a new value given s: two Gibbs steps on (v, s), so the marginal of v,
which is the model, stays as it is whatever λ > 0 is. The move from v to v' is K(v, v') = Σ_s p(s|v) p(v'|s), and p(v)
K(v, v') is symmetric.

Cost: λ + L factors looked at on average, however many the variable has; drawing s is one Poisson number and thinning,
not a number for each factor. With λ of the order of L² the chain mixes nearly as fast as exact Gibbs (their Theorem
2).

Conditions. Every factor is bounded: here all are, being finite tables, and those with -inf are looked at always,
outside the minibatch. It pays when L is small beside the number of factors: many factors that each say little. Where λ
+ L is no less than the number of factors, the update looks at all of them instead (`fallback`), which is exact as
well.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from onoma.errors import SettingsError
from onoma.graph.compiled import CompiledGraph
from onoma.mcmc._minibatch_kernels import MinibatchArrays, alias_by_variable_inplace, bounds_inplace
from onoma.mcmc._subsampling_kernels import POISSON, ScoringPlan
from onoma.mcmc.subsampling import WithoutProportion

__all__ = ["Poisson", "no_minibatch", "prepare"]


@dataclass(frozen=True)
class Poisson(WithoutProportion):
    """Exact minibatches of about λ + L factors, with λ = rate · max(L, L²); for Gibbs sampling.

    Where the temperature τ is not 1, scores and so L are divided by it first.

    Parameters
    ----------
    rate
        More looks at more factors in a step and mixes faster; any positive number samples the model exactly.
    fallback
        Look at every factor of a variable where that costs no more.
    """

    rate: float = 1.0
    fallback: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        if not (self.rate > 0 and math.isfinite(self.rate)):
            raise SettingsError(f"rate is {self.rate}; a finite number above 0 is wanted")

    def plan(self) -> ScoringPlan:
        """Return the strategy as numbers."""
        return ScoringPlan(POISSON, rate=float(self.rate), fallback=self.fallback)


def prepare(graph: CompiledGraph) -> MinibatchArrays:
    """Bound every factor and build the alias tables: once for a graph, linear in its cells and edges."""
    n_edges = len(graph.arrays.edge_factors)
    made = MinibatchArrays(
        np.zeros(n_edges), np.zeros(n_edges), np.zeros(n_edges, np.int64), np.zeros(graph.n_variables)
    )
    bounds_inplace(graph.arrays, made.bounds)
    alias_by_variable_inplace(graph.arrays, made)
    return made


def no_minibatch() -> MinibatchArrays:
    """Return the empty arrays that a chain without minibatches passes to its kernel."""
    return MinibatchArrays(np.zeros(0), np.zeros(0), np.zeros(0, np.int64), np.zeros(0))
