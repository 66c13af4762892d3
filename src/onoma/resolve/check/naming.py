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

__all__ = ["names_the_one"]

_NAMING = ("organisation", "likeness", "text", "set")
"""Kinds that name things, or say what they are; names of people are looked at."""
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


def _is_worded(field: FieldData) -> bool:
    """Say whether most values have a letter: a code is given to one thing or to many, and does not say which."""
    some = field.some_values
    return sum(any(sign.isalpha() for sign in str(value)) for value in some) > len(some) / 2
