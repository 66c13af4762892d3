"""CoNLL-U: words, brackets with fields, and the same bytes back."""

import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from onoma.corpus.readers.conllu import read_conllu
from onoma.corpus.readers.source import read_bytes
from onoma.corpus.writers.conllu import write_conllu

TEXT = """\
# newdoc id = talk
# global.Entity = GRP-etype-infstat-identity
# sent_id = talk-1
# speaker = Ada
1\tI\tI\tPRON\tPRP\tCase=Nom\t2\tnsubj\t2:nsubj\tEntity=(1-person-new)
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tca\tcan\tAUX\tMD\t_\t0\troot\t0:root\tGloss=x|Entity=(2-event-new-Jean-Paul_Sartre|XML=<w>
3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t2:advmod\t_
3.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t2:dep\t_
4\t_\t_\tSYM\t_\t_\t2\tdep\t_\tEntity=2)1)(1-person-giv(3[1/2]-object-new)

# sent_id = talk-2
1\tx\tx\tX\tFW\t_\t0\troot\t_\tEntity=1)(3[2/2]-object)
"""
# The first mention of chain 1 is one token long; a second one is opened below.
TEXT = TEXT.replace("Entity=(1-person-new)\n", "Entity=(1-person-new\n")


def read(tmp_path: Path, text: str, **settings: str):
    path = tmp_path / "x.conllu"
    path.write_bytes(text.encode())
    return read_conllu(path, **settings)


def same_again(corpus, path: Path) -> bytes:
    write_conllu(corpus, path)
    return path.read_bytes()


def test_columns_and_fields(tmp_path: Path):
    corpus = read(tmp_path, TEXT)
    tokens = corpus.tokens.to_pydict()
    assert tokens["word"] == ["I", "ca", "n't", "_", "x"]
    assert tokens["lemma"] == ["I", "can", "not", "_", "x"]
    assert tokens["tag"] == ["PRP", "MD", "RB", "_", "FW"]
    assert tokens["speaker"] == ["Ada"] * 4 + [None]
    assert tokens["sentence"] == [0, 0, 0, 0, 1]
    assert tokens["head"] == ["2", "0", "2", "2", "0"]
    rows = corpus.mentions_with_chains().select(["start", "end", "chain", "type", "infstat", "identity", "piece"])
    assert [tuple(row.values()) for row in rows.to_pylist()] == [
        (0, 4, "1", "person", "new", None, None),
        (1, 4, "2", "event", "new", "Jean-Paul_Sartre", None),
        (3, 5, "1", "person", "giv", None, None),
        (3, 4, "3", "object", "new", None, "1/2"),
        (4, 5, "3", "object", None, None, "2/2"),
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t,
        lambda t: t.replace("\n", "\r\n"),
        lambda t: "\ufeff" + t,
        lambda t: t + "\n",
        lambda t: t + "\n\n",
        str.rstrip,
    ],
)
def test_the_same_bytes_again(change, tmp_path: Path):
    text = change(TEXT)
    assert same_again(read(tmp_path, text), tmp_path / "y.conllu").decode() == text


def test_only_the_attribute_changes(tmp_path: Path):
    corpus = read(tmp_path, TEXT)
    keep = corpus.chains.slice(1, 1)
    text = same_again(corpus.with_chains(keep), tmp_path / "y.conllu").decode()
    assert text.count("Entity=") == 2
    assert "Entity=(2-event-new-Jean-Paul_Sartre|Gloss=x|XML=<w>" in text or "Gloss=x|Entity=" in text
    again = read(tmp_path, text)
    assert again.mentions.select(["start", "end", "type", "identity"]).to_pylist() == [
        {"start": 1, "end": 4, "type": "event", "identity": "Jean-Paul_Sartre"}
    ]


def test_a_file_without_entities_can_be_given_some(tmp_path: Path):
    plain = "1\tAda\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n2\tran\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    corpus = read(tmp_path, plain)
    assert corpus.documents["document"].to_pylist() == ["x"]
    mentions = {"id": ["m"], "document": ["x"], "part": [0], "start": [0], "end": [1], "type": ["person"]}
    marked = corpus.with_chains(pa.table({"mention": ["m"], "chain": ["a-1"]}), pa.table(mentions))
    text = same_again(marked, tmp_path / "y.conllu").decode()
    assert "Entity=(a%2D1-person)|SpaceAfter=No" in text
    assert read(tmp_path, text).mentions["type"].to_pylist() == ["person"]


def test_documents_of_one_file(tmp_path: Path):
    second = TEXT.replace("id = talk", "id = more").replace("# global.Entity = GRP-etype-infstat-identity\n", "")
    text = TEXT + "\n" + second + "\n"
    corpus = read(tmp_path, text)
    assert corpus.documents["document"].to_pylist() == ["talk", "more"]
    assert corpus.clustering().n_entities == 6
    assert same_again(corpus, tmp_path / "y.conllu").decode() == text


@pytest.mark.data
def test_gum_round_trips(data: Path, tmp_path: Path):
    path = tmp_path / "x.conllu"
    n_mentions = n_chains = 0
    with zipfile.ZipFile(data / "text/gum/dep_conllu.zip") as files:
        for name in files.namelist():
            path.write_bytes(files.read(name))
            corpus = read_conllu(path)
            assert same_again(corpus, tmp_path / "y.conllu") == path.read_bytes(), name
            n_mentions += len(corpus.mentions)
            n_chains += corpus.clustering().n_entities
    assert (n_mentions, n_chains) == (65_473, 34_017)


@pytest.mark.data
def test_ewt_round_trips(data: Path, tmp_path: Path):
    path = data / "text/ud-ewt/en_ewt-ud-dev.conllu.gz"
    corpus = read_conllu(path)
    assert same_again(corpus, tmp_path / "y.conllu") == read_bytes(path)
    assert (len(corpus.tokens), corpus.clustering().n_entities) == (25_147, 0)
