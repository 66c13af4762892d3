"""Does anything name the one? Families are told from copies by what their members do not share.

Siblings, the decoys that show families, are made of rows that the answer keeps apart. Where a table has addresses,
dates and codes, and of names the family's alone, members of a household say the same; the answer joins them, and
nothing is left to learn from. That is known before anything is compared.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.lexicon import GIVEN_NAME, listed
from onoma.resolve.fields.profile import name_words
from onoma.resolve.fields.telling.addresses import is_address

__all__ = ["names_the_one", "names_who_comes_again"]

_NAMING = ("organisation", "likeness", "text", "set")
"""Kinds that name things, or say what they are; names of people are looked at."""
_AGAIN = 0.2
"""Rows whose name another row of their source has, as a part of all, from which on a column names whose something is.
Lists of people of two sources, five kinds, have 0 to .01, directors of films .24 to .55."""
_WHOLE = 1.5
"""Words of a value, in the mean, from which on a name is no part of one."""


def names_the_one(fields: Sequence[FieldData], words: NDArray[np.float64]) -> bool:
    """Say whether a field names one thing, and not its family: a whole name, two parts of one, or a given name.

    Parameters
    ----------
    words
        Of a value of each field, in the mean.

    Examples
    --------
    >>> from onoma.corpus.simulate import simulate_people
    >>> from onoma.resolve.fields.prepare import prepare_fields
    >>> columns = ["given_name", "surname", "phone"]
    >>> named = prepare_fields(simulate_people(100, seed=1).select(columns)).fields
    >>> names_the_one(named, np.ones(3)), names_the_one(named[1:], np.ones(2))
    (True, False)
    """
    if any(each.kind in _NAMING and not each.people and _is_worded(each) and not is_address(each) for each in fields):
        return True
    people = [f for f, each in enumerate(fields) if each.kind == "person" or each.people]
    given = listed(GIVEN_NAME)
    return len(people) > 1 or any(words[f] >= _WHOLE or given & set(name_words(fields[f].name)) for f in people)


def names_who_comes_again(field: FieldData, source: NDArray[np.int32]) -> bool:
    """Say whether a column names people of whom a source has several rows: their films, their visits, or duplicates.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from onoma.resolve.fields.prepare import prepare_fields
    >>> table = pa.table({"by": ["Ada Lee", "Bo Ek", "Cy Ng", "Ada Lee", "Bo Ek", "Di Wu"]})
    >>> (people,) = prepare_fields(table, kinds={"by": "person"}).fields
    >>> one, two = (np.array(each, dtype=np.int32) for each in ([0, 0, 0, 1, 1, 1], [0, 0, 1, 0, 0, 1]))
    >>> names_who_comes_again(people, one), names_who_comes_again(people, two)
    (False, True)
    """
    if not (field.people or field.kind == "person"):
        return False
    known = field.codes >= 0
    of_source = field.codes[known].astype(np.int64) * (int(source.max(initial=0)) + 1) + source[known]
    _, rows = np.unique(of_source, return_counts=True)
    return bool(rows[rows > 1].sum() >= _AGAIN * max(int(rows.sum()), 1))


def _is_worded(field: FieldData) -> bool:
    """Say whether most values have a letter: a code is given to one thing or to many, and does not say which."""
    some = field.some_values
    return sum(any(sign.isalpha() for sign in str(value)) for value in some) > len(some) / 2
