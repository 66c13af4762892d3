"""BibTeX: names, their parts, and what is said about them."""

from pathlib import Path

import pytest

from onoma.corpus.readers.bibtex import CITATIONS, read_bibtex

TEXT = r"""
@string{jml = "Journal of Names"}
Words between entries are comments.
@Article{a1,
  author = {Ada King Lovelace and de la Fontaine, Jr, Jean and {Barnes and Noble} and others},
  Editor = "G{\"o}del, Kurt",
  title = {On the {Analytical}
           Engine},
  journal = jml,
  year = 1843
}
@inproceedings{b2, author = "Ludwig van Beethoven", booktitle = {Proc. of {X}}, year = {1801}}
@misc{c3, title = {Nobody wrote this}}
"""


def read(tmp_path: Path, text: str, **settings: str):
    path = tmp_path / "x.bib"
    path.write_text(text)
    return read_bibtex(path, **settings)


def test_mentions(tmp_path: Path):
    found = read(tmp_path, TEXT)
    assert found.table.schema == CITATIONS
    rows = {row["id"]: row for row in found.table.to_pylist()}
    assert list(rows) == ["a1:author:1", "a1:author:2", "a1:author:3", "a1:editor:1", "b2:author:1"]
    parts = {key: [row[name] for name in ("first", "middle", "von", "last", "jr")] for key, row in rows.items()}
    assert parts == {
        "a1:author:1": ["Ada", "King", None, "Lovelace", None],
        "a1:author:2": ["Jean", None, "de la", "Fontaine", "Jr"],
        "a1:author:3": [None, None, None, "Barnes and Noble", None],
        "a1:editor:1": ["Kurt", None, None, "Gödel", None],
        "b2:author:1": ["Ludwig", None, "van", "Beethoven", None],
    }
    first = rows["a1:author:1"]
    assert first["name"] == "Ada King Lovelace"
    assert first["coauthors"] == ["Jean de la Fontaine Jr", "Barnes and Noble"]
    assert (first["title"], first["venue"], first["year"]) == ("On the Analytical Engine", "Journal of Names", "1843")
    assert rows["b2:author:1"]["venue"] == "Proc. of X"
    assert found.notes == [
        "row 3: 'Words between entries are comments.' stands between entries: a remark",
        "1 entries have neither author nor editor and give no mention",
    ]


def test_nothing_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    read(tmp_path, "@book{a, author = {A B}\n@book{b, author = {C D}}\n", on_error="reject")
    assert capfd.readouterr() == ("", "")


def test_a_bad_name_does_not_take_the_others_with_it(tmp_path: Path):
    found = read(tmp_path, "@book{a, author={A, B, C, D and Ada Lovelace}}", on_error="reject")
    assert found.table["id"].to_pylist() == ["a:author:2"]
    assert found.rejects["text"].to_pylist() == ["A, B, C, D"]
