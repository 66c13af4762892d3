"""Annotating files: streams, resumes, gives the same bytes however the work is shared out."""

import json
import re
import tracemalloc
from functools import partial

import pytest

from onoma.corpus.documents import Annotations, Text
from onoma.corpus.readers.annotations import rows_as_annotations
from onoma.errors import DataError, SettingsError
from onoma.pipeline.text import annotation
from onoma.pipeline.text.annotation import AnnotationJob, annotate_files
from onoma.text.annotate import MODELS
from onoma.text.documents.annotator import as_texts, batches_of

needs_models = pytest.mark.skipif(not (MODELS / "names.npz").exists(), reason="the models are not here yet")


class Blanks:
    """A pipeline that cuts at blanks and calls capitals names."""

    identity = "blanks"

    def __init__(self):
        self.n_calls = 0
        self.fails_at = None

    def annotate(self, texts):
        self.n_calls += 1
        if self.fails_at is not None and self.n_calls > self.fails_at:
            raise KeyboardInterrupt
        return rows_as_annotations([self.row(text) for text in texts])

    @staticmethod
    def row(text):
        found = [(match.start(), match.end()) for match in re.finditer(r"\S+", text.text)]
        tokens = [{"word": text.text[a:b], "start_char": a, "end_char": b} for a, b in found]
        spans = [
            {"layer": "name", "start": i, "end": i + 1, "type": "PER", "text": token["word"]}
            for i, token in enumerate(tokens)
            if token["word"][0].isupper()
        ]
        sentences = [{"start": 0, "end": len(tokens)}] if tokens else []
        row = {"document": text.document, "text": text.text, "source": text.source, "problem": text.problem}
        return {**row, "tokens": tokens, "sentences": sentences, "spans": spans}


@pytest.fixture
def blanks(monkeypatch):
    pipeline = Blanks()
    monkeypatch.setattr(annotation, "pipeline_named", lambda model, style="wiki": pipeline)
    monkeypatch.setattr(annotation, "batches_of", partial(batches_of, size=300))
    return pipeline


def write_lines(path, n, words=20):
    with path.open("w") as file:
        for i in range(n):
            file.write(json.dumps({"id": f"d{i}", "text": f"Ada wrote {i} " * words}) + "\n")


def job(tmp_path, *inputs, **more):
    return AnnotationJob(tuple(map(str, inputs)), tmp_path / "out.jsonl", **more)


def test_every_document_comes_out_in_order(tmp_path, blanks):
    write_lines(tmp_path / "in.jsonl", 30, words=5)
    report = annotate_files(job(tmp_path, tmp_path / "in.jsonl"))
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["document"] for row in rows] == [f"d{i}" for i in range(30)]
    assert report.n_documents == 30 and report.n_names == 150
    assert not (tmp_path / "out.jsonl.parts").exists()


def test_a_killed_run_goes_on_and_loses_nothing(tmp_path, blanks):
    write_lines(tmp_path / "in.jsonl", 12)
    blanks.fails_at = 5
    with pytest.raises(KeyboardInterrupt):
        annotate_files(job(tmp_path, tmp_path / "in.jsonl"))
    assert not (tmp_path / "out.jsonl").exists()
    blanks.fails_at = None
    report = annotate_files(job(tmp_path, tmp_path / "in.jsonl"))
    assert report.n_kept == 5 and report.n_documents == 12
    resumed = (tmp_path / "out.jsonl").read_bytes()
    annotate_files(job(tmp_path, tmp_path / "in.jsonl", is_resumed=False))
    assert (tmp_path / "out.jsonl").read_bytes() == resumed


def test_what_was_kept_for_other_text_is_not_used(tmp_path, blanks):
    write_lines(tmp_path / "in.jsonl", 4)
    blanks.fails_at = 2
    with pytest.raises(KeyboardInterrupt):
        annotate_files(job(tmp_path, tmp_path / "in.jsonl"))
    blanks.fails_at = None
    (tmp_path / "in.jsonl").write_text(json.dumps({"id": "new", "text": "Other text"}) + "\n")
    assert annotate_files(job(tmp_path, tmp_path / "in.jsonl")).n_kept == 0
    assert json.loads((tmp_path / "out.jsonl").read_text())["document"] == "new"


