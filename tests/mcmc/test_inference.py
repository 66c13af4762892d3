import numpy as np
import pytest

from onoma.errors import DataError
from onoma.graph.factor_graph import FactorGraph
from onoma.mcmc.gibbs import Gibbs
from onoma.mcmc.inference import maximise, sample
from onoma.mcmc.metropolis import Metropolis
from onoma.mcmc.schedules import Constant, Linear, Logarithmic, Restart
from onoma.mcmc.subsampling import Uniform
from reference.random_graphs import random_graph


@pytest.mark.parametrize("seed", range(5))
def test_marginals_agree_with_enumeration_within_their_own_error(seed):
    graph, enumeration = random_graph(seed)
    table = sample(graph, seed=seed, n_samples=4000).marginals()
    truth = np.concatenate(enumeration.solution().probabilities)
    found, error = table["probability"].to_numpy(), table["std_error"].to_numpy()
    assert (np.abs(found - truth) < 5 * error + 1e-12).all()
    assert table["r_hat"].to_numpy().max() < 1.02
    assert table["ess"].to_numpy().min() > 1000


def test_marginals_name_variables_and_values():
    graph = FactorGraph()
    graph.variable("coin", ["heads", "tails"])
    graph.factor(["coin"], [0.0, np.log(3)])
    samples = sample(graph.compile(), seed=1, n_samples=4000)
    table = samples.marginals()
    assert table["variable"].to_pylist() == ["coin", "coin"]
    assert table["value"].to_pylist() == ["heads", "tails"]
    assert samples.probability("coin", "tails") == pytest.approx(0.75, abs=0.03)
    with pytest.raises(DataError, match="unknown variable"):
        samples.probability("die", 6)
    with pytest.raises(DataError, match="unknown value"):
        samples.probability("coin", "edge")


def test_chains_that_cannot_meet_have_a_bad_r_hat():
    """Two worlds, nothing between: each chain stays where it started."""
    graph = FactorGraph()
    graph.variables("ab", [0, 1])
    graph.factor(["a", "b"], [[0.0, -np.inf], [-np.inf, 0.0]])
    table = sample(graph.compile(), seed=3, n_chains=8, n_samples=100).marginals()
    assert table["r_hat"].to_numpy().max() == np.inf


@pytest.mark.parametrize(
    "schedule", [None, Linear(2.0, 0.1, 300), Logarithmic(2.0), Restart(Linear(2.0, 0.1, 100), 100)]
)
@pytest.mark.parametrize("sampler", [Gibbs(), Metropolis(0.2)], ids=str)
def test_annealing_finds_the_best_world(schedule, sampler):
    for seed in range(5):
        graph, enumeration = random_graph(seed)
        found = maximise(graph, sampler, seed=seed, n_sweeps=300, schedule=schedule)
        assert found.log_score == pytest.approx(enumeration.best()[1])
        assert graph.log_score(found.world) == found.log_score


def test_annealing_with_sampled_factors_keeps_the_best_row_of_the_trace():
    graph, _ = random_graph(5)
    found = maximise(graph, Gibbs(scoring=Uniform(0.3)), seed=5, n_sweeps=200, schedule=Constant(1.0))
    assert found.log_score == pytest.approx(max(found.trace["log_score"].to_pylist()))
    assert graph.log_score(found.world) == found.log_score
