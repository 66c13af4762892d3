import numpy as np
import pytest

from onoma.coref.posterior import fit_temperature, link_probabilities, posterior
from reference.coref import coreference_by_enumeration


def random_scores(n, seed):
    rng = np.random.default_rng(seed)
    return np.where(np.tri(n, dtype=bool), rng.normal(size=(n, n)), -np.inf)


@pytest.mark.parametrize("seed", range(5))
def test_coreference_and_counts_equal_enumeration(seed):
    scores = random_scores(6, seed)
    found = posterior(scores, 0.7)
    coreferent, counts = coreference_by_enumeration(found.links)
    np.testing.assert_allclose(found.coreferent, coreferent, atol=1e-12)
    expected, low, high = found.entities(0.9)
    assert expected == pytest.approx(counts @ np.arange(7))
    assert counts[low : high + 1].sum() >= 0.9
    # Negative control: another temperature gives other probabilities.
    assert np.abs(posterior(scores, 2.0).coreferent - coreferent).max() > 0.05


def test_temperature_is_found_again():
    rng = np.random.default_rng(0)
    scores, chains = [], []
    for seed in range(60):
        one = 3 * random_scores(8, seed)
        labels = np.arange(8)
        for i, row in enumerate(link_probabilities(one, 2.0)):
            j = rng.choice(8, p=row)
            labels[i] = labels[j] if j < i else i
        scores.append(one)
        chains.append(labels)
    assert fit_temperature(scores, chains) == pytest.approx(2.0, rel=0.2)


def test_consensus_joins_what_is_more_likely_than_not():
    scores = np.log(np.array([[1, 0, 0], [9, 1, 0], [1, 1, 8]]) + 1e-300)
    assert posterior(scores).consensus().tolist() == [0, 0, 2]
