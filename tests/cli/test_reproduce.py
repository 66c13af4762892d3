import json
from pathlib import Path

import altair as alt
import pytest

from onoma.pipeline import reproduce
from onoma.pipeline.reproduce import Context, Findings, Row, Study


@pytest.fixture
def study(monkeypatch):
    def run(context: Context) -> Findings:
        if context.seed == 13:
            context.file("text/nothing.txt")
        chart = alt.Chart(alt.Data(values=[{"x": 1, "y": 2}])).mark_point().encode(x="x:Q", y="y:Q")
        return Findings(
            [Row("quick" if context.quick else "full", "F1", 0.5, 0.75, "share")], ["It went well."], {"picture": chart}
        )

    made = Study("toy/table-1", "A toy", "Nobody (1900)", run)
    monkeypatch.setattr(reproduce, "catalogue", lambda: {made.name: made})


@pytest.mark.usefixtures("study")
def test_studies_are_listed(onoma):
    assert "toy/table-1" in onoma("reproduce").out
    assert onoma("reproduce --json").json["studies"][0]["paper"] == "Nobody (1900)"


@pytest.mark.usefixtures("study")
def test_a_table_is_printed_side_by_side_and_left_in_a_folder(onoma):
    ran = onoma("reproduce toy/table-1 --quick -o out")
    assert "0.5000" in ran.out
    assert "0.7500" in ran.out
    assert "It went well." in ran.out
    kept = json.loads(Path("out/toy-table-1.json").read_text())
    assert kept["rows"] == [{"setting": "quick", "metric": "F1", "paper": 0.5, "ours": 0.75, "unit": "share"}]
    assert kept["command"] == "onoma reproduce toy/table-1 --quick --seed 0"
    assert Path("out/picture.png").read_bytes().startswith(b"\x89PNG")
    assert "<html>" in Path("out/picture.html").read_text()
    assert onoma("reproduce toy/table-1 --json").json["rows"][0]["setting"] == "full"


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("reproduce toy/table-2", 2, "Known studies: toy/table-1"),
        ("reproduce toy/table-1 --seed 13", 1, "ONOMA_DATA"),
        ("reproduce toy/table-1 --seed 13 --data nowhere", 1, "nowhere does not hold it"),
    ],
)
def test_errors(onoma, monkeypatch, line, code, said):
    monkeypatch.delenv("ONOMA_DATA", raising=False)
    ran = onoma(line)
    assert ran.code == code
    assert said in ran.err


def test_every_study_of_the_house_is_well_formed():
    known = reproduce.catalogue()
    assert "coreference-scorer/cases" in known
    assert all(name.count("/") == 1 and study.title and study.paper for name, study in known.items())


def test_the_example_of_the_help_needs_no_data(onoma, monkeypatch):
    monkeypatch.delenv("ONOMA_DATA", raising=False)
    ran = onoma("reproduce coreference-scorer/cases --quick --json")
    assert ran.code == 0, ran.err
    rows = ran.json["rows"]
    assert len(rows) == 15
    assert all(row["paper"] == pytest.approx(row["ours"], abs=1e-12) for row in rows)


@pytest.mark.data
def test_the_scorer_cases_agree_with_the_published_numbers(data):
    findings = reproduce.reproduce("coreference-scorer/cases", Context(quick=True, data=data))
    assert len(findings.rows) > 50
    assert all(row.paper == pytest.approx(row.ours, abs=1e-4) for row in findings.rows)
