"""Arrays from disk: damage and edits are seen."""

from pathlib import Path

import numpy as np
import pytest

from onoma.numerics.archive import ArchiveError, read_archive, seal_of


def test_what_is_no_archive_is_one_error(tmp_path: Path):
    path = tmp_path / "x.npz"
    np.savez(path, a=np.arange(100))
    whole = path.read_bytes()
    assert read_archive(path)["a"].sum() == 4950
    for content in (b"", b"text", whole[:50], whole[:-30], whole.replace(b"100,", b"9e9,")):
        path.write_bytes(content)
        with pytest.raises(ArchiveError):
            read_archive(path)
    np.save(tmp_path / "y.npy", np.arange(3))
    with pytest.raises(ArchiveError):
        read_archive(tmp_path / "y.npy")
    with pytest.raises(FileNotFoundError):
        read_archive(tmp_path / "z.npz")


def test_a_seal_sees_every_change():
    facts, arrays = {"a": [1, 2.5]}, {"x": np.arange(6), "y": np.zeros(2)}
    seals = {
        seal_of(facts, arrays),
        seal_of({"a": [1, 2.6]}, arrays),
        seal_of(facts, {"x": np.arange(6).reshape(2, 3), "y": np.zeros(2)}),
        seal_of(facts, {"x": np.arange(6), "z": np.zeros(2)}),
        seal_of(facts, {"x": np.arange(6), "y": np.array([0.0, 1e-300])}),
        seal_of(facts, {"x": np.arange(6, dtype=np.uint64), "y": np.zeros(2)}),
    }
    assert len(seals) == 6
