"""From every format to every other that makes sense."""

from pathlib import Path

import pyarrow as pa
import pytest

from onoma.corpus.convert import convert
from onoma.corpus.formats import FORMATS, format_of, read_corpus, write_corpus, write_table
from onoma.corpus.readers.table import read_table
from onoma.errors import DataError, SettingsError, UnsupportedError
from reference.spreadsheets import write_xlsx

CONLL = (
    "#begin document (d); part 000\nd 0 0 Ada (1)\nd 0 1 ran -\n\n#end document\n"
    "#begin document (d); part 001\nd 1 0 She (1)\n\n#end document\n"
)
CONLLU = "# newdoc id = d\n# global.Entity = eid-etype\n1\tAda\tAda\tPROPN\tNNP\t_\t0\troot\t_\tEntity=(1-person)\n\n"
SOURCES = {
    "csv": b"id,name\n007,Ada\n8,Charles\n",
    "tsv": b"id\tname\n007\tAda\n8\tCharles\n",
    "jsonl": b'{"id": "007", "name": "Ada"}\n{"id": "8", "name": "Charles"}\n',
    "bibtex": b"@book{k, author = {Ada Lovelace and Charles Babbage}}\n",
    "conll2012": CONLL.encode(),
    "conllu": CONLLU.encode(),
}
TABLES = [entry for entry in FORMATS.values() if entry.write_table]


def source(kind: str, folder: Path) -> Path:
    path = folder / f"source{FORMATS[kind].extensions[0]}"
    if kind == "parquet":
        write_table(pa.table({"id": ["007", "8"], "name": ["Ada", "Charles"]}), path)
    elif kind == "xlsx":
        write_xlsx(path, [["id", "name"], ["007", "Ada"], ["8", "Charles"]])
    else:
        path.write_bytes(SOURCES[kind])
    return path


@pytest.mark.parametrize("pack", ["", ".gz", ".zst"])
@pytest.mark.parametrize("target", [entry.name for entry in TABLES])
@pytest.mark.parametrize("kind", list(FORMATS))
def test_everything_becomes_a_table(kind: str, target: str, pack: str, tmp_path: Path):
    path = tmp_path / f"target{FORMATS[target].extensions[0]}{pack}"
    report = convert(source(kind, tmp_path), path)
    table = read_table(path).table
    assert (report.source_format, report.target_format, report.n_written) == (kind, target, len(table))
    assert len(report.rejects) == 0
    expected = {
        "bibtex": ("last", ["Lovelace", "Babbage"]),
        "conll2012": ("text", ["Ada", "She"]),
        "conllu": ("text", ["Ada"]),
    }
    column, values = expected.get(kind, ("id", ["007", "8"]))
    assert table[column].to_pylist() == values


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "bibtex"])
@pytest.mark.parametrize("target", ["conll2012", "conllu"])
def test_a_table_does_not_become_text(kind: str, target: str, tmp_path: Path):
    path = tmp_path / f"target{FORMATS[target].extensions[0]}"
    with pytest.raises(UnsupportedError, match="holds a table"):
        convert(source(kind, tmp_path), path)
    assert not path.exists()


def test_nothing_becomes_bibtex(tmp_path: Path):
    with pytest.raises(UnsupportedError, match="bibtex is read, not written"):
        convert(source("csv", tmp_path), tmp_path / "x.bib")


def test_text_to_text(tmp_path: Path):
    report = convert(source("conll2012", tmp_path), tmp_path / "x.conllu.gz")
    assert report.n_written == 2
    assert any("parts" in note for note in report.notes)
    corpus = read_corpus(tmp_path / "x.conllu.gz")
    assert corpus.documents["document"].to_pylist() == ["d", "d_part_001"]
    assert corpus.mentions["text"].to_pylist() == ["Ada", "She"]
    convert(source("conllu", tmp_path), tmp_path / "y.v4_gold_conll")
    assert "Ada\tNNP" in (tmp_path / "y.v4_gold_conll").read_text()


@pytest.mark.parametrize(("kind", "text"), [("conll2012", CONLL), ("conllu", CONLLU)])
def test_the_same_format_is_a_copy(kind: str, text: str, tmp_path: Path):
    path = tmp_path / f"copy{FORMATS[kind].extensions[0]}"
    report = convert(source(kind, tmp_path), path)
    assert path.read_text() == text
    assert report.notes == []


def test_rejects_are_reported(tmp_path: Path):
    (tmp_path / "x.csv").write_text("a,b\n1\n2,3\n")
    report = convert(tmp_path / "x.csv", tmp_path / "y.jsonl", on_error="reject")
    assert (report.n_written, len(report.rejects)) == (1, 1)
    with pytest.raises(DataError):
        convert(tmp_path / "x.csv", tmp_path / "z.jsonl")
    assert not (tmp_path / "z.jsonl").exists()


def test_formats_by_name(tmp_path: Path):
    (tmp_path / "x.dat").write_bytes(SOURCES["csv"])
    with pytest.raises(DataError, match="known endings"):
        convert(tmp_path / "x.dat", tmp_path / "y.csv")
    with pytest.raises(SettingsError, match="there is no format 'excel'"):
        convert(tmp_path / "x.dat", tmp_path / "y.csv", source_format="excel")
    assert convert(tmp_path / "x.dat", tmp_path / "y.out", source_format="csv", target_format="jsonl").n_written == 2


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.CSV", "csv"), ("a.b.tsv.gz", "tsv"), ("x.v4_gold_conll", "conll2012"), ("x.gold_conll.zst", "conll2012"),
     ("TC-A.key", "conll2012"), ("x.conllu", "conllu"), ("refs.bib", "bibtex"), ("x.pq", "parquet")],
)  # fmt: skip
def test_format_of(name: str, kind: str):
    assert format_of(name).name == kind


def test_readers_and_writers_of_the_wrong_kind(tmp_path: Path):
    with pytest.raises(DataError, match="csv holds a table, not annotated text"):
        read_corpus(source("csv", tmp_path))
    corpus = read_corpus(source("conllu", tmp_path))
    with pytest.raises(DataError, match="csv cannot hold annotated text"):
        write_corpus(corpus, tmp_path / "x.csv")
    with pytest.raises(DataError, match="conllu holds annotated text"):
        write_table(corpus.mentions, tmp_path / "x.conllu")


def test_every_extension_belongs_to_one_format():
    extensions = [extension for entry in FORMATS.values() for extension in entry.extensions]
    assert len(extensions) == len(set(extensions))
    for entry in FORMATS.values():
        assert (entry.read_table is None) != (entry.read_corpus is None)
