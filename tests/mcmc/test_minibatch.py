"""The exact minibatch sampler: its augmented chain enumerated, its kernel against that, its cost."""

import numpy as np
import pytest
from scipy.stats import chisquare, poisson

from onoma.errors import SettingsError
from onoma.graph.factor_graph import FactorGraph
from onoma.mcmc.gibbs import Gibbs, build_kernel, init
from onoma.mcmc.inference import sample
from onoma.mcmc.minibatch import Poisson, prepare
from onoma.numerics.rng import kernel_state, stream


def little_graph():
    """A three-valued variable with two unary factors and one that another variable also moves."""
    graph = FactorGraph()
    graph.variable("x", [0, 1, 2])
    graph.variable("y", [0, 1])
    graph.factor(["x"], [0.3, -0.2, 0.4])
    graph.factor(["x"], [0.0, 0.5, -0.1])
    graph.factor(["x", "y"], [[0.2, -0.1], [0.0, 0.6], [-0.3, 0.1]])
    return graph.compile()


def transition_matrix(tables, bounds, rate, temperature, top=40):
    """K(v, v') = Σ_s p(s|v) p(v'|s), the sum over all counts s below `top` of each of three factors."""
    g = [(table - table.min()) / temperature for table in tables]
    bounds = [bound / temperature for bound in bounds]
    total, counts, n = sum(bounds), np.arange(top), len(tables[0])
    batch = rate * max(total, total**2)

    def joint(one_factor):
        """The product over factors of a function of the factor's count, for all counts: an array [top, top, top]."""
        first, second, third = (one_factor(f) for f in range(3))
        return first[:, None, None] * second[:, None] * third

    given_v = [joint(lambda f, v=v: poisson.pmf(counts, batch * bounds[f] / total + g[f][v])) for v in range(n)]
    weights = [joint(lambda f, v=v: (1 + total * g[f][v] / (batch * bounds[f])) ** counts) for v in range(n)]
    return np.array([[np.sum(p * w / sum(weights)) for w in weights] for p in given_v])


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_the_augmented_chain_keeps_the_model_and_the_kernel_is_that_chain(temperature):
    graph, rate = little_graph(), 0.7
    world = graph.world({"y": 1})
    tables = [np.array([0.3, -0.2, 0.4]), np.array([0.0, 0.5, -0.1]), np.array([-0.1, 0.6, 0.1])]
    # Bounds hold in every world: the last is the larger range of x over both values of y.
    bounds = [0.6, 0.6, 0.7]
    assert prepare(graph).bounds[:3].tolist() == pytest.approx(bounds)
    kernel = transition_matrix(tables, bounds, rate, temperature)
    assert kernel.sum(axis=1) == pytest.approx(1.0, abs=1e-9)
    target = np.exp(sum(tables) / temperature)
    target /= target.sum()
    flow = target[:, None] * kernel
    assert flow == pytest.approx(flow.T, abs=1e-10)
    assert target @ kernel == pytest.approx(target, abs=1e-9)

    step, rng_state = build_kernel(graph, Poisson(rate, fallback=False)), kernel_state(3)
    for start in range(3):
        counts = np.zeros(3)
        for _ in range(6000):
            world[0] = start
            state, _ = step(rng_state, init(world, graph), 0, temperature)
            counts[state.world[0]] += 1
        assert chisquare(counts, kernel[start] / kernel[start].sum() * 6000).pvalue > 1e-3


def star(n, seed=1, log_odds=1.5):
    scores = stream(seed).normal(1.0, 1.4, size=n)
    scores *= log_odds / scores.sum()
    graph = FactorGraph()
    graph.variable("label", [0, 1])
    graph.factors([["label"]] * n, np.stack([np.zeros(n), scores], axis=1))
    return graph.compile(), 1 / (1 + np.exp(-log_odds))


def test_the_bias_is_zero_within_error():
    graph, truth = star(1000)
    samples = sample(graph, Gibbs(scoring=Poisson()), seed=2, n_samples=50_000, n_chains=4)
    row = samples.marginals().to_pylist()[1]
    assert row["probability"] == pytest.approx(truth, abs=4 * row["std_error"])
    assert row["std_error"] < 0.003


def test_the_cost_does_not_grow_with_the_number_of_factors():
    costs = []
    for n in (300, 3000, 30_000):
        samples = sample(star(n)[0], Gibbs(scoring=Poisson()), seed=2, n_samples=2000, burn_in=0, n_chains=1)
        costs.append(samples.n_factors[0, -1] / 2000)
    assert max(costs) < 1.5 * min(costs) < 30


def test_where_it_does_not_pay_every_factor_is_looked_at():
    graph = little_graph()
    fallback = sample(graph, Gibbs(scoring=Poisson(50.0)), seed=2, n_samples=10, burn_in=0, n_chains=1)
    exact = sample(graph, Gibbs(), seed=2, n_samples=10, burn_in=0, n_chains=1)
    assert fallback.worlds.tolist() == exact.worlds.tolist()
    assert fallback.n_factors.tolist() == exact.n_factors.tolist()


def test_factors_that_say_nothing_are_never_looked_at():
    graph = FactorGraph()
    graph.variable("a", [0, 1])
    graph.factors([["a"]] * 50, [2.0, 2.0])
    samples = sample(graph.compile(), Gibbs(scoring=Poisson()), seed=2, n_samples=4000, burn_in=0, n_chains=1)
    assert samples.n_factors[0, -1] == 0
    assert samples.probability("a", 1) == pytest.approx(0.5, abs=0.05)


def test_the_rate_is_checked():
    with pytest.raises(SettingsError, match="rate is 0"):
        Poisson(0.0)
