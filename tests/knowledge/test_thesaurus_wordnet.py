import lzma

import pytest

from onoma.errors import DataError
from onoma.knowledge.thesaurus_wordnet import find_wordnet, read_wordnet

NOUN = """  1 a licence stands here
00000010 03 n 01 bird 0 001 ~ 00000020 n 0000 | has wings
00000020 03 n 02 parrot 0 Polly_bird 0 001 @ 00000010 n 0000 | talks
"""
ADJ = """00000010 00 a 01 hot(p) 0 002 ! 00000020 a 0101 + 00000010 n 0101 | not cold
00000020 00 a 01 cold 0 002 ! 00000010 a 0101 & 00000030 a 0000 | not hot
00000030 00 s 01 frosty 0 001 & 00000020 a 0000 | very cold
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data.noun").write_text(NOUN, "latin-1")
    (tmp_path / "data.verb.xz").write_bytes(lzma.compress(b"00000010 29 v 01 go 0 000 01 + 02 00 | move\n"))
    (tmp_path / "data.adj").write_text(ADJ, "latin-1")
    (tmp_path / "data.adv").write_text("", "latin-1")
    (tmp_path / "verb.exc").write_text("went go\n", "latin-1")
    return tmp_path


def test_synsets_lemmas_and_links(folder):
    found = read_wordnet(folder)
    assert found.documents == ("n00000010", "n00000020", "v00000010", "a00000010", "a00000020", "a00000030")
    assert found.words == ("bird", "parrot", "polly bird", "go", "hot", "cold", "frosty")

    def pairs(name):
        rows, columns = found.links[name].nonzero()
        return {(found.documents[i], found.documents[j]) for i, j in zip(rows, columns, strict=True)}

    assert pairs("hypernym") == {("n00000020", "n00000010")}
    assert pairs("hyponym") == {("n00000010", "n00000020")}
    assert pairs("antonym") == {("a00000010", "a00000020"), ("a00000020", "a00000010")}
    assert pairs("similar") == {("a00000020", "a00000030"), ("a00000030", "a00000020")}
    assert pairs("derived") == {("a00000010", "n00000010"), ("n00000010", "a00000010")}
    assert found.words[found.find("went")] == "go"


def test_a_broken_line_is_named(folder):
    (folder / "data.adv").write_text("00000010 02 r 02 fast\n", "latin-1")
    with pytest.raises(DataError, match=r"data\.adv, row 1: not a line"):
        read_wordnet(folder)


def test_a_missing_part_is_named(folder):
    (folder / "data.adj").unlink()
    with pytest.raises(DataError, match=r"data\.adj is missing"):
        read_wordnet(folder)


def test_the_folder_is_found_by_the_environment_or_the_error_says_how(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("WNSEARCHDIR", str(folder))
    assert find_wordnet() == folder
    monkeypatch.delenv("WNSEARCHDIR")
    monkeypatch.delenv("WNHOME", raising=False)
    monkeypatch.setattr("onoma.knowledge.thesaurus_wordnet._PLACES", (str(tmp_path / "nowhere"),))
    with pytest.raises(DataError, match="wordnet-base"):
        find_wordnet()
    with pytest.raises(DataError, match="no WordNet"):
        find_wordnet(tmp_path / "nowhere")


@pytest.mark.data
def test_wordnet_has_what_its_makers_say(data):
    found = read_wordnet(find_wordnet(data / "knowledge/wordnet30"))
    assert (len(found.documents), len(found.words)) == (117_659, 147_306)
    assert found.links["hypernym"].nnz == 97_666


def test_senses_count_as_often_as_they_were_met(folder):
    (folder / "data.adv").write_text("00000010 02 r 01 cold 0 000 | without preparation\n", "latin-1")
    assert read_wordnet(folder).senses is None
    (folder / "index.adj").write_text("  1 a licence\ncold a 1 1 ! 1 1 00000020  \n", "latin-1")
    (folder / "index.adv").write_text("cold r 1 0 1 0 00000010  \n", "latin-1")
    (folder / "cntlist.rev").write_text("cold%3:00:01:: 1 7\n", "latin-1")
    found = read_wordnet(folder)
    shares = found.senses[:, [found.find("cold")]].toarray().ravel()
    by_document = dict(zip(found.documents, shares.tolist(), strict=True))
    assert by_document["a00000020"] == pytest.approx(8 / 9, abs=1e-3)
    assert by_document["r00000010"] == pytest.approx(1 / 9, abs=1e-3)
    assert found.senses[:, [found.find("parrot")]].sum() == pytest.approx(1)  # in no index: all that it is


@pytest.mark.parametrize(("name", "line"), [("cntlist.rev", "cold 1 x\n"), ("index.noun", "bird n\n")])
def test_a_broken_line_of_counts_is_named(folder, name, line):
    (folder / "cntlist.rev").write_text("", "latin-1")
    (folder / name).write_text(line, "latin-1")
    with pytest.raises(DataError, match=rf"{name}, row 1: not a line"):
        read_wordnet(folder)
