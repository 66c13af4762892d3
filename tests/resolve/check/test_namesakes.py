"""Trees, checked by how many people have a name by chance."""

import functools

import numpy as np
import pyarrow as pa

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate.authors import simulate_authors
from onoma.numerics.rng import stream
from onoma.resolve.api import resolve
from onoma.resolve.check.namesakes import MISTAKEN, OTHERWISE, UNNAMED, Namesakes, _of_rows


@functools.cache
def authors():
    return resolve(simulate_authors(600, seed=3), model="hierarchical", truth="cluster_id")


def test_the_more_people_have_a_name_the_less_likely_is_a_pair():
    expected, name = np.array([0.01, 0.01, 4.0, 4.0, MISTAKEN, MISTAKEN, np.inf]), np.array([0, 0, 1, 1, 2, 3, 4])
    rows = Namesakes(expected, name, is_told=True)
    rare, common, other, unknown = rows.right(np.array([0, 2, 4, 0]), np.array([1, 3, 5, 6]))
    assert 1.0 > rare > 0.999 and common == 1.0 / (1.0 + 4.0 / MISTAKEN)
    assert other == 1.0 / (1.0 + OTHERWISE), "two names: likelier two people"
    assert unknown == 1.0 / (1.0 + UNNAMED)
    assert (rows.right(np.array([2, 6]), np.array([0, 0])) == rows.right(np.array([0, 0]), np.array([2, 6]))).all()


def test_a_row_is_as_likely_as_its_pairs_and_one_alone_as_before():
    found = _of_rows(4, np.array([0, 0]), np.array([1, 2]), np.array([0.5, 1.0]))
    assert found.tolist() == [0.75, 0.5, 1.0, 1.0]


def test_trees_say_what_precision_is_expected_by_names():
    found = authors()
    quality, after = found.quality, found.recalibrated()
    assert not quality.calibrated and quality.recall is None and "by the names" in quality.sentences()[0]
    assert 0.0 < quality.precision.low < quality.precision.estimate < quality.precision.high <= 1.0
    assert (after.posterior.pairs.probability <= found.posterior.pairs.probability).all()
    assert after.posterior.pairs.probability.max() > 0.95, "a rare name bears a pair out"
    assert after.probability.max() <= 0.9
    assert after.clustering is found.clustering and quality.entities is not None
    assert quality.as_dict()["precision"] == {k: round(v, 6) for k, v in quality.precision._asdict().items()}


def test_common_names_are_stated_as_less_sure_than_rare_ones():
    found = authors()
    names, pairs = Namesakes.of(found), found.posterior.pairs
    assert names.is_told
    stated = found.recalibrated().posterior.pairs.probability / np.maximum(pairs.probability, 1e-9)
    expected = np.maximum(names.expected[pairs.a], names.expected[pairs.b])
    low, high = np.quantile(expected, [0.2, 0.8])
    assert stated[expected <= low].mean() > stated[expected >= high].mean()


def test_names_that_are_blocks_tell_nothing():
    rng = stream(1, "topics")
    topics = [[f"topic{t}word{w}" for w in range(12)] for t in range(6)]
    rows = []
    for row in range(180):
        topic = row % 6
        title = " ".join(rng.choice(topics[topic], 5, replace=False))
        rows.append({"name": ("ann lee", "bo kim", "cy ito")[topic % 3], "title": title, "cluster_id": str(topic)})
    found = resolve(pa.Table.from_pylist(rows), model="hierarchical", kinds={"name": "person", "title": "text"},
                    truth="cluster_id")  # fmt: skip
    assert not Namesakes.of(found).is_told
    assert "names do not tell" in found.quality.because[0]
    assert found.recalibrated().posterior.pairs.probability.max() <= 1.0 / (1.0 + UNNAMED)


def test_few_links_have_no_precision():
    table = simulate_authors(400, seed=5)
    first = np.unique(Clustering.from_labels(table["cluster_id"]).labels, return_index=True)[1][:60]
    quality = resolve(table.take(pa.array(first)), model="hierarchical", truth="cluster_id").quality
    assert quality.n_links < 10 and quality.precision is None and not quality.calibrated