def test_documents_that_cannot_be_read_are_in_the_output(tmp_path, blanks):
    (tmp_path / "a.txt").write_bytes(b"\x00\x01" * 500)
    (tmp_path / "b.txt").write_bytes(b"Ada \xff wrote")
    (tmp_path / "c.txt").write_bytes(b"")
    report = annotate_files(job(tmp_path, tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "c.txt"))
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert report.n_documents == 3 and report.n_problems == 2
    assert "binary" in rows[0]["problem"] and "UTF-8" in rows[1]["problem"] and "problem" not in rows[2]


def test_documents_of_one_name_get_different_ones(tmp_path, blanks):
    (tmp_path / "in.jsonl").write_text('{"id": 1, "text": "a"}\n{"id": 1, "text": "b"}\n')
    annotate_files(job(tmp_path, tmp_path / "in.jsonl"))
    rows = [json.loads(line)["document"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert rows == ["1", "1~2"]


def test_memory_does_not_grow_with_the_number_of_documents(tmp_path, blanks):
    def peak(n):
        write_lines(tmp_path / "in.jsonl", n)
        tracemalloc.start()
        annotate_files(job(tmp_path, tmp_path / "in.jsonl"))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1)  # what is made once
    few, many = peak(9), peak(45)
    assert many < 1.5 * few + 200_000


def test_batches_do_not_depend_on_who_asks():
    texts = [Text(str(i), "x" * size) for i, size in enumerate([5, 200, 3, 3, 90])]
    cut = [[text.document for text in batch] for batch in batches_of(texts, 100)]
    assert cut == [["0"], ["1"], ["2", "3", "4"]]
    assert [text.document for text in as_texts(["a", "b"])] == ["1", "2"]
    assert next(as_texts("one")).text == "one"


def test_bad_settings(tmp_path, blanks):
    with pytest.raises(SettingsError, match="jobs"):
        annotate_files(job(tmp_path, tmp_path, jobs=0))
    with pytest.raises(DataError, match="no such file"):
        annotate_files(job(tmp_path, tmp_path / "missing.txt"))


@needs_models
def test_any_number_of_jobs_gives_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(annotation, "batches_of", partial(batches_of, size=8_000))  # so that there are some for each
    with (tmp_path / "in.jsonl").open("w") as file:
        for i in range(6):
            file.write(json.dumps({"id": i, "text": f"Ada Lovelace met Charles Babbage in London, {i}. " * 80}) + "\n")
    outputs = []
    for jobs in (1, 2):
        annotate_files(AnnotationJob((str(tmp_path / "in.jsonl"),), tmp_path / f"out{jobs}.jsonl", jobs=jobs))
        outputs.append((tmp_path / f"out{jobs}.jsonl").read_bytes())
    assert outputs[0] == outputs[1]
    assert isinstance(annotation.annotate("Ada."), Annotations)


@needs_models
@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "\x00\x01\ufffd",
        "a" * 200_000,
        "a " * 33_000,  # more tokens than 15 bits count, more characters than 16
        "مرحبا بالعالم. שלום עולם.",
        "<p>soup</b><",
        "😀‍👩‍👧 ok",
    ],
)
def test_odd_texts_are_annotated(text):
    from onoma.pipeline.text.annotation import annotate

    found = annotate(text)
    starts, ends = found.tokens["start_char"].to_pylist(), found.tokens["end_char"].to_pylist()
    assert [text[a:b] for a, b in zip(starts, ends, strict=True)] == found.tokens["word"].to_pylist()
    assert "".join(found.tokens["word"].to_pylist()) == "".join(text[a:b] for a, b in zip(starts, ends, strict=True))


@needs_models
def test_paragraphs_together_are_as_apart():
    from onoma.pipeline.text.annotation import annotate

    a, b = "Ada Lovelace lived in London. She wrote notes!", "IBM hired Grace Hopper? Not quite"
    both, one, two = annotate(a + "\n\n" + b), annotate(a), annotate(b)
    n, shift = len(one.tokens), len(a) + 2
    for name in ("word", "tag", "lemma", "upos", "feats", "deprel"):
        assert both.tokens[name].to_pylist() == one.tokens[name].to_pylist() + two.tokens[name].to_pylist()
    assert both.tokens["start_char"].to_pylist()[n:] == [at + shift for at in two.tokens["start_char"].to_pylist()]
    assert both.spans["text"].to_pylist() == one.spans["text"].to_pylist() + two.spans["text"].to_pylist()
    assert both.spans["probability"].to_pylist() == pytest.approx(
        one.spans["probability"].to_pylist() + two.spans["probability"].to_pylist()
    )
