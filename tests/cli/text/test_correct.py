import json

import pytest
from typer.testing import CliRunner

from onoma.cli.app import app
from onoma.correct.corrector import MODEL

needs_model = pytest.mark.skipif(not (MODEL / "weights.npz").exists(), reason="the model is not here yet")
TEXT = "I recieved a letter.\nThis line is fine.\n"
BETTER = TEXT.replace("recieved", "received")


def run(*arguments, **more):
    return CliRunner().invoke(app, [str(each) for each in arguments], **more)


@needs_model
def test_changes_are_shown_and_written(tmp_path):
    essay = tmp_path / "essay.txt"
    essay.write_text(TEXT)
    result = run("correct", essay)
    assert result.exit_code == 0, result.output
    assert "[-recieved-]{+received+}" in result.stdout
    assert essay.read_text() == TEXT
    result = run("correct", essay, "-o", tmp_path / "better.txt", "--explain")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "better.txt").read_text() == BETTER
    assert "spelling" in result.output


@needs_model
def test_standard_input_json_and_a_page(tmp_path):
    result = run("correct", "-", "--json", "--html", tmp_path / "page.html", input=TEXT)
    assert result.exit_code == 0, result.output
    (file,) = json.loads(result.stdout)["files"]
    assert file["text"] == BETTER
    (edit,) = file["edits"]
    assert (edit["start"], edit["end"], edit["source"], edit["replacement"]) == (2, 10, "recieved", "received")
    assert "<ins" in (tmp_path / "page.html").read_text()


@needs_model
def test_m2_of_tokenised_lines(tmp_path):
    (tmp_path / "lines.txt").write_text("I recieved a letter .\nThis line is fine .\n")
    result = run("correct", tmp_path / "lines.txt", "--m2")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("S I recieved a letter .\nA 1 2|||Mec|||received|||REQUIRED|||-NONE-|||0\n")
    assert result.stdout.count("S ") == 2


@needs_model
def test_files_are_written_again_only_when_told_so(tmp_path):
    essay = tmp_path / "essay.txt"
    essay.write_text(TEXT)
    result = run("correct", essay, "--in-place")
    assert result.exit_code != 0 and "--yes" in str(result.exception.hint)
    assert essay.read_text() == TEXT
    assert run("correct", essay, "--in-place", "--yes").exit_code == 0
    assert essay.read_text() == BETTER


def test_types_are_listed_and_wrong_words_refused(tmp_path):
    result = run("correct", "--types", "list", "--json")
    assert json.loads(result.stdout)["types"]["agreement"] == "SVA"
    (tmp_path / "a.txt").write_text("x")
    result = run("correct", tmp_path / "a.txt", tmp_path / "a.txt", "-o", tmp_path / "b.txt")
    assert result.exit_code != 0 and "one place to write" in str(result.exception)


@needs_model
def test_what_cannot_be_read_or_asked_for(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe\x00a")
    for arguments, said in (
        ((tmp_path / "a.txt",), "no UTF-8"),
        ((tmp_path / "none.txt",), "none.txt"),
        (("-", "--precision", "2"), "between 0 and 1"),
        (("-", "--types", "verbs"), "no type 'verbs'"),
        (("-", "--from", "word"), "allowed: text, markdown, latex"),
        (("-", "--model", tmp_path), "no corrector"),
    ):
        result = run("correct", *arguments, input="He have.")
        assert result.exit_code != 0 and said in f"{result.exception} {result.output}", arguments
