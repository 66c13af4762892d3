"""The registry of formats and the page about it say the same."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from onoma.corpus import formats
from onoma.corpus.formats import FORMATS
from onoma.corpus.readers.files import make_rejects
from onoma.corpus.readers.table import TableRead
from onoma.corpus.schema import SCHEMAS
from onoma.errors import DataError, SettingsError

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")


def test_the_page_lists_every_format_as_it_is():
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (.*) \| yes \| (yes|no) \|$", PAGE, re.MULTILINE)
    assert [name for name, *_ in rows] == list(FORMATS)
    for name, extensions, holds, written in rows:
        entry = FORMATS[name]
        assert tuple(re.findall(r"`(\.\w+)`", extensions)) == entry.extensions
        assert ("annotated text" in holds) == (entry.holds == "corpus")
        assert (written == "yes") == bool(entry.write_table or entry.write_corpus)


def test_the_page_names_every_column_of_the_schemas():
    section = PAGE.partition("## Schemas")[2]
    for name in ("records", "documents", "tokens", "mentions", "chains"):
        assert f"| {name} |" in section
        assert all(f"`{column}`" in section for column in SCHEMAS[name].names)


def lines(path, *, on_error="stop", encoding=None):
    return TableRead(pa.table({"line": Path(path).read_text(encoding or "utf-8").split()}), make_rejects([]), [])


LINES = formats.Format("lines", (".lines",), "table", "a word a line", read_table=lines)


def test_a_format_of_ones_own_is_read_by_its_reader(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "_registered", {})
    path = tmp_path / "words.lines"
    path.write_text("a b", "utf-8")
    formats.register_format(LINES)
    assert formats.format_of(path).name == formats.format_of("x", "lines").name == "lines"
    assert formats.read_rows(path).table["line"].to_pylist() == ["a", "b"]
    formats.unregister_format("lines")
    with pytest.raises(DataError, match="the name does not say the format"):
        formats.format_of(path)


def test_a_format_of_another_package_is_found_by_its_entry_point(tmp_path, monkeypatch):
    point = SimpleNamespace(name="lines", load=lambda: LINES)
    monkeypatch.setattr(formats, "entry_points", lambda group: [point])
    assert formats.known_formats()["lines"] is LINES


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (replace(LINES, name="csv"), "called 'csv' already"),
        (replace(LINES, extensions=(".tsv",)), "with the ending '.tsv' already"),
        (replace(LINES, read_table=None), "does not say how that is read"),
    ],
)
def test_what_cannot_be_registered(given, message):
    with pytest.raises(SettingsError, match=message):
        formats.register_format(given)
