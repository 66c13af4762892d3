"""Values are as rare as the things that have them."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.numerics.rng import stream
from onoma.resolve.api import resolve
from onoma.resolve.comparison.compare import log_shares
from onoma.resolve.comparison.things import count_fresh, count_things, counted_anew, moved, with_things
from onoma.resolve.comparison.weights import edge_weights
from onoma.resolve.models.copying import model


@pytest.fixture(scope="module")
def found():
    return resolve(simulate_people(120, seed=1), model="copying", seed=1)


def test_how_likely_a_record_is_fresh_is_the_formula(found):
    """The slow twin: each record sums over its pairs."""
    evidence, weights = found.weighed.evidence, found.weighed.weights
    copy, relative = edge_weights(evidence, weights)
    expected = np.ones(evidence.n)
    for i in range(evidence.n):
        mine = [e for e in range(len(evidence.a)) if i in (evidence.a[e], evidence.b[e])]
        for e in mine:
            others = sum(copy[other] + relative[other] for other in mine if other != e)
            expected[i] -= 0.5 * copy[e] / (1.0 + copy[e] + relative[e] + 0.5 * others)
    assert count_fresh(evidence, weights) == pytest.approx(np.clip(expected, 0.0, 1.0))


def test_the_fresh_records_of_sure_things_are_as_many_as_the_things(found):
    fresh = count_fresh(found.weighed.evidence, found.weighed.weights)
    assert fresh.sum() == pytest.approx(found.clustering.n_entities, rel=0.1)


def test_a_value_counts_once_for_a_thing_and_is_never_rarer_than_one(found):
    fields = found.fields.fields
    labels = found.clustering.labels
    fresh = 1.0 / np.bincount(labels)[labels]
    for field, things in zip(fields, count_things(fields, fresh), strict=True):
        for code in range(len(field.values)):
            entities = len(set(labels[field.codes == code].tolist()))
            assert min(entities, 1) <= things[code] <= max(entities, 1) + 1e-9


def test_counted_so_a_value_of_one_large_thing_is_as_rare_as_one_of_many_small_ones(found):
    fields, evidence = found.fields.fields, found.weighed.evidence
    once = tuple(np.minimum(field.counts, 1).astype(np.float64) for field in fields)
    anew = counted_anew(evidence, with_things(fields, once))
    equal = (evidence.levels[:, 0] == 0) & (fields[0].counts[fields[0].codes[evidence.a]] > 3)
    assert (anew.log_share[equal, 0] < np.asarray(evidence.log_share)[equal, 0]).all()
    assert np.array_equal(anew.log_share, log_shares(with_things(fields, once), evidence.a, evidence.levels))


def test_how_many_records_change_their_mind():
    assert moved(np.array([1.0, 0.0, 0.5, 0.5]), np.array([1.0, 1.0, 0.5, 0.25])) == 0.3125


def cited_papers():
    """Return citations of forty papers, a few of which are cited by every tenth row."""
    rng = stream(3, "papers")
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))

    def words(n):
        return " ".join("".join(rng.choice(letters, 6)) for _ in range(n))

    papers = [(words(5), words(2), str(rng.integers(1950, 2000)), words(2)) for _ in range(40)]
    sizes = [40, 30, 30, 20, 10, *([1] * 35)]
    rows = []
    for number, (paper, size) in enumerate(zip(papers, sizes, strict=True)):
        for _ in range(size):
            row = [value if rng.random() > 0.35 else None for value in paper]
            if row[0] and rng.random() < 0.5:
                row[0] = " ".join([*row[0].split()[:-1], words(1)])
            rows.append((*row, f"p{number}"))
    names = ["title", "venue", "year", "publisher", "cluster_id"]
    return pa.table([pa.array(column) for column in zip(*rows, strict=True)], names=names)


def recall(answer, gold):
    both = Clustering.from_labels(answer.clustering.labels.astype(np.int64) * len(gold) + gold.labels)
    return float((both.sizes * (both.sizes - 1.0)).sum() / (gold.sizes * (gold.sizes - 1.0)).sum())


def test_papers_that_very_many_rows_cite_are_found_whole(monkeypatch):
    table = cited_papers()
    gold = Clustering.from_labels(table["cluster_id"])
    in_things = resolve(table, truth="cluster_id")
    assert in_things.fields.fields[0].things is not None
    monkeypatch.setattr(model, "ROUNDS", 0)
    in_records = resolve(table, truth="cluster_id")
    assert in_records.fields.fields[0].things is None
    assert recall(in_things, gold) > recall(in_records, gold) + 0.1
