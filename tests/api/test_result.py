import pandas as pd
import pyarrow.csv as csv
import pytest

import onoma
from onoma.errors import DataError, OnomaError, SettingsError, UnsupportedError


@pytest.fixture(scope="module")
def found(people):
    frame = people.to_pandas()
    frame.index = [f"row {i}" for i in range(len(frame))]
    return onoma.resolve(frame, seed=3)


@pytest.fixture(scope="module")
def kept(found, tmp_path_factory):
    return found.save(tmp_path_factory.mktemp("kept") / "people.duckdb")


def test_the_index_is_kept_and_the_row_as_it_came(found, people):
    frame = found.to_pandas()
    assert frame.index.tolist() == [f"row {i}" for i in range(len(people))]
    assert frame["surname"].tolist() == people.to_pandas()["surname"].tolist()
    assert found.to_polars().height == found.to_arrow().num_rows == len(found) == 120


def test_it_shows_itself_in_ten_lines(found):
    assert len(repr(found).splitlines()) == 10
    assert max(map(len, repr(found).splitlines())) <= 120
    assert f"{found.n_entities:,} entities" in repr(found) and "<table>" in found._repr_html_()


def test_entities_and_pairs_are_tables(found):
    assert sum(found.entities["size"].to_pylist()) == 120
    assert min(found.pairs(0.5)["probability"].to_pylist()) >= 0.5
    n, low, high = found.entity_count()
    assert low <= n <= high and found.clustering.n_entities == n


def test_the_truth_in_every_form_gives_the_same_scores(found, people, tmp_path):
    file = tmp_path / "truth.csv"
    csv.write_csv(people.select(["id", "cluster_id"]), file)
    labels = people["cluster_id"]
    forms = ["cluster_id", labels.to_pylist(), labels, labels.to_pandas(), people.select(["id", "cluster_id"]), file]
    scores = [found.evaluate(each, metrics=["b3", "pairwise"]).as_dict() for each in forms]
    assert scores[0]["b3"]["f1"] > 0.8
    assert all(each == scores[0] for each in scores)
    assert onoma.evaluate(people, found, metrics=["b3", "pairwise"]).as_dict() == scores[0]
    assert onoma.evaluate(labels, found["entity"], metrics=["b3", "pairwise"]).as_dict() == scores[0]


def test_a_truth_that_does_not_fit_is_refused(found):
    with pytest.raises(DataError, match="2 labels came for 120 rows"):
        found.evaluate(["a", "b"])
    with pytest.raises(OnomaError):
        found.evaluate("no_such_column")


def test_what_is_saved_is_there_again(found, kept):
    again = onoma.load(kept)
    wanted = ["id", "entity", "probability", "surname"]
    assert again.to_arrow().select(wanted).equals(found.to_arrow().select(wanted))
    assert again.entities["size"].to_pylist() == found.entities["size"].to_pylist()
    assert {*again.pairs().columns} == {"a", "b", "probability"}
    assert again.config.model == "copying" and again.entity_count() == found.entity_count()
    a, b = (found.pairs(0.9)[side][0].as_py() for side in ("a", "b"))
    one, other = found.explain(a, b), again.explain(a, b)
    # A knowledge base keeps what agreement weighs, in single precision.
    assert other.bits == pytest.approx(one.bits, abs=0.5)
    assert [step.field for step in other.steps[:4]] == [step.field for step in one.steps[:4]]
    assert again.evaluate("cluster_id").as_dict() == found.evaluate("cluster_id").as_dict()


def test_charts_and_the_report_are_there_fresh_and_stored(found, kept, tmp_path):
    for each in (found, onoma.load(kept)):
        assert "layer" in each.charts.weights().to_dict()
        page = each.report(tmp_path / "report.html", truth="cluster_id").read_text("utf-8")
        assert "What agreement weighs" in page


def test_a_result_is_kept_as_the_name_says(found, kept, tmp_path):
    assert len(pd.read_csv(found.save(tmp_path / "who.csv"))) == 120
    assert (found.save(tmp_path / "out") / "report.html").exists()
    again = onoma.load(kept)
    assert len(pd.read_parquet(again.save(tmp_path / "who.parquet"))) == 120
    assert len(onoma.load(again.save(tmp_path / "copy.duckdb"))) == 120
    assert (again.save(tmp_path / "tables") / "records.parquet").exists()


def test_what_was_read_is_never_written_over(people, tmp_path):
    csv.write_csv(people.slice(0, 20), tmp_path / "people.csv")
    result = onoma.resolve(tmp_path / "people.csv", model="exact-match")
    with pytest.raises(OnomaError):
        result.save(tmp_path / "people.csv")


def test_a_model_without_weights_says_so_and_once_kept_what_changes_without_a_field(people, tmp_path):
    result = onoma.resolve(people.slice(0, 20), model="exact-match")
    again = onoma.load(result.save(tmp_path / "same.duckdb"))
    assert again["entity"].to_pylist() == result["entity"].to_pylist()
    with pytest.raises(UnsupportedError):
        result.explain(0, 1)
    assert {step.level for step in again.explain(0, 1).steps[1:]} == {"with and without"}


def test_only_a_knowledge_base_is_loaded(tmp_path):
    with pytest.raises(DataError, match="no knowledge base"):
        onoma.load(tmp_path)
    with pytest.raises(DataError):
        onoma.load(tmp_path / "nothing.duckdb")


def test_links_between_tables_of_two_kinds(people, tmp_path):
    one, other = people.slice(0, 60), people.slice(60)
    csv.write_csv(other, tmp_path / "other.csv")
    result = onoma.link(one.to_pandas(), tmp_path / "other.csv", seed=1)
    assert {*result.columns} >= {"source", "id", "entity", "probability"}
    assert {*result["source"].to_pylist()} == {"a", "b"}
    pairs = result.pairs(0.5)
    assert len(pairs) and {*pairs["a_source"].to_pylist()} == {"a"} and {*pairs["b_source"].to_pylist()} == {"b"}


def test_wrong_options_are_told_before_any_work(people):
    with pytest.raises(SettingsError, match="there is no option 'sample'") as raised:
        onoma.resolve("there is no such file.csv", sample=3)
    assert "samples" in raised.value.hint
    with pytest.raises(SettingsError, match="sample"):
        onoma.resolve(people, sample=None)
    with pytest.raises(UnsupportedError):
        onoma.resolve("there is no such file.csv", model="exact-match", samples=3)
    with pytest.raises(DataError, match="no rows"):
        onoma.resolve([])


def test_a_list_of_files_is_sources(people, tmp_path):
    for i in range(2):
        csv.write_csv(people.slice(60 * i, 60), tmp_path / f"part{i}.csv")
    result = onoma.resolve([tmp_path / "part0.csv", tmp_path / "part1.csv"], model="exact-match")
    assert {*result["source"].to_pylist()} == {"part0", "part1"}
