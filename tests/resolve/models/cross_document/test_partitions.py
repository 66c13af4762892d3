"""Bags made in parts are the bags made at once; names meet; nothing depends on the cut."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.simulate.links import simulate_links
from onoma.engines.engine import add_up
from onoma.resolve.models.cross_document.names import normal_name
from onoma.resolve.models.cross_document.partitions import (
    Names,
    Vocabulary,
    begin,
    count_contexts,
    count_names,
    distinct_names,
    in_sample,
    name_key,
    numbered,
    sample_bags,
)
from onoma.resolve.models.cross_document.text import bags_of


@pytest.fixture(scope="module")
def rows():
    return numbered(simulate_links(400, seed=4).select(["id", "name", "context"])).sort_by("mention")


def in_parts(rows, function, size=90):
    return [function(rows.slice(start, size)) for start in range(0, len(rows), size)]


@pytest.fixture(scope="module")
def vocabulary(rows):
    return Vocabulary.of_counts(add_up(pa.concat_tables(in_parts(rows, count_contexts))))


@pytest.fixture(scope="module")
def names(rows):
    counts = add_up(pa.concat_tables(in_parts(rows, count_names)))
    keys = name_key(rows, n_partitions=3).to_numpy()
    found = [distinct_names(rows.filter(pa.array(keys == key)), key) for key in range(3)]
    return Names.of_table(pa.concat_tables(found), counts)


def begun(rows, vocabulary, names, **changed):
    chosen = {"vocabulary": vocabulary, "names": names, "from_names": True, "keep": ["id"]} | changed
    return pa.concat_tables(in_parts(rows, lambda part: begin(part, **chosen))).combine_chunks()


def cosines(offsets, words, weights):
    dense = np.zeros((len(offsets) - 1, int(words.max()) + 1))
    dense[np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), words] = weights
    return dense @ dense.T


def test_contexts_are_as_alike_as_if_all_were_here(rows, vocabulary, names):
    table = begun(rows, vocabulary, names)
    mine, whole = sample_bags(table), bags_of(rows["context"])
    assert vocabulary.n_contexts == 400
    between = ~np.eye(400, dtype=bool)  # words of one context count in its length, and meet nobody
    found = cosines(mine.offsets, mine.words, mine.weights)
    expected = cosines(whole.offsets, whole.words, whole.weights)
    assert np.allclose(found[between], expected[between], atol=1e-6)
    assert (np.diag(found) <= 1 + 1e-6).all()


def test_bags_do_not_depend_on_the_cut(rows, vocabulary, names):
    whole = begin(rows, vocabulary=vocabulary, names=names, from_names=True, keep=["id"]).combine_chunks()
    assert begun(rows, vocabulary, names).equals(whole)


def test_a_start_is_by_name_or_alone(rows, vocabulary, names):
    table = begun(rows, vocabulary, names)
    entity, number = table["entity"].to_numpy(), table["name"].to_numpy()
    for each in np.unique(number):
        assert set(entity[number == each]) == {table["mention"].to_numpy()[number == each].min()}
    alone = begun(rows, vocabulary, names, from_names=False)
    assert alone["entity"].equals(alone["mention"])


def test_names_are_counted_and_compared(rows, names):
    numbers = names.numbers(rows["name"].combine_chunks())
    assert names.counts.tolist() == np.bincount(numbers).tolist()
    normal = [normal_name(text) for text in rows["name"].to_pylist()]
    assert [names.evidence.names[number] for number in numbers] == normal
    assert names.telling
    one = numbered(pa.table({"id": ["a", "b", "c"], "name": ["Ada", "Ada", "Bob"], "context": ["", "", ""]}))
    few = Names.of_table(distinct_names(one.sort_by("mention"), 0), add_up(count_names(one)))
    assert few.telling
    two = one.slice(0, 2).sort_by("mention")
    assert not Names.of_table(distinct_names(two, 0), add_up(count_names(two))).telling


def test_a_sample_is_of_whole_names(rows, vocabulary, names):
    table = begun(rows, vocabulary, names)
    some = in_sample(table, share=0.4)
    assert 0 < len(some) < 400
    chosen = np.isin(table["name"].to_numpy(), some["name"].to_numpy())
    assert some["mention"].to_pylist() == table["mention"].to_numpy()[chosen].tolist()
    assert len(in_sample(table, share=1.0)) == 400


def test_documents_and_missing_texts(vocabulary, names):
    rows = numbered(pa.table({"id": ["a", "b"], "name": ["Ada", None], "context": [None, "x"], "document": ["d", "d"]}))
    known = Names.of_table(distinct_names(rows.sort_by("mention"), 0), add_up(count_names(rows)))
    table = begin(rows, vocabulary=vocabulary, names=known, from_names=False, keep=[])
    assert table["tokens"].to_pylist() == [[], []]
    assert table["document"][0] == table["document"][1]
    empty = Vocabulary.of_counts(add_up(count_contexts(rows)))
    assert begin(rows, vocabulary=empty, names=known, from_names=False, keep=[])["weights"].to_pylist() == [[], []]
