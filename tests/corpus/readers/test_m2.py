import pytest

from onoma.corpus.edits import Edit, EditedSentence
from onoma.corpus.readers.m2 import read_m2
from onoma.corpus.writers.m2 import write_m2
from onoma.errors import DataError

TEXT = """S The cat sat at mat .
A 3 4|||Prep|||on|||REQUIRED|||-NONE-|||0
A 4 4|||ArtOrDet|||the||a|||REQUIRED|||-NONE-|||0

S Fine .

S an apex
A 0 1|||ArtOrDet|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||-NONE-|||-NONE-|||1
"""


def test_reads_edits_alternatives_deletions_and_noop(tmp_path):
    path = tmp_path / "gold.m2"
    path.write_text(TEXT, encoding="utf-8")
    first, second, third = read_m2(path)
    assert first.annotators == {0: [Edit(3, 4, ("on",), "Prep"), Edit(4, 4, ("the", "a"), "ArtOrDet")]}
    assert second == EditedSentence(("Fine", "."), {0: []})
    assert third.annotators == {0: [Edit(0, 1, ("",), "ArtOrDet")], 1: []}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_round_trip(tmp_path, line_end):
    path, again = tmp_path / "gold.m2", tmp_path / "again.m2"
    path.write_text(TEXT, encoding="utf-8", newline=line_end)
    write_m2(read_m2(path), again)
    assert read_m2(again) == read_m2(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A 0 1|||X|||y|||R|||N|||0\n", "before any sentence"),
        ("S a\nA zero 1|||X|||y|||R|||N|||0\n", "cannot be read"),
        ("S a\nA 0 9|||X|||y|||R|||N|||0\n", "tokens 0 to 9"),
        ("S a\nA 0 1|||X|||y\n", "cannot be read"),
        ("a plain sentence\n", "begins with 'S '"),
    ],
)
def test_malformed_lines_are_named(tmp_path, text, said):
    path = tmp_path / "gold.m2"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        read_m2(path)
