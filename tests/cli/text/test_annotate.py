import json

import pytest
from typer.testing import CliRunner

from onoma.beside import _CLAIMED, claimed
from onoma.cli.app import app
from onoma.corpus.writers.annotations import write_annotations
from onoma.errors import DataError, SettingsError
from onoma.pipeline.text.annotation import annotate
from onoma.pipeline.text.training import _divided
from onoma.text.annotate import MODELS
from onoma.text.names.tagger import LabelledSentences

needs_models = pytest.mark.skipif(not (MODELS / "names.npz").exists(), reason="the models are not here yet")
TEXT = "Ada Lovelace wrote to Charles Babbage in London.\n\nShe visited IBM.\n"


def run(*arguments, **more):
    return CliRunner().invoke(app, [str(each) for each in arguments], **more)


@needs_models
def test_files_and_standard_input(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    result = run("annotate", tmp_path / "a.txt", "-o", tmp_path / "out.jsonl", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["documents"] == 1
    row = json.loads((tmp_path / "out.jsonl").read_text())
    names = [(span["text"], span["type"]) for span in row["spans"] if span["layer"] == "name"]
    assert names[:3] == [("Ada Lovelace", "PER"), ("Charles Babbage", "PER"), ("London", "LOC")]
    she = next(span for span in row["spans"] if span["text"] == "She")
    assert (she["mention_type"], she["gender"]) == ("pronoun", "feminine")
    result = run("annotate", "-", "-o", tmp_path / "out.conllu", input=TEXT)
    assert result.exit_code == 0 and "Entity=(1-PER" in (tmp_path / "out.conllu").read_text()


@needs_models
def test_without_an_output_what_was_found_is_shown(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    result = run("annotate", tmp_path / "a.txt")
    assert result.exit_code == 0, result.output
    assert "[Ada Lovelace PER] wrote to [Charles Babbage PER] in [London LOC]." in result.stdout
    (found,) = json.loads(run("annotate", tmp_path / "a.txt", "--json").stdout)["documents"]
    assert (
        found["sentences"] == 2 and [TEXT[name["start"] : name["end"]] for name in found["names"]][0] == "Ada Lovelace"
    )
    result = run("annotate", tmp_path / "a.txt", "--jobs", "2")
    assert isinstance(result.exception, SettingsError) and "go with a file to write" in str(result.exception)
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


@needs_models
def test_without_an_output_chains_are_shown(tmp_path):
    (tmp_path / "a.txt").write_text("Ada Lovelace wrote to London. She liked it, and Ada Lovelace was glad.")
    result = run("coref", tmp_path / "a.txt")
    assert result.exit_code == 0, result.output
    assert "Ada Lovelace ×2 (" in result.stdout and "She (" in result.stdout
    (found,) = json.loads(run("coref", tmp_path / "a.txt", "--json", "--substitute").stdout)["documents"]
    assert found["chains"][0]["main"] == "Ada Lovelace" and "She" not in found["substituted"]
    (tmp_path / "b.txt").write_text("Hm.")
    assert "nothing is mentioned twice" in run("coref", tmp_path / "b.txt").stdout


@needs_models
def test_style_and_pattern_errors(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    result = run("annotate", tmp_path / "a.txt", "-o", tmp_path / "o.jsonl", "--style", "nonsense")
    assert result.exit_code != 0 and "style" in str(result.exception)
    result = run("annotate", tmp_path / "*.nothing", "-o", tmp_path / "o.jsonl")
    assert "no file matches" in str(result.exception)


@needs_models
def test_models_are_listed():
    result = run("models", "--json")
    found = {card["name"]: card for card in json.loads(result.stdout)["models"]}
    assert found["names"]["licence"] and found["names"]["bytes"] < 9_000_000
    assert sum(card["bytes"] or 0 for card in found.values()) < 25_000_000
    assert run("models", "names").exit_code == 0
    shown = run("models", "coref-ontogum")
    assert shown.exit_code == 0 and "GAP" in shown.stdout and "onoma train coref" in shown.stdout
    assert "no model" in str(run("models", "nonsense").exception)


@needs_models
def test_names_of_ones_own(tmp_path):
    people = [f"Zor{a}{b}" for a in "abcdefg" for b in "aeiouy"]
    rows = [f"Then O\n{name} B-PER\nBlip{name[3:]} I-PER\nspoke O\nin O\nMurania B-LOC\n. O\n" for name in people]
    (tmp_path / "own.bio").write_text("\n".join(rows))
    result = run("train", "names", tmp_path / "own.bio", "-o", tmp_path / "model", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["held_out"] > 0 and answer["scores"]["F1"] > 80
    (tmp_path / "a.txt").write_text("Then Zorda Blipfu spoke in Murania.")
    run("annotate", tmp_path / "a.txt", "--with", tmp_path / "model", "-o", tmp_path / "o.jsonl")
    row = json.loads((tmp_path / "o.jsonl").read_text())
    assert [span["text"] for span in row["spans"] if span["layer"] == "name"] == ["Zorda Blipfu", "Murania"]


@needs_models
def test_labels_that_are_unknown_are_named(tmp_path):
    (tmp_path / "own.bio").write_text("Ada B-HUMAN\n")
    result = run("train", "names", tmp_path / "own.bio", "-o", tmp_path / "model")
    assert "HUMAN" in str(result.exception)


def test_documents_that_begin_alike_are_learnt_from_and_no_names_are_an_error(monkeypatch):
    alike = LabelledSentences([["Anna", "lives"]], [[(0, 1, "PER")]], ["wiki"])
    monkeypatch.setattr("onoma.pipeline.text.training.zlib.crc32", lambda _: 9)
    assert _divided([alike] * 3) == ([alike] * 3, [])
    with pytest.raises(DataError, match="no sentence with names"):
        _divided([LabelledSentences([["a", "b"]], [[]], ["wiki"])] * 3)


@needs_models
def test_spacy_both_ways(tmp_path):
    spacy = pytest.importorskip("spacy")
    from onoma.text.documents import spacy_component

    assert spacy_component.make_component is not None
    nlp = spacy.blank("en")
    nlp.add_pipe("onoma")
    doc = nlp("Ada Lovelace wrote to Charles Babbage in London.")
    assert [(span.text, span.label_) for span in doc.ents][0] == ("Ada Lovelace", "PER")
    assert doc[2].tag_ == "VBD" and doc[2].dep_ == "root" and doc[2].morph.get("Tense") == ["Past"]
    blank = spacy.blank("en")
    blank.add_pipe("sentencizer")
    blank.to_disk(tmp_path / "pipeline")
    (tmp_path / "a.txt").write_text(TEXT)
    result = run("annotate", tmp_path / "a.txt", "--with", f"spacy:{tmp_path / 'pipeline'}", "-o", tmp_path / "o.jsonl")
    assert result.exit_code == 0, result.output
    row = json.loads((tmp_path / "o.jsonl").read_text())
    assert row["tokens"][0]["word"] == "Ada" and len(row["sentences"]) == 2


@needs_models
def test_files_of_a_folder_that_is_read_are_not_written_over(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    for command, more in (("annotate", ()), ("coref", ()), ("annotate", ("--to", "brat"))):
        target = tmp_path if more else tmp_path / "a.txt"
        result = run(command, tmp_path, "-o", target, *more)
        assert isinstance(result.exception, DataError) and "would be lost" in str(result.exception), result.output
        assert (tmp_path / "a.txt").read_text() == TEXT


@needs_models
def test_two_at_once_do_not_share_their_batches(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    with claimed(tmp_path / "out.jsonl.parts"):  # as another process would
        token = _CLAIMED.set(frozenset())
        result = run("annotate", tmp_path / "a.txt", "-o", tmp_path / "out.jsonl")
        _CLAIMED.reset(token)
    assert "being written by another process" in str(result.exception), result.output
    assert run("annotate", tmp_path / "a.txt", "-o", tmp_path / "out.jsonl").exit_code == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.txt", "out.jsonl"]


@needs_models
def test_a_folder_of_tables_is_left_as_it_was_by_a_run_that_fails(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    assert run("annotate", tmp_path / "a.txt", "-o", tmp_path / "out").exit_code == 0
    names = {"documents.parquet", "sentences.parquet", "spans.parquet", "tokens.parquet"}
    before = {name: (tmp_path / "out" / name).read_bytes() for name in names}

    def failing():
        yield annotate(TEXT)
        raise DataError("no more")

    with pytest.raises(DataError, match="no more"):
        write_annotations(failing(), tmp_path / "out")
    assert {each.name: each.read_bytes() for each in (tmp_path / "out").iterdir()} == before
