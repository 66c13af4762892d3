"""Raw text from files, annotated documents to files and back."""

import gzip
import json
import sys
import zlib

import pytest

from onoma.corpus.documents import Annotations
from onoma.corpus.readers.annotations import read_annotations, rows_as_annotations
from onoma.corpus.readers.texts import find_files, html_text, markdown_text, read_texts
from onoma.corpus.writers.annotations import annotation_format_of, document_row, write_annotations
from onoma.errors import DataError, SettingsError

ROW = {
    "document": "d 1",
    "text": "Ada Lovelace wrote.\nShe's <here> & ok.",
    "source": "d.txt",
    "sentences": [{"start": 0, "end": 4}, {"start": 4, "end": 11}],
    "tokens": [
        {"word": word, "start_char": a, "end_char": a + len(word), "tag": "NN", "upos": "NOUN", "lemma": word.lower()}
        for word, a in zip(
            ["Ada", "Lovelace", "wrote", ".", "She", "'s", "<", "here", ">", "&", "ok."],
            [0, 4, 13, 18, 20, 23, 26, 27, 31, 33, 35],
            strict=True,
        )
    ],
    "spans": [
        {"layer": "name", "start": 0, "end": 2, "text": "Ada Lovelace", "type": "PER", "probability": 0.75},
        {"layer": "mention", "start": 4, "end": 5, "text": "She", "mention_type": "pronoun"},
    ],
}


def one():
    return rows_as_annotations([ROW, {"document": "empty", "text": "", "problem": "is binary"}])


def names_of(batches):
    whole = Annotations.concat(list(batches))
    spans = whole.layer("name")
    return list(zip(*(spans[name].to_pylist() for name in ("start", "end", "type")), strict=True))


def test_jsonl_says_everything_again(tmp_path):
    target = tmp_path / "out.jsonl.gz"
    assert write_annotations([one()], target) == 2
    lines = gzip.decompress(target.read_bytes()).decode().splitlines()
    assert json.loads(lines[0]).items() >= ROW.items()
    again = Annotations.concat(list(read_annotations(target)))
    for name in ("documents", "sentences", "tokens", "spans"):
        assert getattr(again, name).equals(getattr(one(), name)), name


def test_conllu_round_trip(tmp_path):
    target = tmp_path / "out.conllu"
    write_annotations([one()], target)
    back = list(read_annotations(target))
    assert back[0].tokens["word"].to_pylist() == [token["word"] for token in ROW["tokens"]]
    assert back[0].spans["type"].to_pylist() == ["PER"]
    assert back[0].documents["text"][0].as_py() == ROW["text"]
    assert back[0].sentences.select(["start", "end"]).to_pylist() == ROW["sentences"]


def test_conll2012_names(tmp_path):
    target = tmp_path / "out.conll"
    write_annotations([one()], target)
    back = Annotations.concat(list(read_annotations(target)))
    assert back.tokens["name"].to_pylist()[:3] == ["(PER*", "*)", "*"]


def test_brat_round_trip(tmp_path):
    write_annotations([one()], tmp_path / "out", format="brat")
    assert names_of(read_annotations(tmp_path / "out" / "d_1.ann")) == [(0, 2, "PER")]
    assert next(read_texts(tmp_path / "out" / "d_1.ann")).text == ROW["text"]


def test_docbin_round_trip(tmp_path):
    pytest.importorskip("spacy")
    target = tmp_path / "out.spacy"
    write_annotations([one()], target)
    assert names_of(read_annotations(target)) == [(0, 2, "PER")]


def test_duckdb_and_parquet_hold_four_tables(tmp_path):
    import duckdb
    import pyarrow.parquet as pq

    write_annotations([one(), rows_as_annotations([{**ROW, "document": "d2"}])], tmp_path / "out.duckdb")
    with duckdb.connect(str(tmp_path / "out.duckdb"), read_only=True) as store:
        assert store.execute("SELECT count(*) FROM tokens").fetchone() == (22,)
        assert store.execute("SELECT count(*) FROM documents").fetchone() == (3,)
    write_annotations([one()], tmp_path / "folder")
    assert pq.read_table(tmp_path / "folder" / "spans.parquet").equals(one().spans)


def test_html_marks_names_and_escapes(tmp_path):
    target = tmp_path / "out.html"
    write_annotations([one()], target)
    page = target.read_text("utf-8")
    assert ">Ada Lovelace<b>PER</b></mark>" in page
    assert "&lt;here&gt; &amp; ok." in page
    assert "is binary" in page


