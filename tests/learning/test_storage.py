import json

import numpy as np
import pytest

from onoma.errors import DataError
from onoma.learning.storage import kind_of, load_model, save_model


def test_round_trip_and_replacement(tmp_path):
    save_model(tmp_path / "a" / "b", "kind", {"x": [1, "é"]}, {"w": np.arange(3)})
    save_model(tmp_path / "a" / "b", "kind", {"x": 2}, {"w": np.arange(4)})
    facts, arrays = load_model(tmp_path / "a" / "b", "kind")
    assert facts["x"] == 2
    np.testing.assert_array_equal(arrays["w"], np.arange(4))


def test_objects_are_refused(tmp_path):
    with pytest.raises(ValueError, match="pickle"):
        save_model(tmp_path, "kind", {}, {"w": np.array([{}], dtype=object)})


def test_missing_and_foreign_models(tmp_path):
    with pytest.raises(DataError, match="no model here"):
        load_model(tmp_path, "kind")
    save_model(tmp_path, "kind", {}, {})
    with pytest.raises(DataError, match="'kind', version 1; wanted 'other'"):
        load_model(tmp_path, "other")
    (tmp_path / "model.json").write_text(json.dumps({"kind": "kind", "version": 2}))
    with pytest.raises(DataError, match="version 2"):
        load_model(tmp_path, "kind")


def test_the_kind_of_a_model_is_said_without_its_arrays(tmp_path):
    save_model(tmp_path, "kind", {}, {})
    (tmp_path / "arrays.npz").unlink()
    assert kind_of(tmp_path) == "kind"
    (tmp_path / "model.json").write_text("{")
    with pytest.raises(DataError, match="is no JSON"):
        kind_of(tmp_path)
    (tmp_path / "model.json").write_text("[]")
    with pytest.raises(DataError, match="holds no object"):
        kind_of(tmp_path)


def test_a_damaged_model_says_what_is_damaged(tmp_path):
    save_model(tmp_path, "kind", {"x": 1}, {"w": np.arange(1000)})
    facts, arrays = load_model(tmp_path, "kind")
    with pytest.raises(DataError, match=r"model\.json: is damaged: 'y' is missing"):
        facts["y"]
    with pytest.raises(DataError, match=r"arrays\.npz: is damaged: 'v' is missing"):
        arrays["v"]
    whole = (tmp_path / "arrays.npz").read_bytes()
    for content in (whole[:200], b"", b"text", whole[:60] + b"\xff" * 40 + whole[100:]):
        (tmp_path / "arrays.npz").write_bytes(content)
        with pytest.raises(DataError, match="damaged or cut off"):
            load_model(tmp_path, "kind")
    (tmp_path / "arrays.npz").unlink()
    with pytest.raises(DataError, match="is missing"):
        load_model(tmp_path, "kind")


def test_a_file_is_no_place_for_a_model(tmp_path):
    (tmp_path / "a.csv").write_text("x")
    for place in (tmp_path / "a.csv", tmp_path / "a.csv" / "model"):
        with pytest.raises(DataError, match="is no folder"):
            save_model(place, "kind", {}, {})
    assert (tmp_path / "a.csv").read_text() == "x"
