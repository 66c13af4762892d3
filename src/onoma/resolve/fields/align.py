"""Which columns of two sources are the same: by their names, by their values, or by both.

Columns with one name are the same, unless the name says nothing (`c1`, `column 2`) and the values differ in kind. Of
the others, a pair of columns (both of words, or both of figures) has the likeness

    v = ½ cos(words of one, words of the other) + ½ cos(letters of one, letters of the other),

where words (of all values together) tell titles from authors, and letters, digits as 0, tell telephones from postcodes
even where no value is shared; and the likeness h of their names, 1 where they share a word or say the same in other
words (`dob`, `birth date`), else 0. Pairs are taken by v + h/2, greatest first, each column once, where v ≥ 0.55
(letters alone, at most 0.5, are not enough), or where v ≥ 0.2 and the names are alike; never where the names say
different things (`phone`, `fax`). Said in words, with the reason, and overruled by naming pairs.

Cost: a thousand values of each column are looked at.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.resolve.fields.columns import holds_numbers, read_texts
from onoma.resolve.fields.infer import infer_kind
from onoma.resolve.fields.kinds import IGNORE, VECTOR
from onoma.resolve.fields.kinds.serial import CODES
from onoma.resolve.fields.lexicon import GIVEN_NAME, SMALL_WORDS, listed
from onoma.resolve.fields.profile import Profile, name_words
from onoma.resolve.fields.wording.model import features
from onoma.resolve.fields.writing import fold

__all__ = ["Aligned", "Alignment", "align_tables", "check_shared"]

_ALIKE, _ALIKE_BY_NAME = 0.55, 0.2
_MEANINGS = tuple(
    listed(line)
    for line in f"""
    {GIVEN_NAME}
    last family surname lname lastname familyname nachname
    middle middlename
    born birth dob birthday birthdate
    died death
    phone telephone tel mobile cell
    fax
    mail email
    zip zipcode postcode postal plz
    street address addr
    city town suburb municipality
    state province region county
    country nation
    company organisation organization org employer firm
    manufacturer brand maker
    price cost amount
    title
    venue journal booktitle proceedings
    description abstract summary
    year
    author authors writer
    artist band
    """.strip().splitlines()
)
"""Words that say the same of a column, a line each; those of two lines do not."""
_EMPTY_WORDS = listed("name id number no nr code of the and field column text value")
_SAYS_NOTHING = re.compile(r"(?:c|col|column|field|attr|attribute|var|v|x|f|unnamed)?[\s:_]*\d+", re.IGNORECASE)
_FAMILIES = (("person", "organisation", "place", "text", "set"), ("date", "number", *CODES), ("geo",), (VECTOR,))
"""Kinds that values of one column may have in two sources, which write them in their own ways."""
_OTHER_KIND = 0.1
"""What two columns lose whose values are of different kinds."""
_NO_NAMES = ("category", "date", "number")
"""Kinds that many things share: alone they join nothing."""


class Aligned(NamedTuple):
    """A column of a later source, what it is called in the first, and why."""

    source: str
    column: str
    to: str
    reason: str


@dataclass(frozen=True, eq=False)
class Alignment:
    """Sources with one name for each column.

    Parameters
    ----------
    tables
        The tables, their columns renamed.
    aligned
        Columns that were called otherwise.
    shared
        Columns, other than ids, that at least two sources have, and their kinds.
    alone
        By source the columns that no other has.
    """

    tables: list[pa.Table]
    aligned: list[Aligned]
    shared: dict[str, str]
    alone: dict[str, list[str]]


class _Column(NamedTuple):
    """What is looked at of a column."""

    name: str
    kind: str
    by_values: str
    words: Counter[str]
    letters: NDArray[np.float64]


def align_tables(
    tables: Sequence[pa.Table],
    sources: Sequence[str],
    *,
    given: Mapping[str, str] | None = None,
    exclude: Iterable[str] = (),
) -> Alignment:
    """Give the columns of several sources one name each.

    Parameters
    ----------
    tables, sources
        The tables, and what each is called.
    given
        Pairs that are known: the name to use, and the column that is to have it (`{"title": "paper_title"}`).
    exclude
        Columns to leave as they are: ids, the truth.

    Examples
    --------
    >>> one = pa.table({"title": ["A history of names", "On the origin of words"], "year": [1990, 1991]})
    >>> two = pa.table({"jahr": [1991, 1990], "paper_title": ["The origin of words", "History of names"]})
    >>> found = align_tables([one, two], ["a", "b"])
    >>> [(each.column, each.to) for each in found.aligned]
    [('jahr', 'year'), ('paper_title', 'title')]
    >>> found.tables[1].column_names
    ['year', 'title']
    """
    named, said = _as_given(list(tables), sources, dict(given or {}))
    left_out = set(exclude)
    done = [named[0]]
    reference = {each.name: each for each in _looked_at(named[0], left_out)}
    for table, source in zip(named[1:], sources[1:], strict=True):
        columns = _looked_at(table, left_out)
        pairs = _pairs(list(reference.values()), columns)
        found = [(each.name, *pairs[each.name]) for each in columns if each.name in pairs]  # as the columns stand
        said += [Aligned(source, column, to, reason) for column, to, reason in found if column != to]
        renamed = _renamed(table, {column: to for column, (to, _) in pairs.items()}, set(reference), source, left_out)
        done.append(renamed)
        for each, name in zip(
            columns, (renamed.column_names[table.column_names.index(c.name)] for c in columns), strict=True
        ):
            reference.setdefault(name, each._replace(name=name))
    kinds = {name: each.kind for name, each in reference.items()}
    held = Counter(name for table in done for name in table.column_names)
    shared = {name: kind for name, kind in kinds.items() if held[name] > 1 and kind != IGNORE}
    alone = {
        source: [name for name in table.column_names if held[name] == 1 and kinds.get(name, IGNORE) != IGNORE]
        for source, table in zip(sources, done, strict=True)
    }
    return Alignment(done, said, shared, alone)


def check_shared(alignment: Alignment) -> None:
    """Refuse sources with nothing in common that could tell what is the same, though each has columns of its own."""
    shared = alignment.shared
    if (
        sum(map(bool, alignment.alone.values())) < 2
        or len(shared) > 1
        or any(kind not in _NO_NAMES for kind in shared.values())
    ):
        return
    what = f"only {next(iter(shared))!r} is shared" if shared else "no column is shared"
    told = "; ".join(
        f"{source}: {', '.join(map(repr, names)) or 'no other'}" for source, names in alignment.alone.items()
    )
    first = next((names[0] for names in alignment.alone.values() if names), "title")
    others = [names[0] for names in list(alignment.alone.values())[1:] if names]
    raise DataError(
        f"{what} by the files, which tells nothing of what is the same ({told})",
        hint=f"Say which columns belong together, such as --map {first}={others[0] if others else 'paper_title'}.",
    )


def _as_given(
    tables: list[pa.Table], sources: Sequence[str], given: dict[str, str]
) -> tuple[list[pa.Table], list[Aligned]]:
    """Rename what is known; a pair that no table has is an error."""
    said: list[Aligned] = []
    for to, column in given.items():
        known = {name for table in tables for name in table.column_names}
        if column not in known:
            raise SettingsError(
                f"--map {to}={column}: there is no column {column!r}", hint=f"There are {', '.join(sorted(known))}."
            )
        for i, table in enumerate(tables):
            if column not in table.column_names:
                continue
            if to in table.column_names:
                raise SettingsError(
                    f"--map {to}={column}: {sources[i]} has both columns", hint="Map a column that is called otherwise."
                )
            tables[i] = table.rename_columns([to if name == column else name for name in table.column_names])
            said.append(Aligned(sources[i], column, to, "it was so said"))
    return tables, said


def _renamed(table: pa.Table, to: Mapping[str, str], taken: set[str], source: str, left_out: set[str]) -> pa.Table:
    """Rename aligned columns; one that is called as another source's different column gets the source into its name."""
    names = [
        to.get(name, name if name in left_out or name not in taken else f"{name} of {source}")
        for name in table.column_names
    ]
    return table.rename_columns(names)


