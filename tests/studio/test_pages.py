"""What each page shows, and that it is what the knowledge base says."""

import re

import pytest

from onoma.kb.explain import explain_records
from onoma.kb.query import count_entities

PAIR = re.compile(r"[−+]\d+\.\d")


def ids(people, n):
    return [people["id"][i].as_py() for i in range(n)]


def test_the_overview_counts(reader, first_base, people):
    from onoma.kb.database import read_knowledge_base

    with read_knowledge_base(first_base) as base:
        counted = count_entities(base)
    text = reader.get("/").text
    assert f"<b>{len(people):,}</b>" in text and f"<b>{counted.reported:,}</b>" in text
    assert "Records of an entity" in text and "onoma resolve people.csv" in text


def test_a_name_with_a_typo_is_found_and_facets_narrow(reader, people):
    row = people.to_pylist()[3]
    wrong = row["surname"][:2] + "x" + row["surname"][2:]
    text = reader.get("/search", params={"q": f"{wrong} {row['given_name'] or ''}"}).text
    assert row["surname"] in text
    part = reader.get("/search", params={"q": row["surname"]}, headers={"hx-request": "true"}).text
    assert "<html" not in part and row["surname"] in part
    singles = reader.get("/search", params={"size": "1-1"}).text
    assert 'aria-current="true"' in singles
    assert "Nothing is like that" in reader.get("/search", params={"q": "qqqqzzzzxx"}).text
    assert reader.get("/search", params={"page": 0}).status_code == 422


def test_facets_hold_against_sql(reader, first_base):
    from onoma.kb.database import read_knowledge_base

    with read_knowledge_base(first_base) as base:
        n = base.value("SELECT count(*) FROM entities WHERE size BETWEEN 3 AND 5 AND probability < 0.9")
    text = reader.get("/search", params={"size": "3-5", "doubt": "in doubt"}).text
    assert re.search(rf">{n:,} entit", text)


def test_an_entity_shows_its_records_and_what_it_hangs_on(reader, first_base):
    from onoma.kb.database import read_knowledge_base

    with read_knowledge_base(first_base) as base:
        entity, size = base.rows("SELECT entity, size FROM entities ORDER BY size DESC, entity LIMIT 1")[0]
        members = [key for (key,) in base.rows("SELECT id FROM memberships WHERE entity = ?", [entity])]
    text = reader.get("/entity", params={"id": entity}).text
    assert all(key in text for key in members) and f"{size} records" in text
    assert reader.get("/entity", params={"id": members[0]}).status_code == 200
    why = reader.get("/entity/why", params={"id": entity}, headers={"hx-request": "true"}).text
    assert "All one with probability" in why and "<html" not in why
    assert "created" in reader.get("/entity/history", params={"id": entity}).text


def test_the_waterfall_adds_up(reader, first_base, people):
    from onoma.kb.database import read_knowledge_base

    a, b = ids(people, 2)
    with read_knowledge_base(first_base) as base:
        why = explain_records(base, a, b)
    text = reader.get("/pair", params={"a": a, "b": b}).text
    told = [float(each.replace("−", "-")) for each in re.findall(r'<td class="n[^"]*">([−+]\d+\.\d)</td>', text)]
    assert len(told) == len(why.pair.steps) + 1
    assert told[-1] == pytest.approx(why.pair.bits, abs=0.06)
    assert sum(told[:-1]) == pytest.approx(told[-1], abs=0.06 * len(told))


@pytest.mark.parametrize("path", ["/history", "/settings", "/jobs", "/review"])
def test_other_pages_come(reader, path):
    assert reader.get(path).status_code == 200


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/nothing", 404),
        ("/entity?id=nobody", 404),
        ("/entity", 422),
        ("/pair?a=x&b=y", 404),
        ("/texts", 404),
        ("/text?document=x", 404),
        ("/entity/why?id=nobody", 200),
    ],
)
def test_what_is_not_there_is_told(reader, path, code):
    found = reader.get(path)
    assert found.status_code == code
    assert "Traceback" not in found.text


def test_settings_tell_kinds_and_the_command(reader):
    text = reader.get("/settings").text
    assert "onoma resolve people.csv" in text and "surname" in text and "its name says" in text


def test_work_under_way_is_shown_and_stopped(writer, desk):
    from onoma.jobs import list_jobs, noted
    from onoma.progress import NEVER, SILENT

    target = desk.path.with_name("other.duckdb")
    with (
        noted(target, "onoma resolve x.csv", SILENT, NEVER) as (progress, stop),
        progress.task("sampling", total=10, unit="sweeps") as task,
        stop.heeded() as asked,
    ):
        task.advance(4, entities=17.0, log_score=-3.5)
        [job] = list_jobs(target.parent)
        text = writer.get("/jobs").text
        assert "sampling" in text and "other.duckdb" in text and "Stop, and keep" in text
        assert not asked()
        assert writer.post("/jobs/stop", data={"note": "../../" + job.note}).status_code == 404
        assert writer.post("/jobs/stop", data={"note": job.note}, follow_redirects=False).status_code == 303
        assert asked()
    assert list_jobs(target.parent) == []
    assert "Nothing is running" in writer.get("/jobs").text


def test_the_lineage_of_names_has_each_name_once(reader, first_base):
    from onoma.kb.database import read_knowledge_base
    from onoma.kb.query import record_rows

    with read_knowledge_base(first_base) as base:
        entity = base.value("SELECT entity FROM entities ORDER BY size DESC, entity LIMIT 1")
        rows = record_rows(base, entity)
    columns = ("given_name", "middle_name", "surname")
    names = {" ".join(str(row[c]) for c in columns if row.get(c)) for row in rows}
    page = reader.get("/entity/names", params={"id": entity}, headers={"hx-request": "true"}).text
    assert sorted(re.findall(r'<span dir="auto">(.*?)</span>', page)) == sorted(
        name.replace("'", "&#39;") for name in names
    )
    assert "descends" in page and "/entity/names" in reader.get("/entity", params={"id": entity}).text
