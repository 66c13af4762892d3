"""Whatever the description of the service allows to be asked, and much that it does not: never a failure of ours.

Requests are made from the OpenAPI document itself, so that a new route is asked too. Where schemathesis is installed,
it looks as well.
"""

import json
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onoma.serve.app import make_app
from onoma.serve.described import CONDITION
from onoma.serve.service import Service

TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["e0", "p000", "p001", "nobody", "' OR 1=1 --", "../../etc/passwd", "\x00", "1e999", "{}", "%2e%2e"]
    ),
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def asked(first_base, tmp_path_factory):
    """A service that writes, without a token, and its description."""
    from fastapi.testclient import TestClient

    path = tmp_path_factory.mktemp("schema") / "people.duckdb"
    shutil.copyfile(first_base, path)
    service = Service(path, write=True)
    with TestClient(make_app(service), raise_server_exceptions=False) as client:
        yield client, client.get("/openapi.json").json()
    service.close()


def value_of(schema, whole):
    """Return values that a schema allows."""
    if "$ref" in schema:
        return value_of(whole["components"]["schemas"][schema["$ref"].rpartition("/")[2]], whole)
    if "anyOf" in schema:
        return st.one_of(*(value_of(each, whole) for each in schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    kind = schema.get("type")
    if kind == "object" and "properties" in schema:
        made = {name: value_of(each, whole) for name, each in schema["properties"].items()}
        needed = {name: made.pop(name) for name in schema.get("required", ())}
        return st.fixed_dictionaries(needed, optional=made)
    if kind == "object":
        inner = schema.get("additionalProperties")
        names = st.sampled_from(["surname", "given_name", "birth_date", "id"]) | TEXTS
        return st.dictionaries(names, value_of(inner, whole) if isinstance(inner, dict) else ANYTHING, max_size=4)
    if kind == "array":
        return st.lists(value_of(schema.get("items", {}), whole), max_size=4)
    plain = {"string": TEXTS, "boolean": st.booleans(), "null": st.none()}
    plain |= {"integer": st.integers(-5, 10**6), "number": st.floats(allow_nan=False, allow_infinity=False)}
    return plain.get(kind, ANYTHING)


def requests(whole):
    """Return requests of all routes: as they are described, or with anything in the place of some value."""
    made = []
    for path, ways in whole["paths"].items():
        for way, about in ways.items():
            fields = {}
            for each in about.get("parameters", ()):
                fields[each["in"], each["name"]] = value_of(each.get("schema", {}), whole) | TEXTS
            content = about.get("requestBody", {}).get("content", {})
            body = st.none()
            for kind, each in content.items():
                body = st.tuples(st.just(kind), value_of(each.get("schema", {}), whole) | ANYTHING)
            made.append(st.tuples(st.just(path), st.just(way), st.fixed_dictionaries(fields), body))
    return st.one_of(*made)


def send(client, path, way, fields, body):
    from urllib.parse import quote

    query = {name: str(value) for (place, name), value in fields.items() if place == "query" and value is not None}
    for (place, name), value in fields.items():
        if place == "path":
            path = path.replace(f"{{{name}:path}}", f"{{{name}}}").replace(f"{{{name}}}", quote(str(value) or "x"))
    if body is None:
        return client.request(way, path, params=query)
    kind, value = body
    if "json" in kind:
        text = json.dumps(value).encode()
        return client.request(way, path, params=query, content=text, headers={"content-type": kind})
    data = {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {"queries": json.dumps(value)}
    return client.request(way, path, params=query, data=data)


def test_no_request_fails(asked):
    client, whole = asked

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(requests(whole))
    def ask(request):
        found = send(client, *request)
        assert found.status_code < 500, (request, found.text[:300])
        if found.headers.get("content-type", "").startswith("application/json"):
            found.json()
        if found.status_code >= 400 and found.content:
            assert "detail" in found.text or "error" in found.text or found.status_code in (404, 405), found.text[:300]

    ask()


def test_schemathesis_finds_nothing(asked):
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    client, _ = asked
    conditions = ["surname = 'Smith'", "birth_date < '1960'", "city IS NULL", "length(given_name) > 3 OR gender = 'f'"]
    schemathesis.openapi.format(CONDITION, st.sampled_from(conditions))
    schema = schemathesis.openapi.from_asgi("/openapi.json", client.app)

    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def ask(data):
        for found in schema.get_all_operations():
            case = data.draw(found.ok().as_strategy())
            if case.query and isinstance(case.query.get("where"), str):  # what a condition is no schema can say
                case.query["where"] = data.draw(st.sampled_from(conditions))
            case.call_and_validate()

    ask()
