"""`onoma resolve --model cross-document`: mentions in context."""

import signal
from pathlib import Path

import pytest

from onoma.corpus.readers.table import read_table
from onoma.kb.database import read_knowledge_base
from onoma.resolve.models.cross_document import run as cross_document_run


@pytest.fixture
def mentions(onoma):
    """A table of mentions in the folder where the command runs."""
    assert onoma("simulate mentions 300 --seed 2 --set own=0.4 --set noise=0.3 -o mentions.parquet -q").code == 0
    return "mentions.parquet"


def test_all_tables_are_written(onoma, mentions):
    ran = onoma(f"resolve {mentions} --model cross-document --truth cluster_id -o out --json")
    assert ran.code == 0, ran.err
    assert ran.json["metrics"]["b3"]["f1"] > 0.5
    assert any("the name is name" in note for note in ran.json["notes"])
    assert read_table("out/memberships.parquet").table.num_rows == 300
    assert 'model = "cross-document"' in ran.json["settings"]


def test_a_number_of_entities_is_searched(onoma, tmp_path):
    words = {"a": "red green blue", "b": "dog cat mouse"}
    lines = [f"John Smith,{words['ab'[k % 2]]} word{k}" for k in range(16)]
    (tmp_path / "smiths.csv").write_text("\n".join(["name,context", *lines]), "utf-8")
    ran = onoma("resolve smiths.csv --model cross-document --entities 2 --json")
    assert ran.code == 0, ran.err
    assert ran.json["entities"] == 2


def test_documents_and_spans(onoma, tmp_path):
    text = "The baker Ada Stone of Bath sells bread and cake in the morning"
    (tmp_path / "docs.csv").write_text(f"document,text\nd1,{text}\nd2,{text} too\n", "utf-8")
    (tmp_path / "spans.csv").write_text(
        "id,document,start,end,name\n1,d1,10,19,Ada Stone\n2,d2,10,19,Ada Stone\n", "utf-8"
    )
    ran = onoma("resolve spans.csv --documents docs.csv --model cross-document --json")
    assert ran.code == 0, ran.err
    assert ran.json["entities"] == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--model cross-document", "needs a column of text around each mention"),
        ("--model pairwise --entities 3", "the model pairwise takes no --entities"),
        ("--model cross-document --documents people.csv", "no column 'document'"),
    ],
)
def test_what_cannot_be_is_said(onoma, options, said):
    assert onoma("simulate people 30 --seed 2 -o people.csv -q").code == 0
    ran = onoma(f"resolve people.csv {options}")
    assert ran.code != 0
    assert said in ran.err


@pytest.fixture
def pressed(monkeypatch):
    """Press Ctrl-C in the n-th round."""
    real = cross_document_run.step

    def press(n):
        seen = []

        def step(part, **settings):
            seen.append(settings["round"])
            if len(seen) == n:
                signal.raise_signal(signal.SIGINT)
            return real(part, **settings)

        monkeypatch.setattr(cross_document_run, "step", step)

    return press


def test_stopped_and_resumed(onoma, mentions, pressed):
    line = f"resolve {mentions} --model cross-document"
    assert onoma(f"{line} -o whole.csv").code == 0
    pressed(2)
    ran = onoma(f"{line} -o out.csv")
    assert ran.code == 130
    assert "stopping after" in ran.err and "stopped after 2 of 20 rounds" in ran.err
    assert "stopped early: this is the answer of the rounds so far; the same command with --resume goes on" in ran.out
    pressed(3)
    assert onoma(f"{line} -o out.csv --resume --json").json["interrupted"]
    ran = onoma(f"{line} -o out.csv --resume --json")
    assert ran.code == 0 and not ran.json["interrupted"]
    assert Path("out.csv").read_bytes() == Path("whole.csv").read_bytes()
    assert not Path("out.csv.resume.npz").exists()


def test_a_search_for_a_number_is_stopped_and_not_resumed(onoma, mentions, pressed):
    pressed(3)
    ran = onoma(f"resolve {mentions} --model cross-document --entities 40 -o out.csv")
    assert ran.code == 130
    assert "this cannot be resumed: the same command begins anew" in ran.out
    assert Path("out.csv").exists() and not Path("out.csv.resume.npz").exists()


def test_a_second_ctrl_c_stops_at_once(onoma, mentions, pressed, monkeypatch):
    pressed(2)

    def press(*_arguments, **_settings):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("onoma.resolve.models.cross_document.records.membership", press)
    ran = onoma(f"resolve {mentions} --model cross-document -o out.csv")
    assert ran.code == 130
    assert "stopped at once: nothing was written; the same command begins anew" in ran.err
    assert [path.name for path in Path().iterdir()] == [mentions]


def test_a_knowledge_base_remembers_where_its_mentions_stand(onoma, tmp_path):
    """New mentions get the words around them from the same file of documents, or from another that is named."""
    baker = "The baker Ada Stone of Bath sells bread cake and pies in the morning"
    sailor = "The sailor Ada Stone of Hull steers ships boats and rafts at night"
    texts = [f"d{k},{baker if k % 2 else sailor} {k}" for k in range(12)]
    (tmp_path / "docs.csv").write_text("\n".join(["document,text", *texts]), "utf-8")
    rows = [f"m{k},d{k},{'10,19' if k % 2 else '11,20'},Ada Stone" for k in range(12)]
    head = "id,document,start,end,name"
    (tmp_path / "first.csv").write_text("\n".join([head, *rows[:10]]), "utf-8")
    (tmp_path / "more.csv").write_text("\n".join([head, *rows[10:]]), "utf-8")
    (tmp_path / "all.csv").write_text("\n".join([head, *rows]), "utf-8")
    line = "--documents docs.csv --model cross-document"
    assert onoma(f"resolve first.csv {line} -o kb.duckdb -q").code == 0
    ran = onoma("resolve more.csv --into kb.duckdb --json")
    assert ran.code == 0, ran.err
    whole = onoma(f"resolve all.csv {line} --json")
    assert ran.json["records"] == 12 and ran.json["entities"] == whole.json["entities"]
    with read_knowledge_base(tmp_path / "kb.duckdb") as base:
        assert base.value("SELECT count(*) FROM records WHERE context IS NULL OR context = ''") == 0
    (tmp_path / "docs.csv").rename(tmp_path / "moved.csv")
    (tmp_path / "last.csv").write_text(f"{head}\nm99,d3,10,19,Ada Stone\n", "utf-8")
    assert "--documents FILE" in onoma("resolve last.csv --into kb.duckdb").err
    assert onoma("resolve last.csv --into kb.duckdb --documents moved.csv -q").code == 0
    onoma("simulate people 30 --seed 2 -o people.csv -q")
    assert onoma("resolve people.csv -o people.duckdb -q").code == 0
    assert "stand in no documents" in onoma("resolve people.csv --into people.duckdb --documents moved.csv").err
