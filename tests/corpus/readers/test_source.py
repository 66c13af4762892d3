"""The one way into a file: streams, packing, encodings, odd names."""

import gzip
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from onoma.corpus.convert import convert
from onoma.corpus.formats import read_corpus, write_table
from onoma.corpus.readers import source as sources
from onoma.corpus.readers.encoding import find_encoding
from onoma.corpus.readers.facts import read_facts
from onoma.corpus.readers.source import open_source
from onoma.corpus.readers.table import TableRead, read_table
from onoma.corpus.writers.files import open_output
from onoma.errors import DataError, SettingsError
from reference.spreadsheets import write_xlsx

LINES = b"".join(b'{"id": %d, "name": "%s"}\n' % (i, b"x" * 60) for i in range(300))
ROWS = b"id,name\n" + b"".join(b"%d,%s\n" % (i, b"x" * 60) for i in range(300))
TRIPLES = b'subject\trelation\tobject\n"a"\tin\tc\n' + b"".join(b"s%d\tin\to\n" % i for i in range(2000))
READING = (
    "import sys; from onoma.corpus.readers.{module} import {reader}; print(len({reader}(sys.argv[1]{more}).table))"
)


@pytest.mark.parametrize(
    ("content", "module", "reader", "more", "n_rows"),
    [
        (LINES, "table", "read_table", ", format='jsonl'", 300),
        (ROWS, "table", "read_table", ", format='csv'", 300),
        (gzip.compress(ROWS), "table", "read_table", ", format='csv'", 300),
        (TRIPLES, "facts", "read_facts", "", 2001),
    ],
)
def test_a_pipe_is_read_whole(content: bytes, module: str, reader: str, more: str, n_rows: int):
    command = [sys.executable, "-c", READING.format(module=module, reader=reader, more=more), "/dev/stdin"]
    done = subprocess.run(command, input=content, capture_output=True, check=True, timeout=60)
    assert int(done.stdout) == n_rows


@pytest.mark.parametrize("name", ["x.jsonl", "x.csv", "x.bib", "x.conllu"])
def test_a_fifo_is_read_once(name: str, tmp_path: Path):
    contents = {
        "x.jsonl": LINES,
        "x.csv": ROWS,
        "x.bib": b"".join(b"@book{k%d, author = {Ada %d}}\n" % (i, i) for i in range(300)),
        "x.conllu": b"".join(b"# newdoc id = d%d\n1\tAda" % i + b"\t_" * 8 + b"\n\n" for i in range(300)),
    }
    os.mkfifo(tmp_path / name)
    writer = threading.Thread(target=(tmp_path / name).write_bytes, args=(contents[name],), daemon=True)
    writer.start()
    assert convert(tmp_path / name, tmp_path / "y.csv").n_written == (0 if name == "x.conllu" else 300)
    writer.join(10)
    assert not writer.is_alive()


def test_nothing_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "spool"))
    (tmp_path / "spool").mkdir()
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress("a,b\n1,Gödel\n".encode("latin-1")))
    with pytest.raises(ZeroDivisionError), open_source(tmp_path / "x.csv.gz") as source:
        assert source.plain.read_text("utf-8") == "a,b\n1,Gödel\n"
        1 / 0  # noqa: B018
    assert not list((tmp_path / "spool").iterdir())


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_a_legacy_encoding_is_found_and_said(encoding: str, tmp_path: Path):
    names = ["José", "François", "Müller", "Ångström", "Señora Peña", "Zoë", "Brontë"] * 20
    (tmp_path / "x.csv").write_bytes(
        ("id,name\n" + "".join(f"{i},{n}\n" for i, n in enumerate(names))).encode(encoding)
    )
    found = read_table(tmp_path / "x.csv")
    assert found.table["name"].to_pylist() == names
    assert len(found.rejects) == 0
    told = "x.csv is not UTF-8 and was read as cp1252; if that is wrong, give --encoding NAME or save it as UTF-8"
    assert found.notes == [told]
    assert read_table(tmp_path / "x.csv", encoding=encoding).notes == []


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("id,name\n1,Иван Петров\n2,Анна Каренина\n3,Фёдор Достоевский\n", "cp1251"),
        ("id,name\n1,Νίκος Καζαντζάκης\n2,Οδυσσέας Ελύτης\n3,Γιώργος Σεφέρης\n", "cp1253"),
        ("id,name\n1,佐藤 太郎\n2,鈴木 花子\n3,高橋 一郎\n4,田中 さくら\n", "shift_jis"),
    ],
)
def test_other_scripts_are_found(text: str, encoding: str, tmp_path: Path):
    (tmp_path / "x.csv").write_bytes(text.encode(encoding))
    assert read_table(tmp_path / "x.csv").table.num_rows == text.count("\n") - 1
    assert find_encoding(tmp_path / "x.csv") == encoding


