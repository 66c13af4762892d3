import gzip
import lzma

import pytest

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
