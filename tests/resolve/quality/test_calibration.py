import numpy as np
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.resolve.api import Resolution, resolve
from onoma.resolve.quality.calibration import calibration_bins

PEOPLE = simulate_people(400, seed=3)
GOLD = Clustering.from_labels(PEOPLE["cluster_id"])


@pytest.fixture(scope="module")
def people() -> Resolution:
    return resolve(PEOPLE)


def test_calibration_bins_against_plain_counting(people):
    evidence, stated = people.weighed.evidence, people.weighed.draws.together
    expected: dict[int, list[tuple[float, bool]]] = {}
    for a, b, p in zip(evidence.a, evidence.b, stated, strict=True):
        if p >= 0.01:
            expected.setdefault(min(int(p * 10), 9), []).append((p, GOLD.labels[a] == GOLD.labels[b]))
    found = calibration_bins(people, GOLD)
    assert [row["pairs"] for row in found] == [len(expected[b]) for b in sorted(expected)]
    for row, b in zip(found, sorted(expected), strict=True):
        assert row["stated"] == pytest.approx(np.mean([p for p, _ in expected[b]]), abs=1e-5)
        assert row["true"] == pytest.approx(np.mean([same for _, same in expected[b]]), abs=1e-5)
        assert row["low"] - 1e-6 <= row["true"] <= row["high"] + 1e-6


def test_unlabelled_rows_are_no_evidence_of_calibration(people):
    assert calibration_bins(people, Clustering.from_labels([None] * 400)) == []
