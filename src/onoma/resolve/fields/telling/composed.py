"""Whole records in one column, taken apart into fields.

A person with address and birthday, a reference, a product with brand, model and size may stand in one text. Compared as
one, there is nothing to learn from (`lone.py`); taken apart, there is: where one part agrees, what the others do tells
copies from strangers. It is done in two ways, and the checks say whether either is to be trusted (`resolve/api.py`).

*By halves*: figures, the first half of the words, and the other half. No order of fields is needed, and none is found.

*By fields*: parts stand between delimiters where most values have one, else they are words. Which field a part is of, a
chain of fields tells: fields follow each other in one order, any may be missing and any may have several parts. A part
is known by its form (4-2-2, a@a.a) and by its words: one that was seen in a field is likely to be of it, and one that
was not is the likelier the more of the field's words are new (Witten and Bell). Fields begin as equal stretches of the
values; parts are given to fields, and fields learn from their parts, in turn (Viterbi training). No part speaks for
itself.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.prepare import Fields, prepare_fields
from onoma.resolve.fields.writing import fold

__all__ = ["Composed", "composed_field", "fields_apart", "take_apart"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_DELIMITERS = ("\t", "|", ";", ",")
_MOST, _FEWEST = 0.8, 2.5
"""The share of values with a delimiter, and the parts of a value in the mean, from which on it parts fields: by
meaning, a record has three fields, and some lack one."""
_WORDS, _MOST_WORDS, _FIGURES, _YEARS = 4.0, 60.0, 0.5, 100
"""Words of a value in the mean, within which it may be a record (fewer are a name or a title, more a document); the
share of values with a figure, where nothing else parts fields; and how many different ones there must be, as equally
frequent ones: years, ages and the numbers of a series, which titles have, are up to a hundred, while birthdays,
telephone numbers and codes are more."""
_NO_WORDS = ("date", "number", "geo", "vector", "category")
"""Kinds of which a value is not what is written."""
_FIELDS, _FIELDS_OF_WORDS = 8, 4
"""Fields at most, where a delimiter parts them and where a space does: what a word is of is told less surely."""
_ROUNDS, _PARTS = 12, 24
"""Of Viterbi training, which ends sooner if nothing changes; and parts of a value, the last of which holds the rest."""


class Composed(NamedTuple):
    """A column of whole records.

    Parameters
    ----------
    columns
        What was found, by name: one text for each value, None where it does not have it.
    how
        In words, for people.
    """

    columns: dict[str, list[str | None]]
    how: str


def composed_field(fields: Sequence[FieldData], chosen: Sequence[str] = ()) -> FieldData | None:
    """Return the one field of a table, if its values are whole records and nobody has chosen its kind."""
    if len(fields) != 1 or set(fields[0].columns) & set(chosen) or len(fields[0].columns) != 1:
        return None
    if fields[0].kind in _NO_WORDS:  # rows of one date would share all that stands beside it in one of them
        return None
    values = fields[0].examples
    words = np.mean([len(fold(value).split()) for value in values])
    return fields[0] if _WORDS <= words <= _MOST_WORDS and (_has_figures(values) or _is_delimited(fields[0])) else None


def _has_figures(values: Sequence[str]) -> bool:
    """Say whether most values have figures, and such as tell a record."""
    figures = [" ".join(word for word in value.split() if any(map(str.isdigit, word))) for value in values]
    counts = np.unique([each for each in figures if each], return_counts=True)[1].astype(np.float64)
    pairs, same = counts.sum() * (counts.sum() - 1.0), (counts * (counts - 1.0)).sum()
    return bool(counts.sum() >= _FIGURES * len(values) and same * _YEARS <= pairs)


def _is_delimited(field: FieldData) -> bool:
    """Say whether a delimiter parts the values: such texts are records, while words and figures may be a title."""
    return _parted(field.examples)[0] != " "


def fields_apart(field: FieldData) -> list[tuple[Fields, str]]:
    """Return the fields that a column of whole records is taken apart into, in each of the two ways, and how."""
    found = []
    for way in take_apart(list(field.examples)):
        table = pa.table(
            {
                f"{field.name}: {name}": pa.array(texts, pa.string()).take(pa.array(field.codes, mask=field.codes < 0))
                for name, texts in way.columns.items()
            }
        )
        fields = prepare_fields(table, kinds={name: "text" for name in table.column_names if not name[-1].isdigit()})
        own = [_of(each, field) for each in fields.fields]
        if len(own) > 1:
            found.append((fields._replace(fields=own), way.how))
    return found


def take_apart(values: Sequence[str]) -> list[Composed]:
    """Return whole records taken apart in two ways: by halves, and by fields.

    Examples
    --------
    >>> halves, fields = take_apart(["Ann Lee, Rome, 1980", "Bo Ray, 1981", "Cy Moe, Oslo, 1979", "Di Orr, Oslo, 1983"])
    >>> [texts[1] for texts in halves.columns.values()]
    ['1981', 'Bo', 'Ray,']
    >>> [texts[0] for texts in fields.columns.values()]
    ['Ann Lee', 'Rome', '1980']
    """
    by, parts = _parted(values)
    n_parts = np.array([len(each) for each in parts], np.int64)
    n_fields = int(min(np.quantile(n_parts, 0.95), _FIELDS_OF_WORDS if by == " " else _FIELDS))
    ways = [_halves(values)]
    if n_fields > 1:
        state = _chain(parts, n_parts, n_fields)
        columns = _by_field(parts, state, n_fields, f"{by} " if by in ",;" else by)
        told = "words" if by == " " else f"what stands between {by!r}"
        ways.append(Composed(columns, f"{told}, as {n_fields} fields"))
    return ways


def _halves(values: Sequence[str]) -> Composed:
    columns: dict[str, list[str | None]] = {"figures": [], "first words": [], "other words": []}
    for value in values:
        words = value.split()
        figured = [any(map(str.isdigit, word)) for word in words]
        plain = [word for word, has in zip(words, figured, strict=True) if not has]
        half = (len(plain) + 1) // 2
        figures = [word for word, has in zip(words, figured, strict=True) if has]
        for name, some in zip(columns, (figures, plain[:half], plain[half:]), strict=True):
            columns[name].append(" ".join(some) or None)
    return Composed(columns, "figures, the first half of the words and the other")


def _by_field(parts: Sequence[Sequence[str]], state: Ints, n_fields: int, joint: str) -> dict[str, list[str | None]]:
    found: list[list[str | None]] = [[] for _ in range(n_fields)]
    ends = np.cumsum([len(each) for each in parts])
    for each, end in zip(parts, ends.tolist(), strict=True):
        here = state[end - len(each) : end].tolist()
        for k in range(n_fields):
            found[k].append(joint.join(part for part, of in zip(each, here, strict=True) if of == k) or None)
    return {f"part {k + 1}": texts for k, texts in enumerate(found)}


def _of(part: FieldData, field: FieldData) -> FieldData:
    return replace(part, columns=field.columns)


def _parted(values: Sequence[str]) -> tuple[str, list[list[str]]]:
    """Return what parts the values, and their parts."""
    for sign in _DELIMITERS:
        parts = [[part.strip() for part in value.split(sign) if part.strip()] for value in values]
        several = np.array([len(each) for each in parts])
        if (several > 1).mean() >= _MOST and several.mean() >= _FEWEST:
            return sign, [_cut(each, sign) for each in parts]
    return " ", [_cut(value.split(), " ") for value in values]


def _cut(parts: list[str], sign: str) -> list[str]:
    return parts if len(parts) <= _PARTS else [*parts[: _PARTS - 1], sign.join(parts[_PARTS - 1 :])]


def _chain(parts: list[list[str]], n_parts: Ints, n_fields: int) -> Ints:
    """Return the field of each part, parts of all values one after another."""
    flat = [part for each in parts for part in each]
    total = len(flat)
    row = np.repeat(np.arange(len(parts)), n_parts)
    place = np.arange(total) - np.repeat(np.cumsum(n_parts) - n_parts, n_parts)
    forms = _numbered([_form(part) for part in flat])
    folded = [fold(part).split()[:12] or [""] for part in flat]
    owner = np.repeat(np.arange(total), [len(each) for each in folded])
    words = _numbered([word for each in folded for word in each])
    share = 1.0 / np.bincount(owner, minlength=total)[owner]
    state = (place * n_fields // np.maximum(n_parts[row], 1)).astype(np.int64)
    width = int(n_parts.max(initial=0))
    for _ in range(_ROUNDS):
        seen = _log_shares(forms, np.arange(total), state, n_fields, np.ones(total), total)
        seen += _log_shares(words, owner, state, n_fields, share, total)
        emission = np.full((len(parts), width, n_fields), 0.0)
        emission[row, place] = seen
        found = _viterbi(emission, n_parts, _moves(state, place, n_fields))[row, place]
        if np.array_equal(found, state):
            break
        state = found
    return state


def _log_shares(items: Ints, owner: Ints, state: Ints, n_fields: int, weight: Floats, total: int) -> Floats:
    """Return log P(what a part shows | field) less that under all fields, each part left out of its own field."""
    n_items = int(items.max(initial=-1)) + 1
    mine = state[owner]
    counts = np.bincount(items * n_fields + mine, minlength=n_items * n_fields).reshape(n_items, n_fields)
    overall = (counts.sum(axis=1) + 1.0) / (counts.sum() + n_items)
    kinds = (counts > 0).sum(axis=0) + 1.0  # Witten and Bell: what is new is as likely as something new was so far
    sums = counts.sum(axis=0).astype(np.float64)
    here = counts[items].astype(np.float64)
    here[np.arange(len(items)), mine] -= 1.0
    found = np.log((here / overall[items][:, None] + kinds) / (sums + kinds))
    result = np.zeros((total, n_fields))
    np.add.at(result, owner, found * weight[:, None])
    return result


def _moves(state: Ints, place: Ints, n_fields: int) -> Floats:
    """Return log P(next field | field); the last row is where a value begins. Fields never go back."""
    counts = np.triu(np.ones((n_fields, n_fields)))
    counts = np.vstack([counts, np.ones(n_fields)])
    follows = np.flatnonzero(place > 0)
    np.add.at(counts, (state[follows - 1], state[follows]), 1.0)
    np.add.at(counts[-1], state[place == 0], 1.0)
    with np.errstate(divide="ignore"):
        return np.log(counts / counts.sum(axis=1, keepdims=True))


def _viterbi(emission: Floats, n_parts: Ints, moves: Floats) -> Ints:
    """Return the likeliest fields of the parts of each value."""
    n, width, k = emission.shape
    best = emission[:, 0] + moves[-1]
    came = np.zeros((n, width, k), np.int64)
    ends = best.copy()
    for at in range(1, width):
        ways = best[:, :, None] + moves[None, :k]
        came[:, at] = ways.argmax(axis=1)
        best = ways.max(axis=1) + emission[:, at]
        last = n_parts == at + 1
        ends[last] = best[last]
    found = np.zeros((n, width), np.int64)
    rows = np.arange(n)
    now = ends.argmax(axis=1)
    for at in range(width - 1, -1, -1):
        inside = at < n_parts
        begins = at == n_parts - 1
        now = np.where(begins, ends.argmax(axis=1), now)
        found[inside, at] = now[inside]
        if at:
            back = came[rows, at, now]
            now = np.where(inside, back, now)
    return found


_LETTERS, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")


def _form(part: str) -> str:
    """Return the form of a part: figures by how many there are, letters as one, words by how many there are."""
    if "@" in part:
        return "@"
    if any(sign.isdigit() for sign in part):
        form = _LETTERS.sub("a", part)
        return _DIGITS.sub(lambda found: str(min(len(found[0]), 9)), form)[:12]
    n = len(part.split())
    return f"{'.' if '.' in part else ''}{n if n < 3 else 3 if n < 5 else 5}"


def _numbered(items: Sequence[str]) -> Ints:
    known: dict[str, int] = {}
    return np.array([known.setdefault(item, len(known)) for item in items], np.int64)
