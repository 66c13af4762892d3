import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.corpus.clustering import Clustering
from onoma.corpus.corpus import Corpus
from onoma.corpus.readers.conll2012 import read_conll2012
from onoma.errors import DataError, SettingsError
from onoma.evaluate.align import align, clusterings_from_corpora


def table(rows, **kinds):
    return pa.table(
        {"id": pa.array(list(rows), kinds.get("id")), "entity": pa.array(list(rows.values()), kinds.get("entity"))}
    )


sides = st.dictionaries(st.integers(0, 12), st.none() | st.integers(0, 3))


@given(sides, sides)
def test_items_are_the_union_of_labelled_ids(gold_rows, predicted_rows):
    found = align(*(table(rows, id=pa.int64(), entity=pa.int64()) for rows in (gold_rows, predicted_rows)))
    unlabelled = {i for i, e in gold_rows.items() if e is None}
    gold = {i: e for i, e in gold_rows.items() if e is not None}
    predicted = {i: e for i, e in predicted_rows.items() if e is not None and i not in unlabelled}
    ids = found.ids.to_pylist()
    assert sorted(ids) == sorted(gold.keys() | predicted.keys())
    assert found.gold == Clustering.from_labels(pa.array([gold.get(i) for i in ids], pa.int64()))
    assert found.predicted == Clustering.from_labels(pa.array([predicted.get(i) for i in ids], pa.int64()))
    assert found.n_unlabelled == len(unlabelled)
    assert found.n_gold_only == len(gold.keys() - predicted.keys())
    assert found.n_predicted_only == len(predicted.keys() - gold.keys())


@pytest.mark.parametrize(
    ("universe", "ids"), [("union", ["a", "b", "c", "d"]), ("gold", ["a", "b", "c"]), ("shared", ["b", "c"])]
)
def test_the_universe_may_be_chosen(universe, ids):
    found = align(table({"a": 1, "b": 1, "c": 2}), table({"b": 1, "c": 1, "d": 2}), universe=universe)
    assert found.ids.to_pylist() == ids
    assert (found.n_gold_only, found.n_predicted_only) == (1, 1)


def test_an_unknown_universe_is_refused():
    with pytest.raises(SettingsError, match="'union', 'gold', 'shared'"):
        align(table({"a": 1}), table({"a": 1}), universe="all")


@pytest.mark.parametrize("kind", [pa.int32(), pa.string(), pa.large_string(), pa.string_view()])
def test_ids_of_different_kinds_compare_as_strings(kind):
    gold = table({1: "x", 2: "x"}, id=pa.int64())
    predicted = pa.table({"id": pa.array([2, 1]).cast(pa.string()).cast(kind), "entity": [0, 0]})
    found = align(gold, predicted)
    assert [str(i) for i in found.ids.to_pylist()] == ["1", "2"]
    assert found.predicted.labels.tolist() == [0, 0]


def test_dictionary_columns_and_other_names():
    gold = pa.table(
        {"key": pa.array(["a", "b"]).dictionary_encode(), "truth": pa.array(["x", "x"]).dictionary_encode()}
    )
    predicted = pa.table({"id": ["a", "b"], "cluster": [1, 2]})
    found_gold, found_predicted, ids = align(
        gold, predicted, id="key", entity="truth", predicted_id="id", predicted_entity="cluster"
    )
    assert (found_gold.labels.tolist(), found_predicted.labels.tolist()) == ([0, 0], [0, 1])
    assert ids.to_pylist() == ["a", "b"]


def test_any_frame_will_do():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"id": ["a", "b"], "entity": ["x", "x"]})
    assert align(frame, frame).gold.labels.tolist() == [0, 0]


def test_a_repeated_id_is_named():
    rows = pa.table({"id": ["a", "b", "a", "c", "c", "c"], "entity": [0] * 6})
    with pytest.raises(DataError, match=r"'a' stands 2 times in the gold, and 1 more"):
        align(rows, table({"a": 1}))
    with pytest.raises(DataError, match="predicted table"):
        align(table({"a": 1}), rows)


