"""A run is known again, and never mixed with another."""

import json

import pytest

from onoma.engines.manifest import Manifest, RoundRecord, read_manifest, start_or_resume, write_manifest
from onoma.errors import DataError, SettingsError

FRESH = Manifest(settings={"rounds": {"n_partitions": 4}, "step": (1, 2)}, seed=3, input="ab", schema="mention int64")
RECORD = RoundRecord(1, "super", 9, 4, 0.5)


def test_a_run_is_begun_and_found_again(tmp_path):
    assert read_manifest(tmp_path) is None
    begun = start_or_resume(tmp_path / "run", FRESH)
    assert begun.n_done == 0
    write_manifest(tmp_path / "run", begun.after(RECORD))
    assert start_or_resume(tmp_path / "run", FRESH).rounds == (RECORD,)


@pytest.mark.parametrize(
    ("changed", "name"),
    [({"seed": 4}, "seed"), ({"input": "cd"}, "input"), ({"settings": {"rounds": {"n_partitions": 5}}}, "settings")],
)
def test_another_run_is_refused(tmp_path, changed, name):
    start_or_resume(tmp_path, FRESH)
    other = Manifest(**{"settings": FRESH.settings, "seed": 3, "input": "ab", "schema": "mention int64"} | changed)
    with pytest.raises(SettingsError, match=f"another {name}"):
        start_or_resume(tmp_path, other)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 1}', '{"version": 1, "rounds": [{}]}'])
def test_what_is_no_manifest_is_said(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(DataError, match="no manifest"):
        read_manifest(tmp_path)


def test_a_later_version_is_refused(tmp_path):
    (tmp_path / "manifest.json").write_text(json.dumps({"version": 99}))
    with pytest.raises(DataError, match="version 99"):
        read_manifest(tmp_path)


def test_a_write_that_fails_leaves_the_old_one(tmp_path):
    write_manifest(tmp_path, FRESH)
    broken = Manifest(settings={"no": object()}, seed=0, input="", schema="")
    with pytest.raises(TypeError):
        write_manifest(tmp_path, broken)
    assert read_manifest(tmp_path) is not None
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]
