"""Addresses: where things are, and no names of them. Many live in one street."""

import re

from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.lexicon import ADDRESS_WORDS, LEGAL_FORMS, ORGANISATION_WORDS, listed
from onoma.resolve.fields.profile import name_words

__all__ = ["is_address"]

_CALLED = listed("address addr street strasse rue calle via")
"""What a column of addresses is called."""
_OF_ADDRESSES = frozenset(ADDRESS_WORDS) | frozenset(ADDRESS_WORDS.values())
_OF_FIRMS = LEGAL_FORMS | frozenset(ORGANISATION_WORDS) | frozenset(ORGANISATION_WORDS.values())


def is_address(field: FieldData) -> bool:
    """Say whether a field is called so, or most values have a word of addresses (street, avenue) and none of firms.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from onoma.resolve.fields.prepare import prepare_fields
    >>> table = pa.table({"c1": ["12 High St", "Colebatch Place", "4 Station Road"], "c2": ["Leeds", "York", "Bath"]})
    >>> [is_address(each) for each in prepare_fields(table).fields]
    [True, False]
    """
    if any(_CALLED & set(name_words(column)) for column in field.columns):
        return True
    words = [set(re.findall(r"\w+", str(value).lower())) for value in field.some_values]
    return sum(bool(each & _OF_ADDRESSES) and not each & _OF_FIRMS for each in words) > len(words) / 2