@pytest.mark.parametrize("raw", [b"a,b\n1,\xff\n", b"a,b\n3,\xc3", "a,b\n1,é\n2,ö\n".encode() + b"3,G\xf6del\n"])
def test_damage_is_no_encoding(raw: bytes, tmp_path: Path):
    (tmp_path / "x.csv").write_bytes(raw)
    assert find_encoding(tmp_path / "x.csv") is None


def test_an_encoding_that_is_named_is_the_last_word(tmp_path: Path):
    (tmp_path / "x.csv").write_bytes("a,b\n1,Łódź\n".encode("cp1250"))
    assert read_table(tmp_path / "x.csv", encoding="cp1250").table["b"].to_pylist() == ["Łódź"]
    with pytest.raises(SettingsError, match="no encoding 'klingon'"):
        read_table(tmp_path / "x.csv", encoding="klingon")
    with pytest.raises(SettingsError, match="encoding"):
        read_table(tmp_path / "x.csv", encoding="hex")
    with pytest.raises(DataError, match="cannot be read as shift_jis"):
        read_table(tmp_path / "x.csv", encoding="shift_jis")


def test_a_name_that_is_no_utf8(tmp_path: Path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.csv"))
    path.write_bytes(b"a,b\n1,2\n")
    assert read_table(path).table.to_pydict() == {"a": [1], "b": [2]}
    path.write_bytes(b"a,b\n1\n")
    with pytest.raises(DataError, match=r"caf\\xe9.csv, row 2") as caught:
        read_table(path)
    str(caught.value).encode("utf-8")


WITHIN = """
import resource, sys
from onoma.corpus.readers.table import read_table
from onoma.errors import DataError
read_table(sys.argv[1])  # what reading takes at all
taken = 1024 * next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmData"))
resource.setrlimit(resource.RLIMIT_DATA, (taken + (int(sys.argv[2]) << 20),) * 2)
for name in sys.argv[3:]:
    try:
        print({str(each.type) for each in read_table(name).table.schema})
    except DataError as error:
        print(error.message)
"""
"""Reads a small file, then others with no more than so many megabytes more."""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs the memory as Linux tells it")
def test_packed_newlines_take_no_memory(tmp_path: Path):
    (tmp_path / "small.csv").write_text("a,b\n1,2\n")
    names = [tmp_path / "x.jsonl.gz", tmp_path / "x.csv.gz"]
    for name in names:
        name.write_bytes(gzip.compress(b"\n" * 25_000_000, 1))  # which had taken 250 MB
    command = [sys.executable, "-c", WITHIN, tmp_path / "small.csv", "100", *names]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.count("is empty") == 2, done.stderr[-300:]


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sources, "_MOST_FREE", 1 << 16)
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"0,0\n" * 200_000, 9))
    with pytest.raises(DataError, match="unpacks to more than 300 times its size"):
        read_table(tmp_path / "x.csv.gz")


