"""CoNLL-2012: what the columns and brackets mean, and the same bytes back."""

import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from onoma.corpus.readers.conll2012 import parse_cell, read_conll2012
from onoma.corpus.readers.source import read_bytes
from onoma.corpus.schema import CHAINS, DOCUMENTS, MENTIONS, TOKENS, check
from onoma.corpus.writers.conll2012 import write_conll2012
from onoma.errors import DataError

FULL = """\
#begin document (nw/a); part 000
nw/a   0   0    Ada    NNP  (TOP(S(NP*)    Ada   -   1   spk#1   (PERSON)   (ARG0*)   (3)
nw/a   0   1   met    VBD         (VP*   meet  01   2   spk#1        *       (V*)     -
nw/a   0   2     her   PRP$    (NP(NP*     -   -   -   spk#1        *    (ARG1*   (7|(3)
nw/a   0   3      -      :          *)     -   -   -   spk#1        *         *)   -
nw/a   0   4   aunt    NN        *)))   aunt   -   -   spk#1        *         *)   7)

#end document
#begin document (nw/a); part 001
nw/a   1   0   She   PRP   (TOP(NP*))   -   -   -   -   *   (3)

nw/a   1   0   ran   VBD   (TOP(VP*))   run   -   -   -   *   -

#end document
"""


def read(tmp_path: Path, text: str, **settings: str):
    path = tmp_path / "x.conll"
    path.write_bytes(text.encode())
    return read_conll2012(path, **settings)


def spans(corpus) -> list[tuple[int, int, int, str]]:
    table = corpus.mentions_with_chains().select(["part", "start", "end", "chain"])
    return [tuple(row.values()) for row in table.to_pylist()]


def same_again(corpus, path: Path) -> bytes:
    write_conll2012(corpus, path)
    return path.read_bytes()


def test_columns(tmp_path: Path):
    corpus = read(tmp_path, FULL)
    assert corpus.documents.select(DOCUMENTS.names).to_pylist() == [
        {"document": "nw/a", "part": 0, "n_sentences": 1, "n_tokens": 5},
        {"document": "nw/a", "part": 1, "n_sentences": 2, "n_tokens": 2},
    ]
    tokens = corpus.tokens.to_pydict()
    assert tokens["word"] == ["Ada", "met", "her", "-", "aunt", "She", "ran"]
    assert tokens["tag"] == ["NNP", "VBD", "PRP$", ":", "NN", "PRP", "VBD"]
    assert tokens["lemma"] == ["Ada", "meet", None, "-", "aunt", None, "run"]
    assert tokens["speaker"] == ["spk#1"] * 5 + [None] * 2
    assert tokens["name"] == ["(PERSON)", "*", "*", "*", "*", "*", "*"]
    assert tokens["parse"][0] == "(TOP(S(NP*)"
    assert tokens["sentence"] == [0] * 5 + [0, 1]
    assert tokens["token"] == [0, 1, 2, 3, 4, 0, 1]
    assert spans(corpus) == [(0, 0, 1, "3"), (0, 2, 5, "7"), (0, 2, 3, "3"), (1, 0, 1, "3")]
    assert corpus.mentions["text"].to_pylist() == ["Ada", "her - aunt", "her", "She"]
    assert corpus.mentions["id"].to_pylist()[1] == "nw/a:0:2-5"
    assert corpus.clustering().n_entities == 3  # chain 3 of part 1 is another one


def test_the_tables_obey_their_schemas(tmp_path: Path):
    corpus = read(tmp_path, FULL)
    for name, schema in (("documents", DOCUMENTS), ("tokens", TOKENS), ("mentions", MENTIONS), ("chains", CHAINS)):
        table = getattr(corpus, name)
        assert check(table, schema).schema.names[: len(schema)] == schema.names
        assert [table.schema.field(field.name).type for field in schema] == schema.types


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["(1", "1)"], [(0, 2, "1")]),
        (["(1|(1", "1)", "1)"], [(0, 3, "1"), (0, 2, "1")]),  # nested, same chain
        (["(1", "(1)", "1)"], [(0, 3, "1"), (1, 2, "1")]),
        (["(1|(2", "1)|2)"], [(0, 2, "1"), (0, 2, "2")]),  # same span, two chains
        (["(1)|(1)"], [(0, 1, "1"), (0, 1, "1")]),  # repeated
        (["(1", "(2", "1)", "2)"], [(0, 3, "1"), (1, 4, "2")]),  # crossing
        (["(1", "1)|(1", "1)"], [(0, 2, "1"), (1, 3, "1")]),  # one ends where the next begins
        (["(1(2)", "1)"], [(0, 2, "1"), (0, 1, "2")]),  # no bar
        (["(person-1", "person-1)"], [(0, 2, "person-1")]),
        (["-", "_", "", "(1)"], [(3, 4, "1")]),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_brackets(cells: list[str], expected: list[tuple[int, int, str]], end: str, tmp_path: Path):
    lines = [
        "#begin document (d); part 000",
        *(f"d\t0\t{i}\tw{i}\t{cell}" for i, cell in enumerate(cells)),
        "",
        "#end document",
        "",
    ]
    corpus = read(tmp_path, end.join(lines))
    assert [span[1:] for span in spans(corpus)] == expected
    assert len(set(corpus.mentions["id"].to_pylist())) == len(expected)
    assert same_again(corpus, tmp_path / "y.conll").decode() == end.join(lines)