def _looked_at(table: pa.Table, left_out: set[str]) -> list[_Column]:
    return [_look(table[name], name) for name in table.column_names if name not in left_out]


def _look(column: pa.ChunkedArray, name: str) -> _Column:
    nothing = np.zeros(1)
    texts = None if holds_numbers(column.type) else read_texts(column, name)
    if texts is None:
        kind = VECTOR if holds_numbers(column.type) else IGNORE
        return _Column(name, kind, kind, Counter(), nothing)
    profile = Profile(texts.raw, texts.counts(), len(texts.codes))
    words = Counter(word for text in profile.sample for word in fold(text).split() if word not in SMALL_WORDS)
    letters = np.asarray(features(profile.sample)[:, :-1].mean(axis=0)).ravel()
    return _Column(name, infer_kind(name, profile).kind, _by_values(profile), words, letters)


def _by_values(profile: Profile) -> str:
    return infer_kind("", profile).kind


def _pairs(first: Sequence[_Column], second: Sequence[_Column]) -> dict[str, tuple[str, str]]:
    """Return for columns of the second what they are in the first, and why."""
    found: dict[str, tuple[str, str]] = {}
    known = {fold(each.name): each for each in first}
    for each in second:
        other = known.get(fold(each.name))
        if other is not None and not (_SAYS_NOTHING.fullmatch(each.name) and _differ(other, each)):
            found[each.name] = (other.name, "it has the same name")
    taken = {to for to, _ in found.values()}
    scores = [
        (*_likeness(one, other), one, other)
        for one in first
        for other in second
        if one.name not in taken and other.name not in found and not _differ(one, other)
    ]
    for v, h, one, other in sorted(
        scores, key=lambda score: (-(score[0] + score[1] / 2), score[2].name, score[3].name)
    ):
        if one.name in taken or other.name in found or h < 0 or v < (_ALIKE_BY_NAME if h else _ALIKE):
            continue
        taken.add(one.name)
        found[other.name] = (one.name, _reason(v, h, one, other))
    return found