@pytest.mark.parametrize("suffix", [".csv.zst", ".parquet"])
def test_no_flipped_bit_is_read_as_other_content(suffix: str, tmp_path: Path):
    path = tmp_path / f"x{suffix}"
    table = pa.table({"id": range(200), "name": [f"name {i * 7919 % 1000}" for i in range(200)]})
    write_table(table, path)
    raw = path.read_bytes()
    for at in range(0, len(raw) * 8, max(1, len(raw) * 8 // 150)):
        broken = bytearray(raw)
        broken[at // 8] ^= 1 << (at % 8)
        path.write_bytes(broken)
        try:
            found = read_table(path).table
        except DataError:
            continue
        assert found.equals(table) or suffix == ".parquet"  # a footer has no checksum: names and statistics
        if suffix == ".parquet":
            assert found.num_rows == 200


@pytest.mark.parametrize("suffix", [".gz", ".zst", ".xz"])
def test_what_is_named_packed_and_begins_otherwise_is_refused(suffix: str, tmp_path: Path):
    with open_output(path := tmp_path / f"x.jsonl{suffix}") as output:
        output.write(b"".join(b'{"id": %d}\n' % number for number in range(50)))
    whole = path.read_bytes()
    for at in range(2 if suffix == ".gz" else 4):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        with pytest.raises(DataError, match=f"is called {suffix} and does not begin as"):
            read_table(path, on_error="reject")


def test_what_is_named_packed_and_is_plain_text_is_read_and_said(tmp_path: Path):
    (path := tmp_path / "x.csv.gz").write_text("id,name\n1,Zoë\n", "utf-8")
    found = read_table(path)
    assert found.table.to_pylist() == [{"id": 1, "name": "Zoë"}]
    assert "x.csv.gz is not packed, though its name says gzip; it was read as it is" in found.notes


def test_zstd_without_a_checksum_is_said(tmp_path: Path):
    with pa.CompressedOutputStream(str(tmp_path / "x.csv.zst"), "zstd") as stream:
        stream.write(b"a,b\n1,2\n")
    assert "carries no checksum" in read_table(tmp_path / "x.csv.zst").notes[0]


def takes_no_longer_than_good_text(read: Callable[[Path], object], path: Path, bad: str, good: str) -> None:
    """Damage costs at most fifty times what sound text of that size does; it had cost minutes, or never ended."""
    spent = []
    for text in (good, bad):
        path.write_text(text)
        read(path)  # the first of a kind loads what it needs
        start = time.process_time()
        read(path)
        spent.append(time.process_time() - start)
    assert spent[1] < 50 * spent[0], f"{len(bad):,} characters: {spent[1]:.3f} s, {spent[0]:.3f} s of good text"


@pytest.mark.parametrize(
    "line",
    ["<a" + "\\u4E2D" * 3000 + " <b> <c> .", "<a> <b> <c>" + " " * 100_000 + "x", "<a> <b> _:" + "." * 50_000 + " <"],
)
def test_a_bad_line_is_found_bad_soon(line: str, tmp_path: Path):
    def read(path: Path) -> TableRead:
        return read_facts(path, on_error="reject")

    takes_no_longer_than_good_text(read, tmp_path / "x.nt", line + "\n", f"<a{'b' * len(line)}> <b> <c> .\n")
    (tmp_path / "x.nt").write_text(line + "\n")
    assert len(read(tmp_path / "x.nt").rejects) == 1


WORD = "1\tAda" + "\t_" * 8 + "\n"


@pytest.mark.parametrize(
    ("name", "text", "good"),
    [
        ("x.conllu", f"# newdoc id = a{' ' * 100_000}b\n{WORD}\n", f"# newdoc id = a{'x' * 100_000}b\n{WORD}\n"),
        ("x.conllu", f"# speaker = a{' ' * 100_000}b\n{WORD}\n", f"# speaker = a{'x' * 100_000}b\n{WORD}\n"),
        (
            "x.conll",
            f"#begin document (a{' ' * 100_000}b); part 000\n#end document\n",
            f"#begin document (a{'x' * 100_000}b); part 000\n#end document\n",
        ),
        ("x.conllu", WORD + "\n" * 300_000, WORD + "\n" + (WORD + "\n") * 10_000),
    ],
)
def test_long_lines_and_many_of_them(name: str, text: str, good: str, tmp_path: Path):
    takes_no_longer_than_good_text(read_corpus, tmp_path / name, text, good)
    assert len(read_corpus(tmp_path / name).documents) == 1


def test_quotes_that_are_never_closed_are_read_in_time(tmp_path: Path):
    def read(path: Path) -> TableRead:
        return read_table(path, on_error="reject")

    takes_no_longer_than_good_text(
        read, tmp_path / "x.csv", "a,b\n" + '1,"x""\n' * 20_000, "a,b\n" + '1,"x"\n' * 20_000
    )
    assert len(read(tmp_path / "x.csv").rejects) == 20_000


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs the memory as Linux tells it")
def test_a_wide_file_is_read_in_memory_linear_in_its_cells(tmp_path: Path):
    for n, name in ((100, "small.csv"), (400, "wide.csv")):  # the wide one had taken 5 GB
        lines = [",".join(f"c{i}" for i in range(n)), *(",".join(f"{j}.5" for _ in range(n)) for j in range(20))]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-c", WITHIN, tmp_path / "small.csv", "400", tmp_path / "wide.csv"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "{'double'}\n", done.stderr[-300:]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_any_line_end_in_annotated_text(end: str, tmp_path: Path):
    (tmp_path / "x.conllu").write_bytes(f"# newdoc id = d{end}1\tAda{chr(9)}{chr(9).join('_' * 8)}{end}{end}".encode())
    corpus = read_corpus(tmp_path / "x.conllu")
    assert corpus.tokens["word"].to_pylist() == ["Ada"]
    (tmp_path / "x.tsv").write_bytes(f"a\tb\tc{end}d\te\tf{end}".encode())
    assert len(read_facts(tmp_path / "x.tsv").table) == 2


@pytest.mark.parametrize(
    "number", ["1234567890123456.7", "0.1", "1e+20", "1e-400", "12345678901234567890.5", "2.5", "1e400"]
)
def test_a_number_that_comes_out_is_the_one_that_came_in(number: str, tmp_path: Path):

    for name, content in (
        ("x.csv", f"a,b\n{number},x\n"),
        ("x.jsonl", f'{{"a": {number}, "b": {{"c": [{number}]}}}}\n'),
    ):
        (tmp_path / name).write_text(content)
        convert(tmp_path / name, tmp_path / "out.csv")
        found = read_table(tmp_path / "out.csv", types="text").table
        assert Decimal(found["a"][0].as_py()) == Decimal(number)
        if name == "x.jsonl":
            assert Decimal(found["b"][0].as_py()[7:-2]) == Decimal(number)


def test_titles_above_the_header(tmp_path: Path):
    for text in ("Customers 2024\n\nid,name\n1,Ada\n2,Bob\n", "Customers,\nas of May,\nid,name\n1,Ada\n2,Bob\n"):
        (tmp_path / "x.csv").write_text(text)
        found = read_table(tmp_path / "x.csv")
        assert found.table.to_pydict() == {"id": [1, 2], "name": ["Ada", "Bob"]}
        assert "stands above the header and was taken for a title" in found.notes[0]
    (tmp_path / "x.csv").write_text("name\nLovelace, Ada\nTuring, Alan\n")  # no title: names with commas
    with pytest.raises(DataError, match="row 2: has 2 columns, the header has 1"):
        read_table(tmp_path / "x.csv")


def test_formulas_are_kept_or_quoted(tmp_path: Path):
    (tmp_path / "x.jsonl").write_text('{"=a": "=HYPERLINK(\\"http://x\\")", "n": -5}\n{"=a": "Ada", "n": 1}\n')
    kept = convert(tmp_path / "x.jsonl", tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text().startswith('=a,n\n"=HYPERLINK')
    assert "--quote-formulas" in kept.notes[0]
    convert(tmp_path / "x.jsonl", tmp_path / "x.csv", quote_formulas=True)
    assert (tmp_path / "x.csv").read_text() == '\'=a,n\n"\'=HYPERLINK(""http://x"")",-5\nAda,1\n'


def test_a_spreadsheet(tmp_path: Path):
    write_xlsx(
        tmp_path / "x.xlsx",
        [["People"], [], ["id", "name", "born"], [7, "Ada, Countess", "1815-12-10"], [8, "007", ""]],
    )
    found = read_table(tmp_path / "x.xlsx")
    assert found.table["name"].to_pylist() == ["Ada, Countess", "007"]
    assert found.table["id"].to_pylist() == [7, 8]
    assert str(found.table["born"].type) == "date32[day]"
    assert convert(tmp_path / "x.xlsx", tmp_path / "x.parquet").n_written == 2
    assert pq.read_table(tmp_path / "x.parquet").num_rows == 2
    (tmp_path / "y.xlsx").write_bytes((tmp_path / "x.xlsx").read_bytes()[:-200])
    with pytest.raises(DataError, match="no spreadsheet that can be read"):
        read_table(tmp_path / "y.xlsx")
