"""The W3C Reconciliation Service API, version 0.2: OpenRefine and its kin match a column against a knowledge base.

A query is a name and some properties; they become a record, and the answer is what `find` says of it: the score is the
probability in per cent, and a candidate matches where it is nearly certain. A name that no field takes, or that finds
nobody, is looked for among all values of the entities (a likeness, never a match).

The specification: https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/
"""

import html
import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from onoma.errors import OnomaError, SettingsError
from onoma.serve.service import Json, Service

__all__ = ["add_reconciliation", "answer_query", "manifest"]

Cursor = Annotated[int, Query(ge=0, le=10_000)]
TYPE = {"id": "entity", "name": "Entity"}
_MATCH = 0.95
_BATCH, _LIMIT = 50, 100
_CALLBACK = re.compile(r"[A-Za-z_$][\w$.]{0,80}")
_GIVEN = re.compile(r"given|first|fore|vor|prenom|prénom", re.IGNORECASE)
_FAMILY = re.compile(r"sur|last|family|nach|nom$", re.IGNORECASE)


def manifest(service: Service, url: str) -> Json:
    """Return what the service says of itself."""
    one = {"service_url": url, "flyout_service_path": "/preview?id=${id}"}
    return {
        "versions": ["0.2"],
        "name": f"Onoma: {service.path.name}",
        "identifierSpace": f"{url}/entity/",
        "schemaSpace": f"{url}/property/",
        "defaultTypes": [TYPE],
        "view": {"url": f"{url}/preview?id={{{{id}}}}"},
        "preview": {"url": f"{url}/preview?id={{{{id}}}}", "width": 430, "height": 300},
        "suggest": {
            "entity": one | {"service_path": "/suggest/entity"},
            "property": {"service_url": url, "service_path": "/suggest/property"},
            "type": {"service_url": url, "service_path": "/suggest/type"},
        },
        "extend": {
            "propose_properties": {"service_url": url, "service_path": "/properties"},
            "property_settings": [],
        },
        "batchSize": _BATCH,
    }


def answer_query(service: Service, query: object) -> list[Json]:
    """Return the candidates of one query."""
    if not isinstance(query, Mapping):
        raise SettingsError(f"a query is an object, not {type(query).__name__}")
    text, limit = query.get("query", ""), query.get("limit", 5)
    if not isinstance(text, str):
        raise SettingsError("the query of a query is a text")
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _LIMIT:
        raise SettingsError(f"limit is {limit!r}; it is a number from 1 to {_LIMIT}")
    if not _is_wanted(query.get("type")):
        return []
    record = _record(service, text, _properties(query.get("properties", [])))
    found = _found(service, record, limit) if record else []
    return found or (_alike(service, text, limit) if text.strip() else [])


def _is_wanted(kind: object) -> bool:
    """Return whether entities are of the type that is asked for; a service of one type has only that."""
    names = kind if isinstance(kind, list) else [kind]
    ids = [each.get("id") if isinstance(each, Mapping) else each for each in names]
    return not ids or ids == [None] or TYPE["id"] in ids


def _properties(given: object) -> dict[str, object]:
    if not isinstance(given, list):
        raise SettingsError("properties are a list of objects with pid and v")
    found: dict[str, object] = {}
    for each in given:
        if not isinstance(each, Mapping) or not isinstance(each.get("pid"), str) or "v" not in each:
            raise SettingsError("a property is an object with pid and v")
        value = each["v"][0] if isinstance(each["v"], list) and each["v"] else each["v"]
        found[each["pid"]] = value.get("name", value.get("id")) if isinstance(value, Mapping) else value
    return {pid: value for pid, value in found.items() if isinstance(value, str | int | float)}


