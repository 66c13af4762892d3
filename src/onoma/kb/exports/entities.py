"""The entities for FollowTheMoney, the data model of investigations: one JSON object for each, all values kept."""

import json
import re
from collections.abc import Iterator

from onoma.kb.database import KnowledgeBase
from onoma.kb.world import record_table

__all__ = ["follow_the_money"]

_PROPERTIES = {
    "name": "name|full.?name|label|title|company|organi[sz]ation|business",
    "firstName": "given.?name|first.?name|forename|vorname",
    "lastName": "surname|last.?name|family.?name|nachname",
    "birthDate": "date.?of.?birth|birth.?date|dob|born|birthday",
    "email": "e.?mail",
    "phone": "phone|telephone|mobile|tel",
    "country": "country",
    "address": "address|street.*|city|town|post.?code|zip|state|suburb",
    "idNumber": "soc_sec_id|ssn|national.?id|passport.*|tax.?id",
    "website": "url|website|homepage",
}
"""What columns are called that hold a property."""
_OF_PEOPLE = ("firstName", "lastName", "birthDate")
_ORDER = ("street", "address", "suburb", "city", "town", "post", "zip", "state")
_PART = 1_000


def follow_the_money(base: KnowledgeBase) -> Iterator[str]:
    """Yield one line of JSON for each entity: id, schema, properties with all values of its records.

    A person is an entity with names of people, an organisation one with names of those, any other a legal entity.
    Columns that no property is known for are kept as notes.
    """
    columns = [str(name) for (name,) in base.rows("SELECT name FROM columns") if str(name) != "id"]
    kinds = dict(base.rows('SELECT "column", kind FROM fields'))
    places = {name: found for name in columns if (found := _property(name)) is not None}
    schema = "LegalEntity"
    if "organisation" in kinds.values():
        schema = "Organization"
    elif "person" in kinds.values() or any(each in _OF_PEOPLE for each in places.values()):
        schema = "Person"
    if schema != "Person":
        places = {name: found for name, found in places.items() if found not in _OF_PEOPLE}
    members: dict[str, list[int]] = {}
    for entity, record in base.rows("SELECT entity, record FROM memberships ORDER BY record"):
        members.setdefault(str(entity), []).append(int(record))
    names = list(members)
    for first in range(0, len(names), _PART):
        part = names[first : first + _PART]
        numbers = sorted(number for name in part for number in members[name])
        rows = dict(zip(numbers, record_table(base, numbers).to_pylist(), strict=True))
        for name in part:
            about = _entity(name, schema, [rows[number] for number in members[name]], places, columns)
            yield json.dumps(about, ensure_ascii=False) + "\n"


def _property(column: str) -> str | None:
    for name, pattern in _PROPERTIES.items():
        if re.fullmatch(pattern, column.lower().replace("-", "_")):
            return name
    return None


def _entity(
    name: str, schema: str, rows: list[dict[str, object]], places: dict[str, str], columns: list[str]
) -> dict[str, object]:
    found: dict[str, dict[str, None]] = {}

    def keep(name: str, value: object) -> None:
        found.setdefault(name, {})[str(value)] = None

    for row in rows:
        there = {column: row[column] for column in columns if row.get(column) not in (None, "")}
        address = [column for column in there if places.get(column) == "address"]
        for column, value in there.items():
            if column not in address:
                keep(places.get(column, "notes"), value if column in places else f"{column}: {value}")
        if address:
            ordered = sorted(address, key=lambda c: next((i for i, w in enumerate(_ORDER) if w in c.lower()), 99))
            keep("address", ", ".join(str(there[column]) for column in ordered))
        parts = [str(there[c]) for p in ("firstName", "lastName") for c in there if places.get(c) == p]
        if parts and not any(places.get(column) == "name" for column in there):
            keep("name", " ".join(parts))
    properties = {each: list(values) for each, values in found.items()}
    return {"id": name, "schema": schema, "properties": properties, "referents": [str(row["id"]) for row in rows]}
