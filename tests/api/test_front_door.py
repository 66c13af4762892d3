"""What `import onoma` gives, and what editors see of it."""

import ast
import inspect
import pydoc
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import onoma
from onoma.corpus.formats import write_table
from onoma.errors import DataError, SettingsError


def test_what_is_offered_is_what_there_is():
    assert "Any" not in dir(onoma) and "importlib" not in dir(onoma)
    for name in dir(onoma):
        assert getattr(onoma, name) is not None
    with pytest.raises(AttributeError, match="did you mean 'resolve'"):
        onoma.resolv  # noqa: B018


def test_editors_see_the_same_names():
    stub = ast.parse(Path(onoma.__file__).with_suffix(".pyi").read_text("utf-8"))
    seen = {each.asname for node in stub.body if isinstance(node, ast.ImportFrom) for each in node.names}
    assert seen == {*onoma.__all__} - {"__version__"}


def test_rooms_that_are_called_are_rooms_too():
    from onoma.resolve.config import ResolveConfig

    assert onoma.resolve.config.ResolveConfig is ResolveConfig is onoma.ResolveConfig
    assert onoma.evaluate.evaluate is not onoma.api.evaluate
    assert "seed: int = 0" in str(inspect.signature(onoma.resolve))
    told = pydoc.plain(pydoc.render_doc(onoma.resolve))
    assert "seed: int = 0" in told and "no labels, no rules" in told


def test_raw_text_is_parsed_in_tables_and_files_alike(tmp_path):
    places = ("12 Oak Street, Dover, DE 19901", "12 Oak Street Dover DE 19901", "7 Elm Avenue")
    homes = [{"id": k, "home": place} for k, place in enumerate(places)]
    write_table(pa.Table.from_pylist(homes), tmp_path / "homes.csv")
    found = onoma.resolve(homes, parse={"home": "address"}, model="exact-match", no_check=True)
    assert found["ZipCode"].to_pylist() == ["19901", "19901", None]
    assert found["entity"].to_pylist() == ["e0", "e0", "e1"]
    again = onoma.resolve(tmp_path / "homes.csv", parse={"home": "address"}, model="exact-match", no_check=True)
    assert again["ZipCode"].to_pylist() == found["ZipCode"].to_pylist()
    linked = onoma.link(homes, tmp_path / "homes.csv", parse={"home": "address"}, no_check=True)
    assert linked["ZipCode"].to_pylist().count("19901") == 4
    assert "home.ZipCode" not in linked.to_arrow().column_names, "each is parsed once"
    with pytest.raises(SettingsError, match="no column 'hme'"):
        onoma.resolve(homes, parse={"hme": "address"})


def test_names_in_every_form():
    names = ["Ada Lovelace", "A. Lovelace", "Alan Turing"]
    series = pd.Series(names, index=["x", "y", "z"])
    for each in (names, series, pd.DataFrame({"name": names}), [{"name": name} for name in names]):
        assert onoma.names(each)["entity"].to_pylist() == [0, 0, 1]
    found = onoma.names(series)
    assert found.to_pandas().index.tolist() == ["x", "y", "z"] and found.n_entities == 2


def test_facts_of_a_table(tmp_path):
    pairs = [("paris", "france"), ("lyon", "france"), ("rome", "italy"), ("milan", "italy")]
    facts = pd.DataFrame([(a, "in", b) for a, b in pairs], columns=["subject", "relation", "object"])
    model = onoma.facts(facts, rank=2, seed=1)
    assert model.ask("in(lyon, ?)", 1)["entity"].to_pylist() == ["france"]
    assert len(model.complete(3)) <= 3 and "contribution" in model.explain("in(lyon, france)").columns
    with pytest.raises(SettingsError, match="open"):
        model.explain("in(lyon, ?)")
    with pytest.raises(DataError, match="subject, relation and object"):
        onoma.facts(facts.rename(columns={"object": "thing"}))
    assert model.save(tmp_path / "model").is_dir() and "4 facts" in repr(model)


def test_evaluate_takes_lists_and_refuses_what_does_not_fit():
    assert onoma.evaluate(["a", "a", "b"], [1, 1, 1], metrics="pairwise")["pairwise"].recall == 1
    with pytest.raises(DataError, match="3 labels and 2 labels"):
        onoma.evaluate(["a", "a", "b"], [1, 1])