def _record(service: Service, text: str, properties: Mapping[str, object]) -> dict[str, object]:
    """Return a name and properties as a record: the name in the column, or the two, that names are in."""
    specs = service.live.snapshot().memory.fields
    columns = [spec.columns[0] for spec in specs]
    record = {pid: value for pid, value in properties.items() if pid in columns}
    free = [(spec.columns[0], spec.kind) for spec in specs if spec.columns[0] not in record]
    words = text.split()
    people = [name for name, kind in free if kind == "person"]
    given = next((name for name in people if _GIVEN.search(name)), None)
    family = next((name for name in people if _FAMILY.search(name) and name != given), None)
    if words and given and family:
        turned = (
            [part.strip() for part in text.split(",")] if text.count(",") == 1 else [words[-1], " ".join(words[:-1])]
        )
        record |= {family: turned[0], given: turned[1] or None}
    elif words:
        named = [name for kind in ("person", "organisation", "text", "place") for name, of in free if of == kind]
        record |= {named[0]: text} if named else {}
    return record


def _found(service: Service, record: Mapping[str, object], limit: int) -> list[Json]:
    try:
        found = service.find(record, most=limit)
    except OnomaError:  # nothing that is compared: the name is looked for instead
        return []
    return [
        {
            "id": each.entity,
            "name": entity_name(service, each.entity),
            "score": round(100 * each.probability, 2),
            "match": each.probability >= _MATCH,
            "type": [TYPE],
            "description": each.reason,
            "features": [
                {"id": "probability", "value": each.probability},
                {"id": "nil", "value": found.nil},
                {"id": "bits", "value": each.bits},
            ],
        }
        for each in found.candidates
    ]


def _alike(service: Service, text: str, limit: int) -> list[Json]:
    found = service.search(text, most=limit)["entities"]
    if not isinstance(found, list):
        return []
    return [
        {
            "id": each["entity"],
            "name": _shown(each["shown"]),
            "score": each["score"] / 2,  # a likeness of names is no probability
            "match": False,
            "type": [TYPE],
        }
        for each in found
    ]


def _shown(values: Mapping[str, object]) -> str:
    return " ".join(str(value) for value in list(values.values())[:3]) or "?"


def entity_name(service: Service, entity: str) -> str:
    """Return an entity by the first of its values: people know names, not numbers."""
    values = service.entity(entity)["values"]
    return _shown(values) if isinstance(values, Mapping) else entity


def _extend(service: Service, asked: object) -> Json:
    """Return values of entities, for columns of somebody's table."""
    if not isinstance(asked, Mapping) or not isinstance(asked.get("ids"), list):
        raise SettingsError("extend is an object with ids and properties")
    wanted = asked.get("properties") or []
    if not isinstance(wanted, list):
        raise SettingsError("the properties of extend are a list")
    if not isinstance(wanted, list) or not all(
        isinstance(each, Mapping) and isinstance(each.get("id"), str) for each in wanted
    ):
        raise SettingsError("the properties of extend are objects with an id")
    names = [str(each["id"]) for each in wanted]
    rows: dict[str, object] = {}
    for entity in asked["ids"][:1_000]:
        rows[str(entity)] = {name: _values(service, str(entity), name) for name in names}
    return {"meta": [{"id": name, "name": name} for name in names], "rows": rows}


def _values(service: Service, entity: str, name: str) -> list[Json]:
    try:
        values = service.entity(entity)["values"]
    except OnomaError:
        return []
    value = values.get(name) if isinstance(values, Mapping) else None
    if value is None:
        return []
    return [
        {"float": value}
        if isinstance(value, float)
        else {"int": value}
        if isinstance(value, int)
        else {"str": str(value)}
    ]


def _loaded(text: object, what: str) -> Any:  # noqa: ANN401 (whatever JSON holds)
    if not isinstance(text, str):
        raise SettingsError(f"{what} is JSON in a field of a form")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{what} is no JSON: {error}") from error


