"""A file is written whole or not at all."""

import os
from pathlib import Path

import pyarrow as pa
import pytest

from onoma.corpus.formats import write_table
from onoma.corpus.readers.source import read_bytes
from onoma.corpus.writers.files import open_output, write_text
from onoma.errors import DataError


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst", ".xz"])
def test_content_and_packing(suffix: str, tmp_path: Path):
    path = tmp_path / f"x.txt{suffix}"
    write_text(path, ["ä\r\n", "b"])
    assert read_bytes(path) == "ä\r\nb".encode()
    first = path.read_bytes()
    write_text(path, ["ä\r\n", "b"])
    assert path.read_bytes() == first
    assert [child.name for child in tmp_path.iterdir()] == [path.name]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    path = tmp_path / "x.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), open_output(path) as output:
        output.write(b"half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [child.name for child in tmp_path.iterdir()] == ["x.txt"]


def test_the_file_appears_only_at_the_end(tmp_path: Path):
    path = tmp_path / "x.txt"
    with open_output(path) as output:
        output.write(b"half")
        assert not path.exists()
    assert path.read_bytes() == b"half"


def test_a_link_stays_a_link(tmp_path: Path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_text(tmp_path / "link.txt", ["new"])
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_permissions_are_those_of_any_new_file(tmp_path: Path):
    (tmp_path / "usual").touch()
    write_text(tmp_path / "x.txt", ["x"])
    assert (tmp_path / "x.txt").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_device_is_written_to_as_it_is():
    write_text("/dev/null", ["x"])
    assert not Path("/dev/null").is_file()


def test_places_that_cannot_be_written(tmp_path: Path):
    with pytest.raises(DataError, match="is a folder"):
        write_text(tmp_path, ["x"])
    with pytest.raises(DataError, match="there is no folder"):
        write_text(tmp_path / "no" / "x.txt", ["x"])
    (tmp_path / "closed").mkdir(mode=0o500)
    if os.access(tmp_path / "closed", os.W_OK):
        return  # this user may write everywhere
    with pytest.raises(DataError, match="Permission denied"):
        write_text(tmp_path / "closed" / "x.txt", ["x"])


def test_values_that_a_format_cannot_hold(tmp_path: Path):
    with pytest.raises(DataError, match="binary values"):
        write_table(pa.table({"x": [b"\xff"]}), tmp_path / "x.jsonl")
    nested = pa.table({"id": ["a", "b"], "x": [["p", "q"], None], "y": [{"k": 1}, {"k": 2}]})
    write_table(nested, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text().splitlines()[1] == 'a,"[""p"", ""q""]","{""k"": 1}"'
    assert [child.name for child in tmp_path.iterdir()] == ["x.csv"]
