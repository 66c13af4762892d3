import gzip
import lzma
import os
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from onoma.corpus.formats import write_table
from onoma.corpus.readers.facts import read_facts, read_ntriples, read_triples
from onoma.corpus.schema import FACTS
from onoma.errors import DataError, SettingsError


@pytest.fixture
def written(tmp_path):
    def write(text, name="facts.tsv"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def rows(table):
    return [tuple(row.values()) for row in table.to_pylist()]


def test_lines_with_and_without_probability_and_source(written):
    read = read_triples(written("lyon\tin\tfrance\r\n\nrome\tin\titaly\t0.5\nnice\tin\tfrance\t\tatlas\n"))
    assert read.table.schema == FACTS
    assert rows(read.table) == [
        ("lyon", "in", "france", 1.0, None),
        ("rome", "in", "italy", 0.5, None),
        ("nice", "in", "france", 1.0, "atlas"),
    ]
    assert len(read.rejects) == 0


def test_a_header_is_a_header_and_may_change_the_order(written):
    read = read_triples(written("head\ttail\trelation\tyear\nlyon\tfrance\tin\t1900\n"))
    assert rows(read.table) == [("lyon", "in", "france", 1.0, None)]
    assert len(read_triples(written("subject\tverb\tobject\n")).table) == 1


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_packed_files_are_unpacked(written, pack):
    name = "facts.tsv.gz" if pack is gzip.compress else "facts.tsv.xz"
    assert rows(read_facts(written(pack(b"a\tb\tc\n"), name)).table) == [("a", "b", "c", 1.0, None)]


def test_a_cut_off_xz_file_is_said(written):
    with pytest.raises(DataError, match="damaged or cut off"):
        read_facts(written(lzma.compress(b"a\tb\tc\n" * 1000)[:-10], "facts.tsv.xz"))


BAD = [
    ("a\tb", "has 2 of the 3 parts"),
    ("a b c", "has 1 of the 3 parts"),
    ("a\t\tc", "the relation is empty"),
    (" \tb\tc", "the subject is empty"),
    ("a\tb\t", "the object is empty"),
    ("a\tb\tc\tmaybe", "'maybe', which is no number"),
    ("a\tb\tc\t1.5", "1.5; it is from 0 to 1"),
    ("a\tb\tc\tnan", "nan; it is from 0 to 1"),
    ("a\tb\tc\t1\ts\tmore", "has 6 parts"),
]


@pytest.mark.parametrize(("line", "said"), BAD)
def test_malformed_lines_stop_or_are_rejected(written, line, said):
    path = written(f"x\ty\tz\n\n{line}\nu\tv\tw\n")
    with pytest.raises(DataError, match="row 3: ") as caught:
        read_triples(path)
    assert said in str(caught.value)
    read = read_triples(path, on_error="reject")
    assert len(read.table) == 2
    assert [(row["row"], row["text"]) for row in read.rejects.to_pylist()] == [(3, line)]
    assert said in read.rejects["reason"][0].as_py()


def test_empty_files_and_other_formats_are_said(written):
    with pytest.raises(DataError, match="is empty"):
        read_triples(written("\n \n"))
    with pytest.raises(SettingsError, match="there are triples, ntriples, table"):
        read_facts(written("a\tb\tc"), format="xml")
    with pytest.raises(DataError, match="not UTF-8"):
        read_triples(written(b"a\tb\t\xff\n"))


NTRIPLES = r"""# a comment
<http://x/lyon> <http://x/in> <http://x/france> . # why not
_:b1 <http://x/label> "Lyon \"the\" caf\u00e9"@fr .

<http://x/lyon> <http://x/size> "5"^^<http://www.w3.org/2001/XMLSchema#int> .
"""


def test_ntriples(written):
    assert rows(read_facts(written(NTRIPLES, "facts.nt")).table) == [
        ("http://x/lyon", "http://x/in", "http://x/france", 1.0, None),
        ("_:b1", "http://x/label", '"Lyon "the" café"@fr', 1.0, None),
        ("http://x/lyon", "http://x/size", '"5"^^<http://www.w3.org/2001/XMLSchema#int>', 1.0, None),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("<a> <b> <c>", "no full stop"),
        ("<a> <b> .", "no N-Triples statement"),
        ('"a" <b> <c> .', "no N-Triples statement"),
        ("<a> _:b <c> .", "no N-Triples statement"),
        ("<a> <b> <c> . x", "no N-Triples statement"),
        ("<a> <> <c> .", "the relation is empty"),
        (r"<a> <b> <\uD800> .", "is no character"),
    ],
)
def test_malformed_ntriples(written, line, said):
    path = written(f"<a> <b> <c> .\n{line}\n", "facts.nt")
    with pytest.raises(DataError, match="row 2") as caught:
        read_ntriples(path)
    assert said in str(caught.value)
    assert len(read_ntriples(path, on_error="reject").rejects) == 1


def test_tables_of_any_kind(written):
    read = read_facts(
        written("predicate,head,tail,confidence\nin,lyon,france,0.7\nin,,france,\n", "facts.csv"), on_error="reject"
    )
    assert rows(read.table) == [("lyon", "in", "france", 0.7, None)]
    assert read.rejects["reason"].to_pylist() == ["the subject is empty"]
    json = '{"subject": "a", "relation": "b", "object": "c"}\n'
    assert rows(read_facts(written(json, "facts.jsonl")).table) == [("a", "b", "c", 1.0, None)]
    with pytest.raises(DataError, match="no column is called 'relation' or 'predicate'"):
        read_facts(written("subject,object\na,b\n", "facts.csv"))