@pytest.mark.parametrize(
    ("title", "name", "part"),
    [
        ("(nw/a); part 003", "nw/a", 3),
        ("(LuoTestCase); ", "LuoTestCase", 0),
        ("(a (b)); part 000", "a (b)", 0),
        ("Gonzales (musician)", "Gonzales (musician)", 0),
        ("", "x", 0),
    ],
)
def test_titles(title: str, name: str, part: int, tmp_path: Path):
    text = f"# begin document {title}\nword -\n# end document\n"
    corpus = read(tmp_path, text)
    assert corpus.documents.select(["document", "part"]).to_pylist() == [{"document": name, "part": part}]
    assert same_again(corpus, tmp_path / "y.conll").decode() == text


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("w\t-", "w"),
        ("0\tw\t_", "w"),
        ("d\t0\tw\t-", "w"),
        ("d\t0\t0\tw\t-", "w"),
        ("d 0 0 w -", "w"),
        ("d\t0\t0\ta b\t-", "a b"),
        ("d\t0\t0\tw\u2028\xa0\t-", "w\u2028\xa0"),
    ],
)
def test_fewer_columns(line: str, word: str, tmp_path: Path):
    corpus = read(tmp_path, f"#begin document (d); part 000\n{line}\n#end document\n")
    assert corpus.tokens["word"].to_pylist() == [word]


def test_a_tab_too_many_is_no_column(tmp_path: Path):
    text = "#begin document (d); part 000\nd\t0\t0\ta\t(1)\nd\t0\t1\tb\t(1)\t\n#end document\n"
    corpus = read(tmp_path, text)
    assert [span[1:] for span in spans(corpus)] == [(0, 1, "1"), (1, 2, "1")]
    assert same_again(corpus, tmp_path / "y.conll").decode() == text


def test_text_around_documents_is_kept(tmp_path: Path):
    first = "#begin document (d); part 000\n# note\nd 0 0 w -\n#end document\n"
    second = "#begin document (e); part 000\n#end document\n"
    text = f"\ufeff# made by hand\n\n{first}null\n\n{second}\n\n# bye"
    corpus = read(tmp_path, text)
    assert corpus.documents["n_tokens"].to_pylist() == [1, 0]
    assert same_again(corpus, tmp_path / "y.conll").decode() == text
    assert len(corpus.notes) == 1


def test_rejected_documents_stand_whole_in_the_rejects(tmp_path: Path):
    good = "#begin document (d); part 000\nd 0 0 w (1)\n\n#end document\n"
    bad = "#begin document (e); part 000\ne 0 0 w (1\n\n#end document\n"
    corpus = read(tmp_path, good + bad + good.replace("(d)", "(f)"), on_error="reject")
    assert corpus.documents["document"].to_pylist() == ["d", "f"]
    assert corpus.rejects["text"].to_pylist() == [bad]
    assert corpus.rejects["row"].to_pylist() == [5]
    with pytest.raises(DataError, match=r"row 6: in document '\(e\); part 000': '\(1' opens a mention here"):
        read(tmp_path, good + bad)


def test_parse_cell_refuses_other_things():
    for cell in ("x", "(1)x", "1", "()", "(1))", "((1)", "*"):
        assert parse_cell(cell) is None


@pytest.mark.data
@pytest.mark.parametrize(
    "name",
    [
        "conll2012-sample/cort_test_input.v4_conll.gz",
        "gum/ontogum_train.conll12.gz",
        "gum/ontogum_dev.conll12.gz",
        "wikicoref/wikicoref_onto.conll12.gz",
        "conll-scorer-tests/ontogum-pairs/dev6-heavy.response.gz",
    ],
)
def test_real_files_round_trip(name: str, data: Path, tmp_path: Path):
    path = data / "text" / name
    assert same_again(read_conll2012(path), tmp_path / "y.conll") == read_bytes(path)


@pytest.mark.data
def test_the_scorers_own_files_round_trip(data: Path, tmp_path: Path):
    files = sorted((data / "text/conll-scorer-tests/DataFiles").iterdir())
    assert len(files) == 50
    for path in files:
        assert same_again(read_conll2012(path), tmp_path / "y.conll") == path.read_bytes()


@pytest.mark.data
@pytest.mark.parametrize(
    ("archive", "documents", "mentions", "chains"),
    [
        ("litbank/coref_conll.zip", 100, 29_103, 7_927),
        ("gum/ontogum_conll.zip", 237, None, None),
        ("gum/gum_coref_conll.zip", 237, 65_473, 34_016),
        ("winobias/winobias.zip", 3_168, None, None),
        ("wikicoref/wikicoref_key_dcoref_scoref.zip", 90, None, None),
    ],
)
def test_real_archives_round_trip(
    archive: str, documents: int, mentions: int | None, chains: int | None, data: Path, tmp_path: Path
):
    n_documents = n_mentions = n_chains = 0
    path = tmp_path / "x.conll"
    with zipfile.ZipFile(data / "text" / archive) as files:
        for name in files.namelist():
            if "README" in name or ".txt" in name:
                continue
            path.write_bytes(files.read(name))
            corpus = read_conll2012(path)
            assert same_again(corpus, tmp_path / "y.conll") == path.read_bytes(), name
            n_documents += len(corpus.documents)
            n_mentions += len(corpus.mentions)
            n_chains += corpus.clustering().n_entities
    assert n_documents == documents
    assert (mentions, chains) in ((None, None), (n_mentions, n_chains))


@pytest.mark.data
def test_counts_of_ontogum(data: Path):
    corpus = read_conll2012(data / "text/gum/ontogum_train.conll12.gz")
    assert (len(corpus.documents), len(corpus.tokens), len(corpus.mentions)) == (177, 177_410, 23_320)
    assert corpus.clustering().n_entities == 5_311
    assert pa.compute.sum(corpus.documents["n_sentences"]).as_py() == 10_224