def _differ(one: _Column, other: _Column) -> bool:
    """Figures are no words; what is no evidence is left alone."""
    if IGNORE in (one.kind, other.kind) or IGNORE in (one.by_values, other.by_values):
        return True
    families = [next((i for i, kinds in enumerate(_FAMILIES) if each.by_values in kinds), -1) for each in (one, other)]
    return families[0] != families[1] and "category" not in (one.by_values, other.by_values)


def _likeness(one: _Column, other: _Column) -> tuple[float, float]:
    v = 0.5 * _cosine(one.words, other.words) + 0.5 * _cosine_of(one.letters, other.letters)
    return v - _OTHER_KIND * (one.by_values != other.by_values), _names_alike(one.name, other.name)


def _names_alike(one: str, other: str) -> float:
    """Return 1 where two names say the same, -1 where they say different things, else 0."""
    mine, theirs = (set(name_words(name)) - _EMPTY_WORDS for name in (one, other))
    said = [{i for i, words in enumerate(_MEANINGS) if words & each} for each in (mine, theirs)]
    if said[0] and said[1]:
        return 1.0 if said[0] & said[1] else -1.0
    return float(bool(mine & theirs))


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    dot = sum(n * other[word] for word, n in one.items() if word in other)
    sizes = sum(n * n for n in one.values()) * sum(n * n for n in other.values())
    return float(dot / sizes**0.5) if sizes else 0.0


def _cosine_of(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / size if size and one.shape == other.shape else 0.0


def _reason(v: float, h: float, one: _Column, other: _Column) -> str:
    shared = (set(name_words(one.name)) & set(name_words(other.name))) - _EMPTY_WORDS
    values = f"its values are alike ({v:.2f})"
    if not h:
        return values
    return f"its name says {f'{sorted(shared)[0]!r} too' if shared else 'the same'}, and {values}"
