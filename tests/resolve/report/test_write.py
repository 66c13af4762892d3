import re

import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.evaluate.report import evaluate
from onoma.resolve.api import Resolution, resolve
from onoma.resolve.report._decisions import doubtful_pairs
from onoma.resolve.report.write import write_report

PEOPLE = simulate_people(400, seed=3)
GOLD = Clustering.from_labels(PEOPLE["cluster_id"])
NASTY = "<script>alert(\"x\")</script> & 'O’Neil' \x00 日本 </script>"
SECTIONS = ["read", "columns", "missing", "canopies", "weights", "entities", "certainty", "doubt", "again"]


@pytest.fixture(scope="module")
def people() -> Resolution:
    return resolve(PEOPLE)


def written(found: Resolution, tmp_path, **more: object) -> str:
    write_report(found, tmp_path / "report.html", **more)
    return (tmp_path / "report.html").read_text("utf-8")


def own(page: str) -> str:
    """The page without the drawing library."""
    return re.sub(r'<script id="library">.*?</script>', "", page, flags=re.DOTALL)


def sections(page: str) -> list[str]:
    return re.findall(r'<section id="(\w+)">', page)


def test_every_section_is_there(people, tmp_path):
    page = written(people, tmp_path, command="onoma resolve people.csv --seed 0")
    assert sections(page) == SECTIONS
    assert "onoma resolve people.csv --seed 0" in page
    assert all(f'href="#{name}"' in page for name in SECTIONS)
    assert page.count('<script id="library">') == 1
    assert page.count('class="chart"') == page.count('type="application/json"') == 4


def test_the_page_loads_nothing(people, tmp_path):
    page = own(written(people, tmp_path, gold=GOLD, evaluation=evaluate(GOLD, people.clustering)))
    assert not re.search(r"https?:|//[a-z]|@import|url\(", page)
    assert not re.search(r"<(link|img|iframe|base|object)\b|\bsrc=", page)
    assert "default-src 'none'" in page


def test_the_truth_is_shown_where_it_is_given(people, tmp_path):
    page = written(people, tmp_path, gold=GOLD, evaluation=evaluate(GOLD, people.clustering))
    assert sections(page) == ["truth", *SECTIONS]
    assert "Calibration error" in page
    assert "truly the same" in page
    assert re.search(r"truth: (the same|different)", page)


def test_the_same_resolution_gives_the_same_bytes(people, tmp_path):
    assert written(people, tmp_path) == written(people, tmp_path)


def test_what_people_wrote_is_escaped(tmp_path):
    rows = [
        {"id": f"{NASTY}{i}", f"name {NASTY}": f"{NASTY} {i // 2}", "city": f"{'xyz'[i % 3]} {NASTY}", "note": "n/a"}
        for i in range(40)
    ]
    found = resolve(pa.Table.from_pylist(rows))
    page = own(written(found, tmp_path, command=NASTY, notes=[NASTY]))
    assert "<script>alert" not in page
    assert "\x00" not in page
    assert "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;" in page
    assert "日本" in page
    scripts = re.findall(r"<script\b[^>]*>", page)
    assert len(scripts) == page.count("</script>") == page.count('class="chart"') + 1


def test_nothing_to_compare_still_makes_a_report(tmp_path):
    page = written(resolve(pa.table({"id": ["a"], "name": ["Ada"]})), tmp_path)
    assert sections(page) == ["read", "columns", "missing", "entities", "again"]
    assert "one row is one entity" in page


def test_linking_shows_sources_and_the_contrast(tmp_path):
    rows = simulate_people(300, seed=4).to_pylist()
    for number, row in enumerate(rows):
        row["source"], row["id"] = ("left", "right")[number % 2], str(number // 2)
    table = pa.Table.from_pylist(rows)
    gold = Clustering.from_labels(table["cluster_id"])
    found = resolve(table, source="source", link=True)
    page = written(found, tmp_path, gold=gold, evaluation=evaluate(gold, found.clustering))
    assert "of different sources" in page
    assert "far ahead of all rivals" in page
    assert "<td>left</td>" in page


def test_rejected_rows_and_notes_are_told(people, tmp_path):
    page = written(people, tmp_path, notes=["the file is in Latin-1"], n_rejected=7)
    assert "7 more could not be read" in page
    assert "the file is in Latin-1" in page


def test_the_report_stays_small(people, tmp_path):
    write_report(people, tmp_path / "report.html", gold=GOLD)
    assert (tmp_path / "report.html").stat().st_size < 2_000_000


def test_doubtful_pairs_are_the_nearest_to_even_and_spread_out(people):
    chosen = doubtful_pairs(people.weighed, people.clustering.labels, 10)
    stated, labels = people.weighed.draws.together, people.clustering.labels
    doubt = abs(stated[chosen] - 0.5)
    assert (doubt[:-1] <= doubt[1:]).all()
    assert (doubt < 0.48).all()
    assert doubt[0] == abs(stated - 0.5).min()
    ends = [{int(labels[people.weighed.evidence.a[p]]), int(labels[people.weighed.evidence.b[p]])} for p in chosen]
    assert max(sum(entity in pair for pair in ends) for entity in set.union(*ends)) <= 2


def test_how_to_run_it_again(people, tmp_path):
    page = written(people, tmp_path, settings='seed = 3\n\n[kinds]\ncity = "<b>"\n')
    assert "seed = 3\n\n[kinds]\ncity = &quot;&lt;b&gt;&quot;" in page
    assert "stopped early" not in page


def test_the_reach_of_the_canopies(people, tmp_path):
    page = written(people, tmp_path)
    recall = people.canopy_recall
    assert f"about {recall.found:.1%} of their expected matches were found" in page
    assert f"{recall.n_records:,} records drawn at random were compared with all others" in page
