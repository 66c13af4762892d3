"""The Reconciliation API as its specification has it: manifest, queries, suggestions, preview, data extension."""

import json

import pytest

pytest.importorskip("fastapi", reason="the extra serve is not installed")


def ask(client, queries):
    return client.post("/reconcile", data={"queries": json.dumps(queries)}).json()


def test_the_manifest_has_what_the_specification_wants(reader):
    found = reader.get("/reconcile").json()
    assert found["versions"] == ["0.2"]
    assert {"name", "identifierSpace", "schemaSpace", "defaultTypes", "view", "preview", "suggest", "extend"} <= {
        *found
    }
    assert "{{id}}" in found["view"]["url"]
    assert {"url", "width", "height"} <= {*found["preview"]}
    for what in ("entity", "property", "type"):
        assert {"service_url", "service_path"} <= {*found["suggest"][what]}


def test_a_batch_of_names(reader, rows):
    queries = {
        f"q{i}": {"query": f"{rows[i]['given_name']} {rows[i]['surname']}", "type": "entity", "limit": 3}
        for i in range(4)
    }
    found = ask(reader, queries)
    assert {*found} == {*queries}
    for each in found.values():
        for one in each["result"]:
            assert {"id", "name", "score", "match", "type"} <= {*one}
            assert isinstance(one["match"], bool)
            assert 0 <= one["score"] <= 100
        scores = [one["score"] for one in each["result"]]
        assert scores == sorted(scores, reverse=True)


def test_properties_decide(reader, rows, people):
    row = rows[4]
    properties = [{"pid": name, "v": row[name]} for name in ("birth_date", "email", "phone", "city") if name in row]
    query = {"query": f"{row['surname']}, {row['given_name']}", "properties": properties}
    found = ask(reader, {"q0": query})["q0"]["result"]
    entity = reader.get(f"/api/entities/{people['id'][4].as_py()}").json()["entity"]
    assert found[0]["id"] == entity
    assert found[0]["match"] is True
    assert {each["id"] for each in found[0]["features"]} == {"probability", "nil", "bits"}


def test_values_of_properties_may_be_lists_and_entities(reader, rows):
    listed = [{"pid": "city", "v": [rows[4]["city"]]}, {"pid": "email", "v": {"id": "x", "name": "a@b.example"}}]
    assert "result" in ask(reader, {"q0": {"query": rows[4]["surname"], "properties": listed}})["q0"]


def test_another_type_has_nobody(reader, rows):
    assert ask(reader, {"q0": {"query": rows[4]["surname"], "type": "/film/film"}})["q0"]["result"] == []


def test_queries_may_come_by_address_and_with_a_callback(reader, rows):
    queries = json.dumps({"q0": {"query": rows[4]["surname"]}})
    assert "q0" in reader.get("/reconcile", params={"queries": queries}).json()
    called = reader.get("/reconcile", params={"queries": queries, "callback": "jsonp1"})
    assert called.text.startswith("jsonp1({")
    assert reader.get("/reconcile", params={"callback": "alert(1)//"}).status_code == 422


def test_suggestions(reader, rows):
    found = reader.get("/reconcile/suggest/entity", params={"prefix": rows[4]["surname"]}).json()["result"]
    assert {"id", "name"} <= {*found[0]}
    names = reader.get("/reconcile/suggest/property", params={"prefix": "name"}).json()["result"]
    assert {"surname"} <= {each["id"] for each in names}
    assert reader.get("/reconcile/suggest/type", params={"prefix": "ent"}).json()["result"][0]["id"] == "entity"
    assert reader.get("/reconcile/suggest/entity", params={"prefix": ""}).json() == {"result": []}


def test_a_preview_is_a_page_without_markup_of_values(reader, people):
    entity = reader.get(f"/api/entities/{people['id'][4].as_py()}").json()["entity"]
    page = reader.get("/reconcile/preview", params={"id": entity})
    assert page.headers["content-type"].startswith("text/html")
    assert entity in page.text
    assert reader.get("/reconcile/preview", params={"id": "nobody"}).status_code == 404


def test_data_extension(reader, people):
    entity = reader.get(f"/api/entities/{people['id'][4].as_py()}").json()["entity"]
    wanted = {"ids": [entity, "nobody"], "properties": [{"id": "surname"}, {"id": "no such"}]}
    found = reader.post("/reconcile", data={"extend": json.dumps(wanted)}).json()
    assert [each["id"] for each in found["meta"]] == ["surname", "no such"]
    assert found["rows"][entity]["surname"][0]["str"]
    assert found["rows"]["nobody"] == {"surname": [], "no such": []}
    proposed = reader.get("/reconcile/properties", params={"type": "entity", "limit": 3}).json()
    assert len(proposed["properties"]) == 3


@pytest.mark.parametrize(
    "queries",
    ["{", "[1]", json.dumps({"q": 3}), json.dumps({"q": {"query": 3}}), json.dumps({"q": {"query": "x", "limit": 0}})],
)
def test_queries_that_make_no_sense_are_refused(reader, queries):
    found = reader.post("/reconcile", data={"queries": queries})
    assert found.status_code == 422
    assert found.json()["detail"]
