"""The service: what it answers, what it refuses, and what happens when many ask at once."""

import json
import random
import threading

import pytest

pytest.importorskip("fastapi", reason="the extra serve is not installed")

from fastapi.testclient import TestClient

from onoma.kb.database import read_knowledge_base
from onoma.kb.update import update_knowledge_base
from onoma.serve.app import make_app
from onoma.serve.service import Service


def test_what_there_is(reader):
    found = reader.get("/api/overview").json()
    assert found["records"] == 300
    assert sum(found["sizes"].values()) == found["entities"]
    assert found["writes"] is False
    assert {each["column"] for each in found["fields"]} >= {"surname", "given_name"}


def test_a_record_is_found_and_its_entity_shown(reader, rows, people):
    found = reader.post("/api/find", json={"record": rows[4]}).json()
    best = found["candidates"][0]
    assert best["probability"] > 0.9
    assert found["nil"] < 0.1
    entity = reader.get(f"/api/entities/{best['entity']}").json()
    assert entity["size"] == len(entity["records"]) == best["size"]
    assert people["id"][4].as_py() in [each["id"] for each in entity["records"]]
    many = reader.post("/api/find_many", json={"records": rows[300:303]}).json()
    assert len(many["records"]) == 3
    events = reader.get(f"/api/entities/{best['entity']}/history").json()["events"]
    assert events[0]["kind"] == "created"


def test_search_count_and_review(reader, rows):
    named = f"{rows[4]['given_name']} {rows[4]['surname']}"
    assert reader.get("/api/search", params={"q": named}).json()["entities"]
    low, high = reader.get("/api/count").json()["interval"]
    assert low <= high
    assert reader.get("/api/count", params={"where": "surname = 'Smith'"}).status_code == 200
    for pair in reader.get("/api/review").json()["pairs"]:
        assert 0 <= pair["probability"] <= 1


def test_a_pair_is_explained(reader, people):
    a, b = people["id"][0].as_py(), people["id"][1].as_py()
    found = reader.get("/api/pairs", params={"a": a, "b": b}).json()
    assert found["steps"][0]["field"] == "prior"
    assert abs(sum(step["bits"] for step in found["steps"]) - found["bits"]) < 1e-6


def test_a_reader_writes_nothing(reader, rows, people):
    a, b = people["id"][0].as_py(), people["id"][1].as_py()
    said = {"kind": "same", "a": a, "b": b}
    for path, body in (("records", {"record": rows[1]}), ("judgements", said), ("proposals", said)):
        found = reader.post(f"/api/{path}", json=body)
        assert found.status_code == 403
        assert "reads only" in found.json()["detail"]


def test_a_writer_adds_judges_and_takes_back(writer, rows, people):
    assert writer.post("/api/records", json={"record": rows[310] | {"id": "late"}}).json()["record"] == "late"
    assert writer.get("/api/overview").json()["records"] == 301
    a, b = people["id"][0].as_py(), people["id"][1].as_py()
    before = writer.get("/api/pairs", params={"a": a, "b": b}).json()["posterior"]
    wanted = "different" if before > 0.5 else "same"
    kept = writer.post("/api/judgements", json={"kind": wanted, "a": a, "b": b, "by": "ada"}).json()
    number = kept["judgements"][0]["judgement"]
    now = writer.get("/api/pairs", params={"a": a, "b": b}).json()["posterior"]
    assert now == (1.0 if wanted == "same" else 0.0)
    assert writer.delete(f"/api/judgements/{number}").status_code == 200
    after = writer.get("/api/pairs", params={"a": a, "b": b}).json()["posterior"]
    assert after == pytest.approx(before, abs=0.1)
    assert writer.delete(f"/api/judgements/{number}").status_code == 404


def test_a_proposal_waits_for_a_person(writer, people):
    a, b = people["id"][0].as_py(), people["id"][7].as_py()
    made = writer.post("/api/proposals", json={"kind": "same", "a": a, "b": b, "why": "seen together"}).json()
    assert writer.get("/api/judgements").json()["judgements"] == []
    assert writer.get("/api/proposals").json()["proposals"] == [made]
    assert writer.post(f"/api/proposals/{made['proposal']}/accept").status_code == 200
    assert len(writer.get("/api/judgements").json()["judgements"]) == 1
    assert writer.post(f"/api/proposals/{made['proposal']}/reject").status_code == 404


def test_without_the_token_nothing_is_answered(kb):
    service = Service(kb, write=True)
    with TestClient(make_app(service, token="sesame")) as client:
        assert client.get("/api/overview").status_code == 401
        assert client.get("/api/overview", headers={"Authorization": "Bearer sesam"}).status_code == 401
        assert client.get("/api/overview", params={"token": "sesame"}).status_code == 200
    service.close()


def test_pages_of_others_do_not_reach_it(reader):
    assert reader.get("/api/overview", headers={"Host": "evil.example"}).status_code == 400
    other = reader.get("/api/overview", headers={"Origin": "http://evil.example"})
    assert "access-control-allow-origin" not in other.headers
    refine = reader.get("/reconcile", headers={"Origin": "http://127.0.0.1:3333"})
    assert refine.headers["access-control-allow-origin"] == "http://127.0.0.1:3333"


def test_a_reader_follows_what_others_write(kb, people):
    service = Service(kb)
    with TestClient(make_app(service)) as client:
        assert client.get("/api/overview").json()["records"] == 300
        update_knowledge_base(kb, tables=[people.slice(300, 5)])
        assert client.get("/api/overview").json()["records"] == 305
    service.close()


