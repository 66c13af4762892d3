"""Kinds of people's own: how values of a column are written, compared and blocked, in their words.

A kind of one's own is ordered levels, each a condition on two values: a Python function of two texts, or SQL over `a`
and `b`. The first that holds is the level of a pair; equal values are level 0, and where none holds the values are
`different`. A condition that holds in either order holds. What each level weighs is learnt, as of any other kind.

It comes as a table (from TOML), as a small class with the same names, or as a function:

    levels      {name: condition}, or a list of conditions
    normalise   how a value is written: a function of a text, or SQL over `x`; without it, in small letters
    keys        what similar values are likely to share: a function that gives texts, or expressions of SQL over `x`;
                without it, words and trigrams

A function of two texts that gives a number between 0 and 1 is a similarity, and cut into levels.

Cost: SQL is run by DuckDB over all distinct pairs at once; a Python function is called once for each distinct pair and
level, about a microsecond and whatever it does.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.resolve.fields.features import Features, FeaturesBuilder, trigrams
from onoma.resolve.fields.field import Codes, Kind, Levels

__all__ = ["CUSTOM", "CustomComparison", "CustomKind", "custom_kind"]

CUSTOM = "custom"
"""What a kind is called that is given as a table without a name."""
CUTS = (0.95, 0.85, 0.70, 0.50)
"""Where a similarity is cut: fine enough to learn from, coarse enough to have pairs in each."""
_MOST_LEVELS = 30
_PARTS = ("levels", "normalise", "keys", "name")

Condition = str | Callable[[str, str], object]
"""SQL over `a` and `b`, or a function of two texts that says whether it holds."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CustomKind:
    """A kind of somebody's own.

    Parameters
    ----------
    name
        The word by which people choose this kind.
    conditions
        Conditions by the names of their levels, in order; those between `equal` and `different`.
    write
        How a value is written.
    keys
        What similar values are likely to share; None: words and trigrams.
    """

    name: str
    conditions: Mapping[str, Condition]
    write: str | Callable[[str], object] | None = None
    keys: Sequence[str] | Callable[[str], Iterable[str]] | None = None
    similarity: Callable[[str, str], float] | None = None
    """Given in place of conditions: cut at `CUTS`."""

    def __post_init__(self) -> None:
        what = f"of the kind {self.name!r}"
        if not 1 <= len(self.conditions) <= _MOST_LEVELS and self.similarity is None:
            raise SettingsError(f"the kind {self.name!r} has {len(self.conditions)} levels; it has 1 to {_MOST_LEVELS}")
        for level, condition in self.conditions.items():
            if isinstance(condition, str):
                _check([condition], ("a", "b"), f"the level {level!r} {what}")
        if isinstance(self.write, str):
            _check([self.write], ("x",), f"normalise {what}")
        if self.keys is not None and not callable(self.keys):
            _check(self.keys, ("x",), f"a key {what}")

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the levels, from `equal` to `different`."""
        between = [f"≥ {cut:.2f}" for cut in CUTS] if self.similarity is not None else self.conditions
        return ("equal", *between, "different")

    def normalise(self, raw: Sequence[str]) -> list[str]:
        """Write distinct values in one way; an empty text where nothing is left."""
        raw = list(raw)
        if self.write is None:
            return [" ".join(text.lower().split()) for text in raw]
        what = f"normalise of the kind {self.name!r}"
        if isinstance(self.write, str):
            return [text or "" for text in _evaluated([self.write], raw, what)[0]]
        return [_texts_of(_called(self.write, what, text), what)[0] for text in raw]

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> "CustomComparison":
        """Nothing needs preparing."""
        del counts
        return CustomComparison(self, list(values))


@dataclass(frozen=True, eq=False)
class CustomComparison:
    """Values compared by the levels of somebody's own kind."""

    kind: CustomKind
    values: list[str]
    _texts: pa.Array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_texts", pa.array(self.values, pa.string()))

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the levels."""
        return self.kind.levels

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        if self.kind.similarity is not None:
            return self._cut(a, b, self.kind.similarity)
        conditions = [*self.kind.conditions.values()]
        what = f"the levels of the kind {self.kind.name!r}"
        found = np.full(len(a), len(conditions), dtype=np.int8)
        at = 0
        while at < len(conditions):
            end = at + 1
            while isinstance(conditions[at], str) and end < len(conditions) and isinstance(conditions[end], str):
                end += 1  # SQL is asked for all levels in a row at once
            left = np.flatnonzero(found == len(conditions))
            held = self._held(conditions[at:end], a[left], b[left], what)
            found[left[held < end - at]] = held[held < end - at] + at
            at = end
        return (found + 1).astype(np.int8)

    def _held(self, conditions: Sequence[Condition], a: Codes, b: Codes, what: str) -> Levels:
        """Return the first of some conditions that holds for each pair: several of SQL, or one function."""
        texts = [each for each in conditions if isinstance(each, str)]
        if texts:
            from onoma.corpus.store import first_holding  # DuckDB, as below

            return first_holding(texts, self._texts.take(pa.array(a)), self._texts.take(pa.array(b)), what)
        (function,) = (each for each in conditions if callable(each))
        pairs = zip(a.tolist(), b.tolist(), strict=True)
        values = self.values
        held = (
            _called(function, what, values[i], values[j]) or _called(function, what, values[j], values[i])
            for i, j in pairs
        )
        return np.fromiter((0 if each else 1 for each in held), dtype=np.int8, count=len(a))

    def _cut(self, a: Codes, b: Codes, similarity: Callable[[str, str], float]) -> Levels:
        what = f"the kind {self.kind.name!r}"
        alike = np.zeros(len(a))
        for place, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
            found = _called(similarity, what, self.values[i], self.values[j])
            if not isinstance(found, int | float | np.number) or not 0 <= float(found) <= 1:
                raise SettingsError(
                    f"{what} gives {found!r} for {self.values[i]!r} and {self.values[j]!r}",
                    hint="A function of two texts is a similarity: a number between 0 and 1, or true or false.",
                )
            alike[place] = float(found)
        return (len(CUTS) - np.searchsorted(CUTS[::-1], alike, side="right") + 1).astype(np.int8)

    def features(self) -> Features:
        """Return the value, and its keys; without any, its words and trigrams."""
        builder = FeaturesBuilder(len(self.values))
        builder.add_values(self.values)
        keys = self.kind.keys
        if keys is None:
            builder.add("token", (value.split() for value in self.values))
            builder.add_rows("trigram", *trigrams(self.values))
            return builder.build()
        what = f"the keys of the kind {self.kind.name!r}"
        if callable(keys):
            builder.add("key", (_texts_of(_called(keys, what, value), what) for value in self.values))
            return builder.build()
        columns = _evaluated(list(keys), self.values, what)
        rows = zip(*columns, strict=True) if columns else ([] for _ in self.values)
        builder.add("key", ([f"{key}: {text}" for key, text in zip(keys, row, strict=True) if text] for row in rows))
        return builder.build()


def _check(expressions: Iterable[str], names: Sequence[str], what: str) -> None:
    """Refuse what is no SQL over texts of these names."""
    from onoma.corpus.store import check_expressions  # DuckDB, much to load for who says nothing in SQL

    check_expressions(expressions, names, what)


def _evaluated(expressions: Sequence[str], texts: Sequence[str], what: str) -> list[list[str | None]]:
    """Return what each expression of SQL gives for each text."""
    from onoma.corpus.store import evaluate

    return evaluate(expressions, texts, what)


def custom_kind(given: object, name: str = CUSTOM) -> Kind:
    """Return a kind made of what somebody gives: a table, a small class or an object of one, a function.

    Parameters
    ----------
    given
        A `Kind` stays as it is.
    name
        What it is called if it does not say.

    Examples
    --------
    >>> levels = {"close": "jaro_winkler(a, b) >= 0.92", "sounds alike": "soundex(a) = soundex(b)"}
    >>> kind = custom_kind({"levels": levels})
    >>> kind.normalise(["Meyer", "MAIER ", "Smith"])
    ['meyer', 'maier', 'smith']
    >>> compared = kind.prepare(["meyer", "maier", "smith"], np.ones(3, dtype=np.int64))
    >>> [compared.levels[i] for i in compared.compare(np.array([0, 0]), np.array([1, 2]))]
    ['sounds alike', 'different']
    """
    if isinstance(given, Mapping):
        return _of_table(given, name)
    if isinstance(given, type):
        given = given()
    if all(hasattr(given, part) for part in ("name", "normalise", "prepare")):
        return given  # type: ignore[return-value]
    if hasattr(given, "levels"):
        parts = {part: getattr(given, part) for part in _PARTS if hasattr(given, part)}
        return _of_table({"name": _name_of(type(given), name)} | parts, name)
    if callable(given):
        return CustomKind(name=_name_of(given, name), conditions={}, similarity=given)
    raise SettingsError(
        f"{given!r} is no kind of a column",
        hint="A kind is its name, a table or a class with levels, or a function of two texts.",
    )


def _of_table(table: Mapping[str, Any], name: str) -> CustomKind:
    unknown = sorted(set(table) - set(_PARTS))
    if unknown or "levels" not in table:
        said = f"does not know {', '.join(map(repr, unknown))}" if unknown else "needs levels"
        raise SettingsError(f"the kind {name!r} {said}", hint=f"A kind has {', '.join(_PARTS)}.")
    name = str(table.get("name") or name)
    return CustomKind(
        name=name,
        conditions=_conditions(table["levels"], name),
        write=_given(table, "normalise", name),
        keys=_keys(table.get("keys"), name),
    )


def _conditions(levels: object, name: str) -> dict[str, Condition]:
    """Return conditions by level; `equal` and `different` may be named, where they always are."""
    if isinstance(levels, list | tuple):
        levels = {each if isinstance(each, str) else getattr(each, "__name__", str(each)): each for each in levels}
    if not isinstance(levels, Mapping):
        raise SettingsError(
            f"levels of the kind {name!r} are {levels!r}",
            hint='Give a table, { close = "jaro_winkler(a, b) >= 0.92" }, or a list of conditions.',
        )
    found = {str(level): condition for level, condition in levels.items()}
    if next(iter(found), "") == "equal" and found["equal"] in ("equal", "a = b", "a == b"):
        del found["equal"]
    if next(reversed(found), "") == "different" and found["different"] in ("different", "else", "true"):
        del found["different"]
    for level, condition in found.items():
        if level in ("equal", "different"):
            hint = "equal is always the first, different the last."
            raise SettingsError(f"the kind {name!r} has a level {level!r} of its own", hint=hint)
        if not (isinstance(condition, str) or callable(condition)):
            hint = "A condition is SQL over a and b, or a function of two texts."
            raise SettingsError(f"the level {level!r} of the kind {name!r} is {condition!r}", hint=hint)
    return found


def _given(table: Mapping[str, Any], part: str, name: str) -> Any:  # noqa: ANN401 (a text or a function)
    found = table.get(part)
    if found is not None and not (isinstance(found, str) or callable(found)):
        raise SettingsError(f"{part} of the kind {name!r} is {found!r}", hint="It is SQL over x, or a function.")
    return found


def _keys(keys: object, name: str) -> Any:  # noqa: ANN401 (texts or a function)
    keys = [keys] if isinstance(keys, str) else keys
    if keys is None or callable(keys):
        return keys
    if isinstance(keys, list | tuple) and all(isinstance(each, str) for each in keys):
        return tuple(keys)
    raise SettingsError(f"keys of the kind {name!r} are {keys!r}", hint="They are a list of SQL over x, or a function.")


def _name_of(given: object, name: str) -> str:
    found = str(getattr(given, "__name__", ""))
    return found.lower() if found.isidentifier() else name


def _called(function: Callable[..., Any], what: str, *texts: str) -> Any:  # noqa: ANN401 (whatever it gives)
    """Call somebody's function; what goes wrong in it is told with the values."""
    try:
        return function(*texts)
    except Exception as error:
        said = " and ".join(map(repr, texts))
        raise SettingsError(f"{what} failed on {said}: {type(error).__name__}: {error}") from error


def _texts_of(found: object, what: str) -> list[str]:
    if found is None:
        return [""]
    texts = [found] if isinstance(found, str) else list(found) if isinstance(found, Iterable) else [found]
    if not all(isinstance(each, str) for each in texts):
        raise SettingsError(f"{what}: it gives {found!r}; it gives a text, or texts for keys")
    return [str(each) for each in texts]
