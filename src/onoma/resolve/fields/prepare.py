"""From a table to fields that can be compared."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.numerics.memory import LARGE
from onoma.numerics.parts import n_threads
from onoma.resolve.fields.columns import TextColumn, holds_numbers, read_texts
from onoma.resolve.fields.field import Codes, FieldData, Kind
from onoma.resolve.fields.infer import Inferred, infer_kind
from onoma.resolve.fields.joint import find_points, join_points, points_by_values, without_own_name
from onoma.resolve.fields.kinds import IGNORE, VECTOR, check_kind, find_kind
from onoma.resolve.fields.kinds.serial import CODES
from onoma.resolve.fields.kinds.vector import VectorComparison, encode_vectors
from onoma.resolve.fields.missing import DisguisedMissing, all_by_form, bare_years, by_frequency, says_one_thing
from onoma.resolve.fields.packed.texts import ArrowTexts
from onoma.resolve.fields.profile import Profile

__all__ = ["Fields", "Ignored", "prepare_fields"]

_CHOSEN = "it was so chosen"
_OWN = "its levels were given"
_WORDED = ("person", "organisation", "place", "text", "set")
"""Kinds of what is said in words, which default values of codes do not go with."""
_MANY_ROWS = 20_000
"""From so many on threads pay: Arrow and kernels work beside the interpreter."""


class Ignored(NamedTuple):
    """A column that is no evidence, and why."""

    name: str
    reason: str


class Fields(NamedTuple):
    """A table prepared for comparison.

    Parameters
    ----------
    fields
        The columns that are evidence.
    ignored
        The others.
    missing_report
        Values that were taken for missing ones.
    """

    fields: list[FieldData]
    ignored: list[Ignored]
    missing_report: list[DisguisedMissing]


class _Typed(NamedTuple):
    """A column of texts with its kind."""

    column: TextColumn
    inferred: Inferred
    own: object = None
    """Where the kind is described by a table: that."""

    @property
    def kind(self) -> Kind:
        """How its values are written and compared."""
        return find_kind(self.inferred.kind if self.own is None else self.own)


def prepare_fields(
    table: pa.Table, *, kinds: Mapping[str, object] | None = None, exclude: Iterable[str] = ()
) -> Fields:
    """Infer the kind of each column and make its values comparable.

    Parameters
    ----------
    table
        The records.
    kinds
        Kinds by column where the inferred one is not wanted: `{"title": "text"}`; by name, or as tables of levels.
    exclude
        Columns to leave out without a word: the id, the source, the truth.

    Examples
    --------
    >>> table = pa.table({"surname": ["Smith", "Smyth", "n/a"], "dob": ["1990-01-02", "1990-02-01", "1985-05-05"]})
    >>> fields, ignored, missing = prepare_fields(table)
    >>> [(field.name, field.kind, field.reason) for field in fields]
    [('surname', 'person', "its name says 'surname'"), ('dob', 'date', '100% of its values can be read as dates')]
    >>> dob = fields[1]
    >>> dob.levels[dob.compare(dob.codes[:1], dob.codes[1:2])[0]]
    'day and month swapped'
    >>> missing[0]
    DisguisedMissing(column='surname', value='n/a', n_records=1, why="says 'n/a'")
    """
    chosen = dict(kinds or {})
    _check_columns(table, chosen)
    left_out = set(exclude)
    typed, ignored = _read(table.drop_columns([name for name in table.column_names if name in left_out]), chosen)
    report: list[DisguisedMissing] = []
    fields: list[FieldData] = []
    for made, gone in _prepared(_without_own_names(typed)):
        report.extend(gone)
        if isinstance(made, FieldData):
            made = _unless_repeated(made, fields)
        if isinstance(made, FieldData):
            fields.append(made)
        else:
            ignored.append(made)
    return Fields(fields, ignored, report)


def _check_columns(table: pa.Table, kinds: Mapping[str, object]) -> None:
    for name, kind in kinds.items():
        if name not in table.column_names:
            names = ", ".join(map(repr, table.column_names))
            said = f"{kind!r}" if isinstance(kind, str) else "of a kind of its own"
            raise SettingsError(f"there is no column {name!r} to be {said}", hint=f"The columns are {names}.")
        check_kind(kind, name)


def _read(table: pa.Table, chosen: Mapping[str, object]) -> tuple[list[_Typed | FieldData], list[Ignored]]:
    """Give every column its kind; vectors are fields at once."""
    typed: list[_Typed | FieldData] = []
    ignored: list[Ignored] = []
    texts = _texts_of(
        table,
        [
            name
            for name in table.column_names
            if chosen.get(name) not in (IGNORE, VECTOR) and (name in chosen or not holds_numbers(table[name].type))
        ],
    )
    partners = _partners({name: column for name, column in texts.items() if column and name not in chosen})
    joined: set[str] = set()
    for name in table.column_names:
        if name in joined:
            continue
        points = _read_points(texts[name], texts[partners[name]]) if name in partners else None
        if points is not None:
            joined.add(partners[name])
            typed = [one for one in typed if isinstance(one, FieldData) or one.column.name != partners[name]]
        made = points or _read_column(table[name], texts.get(name), name, chosen.get(name))
        if isinstance(made, Ignored):
            ignored.append(made)
        else:
            typed.append(made)
    return typed, [each for each in ignored if each.name not in joined]


def _texts_of(table: pa.Table, names: Sequence[str]) -> dict[str, TextColumn | None]:
    """Read columns as texts, several of a large table at a time."""
    if len(table) < LARGE:
        return {name: read_texts(table[name], name) for name in names}
    with ThreadPoolExecutor(n_threads()) as pool:
        return dict(zip(names, pool.map(lambda name: read_texts(table[name], name), names), strict=True))


def _partners(texts: Mapping[str, TextColumn]) -> dict[str, str]:
    """Return the longitude of each latitude: by their names, else by their values."""
    named = dict(find_points(list(texts)))
    found = None if named else points_by_values(list(texts.values()))
    return named if found is None else dict([found])


def _read_points(latitude: TextColumn | None, longitude: TextColumn | None) -> _Typed | None:
    points = join_points(latitude, longitude) if latitude is not None and longitude is not None else None
    return None if points is None else _Typed(points, Inferred("geo", "its columns are latitudes and longitudes"))


def _read_column(
    column: pa.ChunkedArray, texts: TextColumn | None, name: str, kind: object
) -> _Typed | FieldData | Ignored:
    if kind == IGNORE:
        return Ignored(name, _CHOSEN)
    if kind == VECTOR or (kind is None and holds_numbers(column.type)):
        return _prepare_vectors(column, name, _CHOSEN if kind else "its values are lists of numbers")
    if texts is None:
        return Ignored(name, f"it holds {column.type}, which is not compared")
    if kind is not None and not isinstance(kind, str):
        return _Typed(texts, Inferred(find_kind(kind).name, _OWN), kind)
    inferred = Inferred(kind, _CHOSEN) if kind else _infer(texts)
    return Ignored(name, inferred.reason) if inferred.kind == IGNORE else _Typed(texts, inferred)


def _infer(column: TextColumn) -> Inferred:
    """Infer a kind from the values that are not missing in disguise."""
    raw, counts = column.raw, column.counts()
    gone = all_by_form(raw, "text", column.suspects)
    if gone:
        kept = _others(len(raw), gone)
        raw, counts = _taken(raw, kept), counts[kept]
    return infer_kind(column.name, Profile(raw, counts, len(column.codes)))


def _others(n: int, gone: Iterable[int]) -> NDArray[np.int64]:
    """Return the places 0 … n - 1 but for some."""
    kept = np.ones(n, dtype=np.bool_)
    kept[list(gone)] = False
    return np.flatnonzero(kept)


def _taken(texts: Sequence[str], places: NDArray[np.int64]) -> Sequence[str]:
    return texts.take(places) if isinstance(texts, ArrowTexts) else [texts[i] for i in places.tolist()]


def _without_own_names(typed: Sequence[_Typed | FieldData]) -> list[_Typed | FieldData]:
    """Take the name a record is about out of its lists of names."""
    people = [one.column for one in typed if isinstance(one, _Typed) and one.inferred.kind == "person"]
    return [_without_own(one, people) if isinstance(one, _Typed) else one for one in typed]


def _without_own(one: _Typed, people: Sequence[TextColumn]) -> _Typed:
    if one.inferred.kind != "set":
        return one
    for person in people:
        left = without_own_name(one.column, person)
        if left is not None:
            reason = f"{one.inferred.reason}; the name in {person.name!r} is left out of it"
            return _Typed(left, Inferred("set", reason))
    return one


def _prepared(typed: Sequence[_Typed | FieldData]) -> Iterator[tuple[FieldData | Ignored, list[DisguisedMissing]]]:
    """Yield each column as a field, and what of it was taken for missing: two columns at a time where rows are many."""
    rows = max((len(one.codes if isinstance(one, FieldData) else one.column.codes) for one in typed), default=0)
    # Placeholders go together: a code, a date or a copy of the column says nothing of it.
    said = [one.column for one in typed if isinstance(one, _Typed) and one.inferred.kind in _WORDED]
    others = [[each.codes for each in said if not isinstance(one, _Typed) or each is not one.column] for one in typed]
    if rows < _MANY_ROWS:
        yield from map(_prepare, typed, others)
        return
    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(_prepare, typed, others)


def _prepare(one: _Typed | FieldData, others: Sequence[Codes]) -> tuple[FieldData | Ignored, list[DisguisedMissing]]:
    """Write values in one way, put missing ones aside (and report them), number the rest.

    Parameters
    ----------
    others
        The values of each record in the other columns of words, as numbers.
    """
    if isinstance(one, FieldData):
        return one, []
    column, kind = one.column, one.inferred.kind
    raw, counts = column.raw, column.counts()
    reasons = all_by_form(raw, kind, column.suspects)
    gone = [DisguisedMissing(column.name, raw[i], int(counts[i]), reason) for i, reason in reasons.items()]
    kept = _others(len(raw), reasons)
    written = one.kind.normalise(_taken(raw, kept) if reasons else raw)
    if kind == "date":
        written, found = _with_bare_years(column.name, written, counts[kept], int(counts.sum()))
        gone += found
    values, number = _number(written)
    place = np.full(len(raw), -1, np.int32)
    place[kept] = number
    totals = np.bincount(place[place >= 0], counts[place >= 0], minlength=len(values)).astype(np.int64)
    for code, reason in by_frequency(values, totals, kind).items():
        if kind in CODES and says_one_thing(np.append(place, -1)[column.codes] == code, others):
            continue
        gone.append(DisguisedMissing(column.name, values[code], int(totals[code]), reason))
        place[place == code] = -1
    return _finish(one, values, place), sorted(gone, key=lambda found: -found.n_records)


def _with_bare_years(
    name: str, written: Sequence[str], counts: NDArray[np.int64], n_records: int
) -> tuple[Sequence[str], list[DisguisedMissing]]:
    """Take a first of January for a year alone where too many dates are on that day."""
    bare = bare_years(written, counts)
    if bare is None:
        return written, []
    n = int(counts[[date != year for date, year in zip(written, bare, strict=True)]].sum())
    why = f"is the date in {n / n_records:.0%} of records, and is taken for the year alone"
    return bare, [DisguisedMissing(name, "1 January", n, why)]


def _number(written: Sequence[str]) -> tuple[Sequence[str], Codes]:
    """Return the distinct written forms, and for each text which of them it is (-1: it is empty)."""
    if isinstance(written, ArrowTexts):
        filled = pc.if_else(pc.equal(written.array, ""), pa.scalar(None, written.array.type), written.array)
        encoded = filled.dictionary_encode()
        return ArrowTexts(encoded.dictionary), np.asarray(encoded.indices.fill_null(-1), dtype=np.int32)
    known: dict[str, int] = {}
    place = [known.setdefault(text, len(known)) if text else -1 for text in written]
    return list(known), np.array(place, np.int32)


def _finish(one: _Typed, values: Sequence[str], place: Codes) -> FieldData | Ignored:
    """Number the values that are left anew, and make them comparable."""
    column, (kind, reason) = one.column, one.inferred
    first = np.full(len(values), -1)
    raw = np.flatnonzero(place >= 0)
    first[place[raw[::-1]]] = raw[::-1]  # of several the last stays
    used = np.flatnonzero(first >= 0)
    if len(used) < 2:
        return Ignored(column.name, "without missing values it has less than two different values")
    number = np.full(len(values) + 1, -1, np.int32)  # the last is where -1 points
    number[used] = np.arange(len(used), dtype=np.int32)
    # A record without a text points at the last, and that at the last again.
    codes = number[np.append(place, -1)[column.codes]]
    counts = np.bincount(codes[codes >= 0], minlength=len(used)).astype(np.int64)
    remaining = values if len(used) == len(values) else _taken(values, used)
    examples = _taken(column.raw, first[used])
    comparison = one.kind.prepare(remaining, counts)
    if len(codes) <= LARGE:  # as objects they are sooner at hand, and there is room for them
        remaining, examples = list(remaining), list(examples)
    return FieldData(column.name, kind, reason, column.columns, remaining, examples, codes, counts, comparison)


def _prepare_vectors(column: pa.ChunkedArray, name: str, reason: str) -> FieldData | Ignored:
    rows, codes = encode_vectors(column, name)
    if len(rows) < 2:
        return Ignored(name, "without missing values it has less than two different values")
    counts = np.bincount(codes[codes >= 0], minlength=len(rows)).astype(np.int64)
    shown = [f"[{row[0]:.4g}, … {len(row)} numbers]" for row in rows]
    return FieldData(name, VECTOR, reason, (name,), shown, shown, codes, counts, VectorComparison(rows))


def _unless_repeated(field: FieldData, earlier: list[FieldData]) -> FieldData | Ignored:
    """Refuse a field that says of every record what another one says, in the same words or in others.

    In other words (m and male) is a repetition only where values are shared: columns of values that are all different
    part the records in the same way without having to do with each other.
    """
    shared = 2 * len(field.values) <= field.counts.sum()
    for other in earlier:
        same = len(other.values) == len(field.values) and np.array_equal(other.codes, field.codes)
        if same and (shared or other.values == field.values):
            return Ignored(field.name, f"it repeats {other.name!r}")
    return field