def add_reconciliation(app: FastAPI, service: Service) -> None:
    """Add the routes of the Reconciliation API, under /reconcile."""

    def base_url(request: Request) -> str:
        return str(request.base_url).rstrip("/") + "/reconcile"

    async def given(request: Request) -> dict[str, object]:
        fields: dict[str, object] = dict(request.query_params)
        if request.method == "POST":
            try:
                fields |= dict(await request.form())
            except HTTPException:
                raise
            except Exception as error:  # a form that is none, whatever the parser says of it
                raise HTTPException(422, "the body is a form with queries or extend") from error
        return fields

    def answered(fields: Mapping[str, object], url: str) -> Json:
        if "extend" in fields:
            return _extend(service, _loaded(fields["extend"], "extend"))
        if "queries" not in fields:
            return manifest(service, url)
        queries = _loaded(fields["queries"], "queries")
        if not isinstance(queries, Mapping) or len(queries) > 10 * _BATCH:
            raise SettingsError(f"queries is an object of at most {10 * _BATCH} queries")
        return {str(key): {"result": answer_query(service, query)} for key, query in queries.items()}

    @app.get("/reconcile", operation_id="reconcile")
    @app.post("/reconcile", operation_id="reconcile_form")
    async def reconcile(request: Request) -> Response:
        """Answer queries (`queries`), give values (`extend`), or say what the service is."""
        from starlette.concurrency import run_in_threadpool

        fields = await given(request)
        found = await run_in_threadpool(answered, fields, base_url(request))
        callback = fields.get("callback")
        if callback is None:
            return JSONResponse(found)
        if not isinstance(callback, str) or not _CALLBACK.fullmatch(callback):
            raise HTTPException(422, "callback is no name of a function")
        return Response(f"{callback}({json.dumps(found)})", media_type="application/javascript")

    @app.get("/reconcile/suggest/entity")
    def suggest_entity(prefix: str = "", cursor: Cursor = 0) -> Json:
        """Return entities whose values are like what was typed."""
        found = _alike(service, prefix, 10 + cursor)[cursor:] if prefix.strip() else []
        return {"result": [{"id": each["id"], "name": each["name"], "notable": [TYPE]} for each in found]}

    @app.get("/reconcile/suggest/property")
    def suggest_property(prefix: str = "", cursor: Cursor = 0) -> Json:
        """Return columns whose names have what was typed."""
        names = [name for name in _columns(service) if prefix.lower() in name.lower()]
        return {"result": [{"id": name, "name": name} for name in names[cursor : cursor + 20]]}

    @app.get("/reconcile/suggest/type")
    def suggest_type(prefix: str = "", cursor: Cursor = 0) -> Json:
        """Return the one type there is."""
        return {"result": [TYPE] if prefix.lower() in TYPE["name"].lower() and cursor == 0 else []}

    @app.get("/reconcile/properties")
    def properties(type: str = "entity", limit: int = 100) -> Json:  # noqa: A002 (the specification's word)
        """Return the columns whose values an entity can give."""
        names = _columns(service)[: max(0, min(limit, 1_000))] if _is_wanted(type) else []
        return {"type": type, "limit": limit, "properties": [{"id": name, "name": name} for name in names]}

    @app.get("/reconcile/preview")
    def preview(id: str) -> HTMLResponse:
        """Show an entity in a small frame."""
        return HTMLResponse(_page(service.entity(id)))


def _columns(service: Service) -> list[str]:
    return [name for name in service.columns() if name != "id"]


def _page(entity: Mapping[str, object]) -> str:
    values, records = entity["values"], entity["records"]
    rows = values.items() if isinstance(values, Mapping) else ()
    told = "".join(f"<tr><th>{html.escape(str(name))}<td>{html.escape(str(value))}" for name, value in rows)
    n = len(records) if isinstance(records, Sequence) else 0
    style = "font:14px sans-serif;margin:8px;text-align:left"
    title = html.escape(str(entity["entity"]))
    return (
        f'<!doctype html><meta charset="utf-8"><body style="{style}"><b>{title}</b>: {n} records<table>{told}</table>'
    )
