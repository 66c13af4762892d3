"""Models in a file: what is read is what was written, and damage is said."""

import io
import zipfile

import numpy as np
import pytest
import zstandard

from onoma.errors import DataError
from onoma.learning.packing import load_arrays, open_arrays, save_arrays

ARRAYS = {
    "bytes": np.arange(-5, 5, dtype=np.int8),
    "table": np.arange(12, dtype=np.uint16).reshape(3, 4),
    "wide": np.linspace(0, 1, 300_000),
    "none": np.zeros((0, 3), np.float32),
}


def test_what_is_read_is_what_was_written(tmp_path):
    save_arrays(tmp_path / "a.npz", "test", {"n": 3}, ARRAYS)
    header, found = load_arrays(tmp_path / "a.npz", "test")
    assert header["n"] == 3
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        assert found[name].flags.writeable  # kernels are compiled for arrays that are
        np.testing.assert_array_equal(found[name], array)


def test_arrays_come_one_by_one(tmp_path):
    save_arrays(tmp_path / "a.npz", "test", {}, ARRAYS)
    with open_arrays(tmp_path / "a.npz", "test") as (_, arrays):
        assert next(arrays)[0] == "bytes"
        assert [name for name, _ in arrays] == ["table", "wide", "none"]


def _stored(path, raw):
    """Write a model whose one array is these bytes, packed."""
    save_arrays(path, "test", {}, {})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("x.npy.zst", zstandard.ZstdCompressor().compress(raw))


def _npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"no array at all",
        _npy(np.arange(9))[:-1],
        _npy(np.arange(9)) + b"\0",
        _npy(np.arange(9)).replace(b"(9,)", b"(9999999999999999,)"),
        _npy(np.array([{}], object)),
        _npy(np.asfortranarray(np.ones((2, 3)))),
    ],
)
def test_a_damaged_array_is_said(raw, tmp_path):
    _stored(tmp_path / "a.npz", raw)
    with pytest.raises(DataError, match="damaged or no model"):
        load_arrays(tmp_path / "a.npz", "test")


def test_another_kind_is_said(tmp_path):
    save_arrays(tmp_path / "a.npz", "other", {}, {})
    with pytest.raises(DataError, match="holds kind 'other'"):
        load_arrays(tmp_path / "a.npz", "test")
