import numpy as np
import pyarrow.compute as pc
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import LinkSettings, link_batches, simulate_links
from onoma.errors import SettingsError
from onoma.evaluate.b_cubed import b_cubed

N = 20_000


@pytest.fixture(scope="module")
def table():
    return simulate_links(N, seed=1)


def test_the_table(table):
    assert table.column_names == ["id", "cluster_id", "name", "context"]
    assert len(pc.unique(table["id"])) == table.num_rows == N
    assert simulate_links(N, seed=1).equals(table)
    assert not simulate_links(N, seed=2).equals(table)
    assert sum(batch.num_rows for batch in link_batches(3000)) == 3000


def test_sizes_are_those_of_the_corpus(table):
    sizes = Clustering.from_labels(table["cluster_id"]).sizes
    assert sizes.min() >= 6
    assert sizes.max() == 6096
    middle = Clustering.from_labels(simulate_links(200_000, seed=3, settings=LinkSettings(context=1.0))["cluster_id"])
    assert middle.sizes.mean() == pytest.approx(35.7, rel=0.1)
    assert 2000 < np.sort(middle.sizes)[:-1].var() < 12_000


def test_strings_are_as_ambiguous_as_they_should_be(table):
    gold, names = Clustering.from_labels(table["cluster_id"]), Clustering.from_labels(table["name"])
    score = b_cubed(gold, names)
    assert 0.4 < score.recall < 0.5
    assert score.precision < 0.985
    plain = simulate_links(N, seed=1, settings=LinkSettings(short=0.0, variants=0.0))
    perfect = b_cubed(gold, Clustering.from_labels(plain["name"]))
    assert perfect.f1 == 1.0


def test_contexts_have_the_length_asked_for(table):
    lengths = [text.count(" ") + 1 for text in table["context"].to_pylist()[:2000]]
    assert np.mean(lengths) == pytest.approx(36, rel=0.05)


def test_words_cannot_be_more_than_all():
    with pytest.raises(SettingsError, match="more than all"):
        LinkSettings(noise=0.8, own=0.4)