def test_many_read_while_one_writes(writer, rows):
    wrong = []

    def read():
        for row in rows[:6]:
            found = writer.post("/api/find", json={"record": row})
            n = writer.get("/api/overview").json()
            if found.status_code != 200 or not 300 <= n["records"] <= 304:
                wrong.append(found.text)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for each in threads:
        each.start()
    for row in rows[300:304]:
        assert writer.post("/api/records", json={"record": row}).status_code == 200
    for each in threads:
        each.join()
    assert not wrong
    assert writer.get("/api/overview").json()["records"] == 304


def test_half_a_letter_is_no_text(reader):
    for record in ({"surname": "\ud800"}, {"surname": "Smith", "\ud800": "x"}):
        body, kind = json.dumps({"record": record}).encode(), {"content-type": "application/json"}
        found = reader.post("/api/find", content=body, headers=kind)
        assert found.status_code == 422
        assert "lone surrogate" in found.json()["detail"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("find", {"record": {"surname": "Smith"}, "mots": 3}),
        ("records", {"record": {"surname": "Smith"}, "dry_run": True}),
        ("judgements", {"kind": "same", "a": "x", "b": "y", "why": "they are"}),
        ("proposals", {"kind": "same", "a": "x", "b": "y", "weight": 3.0}),
    ],
)
def test_a_word_that_is_not_known_is_refused(writer, path, body):
    found = writer.post(f"/api/{path}", json=body)
    assert found.status_code == 422
    assert "Extra" in found.json()["detail"] or "Unexpected" in found.json()["detail"], found.text


def test_it_describes_itself(reader):
    found = reader.get("/openapi.json").json()
    assert {"/api/find", "/api/entities/{name}", "/api/pairs", "/reconcile"} <= {*found["paths"]}


def _nonsense(rng):
    pool = [
        None,
        True,
        -1,
        10**30,
        1e308,
        "",
        "\x00",
        "' OR 1=1 --",
        "é\u202e" * 40,
        [],
        {},
        [[]],
        {"a": {}},
        "x" * 5000,
    ]
    return rng.choice(pool)


def test_malformed_requests_are_refused_and_change_nothing(kb):
    """A thousand requests that make no sense: an answer that says so, never a failure, nothing written."""
    rng = random.Random(7)
    service = Service(kb, write=True)
    before = state(service)
    with TestClient(make_app(service)) as client:
        for i in range(1_000):
            found = _malformed(client, rng, i)
            assert 200 <= found.status_code < 500, (i, found.status_code, found.text[:200])
        assert state(service) == before
    service.close()


@pytest.mark.parametrize("route", ["/api/find", "/reconcile"])
def test_too_much_is_refused_even_if_its_length_is_not_told(reader, route):
    whole = b"x" * 1_000_001
    headers = {"content-type": "application/x-www-form-urlencoded" if route == "/reconcile" else "application/json"}
    for content in (whole, iter([whole[:600_000], whole[600_000:]])):
        found = reader.post(route, content=content, headers=headers)
        assert (found.status_code, found.json()["detail"]) == (413, "a request has at most 1,000,000 bytes")


def _malformed(client, rng, i):
    body = {
        rng.choice(["record", "records", "kind", "a", "b", "most", "weight", "by"]): _nonsense(rng) for _ in range(3)
    }
    paths = ["find", "find_many", "records", "judgements", "proposals", "proposals/1/accept", "proposals/x/reject"]
    way = i % 5
    if way == 0:
        return client.post(f"/api/{rng.choice(paths)}", json=body)
    if way == 1:
        return client.post(f"/api/{rng.choice(paths)}", content=bytes(rng.randrange(256) for _ in range(40)))
    if way == 2:
        data = {rng.choice(["queries", "extend"]): json.dumps({"q0": _nonsense(rng), "ids": _nonsense(rng)})}
        return client.post("/reconcile", data=data if rng.random() < 0.7 else {"queries": "{[", "extend": "]"})
    if way == 3:
        name = rng.choice(["e0", "nobody", "%00", "..%2f..", "'", "😀", "e0/explain/x"])
        return client.get(f"/api/entities/{name}{rng.choice(['', '/history', '/explain']) if name != 'e0' else ''}")
    where = rng.choice(
        ["1=1; DROP TABLE runs", "(", "no_column = 1", "sleep(1)", "surname", "'", "read_text('/etc/passwd') = ''"]
    )
    route = rng.choice(["/api/count?where=", "/api/search?most=-3&q=", "/reconcile/preview?id=", "/api/pairs?a="])
    return client.get(route + where)


def state(service):
    with service._current().reading() as base:
        return base.rows(
            "SELECT (SELECT count(*) FROM memberships), (SELECT count(*) FROM runs), (SELECT count(*) FROM judgements)"
        )


def test_a_file_that_is_served_to_write_is_told_apart(kb, monkeypatch):
    from onoma.errors import DataError
    from onoma.kb import database

    monkeypatch.setattr(database, "_PATIENCE", 0.05)
    service = Service(kb, write=True)
    with pytest.raises(DataError, match="held open|being written"), read_knowledge_base(kb):
        pass
    service.close()
    with read_knowledge_base(kb) as base:
        assert base.value("SELECT count(*) FROM memberships") == 300


def test_a_method_that_is_not_there_is_told_which_are(reader):
    for path, methods in (("/api/judgements", "GET, POST"), ("/reconcile", "GET, POST"), ("/api/find", "POST")):
        found = reader.put(path)
        assert found.status_code == 405 and found.headers["allow"] == methods
        assert methods in found.json()["detail"]
