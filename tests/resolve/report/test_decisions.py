"""The most doubtful decisions: nearest ½, a few of one entity, told with evidence, rivals and truth."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.resolve.api import resolve
from onoma.resolve.report._decisions import _OF_ONE_ENTITY, decisions, doubtful_pairs


@pytest.fixture(scope="module")
def found():
    given = ["Ann", "Ann", "Anne", "A", "Bob", "Bob", "Rob", "Cyd", "Dan", "Eve"] * 4
    family = [f"{name}{i // 10 % 2}" for i, name in enumerate(["Smith", "Smith", "Smyth", "Smith", "Jones"] * 8)]
    born = [str(1950 + i % 7) for i in range(40)]
    table = pa.table({"id": [f"<{i}>" for i in range(40)], "given": given, "family": family, "born": born})
    return resolve(table, model="copying", kinds={"given": "person", "family": "person"}, seed=1)


def test_the_most_doubtful_come_first_and_one_entity_does_not_fill_the_list(found):
    chosen = doubtful_pairs(found.weighed, found.clustering.labels, n=20)
    doubt = np.abs(found.weighed.draws.together[chosen] - 0.5)
    assert len(chosen) and (np.diff(doubt) >= 0).all() and (doubt < 0.48).all()
    labels = found.clustering.labels
    ends = [{labels[found.weighed.evidence.a[p]], labels[found.weighed.evidence.b[p]]} for p in chosen]
    counts = np.bincount([end for pair in ends for end in pair])
    assert counts.max() <= _OF_ONE_ENTITY


def test_decisions_are_told_with_evidence_and_escaped(found):
    told = decisions(found, found.weighed, gold=None, n=5)
    assert 0 < len(told) <= 5 and told[0].startswith('<details class="decision" open>')
    assert all("&lt;" in each and "<1>" not in each and "bits" in each for each in told)
    assert any("joined" in each or "kept apart" in each for each in told)
    assert not any("truth:" in each for each in told)


def test_the_truth_is_told_where_it_is_known(found):
    gold = Clustering.from_labels(np.arange(40) % 10)
    told = decisions(found, found.weighed, gold=gold, n=5)
    assert all(("tag right" in each) != ("tag wrong" in each) for each in told)
