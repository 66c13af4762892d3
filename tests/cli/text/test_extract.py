"""`onoma extract` from the keyboard."""

import json

import pytest
from typer.testing import CliRunner

from onoma.cli.text.extract import app
from onoma.errors import OnomaError

CONSTRAINTS = """
[[dictionary]]
label = "FOOD"
words = ["soup", "unicorn pie"]
[[pattern]]
pattern = "eat {FOOD}"
longest = 1
share = 0.9
[[pattern]]
pattern = "never said {FOOD}"
[[token]]
regex = "^(i|eat|now|we)$"
label = "OTHER"
share = 0.95
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["i eat soup now", "we eat rice", "we eat soup", "i eat fish now"]
    (tmp_path / "texts.txt").write_text("\n".join(lines * 20) + "\n")
    (tmp_path / "labels.toml").write_text('labels = ["FOOD"]\n')
    (tmp_path / "rules.toml").write_text(CONSTRAINTS)
    gold = [
        {"text": line, "spans": [{"start": (s := line.index("eat ") + 4), "end": s + 4, "label": "FOOD"}]}
        for line in lines
    ]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    return tmp_path


def told(*arguments):
    result = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout.strip().splitlines()[-1])


def test_train_run_evaluate_explain_suggest(folder):
    made = told("train", "-l", "labels.toml", "-c", "rules.toml", "-t", "texts.txt", "-o", "model", "--rounds", "40")
    assert made["silent"] == ["pattern never said {FOOD}"]
    found = told("run", "model", "texts.txt")["texts"]
    assert [span["text"] for span in found[1]["spans"]] == ["rice"]
    told("run", "model", "texts.txt", "-o", "out.csv")
    assert (folder / "out.csv").read_text().startswith("text,FOOD\n")
    assert told("evaluate", "model", "gold.jsonl")["span_f1"] == 1.0
    assert told("explain", "model", "we eat rice")["fields"][0]["reasons"]
    proposed = told("suggest", "texts.txt", "-l", "labels.toml", "-c", "rules.toml")["suggestions"]
    assert {"rice", "fish"} <= {item["text"] for item in proposed}


def test_ready_extractors_run(folder):
    (folder / "refs.txt").write_text("A. Cau and R. Kuiper. Formalising strategies. Journal of Logic, 5(2), 1992.\n")
    (span, *_rest) = told("run", "citations", "refs.txt")["texts"][0]["spans"]
    assert (span["label"], span["text"]) == ("author", "A. Cau and R. Kuiper.")
    told("run", "citations", "refs.txt", "-o", "refs.bib")
    assert "title = {Formalising strategies}" in (folder / "refs.bib").read_text()
    (folder / "where.txt").write_text("123 Main St. Suite 100 Chicago, IL 60601\n")
    labels = {s["label"]: s["text"] for s in told("run", "addresses", "where.txt")["texts"][0]["spans"]}
    assert labels["PlaceName"] == "Chicago," and labels["ZipCode"] == "60601"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nothing", "texts.txt"], "no folder and no ready extractor"),
        (["train", "-o", "m"], "there are no labels"),
        (["train", "-l", "labels.toml", "-t", "texts.txt", "-o", "m"], "teach nothing without constraints"),
        (["run", "citations", "texts.txt", "-o", "x.xml"], "ends in '.xml'"),
    ],
)
def test_what_is_refused(folder, arguments, message):
    with pytest.raises(OnomaError, match=message):
        CliRunner().invoke(app, arguments, catch_exceptions=False)
