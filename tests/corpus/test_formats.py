"""The registry of formats and the page about it say the same."""

import re
from pathlib import Path

from onoma.corpus.formats import FORMATS
from onoma.corpus.schema import SCHEMAS

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
