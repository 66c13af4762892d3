"""What the service says of itself: OpenAPI, with the columns of the knowledge base that is served.

A record that may be asked about has a value in one column, at least, that is compared. Which columns these are depends
on the file and may change while it is served, so the description is completed whenever it is asked for.
"""

from fastapi import FastAPI

from onoma.errors import OnomaError
from onoma.kb.world import stored_memory
from onoma.serve.service import Json, Service

__all__ = ["CONDITION", "describe_columns"]

CONDITION = "sql-condition"
"""The format of a condition on the columns of a record."""
_HERE = "#/components/schemas/Record"
_VALUE = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}


def describe_columns(app: FastAPI, service: Service) -> None:
    """Let the description of the service name the columns of its records."""
    plain = app.openapi

    def openapi() -> Json:
        whole = plain()
        schemas = whole["components"]["schemas"]
        schemas["Record"] = _record(service)
        for name in ("FindOne", "AddOne"):
            schemas[name]["properties"]["record"] = {"$ref": _HERE}
        schemas["FindMany"]["properties"]["records"]["items"] = {"$ref": _HERE}
        return whole

    app.openapi = openapi


def _record(service: Service) -> Json:
    try:
        with service.reading() as base:
            fields = stored_memory(base).fields
    except OnomaError:  # nothing was learnt that a record could be compared by, and to find one is refused
        fields = ()
    maybe = {"anyOf": [*_VALUE["anyOf"], {"type": "null"}]}
    about = {spec.columns[0]: maybe | {"description": f"{spec.kind}: {spec.reason}"} for spec in fields}
    found: Json = {"type": "object", "minProperties": 1, "properties": about, "additionalProperties": maybe}
    if about:
        found["description"] = "A value in one column that is compared, at least; columns that are not are left aside."
        found["anyOf"] = [{"required": [name], "properties": {name: _VALUE}} for name in about]
    return found