def test_a_missing_id_or_column_is_named():
    with pytest.raises(DataError, match=r"column 'id': row 2 of the gold has no id"):
        align(pa.table({"id": ["a", None], "entity": [0, 0]}), table({"a": 1}))
    with pytest.raises(DataError, match=r"the predicted table lacks the column 'entity'; it has 'id', 'cluster'"):
        align(table({"a": 1}), pa.table({"id": ["a"], "cluster": [0]}))


def corpus(tmp_path, name, *documents):
    """Documents as (name, cells of the last column)."""
    text = "".join(
        f"#begin document ({title}); part 000\n"
        + "".join(f"{title}\t0\t{i}\tw\t{cell}\n" for i, cell in enumerate(cells))
        + "\n#end document\n"
        for title, cells in documents
    )
    path = tmp_path / name
    path.write_text(text)
    return read_conll2012(path)


def test_mentions_meet_at_their_place(tmp_path):
    gold = corpus(tmp_path, "gold", ("d", ["(1)", "(1", "1)"]), ("e", ["(1)", "-", "-"]))
    predicted = corpus(tmp_path, "predicted", ("d", ["(5)", "(5)", "-"]), ("e", ["(5)", "-", "-"]))
    found = clusterings_from_corpora(gold, predicted)
    assert found.keys.to_pylist() == [
        {"document": "d", "part": 0, "start": 0, "end": 1},
        {"document": "d", "part": 0, "start": 1, "end": 2},
        {"document": "d", "part": 0, "start": 1, "end": 3},
        {"document": "e", "part": 0, "start": 0, "end": 1},
    ]
    assert found.gold.labels.tolist() == [0, -1, 0, 1]
    assert found.predicted.labels.tolist() == [0, 0, -1, 1]
    assert found.groups.tolist() == [0, 0, 0, 1]


def test_a_repeated_mention_stays_with_the_chain_that_appears_first(tmp_path):
    gold = corpus(tmp_path, "gold", ("d", ["(1)", "(1)", "(2)"]))
    predicted = corpus(tmp_path, "predicted", ("d", ["(7)", "(8)(7)", "(8)"]))
    found = clusterings_from_corpora(gold, predicted)
    assert found.predicted.labels.tolist() == [0, 0, 1]
    assert found.n_repeated == 1


def test_a_one_token_mention_appears_before_one_that_opens(tmp_path):
    gold = corpus(tmp_path, "gold", ("d", ["(1)", "-", "-"]))
    predicted = corpus(tmp_path, "predicted", ("d", ["(7(8)", "7)", "(7)(8)"]))
    assert clusterings_from_corpora(gold, predicted).predicted.labels.tolist() == [0, 1, 0]


def test_documents_that_the_gold_lacks_are_not_scored(tmp_path):
    gold = corpus(tmp_path, "gold", ("d", ["(1)", "(1)"]), ("silent", ["-", "-"]))
    predicted = corpus(
        tmp_path, "predicted", ("d", ["(1)", "(1)"]), ("silent", ["(1)", "(1)"]), ("other", ["(1)", "(1)"])
    )
    found = clusterings_from_corpora(gold, predicted)
    assert found.n_outside == 2
    assert found.gold.labels.tolist() == [0, 0, -1, -1]
    assert found.predicted.labels.tolist() == [0, 0, 1, 1]


def test_mentions_in_no_chain_are_absent(tmp_path):
    gold = corpus(tmp_path, "gold", ("d", ["(1)", "(1)", "(2)"]))
    bare = Corpus.build(gold.documents, gold.tokens, gold.mentions, gold.chains.slice(0, 2))
    assert clusterings_from_corpora(gold, bare).predicted.labels.tolist() == [0, 0, -1]
