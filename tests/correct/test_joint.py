import itertools

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, milp

from onoma.correct.joint import KAPPA, Option, best_choices, choose_jointly


def by_program(gains, costs):
    """The integer linear program: one option a variable, a variable for each pair of options; solved by HiGHS."""
    options = [(i, k) for i, some in enumerate(gains) for k in range(len(some))]
    pairs = [(a, k, b, m) for (a, b) in costs for k in range(len(gains[a])) for m in range(len(gains[b]))]
    c = np.array([-gains[i][k] for i, k in options] + [costs[a, b][k, m] for a, k, b, m in pairs])
    rows, low, high = [], [], []
    for i in range(len(gains)):
        rows.append([float(j == i) for j, _ in options] + [0.0] * len(pairs))
        low.append(1)
        high.append(1)
    for n, (a, k, b, m) in enumerate(pairs):  # x_ak + x_bm − y ≤ 1
        row = [float((i, o) in ((a, k), (b, m))) for i, o in options] + [0.0] * len(pairs)
        row[len(options) + n] = -1.0
        rows.append(row)
        low.append(-np.inf)
        high.append(1)
    return -milp(
        c, constraints=LinearConstraint(np.array(rows), low, high), integrality=np.ones(len(c)), bounds=(0, 1)
    ).fun


@pytest.mark.parametrize("seed", range(12))
def test_the_optimum_is_that_of_the_integer_program(seed):
    rng = np.random.default_rng(seed)
    gains = [[0.0, *rng.normal(0, 2, rng.integers(0, 3))] for _ in range(5)]
    costs = {
        (a, b): rng.uniform(0, 2, (len(gains[a]), len(gains[b])))
        for a, b in itertools.combinations(range(5), 2)
        if rng.random() < 0.4
    }
    chosen = best_choices(gains, costs)
    value = sum(some[k] for some, k in zip(gains, chosen, strict=True))
    value -= sum(table[chosen[a], chosen[b]] for (a, b), table in costs.items())
    assert value == pytest.approx(by_program(gains, costs))


WORDS, TAGS = ["the", "factor", "contributes", "much"], ["DT", "NN", "VBZ", "RB"]


def option(row, start, put, kind, gain):
    return Option(row, start, start + 1, (put,), kind, gain)


def test_an_edit_that_breaks_agreement_needs_more():
    weak, strong = (option(0, 1, "factors", "number", KAPPA + d) for d in (-0.1, 0.1))
    assert choose_jointly(WORDS, TAGS, [weak]) == set()
    assert choose_jointly(WORDS, TAGS, [strong]) == {0}


def test_two_edits_that_agree_carry_each_other():
    noun, verb = option(0, 1, "factors", "number", 1.0), option(1, 2, "contribute", "agreement", -0.5)
    assert choose_jointly(WORDS, TAGS, [noun, verb]) == {0, 1}
    assert choose_jointly(WORDS, TAGS, [verb]) == set()


def test_a_determiner_of_one_keeps_its_noun_single():
    words, tags = ["a", "big", "factor"], ["DT", "JJ", "NN"]
    noun = option(0, 2, "factors", "number", 1.0)
    assert choose_jointly(words, tags, [noun]) == set()
    assert choose_jointly(words, tags, [noun, Option(1, 0, 1, (), "article", 0.2)]) == {0, 1}


def test_an_edit_that_mends_agreement_costs_nothing():
    words, tags = ["these", "factor"], ["DT", "NN"]
    assert choose_jointly(words, tags, [option(3, 1, "factors", "number", 0.3)]) == {3}
    assert choose_jointly(words, tags, [option(3, 1, "factors", "number", -0.3)]) == set()


def test_two_edits_that_contradict_are_never_both_made():
    noun, verb = option(0, 1, "information", "number", 9.0), option(1, 2, "were", "agreement", 8.0)
    assert choose_jointly(["the", "informations", "was"], ["DT", "NNS", "VBD"], [noun, verb]) == {0}
