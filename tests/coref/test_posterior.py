import numpy as np
import pytest
from scipy import special

from onoma.coref.posterior import (
    Calibration,
    Posterior,
    Stretches,
    fit_calibration,
    fit_joined,
    link_probabilities,
    posterior,
)
from reference.coref import coreference_by_enumeration


def random_scores(n, seed):
    rng = np.random.default_rng(seed)
    return np.where(np.tri(n, dtype=bool), rng.normal(size=(n, n)), -np.inf)


@pytest.mark.parametrize("seed", range(5))
def test_coreference_and_counts_equal_enumeration(seed):
    scores = random_scores(6, seed)
    found = posterior(scores, Calibration(0.7))
    coreferent, counts = coreference_by_enumeration(found.links)
    np.testing.assert_allclose(found.coreferent, coreferent, atol=1e-12)
    expected, low, high = found.entities(0.9)
    assert expected == pytest.approx(counts @ np.arange(7))
    assert counts[low : high + 1].sum() >= 0.9
    # Negative control: another temperature gives other probabilities.
    assert np.abs(posterior(scores, Calibration(2.0)).coreferent - coreferent).max() > 0.05


def drawn(truth, n_documents=80):
    """Documents whose chains are drawn from the model itself under a calibration."""
    rng = np.random.default_rng(0)
    scores, chains = [], []
    for seed in range(n_documents):
        one = 3 * random_scores(8, seed)
        labels = np.arange(8)
        for i, row in enumerate(link_probabilities(one, truth)):
            j = rng.choice(8, p=row)
            labels[i] = labels[j] if j < i else i
        scores.append(one)
        chains.append(labels)
    return scores, chains


def test_calibration_is_found_again():
    found = fit_calibration(*drawn(Calibration(2.0, 1.5)))
    assert found.temperature == pytest.approx(2.0, rel=0.2)
    assert found.none == pytest.approx(1.5, abs=0.5)
    assert found.spread == pytest.approx(1.0, abs=0.3)


def test_intervals_widen_by_their_spread():
    links = link_probabilities(random_scores(30, 0))
    mean, low, high = Posterior(links, np.eye(30)).entities()
    again, wider_low, wider_high = Posterior(links, np.eye(30), spread=2.0).entities()
    assert again == mean
    assert wider_low < low < high < wider_high
    assert high - mean <= 0.75 * (wider_high - mean)


def test_stretches_say_what_the_whole_says_within_reach():
    whole = posterior(random_scores(12, 3))
    parts = [(0, posterior(random_scores(12, 3)[:end, :end])) for end in (4, 8)]
    found = Stretches(parts, 4)
    np.testing.assert_allclose([found.link(i) for i in range(8)], [whole.link(i) for i in range(8)])
    assert found.coreference(6, 2) == pytest.approx(whole.coreference(6, 2))
    assert found.coreference(2, 6) == found.coreference(6, 2)
    assert found.entities()[0] == pytest.approx(np.diag(whole.links)[:8].sum())


def test_consensus_joins_what_is_more_likely_than_not():
    scores = np.log(np.array([[1, 0, 0], [9, 1, 0], [1, 1, 8]]) + 1e-300)
    assert posterior(scores).consensus().tolist() == [0, 0, 2]


def test_what_was_joined_is_stated_as_often_as_it_is_right():
    rng = np.random.default_rng(5)
    stated = rng.uniform(0.02, 0.98, 4000)
    true = special.expit(0.6 * special.logit(stated) + 0.5)
    found = fit_joined(Calibration(temperature=2.0), stated, rng.random(4000) < true)
    assert found.temperature == 2.0
    assert (found.slope, found.lift) == (pytest.approx(0.6, abs=0.1), pytest.approx(0.5, abs=0.1))
    assert found.of_joined(0.3) == pytest.approx(special.expit(0.6 * special.logit(0.3) + 0.5), abs=0.05)
    assert found.top > 0.97
    misread = fit_joined(Calibration(), stated, rng.random(4000) < 0.8 * stated)  # one in five, however sure
    assert (misread.slope, misread.top) == (pytest.approx(1, abs=0.15), pytest.approx(0.8, abs=0.04))
    assert misread.of_joined(0.5) == pytest.approx(0.4, abs=0.03)
    same = fit_joined(Calibration(), np.array([0.7]), np.array([True]))
    assert same.slope == pytest.approx(1, abs=0.2) and 0 < same.lift < 0.5, "one pair changes little"
