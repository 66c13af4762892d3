"""An entity list: entries, what they are called, how often a name means which of them, their types and descriptions."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError

__all__ = ["EntityList", "entity_rows_of_json", "read_entity_json"]

_ENTRY = ("entry", "title", "entity", "wikipedia_title", "link", "id")
_ALIAS = ("alias", "mention", "name", "surface", "label")
_WEIGHT = ("prior", "count", "weight", "mentions", "probability")
"""What columns are called, the likeliest first."""


@dataclass(frozen=True, eq=False)
class EntityList:
    """Entries by number, aliases by number, and which alias means which entry.

    Parameters
    ----------
    entries
        Their ids or titles, each once.
    aliases
        As written, each once.
    offsets, targets, weights
        The entries of alias a are `targets[offsets[a]:offsets[a + 1]]`; weights are counts or priors, heaviest first.
    types, descriptions
        Of each entry; empty where nothing is known.

    Examples
    --------
    >>> names, entries = ["Paris", "Paris", "Lutetia"], ["Q90", "Q830149", "Q90"]
    >>> rows = pa.table({"alias": names, "entry": entries, "count": [9, 1, 2]})
    >>> found = EntityList.of(rows)
    >>> found.entries, found.aliases
    (['Q830149', 'Q90'], ['Lutetia', 'Paris'])
    >>> found.meanings("Paris")
    [('Q90', 0.9), ('Q830149', 0.1)]
    """

    entries: Sequence[str]
    aliases: Sequence[str]
    offsets: NDArray[np.int64]
    targets: NDArray[np.int32]
    weights: NDArray[np.float32]
    types: Sequence[str]
    descriptions: Sequence[str]

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"EntityList({len(self.entries):,} entries, {len(self.aliases):,} aliases)"

    def meanings(self, alias: str) -> list[tuple[str, float]]:
        """Return the entries that an alias means, as written, with their shares."""
        at = int(np.searchsorted(np.asarray(self.aliases, dtype=object), alias))
        if at >= len(self.aliases) or self.aliases[at] != alias:
            return []
        inside = slice(int(self.offsets[at]), int(self.offsets[at + 1]))
        shares = self.weights[inside] / self.weights[inside].sum()
        pairs = zip(self.targets[inside].tolist(), shares.tolist(), strict=True)
        return [(self.entries[entry], round(share, 6)) for entry, share in pairs]

    @classmethod
    def of(cls, table: pa.Table) -> "EntityList":
        """Build a list from rows: alias, entry, and where known count or prior, type, description.

        An entry is its own alias too (`Barack_Obama` by the name "Barack Obama"), unless it is a mere number of a
        catalogue (`Q76`).
        """
        columns = {name: _column(table, names) for name, names in (("entry", _ENTRY), ("alias", _ALIAS))}
        entries = _texts(table, columns["entry"], "entry")
        aliases = _texts(table, columns["alias"] or columns["entry"], "alias")
        weight = _column(table, _WEIGHT)
        weights = [1.0] * len(entries) if weight is None else table[weight].cast(pa.float64()).to_pylist()
        of_entry = {name: _facts(table, name, entries) for name in ("type", "description")}
        return cls.build(zip(aliases, entries, weights, strict=True), of_entry["type"], of_entry["description"])

    @classmethod
    def build(
        cls,
        rows: Iterable[tuple[str, str, float | None]],
        types: Mapping[str, str] | None = None,
        descriptions: Mapping[str, str] | None = None,
    ) -> "EntityList":
        """Build a list from (alias, entry, weight)."""
        summed: dict[tuple[str, str], float] = {}
        for alias, entry, weight in rows:
            if alias and entry:
                key = (" ".join(alias.split()), entry)
                summed[key] = summed.get(key, 0.0) + float(1.0 if weight is None else weight)
        for entry in {entry for _, entry in summed} | set(types or ()) | set(descriptions or ()):
            title = _title(entry)
            if title:
                summed.setdefault((title, entry), 1e-3)
        ordered = sorted(summed.items(), key=lambda each: (each[0][0], -each[1], each[0][1]))
        entries = sorted({entry for _, entry in summed})
        number = {entry: at for at, entry in enumerate(entries)}
        aliases = list(dict.fromkeys(alias for (alias, _), _ in ordered))
        place = {alias: at for at, alias in enumerate(aliases)}
        owner = np.array([place[alias] for (alias, _), _ in ordered], np.int64)
        return cls(
            entries,
            aliases,
            np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(aliases)))]).astype(np.int64),
            np.array([number[entry] for (_, entry), _ in ordered], np.int32),
            np.array([weight for _, weight in ordered], np.float32),
            [(types or {}).get(entry, "") for entry in entries],
            [(descriptions or {}).get(entry, "") for entry in entries],
        )


def read_entity_json(path: Path) -> pa.Table:
    """Read entries as Wikidata writes them, one JSON object a line: id, labels, aliases, descriptions."""
    rows: list[dict[str, Any]] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip().rstrip(",") in ("", "[", "]"):
                continue
            try:
                rows += entity_rows_of_json(json.loads(line.strip().rstrip(",")))
            except (ValueError, TypeError, AttributeError, KeyError) as error:
                raise DataError(f"is no entry as Wikidata writes it: {error}", file=path, row=number) from error
    return pa.Table.from_pylist(rows)


def entity_rows_of_json(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the aliases of an entry, of all languages, as rows.

    Examples
    --------
    >>> paris = {"id": "Q90", "labels": {"en": {"value": "Paris"}}, "aliases": {"la": [{"value": "Lutetia"}]}}
    >>> [(row["alias"], row["entry"]) for row in entity_rows_of_json(paris)]
    [('Paris', 'Q90'), ('Lutetia', 'Q90')]
    """
    if "labels" not in entry:
        return [dict(entry)]
    names = [each["value"] for each in entry["labels"].values()]
    names += [each["value"] for some in entry.get("aliases", {}).values() for each in some]
    told = entry.get("descriptions", {})
    description = (told.get("en") or next(iter(told.values()), {"value": ""}))["value"]
    weight = float(entry.get("count", 1.0))
    kind = str(entry.get("type", ""))
    return [
        {"alias": name, "entry": entry["id"], "count": weight, "type": kind, "description": description}
        for name in dict.fromkeys(names)
    ]


def _column(table: pa.Table, names: Sequence[str]) -> str | None:
    lower = {name.lower(): name for name in reversed(table.column_names)}
    return next((lower[name] for name in names if name in lower), None)


def _texts(table: pa.Table, column: str | None, what: str) -> list[str]:
    if column is None:
        raise DataError(
            f"the entity list has no column of {'entries' if what == 'entry' else 'aliases'}; "
            f"it has {', '.join(table.column_names)}",
            hint="Columns: alias, entry (or title), and count or prior, type, description where they are known.",
        )
    return ["" if value is None else str(value) for value in table[column].to_pylist()]


def _facts(table: pa.Table, name: str, entries: Sequence[str]) -> dict[str, str]:
    column = _column(table, (name, f"{name}s"))
    if column is None:
        return {}
    values = table[column].to_pylist()
    return {entry: str(value) for entry, value in zip(entries, values, strict=True) if entry and value}


def _title(entry: str) -> str:
    """Return an entry's id as a name; empty where it is a number of a catalogue."""
    if entry[:1].isalpha() and entry[1:].isdecimal():
        return ""
    plain = entry.replace("_", " ").strip()
    return plain.partition(" (")[0] if plain.endswith(")") else plain
