import gzip
import lzma

import pytest

from onoma.errors import DataError
from onoma.knowledge.thesaurus_files import read_thesaurus


def listed(thesaurus, name):
    rows, columns = thesaurus.links[name].nonzero()
    return {(thesaurus.documents[i], thesaurus.documents[j]) for i, j in zip(rows, columns, strict=True)}


def test_lists_of_pairs(tmp_path):
    path = tmp_path / "pairs.tsv.xz"
    path.write_bytes(lzma.compress(b"hot\tsyn\twarm\ncold\tsynonym\tcool\nhot\tant\tcold\n"))
    found = read_thesaurus(path)
    assert found.words == ("hot", "warm", "cold", "cool")
    assert listed(found, "antonym") == {("pairs.tsv:hot", "pairs.tsv:cold")}


def test_lines_of_words(tmp_path):
    path = tmp_path / "moby.txt"
    path.write_text("hot,warm,ardent\n\ncold,cool\n")
    found = read_thesaurus(path)
    assert found.members.nnz == 5
    assert not found.links


def test_mythes_has_a_document_for_each_meaning(tmp_path):
    path = tmp_path / "th.dat"
    path.write_text(
        "UTF-8\nhot|2\n(adj)|warm (similar term)|cold (antonym)\n(adj)|stolen\n"
        "cold|1\n(adj)|hot (antonym)|state (generic term)\nstate|1\n(noun)|condition\n"
    )
    found = read_thesaurus(path)
    assert found.documents == ("th.dat:hot", "th.dat:hot", "th.dat:cold", "th.dat:state")
    assert ("th.dat:cold", "th.dat:state") in listed(found, "hypernym")
    assert ("th.dat:hot", "th.dat:cold") in listed(found, "antonym")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "hot\tsyn\n", "a.tsv, row 1: has 2 fields"),
        ("a.tsv", "hot\tsyn\twarm\nhot\t\twarm\n", "row 2: has 3 fields"),
        ("a.txt", "hot\n", "a headword and its synonyms"),
        ("a.dat", "UTF-8\nhot|2\n(adj)|warm\ncold|1\n", "should have 2 meanings"),
        ("a.dat", "UTF-8\nhot\n", "a bar and the number"),
        ("a.txt", "\n", "empty"),
        ("a.pdf", "x", "is none of"),
    ],
)
def test_bad_files_say_what_is_wrong_and_where(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_thesaurus(path)


def test_files_as_people_have_them(tmp_path):
    packed = tmp_path / "pairs.tsv.gz"
    packed.write_bytes(gzip.compress("\ufeffhot\tsyn\twarm\r\n".encode()))
    assert read_thesaurus(packed).words == ("hot", "warm")
    cut = tmp_path / "cut.tsv.xz"
    cut.write_bytes(lzma.compress(b"hot\tsyn\twarm\n" * 1000)[:-20])
    with pytest.raises(DataError, match="damaged or cut off"):
        read_thesaurus(cut)
    (tmp_path / "latin.tsv").write_bytes(b"hot\tsyn\twarm\ncaf\xe9\tsyn\tbar\n")
    notes = []
    assert "café" in read_thesaurus(tmp_path / "latin.tsv", notes=notes).words
    assert "latin.tsv is not UTF-8 and was read as cp1252" in notes[0]
    (tmp_path / "damaged.tsv").write_bytes("été\tsyn\tsummer\n".encode() + b"caf\xe9\tsyn\tbar\n")
    with pytest.raises(DataError, match="row 2: byte 4 of the line is 0xE9"):
        read_thesaurus(tmp_path / "damaged.tsv")
    with pytest.raises(DataError, match="no such file"):
        read_thesaurus(tmp_path / "nothing")