def test_the_row_of_a_table_is_named(written):
    path = written('head,relation,tail\n"a",in,b\n\nbroken,row\n,in,c\nd,in,\n', "facts.csv")
    with pytest.raises(DataError, match="row 4"):
        read_facts(path)
    read = read_facts(path, on_error="reject")
    assert rows(read.table) == [("a", "in", "b", 1.0, None)]
    assert [(row["row"], row["text"]) for row in read.rejects.to_pylist()] == [
        (4, "broken,row"),
        (5, ", in, c"),
        (6, "d, in, "),
    ]
    with pytest.raises(DataError, match=r"facts\.csv, row 2: the object is empty"):
        read_facts(written("head,relation,tail\na,in,\n", "facts.csv"))
    spanning = written('head,relation,tail\n"a\nb",in,c\nd,in,\n', "facts.csv")
    assert read_facts(spanning, on_error="reject").rejects["row"].to_pylist() == [None]


def test_numbers_and_categories_are_names(tmp_path):
    path = tmp_path / "facts.parquet"
    pq.write_table(pa.table({"h": [0, 7], "r": pa.array(["in", "in"]).dictionary_encode(), "t": [7, 0]}), path)
    assert rows(read_facts(path).table) == [("0", "in", "7", 1.0, None), ("7", "in", "0", 1.0, None)]
    pq.write_table(pa.table({"h": [[1]], "r": ["in"], "t": ["b"]}), path)
    with pytest.raises(DataError, match=r"column 'h': holds list.*, which is no name"):
        read_facts(path)


@pytest.mark.parametrize(("good", "name"), [("a\tb\tc", "facts.tsv"), ("<a> <b> <c> .", "facts.nt")])
def test_lines_that_are_no_utf8_are_rejected_alone(written, good, name):
    path = written(f"{good}\n".encode() + b"jos\xe9\tb\tc\n" + f"half é ö\n{good}\r\n".encode(), name)
    read = read_facts(path, on_error="reject")
    assert len(read.table) == 2
    assert read.rejects["row"].to_pylist() == [2, 3]
    assert read.rejects["reason"][0].as_py() == "byte 4 of the line is 0xE9, which is not UTF-8"
    assert read.rejects["text"][0].as_py() == "jos\\xe9\tb\tc"
    assert len(read_facts(written(b"\xe9\n", name), on_error="reject").rejects) == 1


def test_the_graph_of_a_quad_is_its_source(written):
    read = read_facts(written('<a> <b> <c> <http://g> .\n<a> <b> "c"@en _:g .\n<a> <b> <d> .\n', "facts.nq"))
    assert read.table["source"].to_pylist() == ["http://g", "_:g", None]


def test_endings_that_say_nothing_of_facts(written):
    with pytest.raises(DataError, match=r"'\.ttl' is none of facts; these are .*\.nt") as caught:
        read_facts(written("x", "facts.ttl.gz"))
    assert "Turn it into N-Triples" in caught.value.hint
    with pytest.raises(DataError, match=r"'\.docx' is none"):
        read_facts(written("x", "facts.docx"))
    assert len(read_facts(written("a\tb\tc\n", "train")).table) == 1


def test_a_first_line_that_looks_like_a_header_is_pointed_at(written):
    read = read_triples(written("subject\tlink\tobject\na\tin\tb\n"))
    assert len(read.table) == 2
    assert read.notes == [
        "row 1 (subject, link, object) was read as a fact; a header names subject, relation and object"
    ]
    assert read_triples(written("item\tproperty\tvalue\na\tin\tb\n")).table["subject"].to_pylist() == ["a"]
    assert read_triples(written("a\tin\tb\n")).notes == []


def test_a_pipe_is_read_whole(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("a\tb\tc\n" * 5000))
    writer.start()
    read = read_facts(pipe)
    writer.join()
    assert len(read.table) == 5000


def test_a_table_of_facts_that_was_written_is_read_again(tmp_path):
    names = ['"Lyon"@fr', "a\tb", "two\nlines", 'say "hi", ok', "plain"]
    table = pa.table(
        {
            "subject": names,
            "relation": ["in"] * 5,
            "object": names[::-1],
            "probability": [1.0, 0.5, 1.0, 1.0, 1.0],
            "source": ["x"] * 5,
            "score": [7.0, 0.5, 1.0, -3.0, 2.0],
        }
    )
    for name in ("facts.tsv", "facts.csv", "facts.tsv.gz"):
        write_table(table, tmp_path / name)
        found = read_facts(tmp_path / name).table
        assert found["subject"].to_pylist() == names
        assert found["probability"].to_pylist() == table["probability"].to_pylist()
    write_table(table.slice(4), tmp_path / "facts.tsv")
    assert rows(read_facts(tmp_path / "facts.tsv").table) == [("plain", "in", '"Lyon"@fr', 1.0, "x")]
    write_table(table.set_column(2, "object", [names]).slice(4), tmp_path / "facts.tsv")  # nothing to quote
    assert read_facts(tmp_path / "facts.tsv").table["probability"].to_pylist() == [1.0]


def test_quotes_in_lines_without_a_header_are_part_of_names(written):
    read = read_triples(written('"Lyon"@fr\tin\t"a\n'))
    assert rows(read.table) == [('"Lyon"@fr', "in", '"a', 1.0, None)]
