"""Weights that are given in a file."""

import json

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.formats import write_table
from onoma.corpus.simulate import simulate_people
from onoma.errors import DataError, SettingsError
from onoma.resolve.api import resolve
from onoma.resolve.comparison.given import read_weights
from onoma.resolve.config import ResolveConfig


@pytest.fixture(scope="module")
def people():
    return simulate_people(300, seed=4)


@pytest.fixture(scope="module")
def found(people):
    return resolve(people)


def bits_of(resolution):
    return {(row["field"], row["level"]): row["bits"] for row in resolution.weights().to_pylist()}


@pytest.mark.parametrize("name", ["weights.parquet", "weights.csv"])
def test_the_table_that_a_run_writes_can_be_given(people, found, tmp_path, name):
    write_table(found.weights(), tmp_path / name)
    again = resolve(people, weights=tmp_path / name)
    before, after = bits_of(found), bits_of(again)
    shares = {(row["field"], row["level"]): row for row in found.weights().to_pylist()}
    for key, bits in after.items():
        if key[1] != "equal":  # of equal values the bits are those of a typical one, and depend on other fields
            row = shares[key]
            assert bits == pytest.approx(np.log2(row["copied"] / row["strangers"]), abs=1e-3)
    assert before.keys() == after.keys()
    # Without relatives and without dependence, more is joined: 0.70 of the entities are left.
    assert 0.65 * found.clustering.n_entities < again.clustering.n_entities <= found.clustering.n_entities


def test_bits_are_taken_as_they_are(people, found, tmp_path):
    levels = next(each.levels for each in found.fields.fields if each.name == "surname")
    bits = {level: 9.0 - 3.0 * k for k, level in enumerate(levels)}
    path = tmp_path / "weights.json"
    path.write_text(json.dumps({"prior": -8.0, "fields": {"surname": bits}}), "utf-8")
    given = resolve(people, weights=path)
    assert given.weighed.weights.kappa == pytest.approx(2**-8)
    seen = bits_of(given)
    assert {level: seen["surname", level] for level in levels} == pytest.approx(bits)
    assert all(value == pytest.approx(0.0) for (field, _), value in seen.items() if field != "surname")


def test_toml_and_json_say_the_same(tmp_path):
    (tmp_path / "w.json").write_text('{"prior": -3, "fields": {"name": {"equal": 5, "different": -2.5}}}', "utf-8")
    (tmp_path / "w.toml").write_text("prior = -3\n[fields.name]\nequal = 5\ndifferent = -2.5\n", "utf-8")
    one, other = read_weights(tmp_path / "w.json"), read_weights(tmp_path / "w.toml")
    assert one.fields == other.fields
    assert one.prior == other.prior == -3.0


def test_the_prior_is_learnt_where_it_is_not_given(people, found, tmp_path):
    """The number of entities comes out right although nothing was said about it."""
    write_table(found.weights(), tmp_path / "w.parquet")
    given = resolve(people, weights=tmp_path / "w.parquet")
    # Given weights know no relatives, so more pairs look like copies: 1.14 of it here; on other tables down to 0.755.
    assert given.weighed.weights.kappa == pytest.approx(found.weighed.weights.kappa, rel=0.25)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"shoe_size": {"equal": 1.0}}, "'shoe_size', which is no field"),
        ({"surname": {"equal": 1.0}}, "has no weight"),
        ({"surname": {"very equal": 1.0}}, "of 'surname'"),
    ],
)
def test_what_does_not_fit_is_refused(people, tmp_path, fields, message):
    (tmp_path / "w.json").write_text(json.dumps({"fields": fields}), "utf-8")
    with pytest.raises(DataError, match=message):
        resolve(people, weights=tmp_path / "w.json")


@pytest.mark.parametrize("text", ["{", "[]", '{"fields": 3}', '{"fields": {"a": {"equal": "x"}}}'])
def test_what_is_no_file_of_weights_is_refused(tmp_path, text):
    (tmp_path / "w.json").write_text(text, "utf-8")
    with pytest.raises(DataError, match="no file of weights"):
        read_weights(tmp_path / "w.json")


def test_a_table_without_bits_is_refused(tmp_path):
    write_table(pa.table({"field": ["a"], "level": ["equal"]}), tmp_path / "w.csv")
    with pytest.raises(DataError, match="no 'bits'"):
        read_weights(tmp_path / "w.csv")


def test_labels_and_weights_do_not_go_together():
    with pytest.raises(SettingsError, match="not both"):
        ResolveConfig(labels="known", weights="weights.csv")
