"""Broken inputs: each is a clear DataError, or a counted reject; never anything else."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from onoma.corpus.convert import convert
from onoma.corpus.formats import format_of
from onoma.errors import DataError

ROWS = b"id,name\n" + b"".join(b"%d,name %d\n" % (i, i) for i in range(200))
CONLL = b"#begin document (d); part 000\nd 0 0 Ada (1)\nd 0 1 wrote -\n\n#end document\n"
CONLLU = (
    b"# newdoc id = d\n# global.Entity = eid-etype\n1\tAda\t_\t_\t_\t_\t_\t_\t_\tEntity=(1-person)\n\n"
    b"# newdoc id = e\n1\tShe\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
)


def parquet_bytes() -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": range(1000)}), sink)
    return sink.getvalue().to_pybytes()


def zst(raw: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(raw)
    return sink.getvalue().to_pybytes()


def flip(raw: bytes) -> bytes:
    middle = len(raw) // 2
    return raw[:middle] + bytes([raw[middle] ^ 0xFF]) + raw[middle + 1 :]


class Case(NamedTuple):
    """A broken file: what the error must say, and what is left with on_error='reject' (None: an error there too)."""

    name: str
    content: bytes
    says: str
    kept: int | None = None
    rejected: int = 1


CASES = [
    # delimited text
    Case("empty.csv", b"", "is empty"),
    Case("blank.csv", b"\n\n\n", "is empty"),
    Case("bom_only.csv", b"\xef\xbb\xbf", "is empty"),
    Case("short.csv", b"a,b\n1\n3,4\n", "row 2, column 'b': has 1 of the 2 columns", 1),
    Case("long.csv", b"a,b\n1,2\n3,4,5\n", "row 3: has 3 columns, the header has 2", 1),
    Case("short_and_long.csv", b"a,b\n1\n3,4\n5,6,7\n\n8,9\n", "row 2", 2, 2),
    Case("spaces_line.csv", b"a,b\n1,2\n   \n3,4\n", "row 3", 2),
    Case("open_quote.csv", b'a,b\n1,"x\n3,4\n5,6\n', "row 2: a quoted value is never closed", 2),
    Case("open_quote_last.csv", b'a,b\n1,2\n3,"x', "row 3: a quoted value is never closed", 1),
    Case("stray_quote.csv", b'a,b\n1,"x"y\n3,4\n', "row 2: text follows the closing quote", 1),
    Case("quote_swallows.csv", b'a,b\n1,"x\n3,4\n5,"y"\n7,8\n', "row 2: text follows the closing quote", 3),
    Case(
        "damaged_utf8.csv",
        "a,b\n1,Gödel\n3,ééé\n".encode().replace(b"\xc3\xb6", b"\xf6"),
        "row 2, column 'b': has the byte 0xF6, which is not UTF-8",
        1,
    ),
    Case("bad_utf8_in_quotes.csv", b'a,b\n1,"x\n\xff"\n3,4\n', "row 2, column 'b': has the byte 0xFF", 1),
    Case("bad_utf8_name.csv", b"a,\xff\n1,2\n", "0xFF"),
    Case("half_utf8.csv", b"a,b\n1,2\n3,\xc3", "row 3, column 'b': has the byte 0xC3", 1),
    Case("utf16_no_mark.csv", "a,b\n1,2\n".encode("utf-16-le"), "binary data"),
    Case("binary.csv", bytes(range(256)) + bytes(1000), "binary data"),
    Case("lone_cr.csv", b"a,b\n1,x\ry\n3,4\n", "row 2: a lone carriage return", 1),
    Case("cut.csv.gz", gzip.compress(ROWS)[:-20], "damaged or cut off"),
    Case("crc.csv.gz", gzip.compress(ROWS)[:-8] + b"\0" * 8, "damaged or cut off"),
    Case("flipped.csv.gz", flip(gzip.compress(ROWS)), "damaged or cut off"),
    Case("cut.csv.zst", zst(ROWS)[:-20], "damaged or cut off"),
    Case("inside.csv.gz", gzip.compress(b"a,b\n1\n2,3\n", mtime=0), "row 2, column 'b'", 1),
    Case("gzip_of_nothing.csv.gz", gzip.compress(b"", mtime=0), "is empty"),
    Case("zip.csv", b"PK\x03\x04rest", "zip archive"),
    Case("header.csv", b'id,"na"me\n1,Ada\n2,Bob\n3,Cy\n', "row 1: the header is broken", 3),
    Case("header_return.csv", b"id,na\rme\n1,Ada\n2,Bob\n3,Cy\n", "row 1: the header is broken", 3),
    Case("header_quote.csv", b'id,"name\n1,Ada\n2,Bob\n3,Cy\n', "row 1: the header is broken", 3),
    Case("header_blank.csv", b'\n\nid,"na"me\n1,Ada\n', "row 3: the header is broken", 1),
    Case("short.tsv", b"a\tb\n1\n3\t4\n", "row 2, column 'b'", 1),
    # JSON Lines
    Case("empty.jsonl", b"", "is empty"),
    Case("bad_line.jsonl", b'{"a": 1}\n{"a": \n{"a": 3}\n', "row 2: is not JSON", 2),
    Case("array.jsonl", b'[{"a": 1},\n{"a": 2}]\n', "one JSON array", 0, 2),
    Case("numbers.jsonl", b'1\n{"a": 2}\n', "row 1: holds a number, not an object", 1),
    Case("null.jsonl", b'null\n{"a": 2}\n', "row 1: holds null, not an object", 1),
    Case("pretty.jsonl", b'{\n  "a": 1\n}\n', "one object over many lines", 0, 3),
    Case("twice.jsonl", b'{"a": 1, "a": 2}\n{"a": 3}\n', "row 1: has the key 'a' twice", 1),
    Case("nan.jsonl", b'{"a": NaN}\n{"a": 3}\n', "row 1: is not JSON: NaN", 1),
    Case("utf8.jsonl", b'{"a": 1}\n{"a": "\xff"}\n', "row 2: byte 8 of the line is 0xFF", 1),
    Case("deep.jsonl", b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", "row 1: is nested too deeply", 0),
    Case("objects.jsonl", b"{}\n{}\n{}\n", "holds only empty objects", 0, 3),
    Case("surrogate.jsonl", b'{"a": "\\ud800"}\n{"a": 2}\n', "row 1: holds \\ud800, the half of a pair", 1),
    Case("surrogate_key.jsonl", b'{"\\udfff": 1}\n{"a": 2}\n', "row 1: holds \\udfff, the half of a pair", 1),
    Case("cut.jsonl", b'{"a": 1}\n{"a": 2', "row 2: is not JSON", 1),
    # Parquet
    Case("cut.parquet", parquet_bytes()[:-30], "damaged, cut off, or no Parquet file"),
    Case("head_only.parquet", parquet_bytes()[:4], "damaged, cut off, or no Parquet file"),
    Case("text.parquet", b"a,b\n1,2\n", "no Parquet file"),
    Case("empty.parquet", b"", "no Parquet file"),
    # BibTeX
    Case("empty.bib", b"", "holds no BibTeX entry"),
    Case("prose.bib", b"Dear all,\n", "holds no BibTeX entry"),
    Case("open.bib", b"@book{a, author = {A B}\n@book{b, author = {C D}}\n", "row 1: the entry cannot be read", 1),
    Case("space.bib", b"@ article{a, author={A B}}\n@book{b, author={C D}}\n", "row 1: looks like an entry", 1),
    Case("cut_word.bib", b"@artic le{a, author={A B}}\n@book{b, author={C D}}\n", "row 1: looks like an entry", 1),
    Case("hyphen.bib", b"@book{b, author={C D}}\n\n@article-x{a, author={A B}}\n", "row 3: looks like an entry", 1),
    Case("no_at.bib", b"@book{b, author={C D}}\narticle{a, author={A B}}\n", "row 2: looks like an entry", 1),
    Case("twice.bib", b"@book{a, author={A B}}\n@book{a, author={C D}}\n", "row 2: the entry cannot be read: Dup", 1),
    Case("name.bib", b"@book{a, author={A, B, C, D and E F}}\n", "row 1: the name cannot be read: Too many commas", 1),
    Case(
        "latin1.bib", "@book{a, author={G\xf6}}".encode("latin-1") + "éé".encode(), "row 1: byte 19 of the line is 0xF6"
    ),
    # CoNLL-2012
    Case("empty.conll", b"", "holds no document"),
    Case("prose.conll", b"Dear all,\nhello\n", "row 1: the line 'Dear all,' stands outside any document", 0),
    Case("open.conll", CONLL + CONLL.replace(b"(d)", b"(e)").replace(b"(1)", b"(1"), "row 7: in document '(e)", 1),
    Case("close.conll", CONLL + CONLL.replace(b"(d)", b"(e)").replace(b"(1)", b"1)"), "'1)' closes a mention", 1),
    Case("junk.conll", CONLL + CONLL.replace(b"(d)", b"(e)").replace(b"(1)", b"(1)x"), "is no coreference", 1),
    Case("no_end.conll", CONLL + b"#begin document (e); part 000\ne 0 0 Ada -\n", "no '#end document' follows", 1),
    Case("no_end_middle.conll", CONLL.replace(b"#end document\n", b"") + CONLL, "no '#end document' follows", 1),
    Case("twice.conll", CONLL + CONLL, "row 6: document 'd' part 0 stands in the file twice, first in row 1", 1),
    Case("outside.conll", CONLL + b"d 0 0 Lost -\n" + CONLL.replace(b"(d)", b"(e)"), "outside any document", 1),
    Case("one_column.conll", CONLL + CONLL.replace(b"(d)", b"(e)").replace(b"d 0 0 Ada (1)", b"Ada"), "one column", 1),
    Case("latin1.conll", CONLL.replace(b"Ada", b"G\xf6" + "éé".encode()), "row 2: byte 8 of the line is 0xF6"),
    Case("cut.conll.gz", gzip.compress(CONLL * 100)[:-20], "damaged or cut off"),
    # CoNLL-U
    Case("empty.conllu", b"", "holds no document"),
    Case("prose.conllu", b"Dear all,\n", "row 1: in document 'prose'", 0),
    Case("columns.conllu", CONLLU.replace(b"\tShe\t", b"\tShe"), "row 6: in document 'e': has 9 columns", 1),
    Case("number.conllu", CONLLU.replace(b"1\tShe", b"x\tShe"), "the first column is 'x'", 1),
    Case("open.conllu", CONLLU.replace(b"(1-person)", b"(1-person"), "row 3: in document 'd': '(1' opens", 1),
    Case("close.conllu", CONLLU.replace(b"(1-person)", b"1)"), "'1)' closes a mention", 1),
    Case("junk.conllu", CONLLU.replace(b"(1-person)", b"(1-person)x"), "is not a row of brackets", 1),
    Case("fields.conllu", CONLLU.replace(b"# global.Entity = eid-etype\n", b""), "names its fields", 1),
    Case("no_chain.conllu", CONLLU.replace(b"eid-etype", b"etype-head"), "names no chain", 1),
    Case("empty_node.conllu", CONLLU.replace(b"1\tAda", b"1.1\tAda"), "mentions of multiword tokens and empty", 1),
    Case("twice.conllu", CONLLU.replace(b"id = e", b"id = d"), "stands in the file twice", 1),
]


def put(folder: Path, case: Case) -> Path:
    path = folder / case.name
    path.write_bytes(case.content)
    return path


def read(path: Path, on_error: str) -> tuple[int, pa.Table]:
    entry = format_of(path)
    if entry.read_corpus:
        corpus = entry.read_corpus(path, on_error=on_error)
        return len(corpus.documents), corpus.rejects
    found = entry.read_table(path, on_error=on_error)
    return len(found.table), found.rejects


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_broken_file_stops_with_its_name_and_the_reason(case: Case, tmp_path: Path):
    path = put(tmp_path, case)
    with pytest.raises(DataError) as caught:
        read(path, "stop")
    assert case.says in str(caught.value)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 800


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_broken_file_is_rejected_in_part_or_stops(case: Case, tmp_path: Path):
    path = put(tmp_path, case)
    if case.kept is None:
        with pytest.raises(DataError):
            read(path, "reject")
        return
    kept, rejects = read(path, "reject")
    assert (kept, len(rejects)) == (case.kept, case.rejected)
    assert rejects.column_names == ["row", "reason", "text"]
    assert all(rejects[name].null_count == 0 for name in rejects.column_names)


def test_there_are_at_least_forty():
    assert len({case.name for case in CASES}) == len(CASES) >= 40


def missing(folder: Path) -> Path:
    (folder / "people.csv").write_bytes(ROWS)
    return folder / "poeple.csv"


def no_folder(folder: Path) -> Path:
    return folder / "nowhere" / "people.csv"


def a_folder(folder: Path) -> Path:
    (folder / "people.csv").mkdir()
    (folder / "people.csv" / "part-0.csv").write_bytes(ROWS)
    return folder / "people.csv"


def forbidden(folder: Path) -> Path:
    path = folder / "secret.csv"
    path.write_bytes(ROWS)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    return path


def a_nul_in_the_name(folder: Path) -> Path:
    return folder / "peo\0ple.csv"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (missing, "Did you mean people.csv?"),
        (no_folder, "There is no folder"),
        (a_folder, "It holds part-0.csv"),
        (forbidden, "may not be read"),
        (a_nul_in_the_name, "cannot be opened"),
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".conll"])
def test_a_file_that_cannot_be_opened(make: Callable[[Path], Path], says: str, suffix: str, tmp_path: Path):
    path = make(tmp_path)
    with pytest.raises(DataError, match="csv") as caught:
        format_of("x" + suffix).read_table(path) if suffix == ".csv" else format_of("x" + suffix).read_corpus(path)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("gzip.csv", gzip.compress(b"a,b\n1,2\n", mtime=0)),
        ("zstd.csv", zst(b"a,b\n1,2\n")),
        ("plain.csv.gz", b"a,b\n1,2\n"),
        ("semicolon.csv", b"a;b\n1;2\n"),
        ("pipe.csv", b"a|b\n1|2\n"),
        ("tab.csv", b"a\tb\n1\t2\n"),
        ("bom.csv", b"\xef\xbb\xbfa,b\n1,2\n"),
        ("utf16.csv", "a,b\n1,2\n".encode("utf-16")),
        ("utf32.csv", "a,b\n1,2\n".encode("utf-32")),
        ("crlf.csv", b"a,b\r\n1,2\r\n"),
        ("cr.csv", b"a,b\r1,2\r"),
        ("no_end.csv", b"a,b\n1,2"),
        ("blank_lines.csv", b"\n\na,b\n\n1,2\n\n\n"),
        ("mixed_ends.csv", b"a,b\r\n1,2\n"),
        ("quoted.csv", b'"a","b"\n"1","2"\n'),
        ("cr.jsonl", b'{"a": 1, "b": 2}\r'),
        ("crlf.jsonl", b'{"a": 1, "b": 2}\r\n'),
        ("blank_lines.jsonl", b'\n{"a": 1, "b": 2}\n\n'),
        ("bom.jsonl", b'\xef\xbb\xbf{"a": 1, "b": 2}\n'),
        ("late_key.json", b'{"b": 2, "a": 1}\n'),
    ],
)
def test_what_only_looks_broken_is_read(name: str, content: bytes, tmp_path: Path):
    (tmp_path / name).write_bytes(content)
    found = format_of(name).read_table(tmp_path / name)
    assert found.table.select(["a", "b"]).to_pydict() == {"a": [1], "b": [2]}
    assert len(found.rejects) == 0


def test_parquet_named_csv_is_parquet(tmp_path: Path):
    (tmp_path / "x.csv").write_bytes(parquet_bytes())
    report = convert(tmp_path / "x.csv", tmp_path / "y.jsonl")
    assert report.n_written == 1000