def test_a_name_must_say_the_format():
    with pytest.raises(DataError, match="known endings"):
        annotation_format_of("out.xyz")
    with pytest.raises(DataError, match="there is no format"):
        annotation_format_of("out.jsonl", "nonsense")


def test_text_is_left_as_it_is(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("שלום Ada\r\n".encode())
    assert next(read_texts(path)).text == "שלום Ada\r\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\x00\x01\x02" * 100, "binary"),
        ("éèê".encode() + b"\xff\xfe", "2 places are not UTF-8"),
        (zlib.compress(bytes(range(256)) * 9 + "".join(map(str, range(3000))).encode()), "is no text"),
        (b"%PDF-1.7\n" + b"stream \xd8\x02 \xff\x10\n" * 60, "is no text"),
    ],
)
def test_bytes_that_are_no_text_are_a_document_with_a_problem(tmp_path, content, problem):
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    (text,) = read_texts(path)
    assert problem in text.problem


def test_empty_file_is_an_empty_document(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"")
    (text,) = read_texts(tmp_path / "a.txt")
    assert (text.text, text.problem) == ("", None)


def test_jsonl_lines_that_say_no_text_are_documents_too(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 7, "text": "Ada"}\n\nnonsense\n{"body": "x"}\n[1]\n', "utf-8")
    texts = list(read_texts(path))
    assert [text.text for text in texts] == ["Ada", "", "", ""]
    assert texts[0].document == "7"
    assert "no JSON" in texts[1].problem and "'body'" in texts[2].problem and "list" in texts[3].problem
    assert next(read_texts(path, text_field="body")).problem is not None


def test_markdown_keeps_prose():
    assert markdown_text("## A *b*\n\n```\ncode\n```\n\n- x [y](http://z)\n") == "A b\n\nx y"


def test_markdown_lines_in_bold_type_are_items():
    assert markdown_text("**Present:** Ada\n**Apologies:** Bo\nand Cy") == "Present: Ada\n\nApologies: Bo\nand Cy"


def test_web_page_without_its_menu():
    body = "".join(
        f"<p>Ada Lovelace wrote the note number {i}, which is long enough to be prose.</p>" for i in range(6)
    )
    page = f"<html><body><nav><a href='/'>Home</a></nav><article>{body}</article><footer>Imprint</footer></body></html>"
    text = html_text(page)
    assert "note number 3" in text and "Home" not in text and "Imprint" not in text


@pytest.mark.parametrize("soup", ["", "<", "<p>Ada<p>wrote</div></b>", "<script>x", "a & b &lt; c", "<!--"])
def test_soup_is_no_error(soup):
    assert isinstance(html_text(soup), str)


def test_web_page_without_a_finder_of_articles(monkeypatch):
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    page = "<html><head><title>T<body><nav>Home<p>Sport</nav><h1>Ada</h1><p>She <b>wrote</b>.<footer>(c)</footer>"
    assert html_text(page) == "Ada\n\nShe wrote."
    assert html_text("<nav><p>Home</nav>") == "Home"


def test_find_files(tmp_path):
    for name in ("b.txt", "a.md", "sub/c.html", "sub/d.ann", "sub/d.txt", "x.bin"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = [path.name for path in find_files([tmp_path, str(tmp_path / "*.txt")])]
    assert found == ["a.md", "b.txt", "c.html", "d.txt"]
    with pytest.raises(DataError, match="no file matches"):
        find_files([str(tmp_path / "*.xyz")])
    with pytest.raises(DataError, match="no such file"):
        find_files([tmp_path / "missing.txt"])


def test_unknown_format():
    with pytest.raises(SettingsError, match="there is no format"):
        next(read_texts("a.txt", format="nonsense"))


def test_document_row_leaves_nulls_out():
    row = document_row(next(iter(one())))
    assert "problem" not in row and "speaker" not in row["tokens"][0]


def test_a_text_from_before_utf8_is_read_as_it_was_meant(tmp_path):
    (path := tmp_path / "a.txt").write_bytes("José García wrote to François Müller in Köln.\n".encode("cp1252"))
    (text,) = read_texts(path)
    assert text.text.startswith("José García wrote to François Müller")
    assert "is not UTF-8 and was read as cp1252" in text.problem
