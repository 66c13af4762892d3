from itertools import product

import numpy as np
import pytest

from coref.worlds import CHAINS, make_document
from onoma.coref._cccp_kernels import attack, complete
from onoma.coref.cccp import CccpSettings, _shares, hinge_loss, learn_cccp
from onoma.coref.features import prepare
from onoma.coref.learning import Example, LearningSettings, learn
from onoma.coref.model import gold_spans
from onoma.errors import DataError, SettingsError

SETTINGS = CccpSettings(bits=12, decay=1e-2, tolerance=1e-3, costs=(3.0, 0.5, 1.0))


def make_example():
    document = make_document()
    spans = gold_spans(document, CHAINS)
    names = {}
    chains = [names.setdefault(CHAINS[s.start, s.end], len(names)) for s in spans]
    return Example(prepare(document, spans, {}), np.array(chains))


def arrays(one):
    m = one.prepared.mentions
    return m.table, m.words, m.word_ends, m.modifiers, m.modifier_ends, one.prepared.counts


def slow(one, weights, costs):
    """The right antecedents, the worst choices and what these cost, from the table of scores."""
    scores, chains = one.prepared.scores(weights, 1_000_000), one.chains
    chosen, worst, total = [], [], 0.0
    for i, chain in enumerate(chains):
        right = [j for j in range(i) if chains[j] == chain] or [i]
        price = [0.0 if j in right else costs[0] if j == i else costs[2 if right != [i] else 1] for j in range(i + 1)]
        chosen.append(max(right, key=lambda j: (scores[i, j], j)))
        worst.append(int(np.argmax(scores[i, : i + 1] + price)))
        total += price[worst[-1]]
    return chosen, worst, total


@pytest.mark.parametrize("seed", range(4))
def test_kernels_agree_with_the_table_of_scores(seed):
    one, rng = make_example(), np.random.default_rng(seed)
    weights, other = rng.normal(size=(2, 1 << 12)) * 0.3
    costs = np.array(SETTINGS.costs)
    expected, worst, total = slow(one, weights, costs)
    chosen, plane = np.zeros(len(one.chains), np.int64), np.zeros(1 << 12)
    complete(*arrays(one), one.chains, weights, chosen)
    assert chosen.tolist() == expected
    assert attack(*arrays(one), one.chains, costs, weights, chosen, plane) == pytest.approx(total)
    scores = one.prepared.scores(other, 1_000_000)  # a plane times weights is a difference of their scores
    rows = np.arange(len(worst))
    assert plane @ other == pytest.approx(scores[rows, worst].sum() - scores[rows, expected].sum())


def test_the_objective_never_rises_and_is_that_of_the_stochastic_learner():
    examples = [make_example()]
    weights, objectives = learn_cccp(examples, SETTINGS)
    assert all(after <= before + SETTINGS.tolerance for before, after in zip(objectives, objectives[1:], strict=False))
    assert objectives[-1] == pytest.approx(hinge_loss(examples, weights, SETTINGS))
    assert objectives[-1] < hinge_loss(examples, np.zeros(1 << 12), SETTINGS)
    steps = LearningSettings(gamma=0.0, costs=SETTINGS.costs, bits=12, epochs=40, penalty=0.0)
    assert objectives[-1] <= hinge_loss(examples, learn(examples, steps)[0], SETTINGS) + 0.01


def test_the_quadratic_program_is_solved():
    rng = np.random.default_rng(0)
    planes, costs = rng.normal(size=(3, 5)), rng.random(3)
    products = planes @ planes.T
    found = _shares(products, costs, np.zeros(3), 1e-6)
    assert found.sum() == pytest.approx(1.0)
    assert found.min() >= 0.0

    def value(shares):
        return costs @ shares - 0.5 * shares @ products @ shares

    grid = [np.array((a, b, 1 - a - b)) for a, b in product(np.linspace(0, 1, 51), repeat=2) if a + b <= 1]
    assert value(found) >= max(map(value, grid)) - 1e-6


def test_settings_and_empty_data_are_refused():
    with pytest.raises(SettingsError, match="decay 0"):
        CccpSettings(decay=0)
    with pytest.raises(DataError, match="no mention"):
        learn_cccp([], SETTINGS)
