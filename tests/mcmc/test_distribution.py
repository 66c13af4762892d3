"""Do the samplers sample the model? 200 random graphs against enumeration, by χ²; and samplers that must fail."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kstest

from onoma.mcmc.gibbs import Gibbs
from onoma.mcmc.inference import sample
from onoma.mcmc.metropolis import Metropolis
from onoma.mcmc.minibatch import Poisson
from onoma.mcmc.subsampling import Adaptive, Confidence, Uniform
from reference.random_graphs import chi_square, random_graph

N_GRAPHS = 200


@pytest.fixture(scope="module")
def graphs():
    return [random_graph(seed) for seed in range(N_GRAPHS)]


def p_values(graphs, sampler, *, thin, n_samples=600, burn_in=50):
    """One χ² test for each graph. Worlds are kept so seldom that they are as good as independent."""
    found = []
    for seed, (graph, enumeration) in enumerate(graphs):
        samples = sample(graph, sampler, seed=seed, n_samples=n_samples, burn_in=burn_in, thin=thin, n_chains=1)
        found.append(chi_square(samples.worlds[0], enumeration))
    return np.array(found)


def agrees(found):
    """Right samplers have uniform p-values: no one far too small, and all together as a uniform sample."""
    return found.min() > 0.05 / N_GRAPHS / 10 and kstest(found, "uniform").pvalue > 0.001


@pytest.mark.parametrize(
    ("sampler", "thin"),
    [
        (Gibbs(), 8),
        (Gibbs("random"), 12),
        (Gibbs(scoring=Adaptive(40, start=0.2)), 8),
        (Gibbs(scoring=Poisson(0.1, fallback=False)), 12),
        (Metropolis(), 16),
        (Metropolis(0.3), 16),
    ],
    ids=str,
)
def test_exact_samplers_match_the_enumerated_distribution(graphs, sampler, thin):
    assert agrees(p_values(graphs, sampler, thin=thin))


@pytest.mark.parametrize(
    "sampler", [Gibbs(scoring=Uniform(0.5)), Gibbs(scoring=Confidence(0.5)), Metropolis(scoring=Uniform(0.5))], ids=str
)
def test_sampled_factors_bias_and_the_same_test_sees_it(graphs, sampler):
    assert not agrees(p_values(graphs[:60], sampler, thin=8))


def test_a_broken_sampler_fails_the_same_test(graphs):
    """The broken sampler forgets one factor of each graph: it samples another model, very much like the right one."""
    broken = []
    for graph, enumeration in graphs[:60]:
        cells = graph.arrays.cells.copy()
        start = graph.arrays.cell_offsets[0]
        stop = graph.arrays.cell_offsets[1] if graph.n_factors > 1 else len(cells)
        cells[start:stop] = 0.0
        broken.append((replace(graph, arrays=graph.arrays._replace(cells=cells)), enumeration))
    assert not agrees(p_values(broken, Gibbs(), thin=8))
