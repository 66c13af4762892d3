"""Paths between entities speak for known relations; every pair is read by weights that have not seen it."""

import numpy as np
import pytest

from onoma.knowledge.distant import _fit as fit
from onoma.knowledge.distant import _matrix as matrix
from onoma.knowledge.distant import learn_paths


def simulated(n: int = 400, seed: int = 3) -> tuple[list[tuple[str, str, str]], dict[tuple[str, str], list[str]]]:
    """Half of the subjects have a known object; "sure" joins it nine times of ten, "weak" three times."""
    rng = np.random.default_rng(seed)
    true, pairs = [], {}
    for k in range(n):
        subject = f"s{k}"
        true.append((subject, "r", f"o{k}"))
        for path, right in (("sure", 0.9), ("weak", 0.3)):
            object_ = f"o{k}" if rng.random() < right else f"other {k} {path}"
            pairs.setdefault((subject, object_), []).append(path)
    return true, pairs


def test_what_is_not_in_the_table_is_read_by_what_is() -> None:
    true, pairs = simulated()
    reader = learn_paths(true[:200], pairs)
    new = [each for each in reader.readings if int(each.subject[1:]) >= 200]
    facts = set(true)
    sure = [(each.subject, each.relation, each.object) in facts for each in new if each.path == "sure"][:150]
    assert np.mean(sure) > 0.85
    assert reader.weights["r", "sure"] > reader.weights.get(("r", "weak"), 0.0)


def test_stated_probabilities_of_left_out_pairs_are_what_they_say() -> None:
    true, pairs = simulated(1000)
    stated, right = zip(*learn_paths(true, pairs).left_out(), strict=True)
    assert np.mean(stated) == pytest.approx(np.mean(right), abs=0.05)
    high = np.array(stated) > 0.7
    assert np.mean(np.array(stated)[high]) == pytest.approx(np.mean(np.array(right)[high]), abs=0.08)


def test_no_pair_is_read_by_weights_that_have_seen_it() -> None:
    true, pairs = simulated(60)
    one = learn_paths(true, pairs).readings
    subject = one[0].subject
    others = learn_paths([fact for fact in true if fact[0] != subject], pairs).readings
    probability = {(each.subject, each.object): each.probability for each in one}
    again = {(each.subject, each.object): each.probability for each in others}
    mine = [key for key in again if key[0] == subject]
    assert mine and all(probability[key] == pytest.approx(again[key], abs=1e-3) for key in mine)


def test_too_few_known_pairs_say_nothing() -> None:
    true, pairs = simulated(60)
    assert not learn_paths(true[:2], pairs).readings
    assert not learn_paths([], pairs).readings


def test_weights_are_where_the_gradient_is_none() -> None:
    true, pairs = simulated(60)
    every = sorted(pairs)
    X = matrix(every, pairs, {"sure": 0, "weak": 1})
    truth = np.array([(s, "r", o) in set(true) for s, o in every], float)
    w = fit(X, truth, np.ones(len(every)))
    p = 1 / (1 + np.exp(-(X @ w)))
    assert np.abs(X.T @ (p - truth) + 0.3 * w).max() < 1e-2
