"""Which model is for a table: records that repeat each other, or mentions of people in ever new company.

Rows with one whole name that less than a tenth of a person would have by chance (`rare_names`) are one person's, nearly
surely. What they are like tells the two apart. In tables of records two such rows share some telling value, a birthday
or an address, for they are copies; in tables of mentions (authorships, patents) each says something new
(`share_repeated`: people and officials .71 to 1, authors and inventors 0 to .43). What a table says besides, flags
and amounts and days of loading, is new in each row of either, and does not count: the mean agreement of all columns,
which decided before, made trees of records as soon as there was one such column. And where a person has very many rows,
pairs of rows say little of an entity: at 4 rows for a name records are found better as copies (B³ .96 against .69), at
14 better as trees (.98 against .53).

A table is about people where most rows name one: the editors of a few books are no mentions. Where one family name has
most of the rows (a *name block*: all the Wangs of an index), no whole name is rare. Rows of one given name stand in:
most are one person's, and what namesakes add only makes rows look less alike.

Where a text says as much as the names do (a *title*), rows of one name are works of one maker: each says something new,
too, and is no mention of the maker but another thing. What tells authorships from works is company: a list of people
beside the name; or that the name comes in parts, as in tables about people. Three development tables, taken as one
source: books .92 → .95 as copies, films .74 → .99; of 1,000 films that are all different 121 were joined as trees.

The limits below were set with these scores in sight; on other tables they are untested.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.telling.lone import AS_MUCH, bits_shared
from onoma.resolve.fields.telling.mates import REPEATED, adjacent, agreements, share_repeated
from onoma.resolve.fields.wording import shipped_wording
from onoma.resolve.models.hierarchical.whole_names import (
    NameColumn,
    given_and_family,
    name_scores,
    namesake_pairs,
    rare_names,
)
from onoma.resolve.registry import find_model, why_refused

__all__ = ["MOST_TRIED", "TOGETHER", "pick_model", "share_together"]

_FEWEST, _FEWEST_NAMES = 40, 10
"""Rows of rare names, and such names, that are enough to judge by: a share of one half is then known to about ± .1."""
_OF_TWO = 0.5
"""Pairs of rows of one rare name that are two people's by chance, as a part of all, from which on they tell nothing."""
_NAMED = 0.5
"""The part of rows that name a person, below which a table is not about people: most rows of mentions do."""
_BLOCK = 0.5
"""The part of rows with one family name from which on a table is one name block."""
_REPEATED_IN_BLOCK = 0.4
"""The same as `REPEATED` of rows of one given name in a block: there are namesakes among them, who repeat nothing."""
_AGAIN = 3.0
"""Rows for each given name, below which it is none: namesakes and their own rows make a given name come again."""
_MANY = 8.0
_COPIED = 0.9
"""Rows that agree in more than this are repeated, however many they are."""
_READ = 400
"""Elements of lists that are read, about."""
MOST_TRIED = 20_000
"""Rows of the largest table for which two answers are worked out: beyond, twice the time is dear."""
_SURELY = 0.43
"""The most that any known table of mentions repeats (`REPEATED`). Between that and records, copies are tried first, for
an answer by copies shows whether it is wrong (`share_together`)."""
TOGETHER = 2 / 3
"""Of the pairs of rows of one rare name, the part that an answer must have together. Nine in ten are one person's by
what rare means. Where trees are better the copying model has 0 to .62 of them together (thirteen tables and parts of
three kinds, mean pairwise F1 .31 as copies and .97 as trees), elsewhere .73 or more (63 of thirteen kinds). Without the
kind at the lower edge it is up to .52, without that at the upper from .76."""
_FEWEST_PAIRS = 20
"""Such pairs that are enough to say so."""
_MOST = 200_000
"""Rows looked at, about; all of a family name or none."""


def pick_model(
    fields: Sequence[FieldData], config: ResolveConfig | None = None, *, resume: bool = False, engine: bool = False
) -> tuple[str, str]:
    """Return the model for a table, and why; never one that would refuse what is asked for.

    Parameters
    ----------
    fields
        The prepared fields.
    config
        What is asked for.
    resume, engine
        Whether a stopped run is to go on, and whether partitions are carried.
    """
    config = config or ResolveConfig()
    if config.link:
        return "copying", "rows are linked"
    if config.weights is not None or config.comparison not in (None, "kinds"):
        return "copying", "it is said how pairs are compared"
    name, why = _by_names(fields)
    refused = why_refused(find_model(name), config, resume=resume, engine=engine)
    return (name, why) if refused is None else ("copying", refused[0])


def share_together(fields: Sequence[FieldData], labels: NDArray[np.int64]) -> float | None:
    """Return how many pairs of rows of one rare name are together, of those next to each other; None: there are few.

    It needs no labels: such rows are one person's, nearly surely, whatever else they say, but for as many pairs of
    namesakes as there are by chance.

    Parameters
    ----------
    labels
        The entity of each row.
    """
    people = [each for each in fields if each.kind == "person"]
    if not people or max(float((each.codes >= 0).mean()) for each in people) < _NAMED:
        return None
    mates, of_two = _rows_of_rare_names(people)
    one, other = adjacent(mates)
    if len(one) - of_two < _FEWEST_PAIRS or of_two > _OF_TWO * len(one):
        return None
    return min(float((labels[one] == labels[other]).sum()) / (len(one) - of_two), 1.0)


def _by_names(fields: Sequence[FieldData]) -> tuple[str, str]:
    """Return the model that rows of one rare name speak for, and why."""
    people = [each for each in fields if each.kind == "person"]
    if not people:
        return "copying", "there are no names of people"
    if max(float((each.codes >= 0).mean()) for each in people) < _NAMED:
        return "copying", "few rows name a person"
    if (title := _title_of_works(fields)) is not None:
        return "copying", f"{title} names the thing, and {people[0].name} who made it"
    others = [each for each in fields if each.kind != "person"]
    mates, of_two = _rows_of_rare_names(people)
    n_names, n_pairs = len(np.unique(mates[:, 0])), len(adjacent(mates)[0])
    if len(mates) < _FEWEST or n_names < _FEWEST_NAMES or of_two > _OF_TWO * n_pairs:
        return _by_block(people, others)
    repeated = share_repeated(others, mates, _FEWEST // 5)
    if repeated is not None:  # namesakes repeat nothing
        repeated = min(repeated / (1.0 - of_two / n_pairs), 1.0)
    limit = _SURELY if len(people[0].codes) <= MOST_TRIED else REPEATED
    if repeated is not None and repeated <= limit:
        return "hierarchical", f"{repeated:.0%} of the pairs of rows of one rare name repeat anything else that tells"
    size, alike = len(mates) / n_names, _agreement(others, mates)
    if size >= _MANY and alike <= _COPIED:
        return "hierarchical", f"a rare name has {size:.0f} rows, which agree in {alike:.0%} of what else they say"
    if repeated is None:
        return "copying", "rows of one rare name say nothing else that tells"
    return "copying", f"{repeated:.0%} of the pairs of rows of one rare name repeat something else that tells"


def _title_of_works(fields: Sequence[FieldData]) -> str | None:
    """Return the column of titles, where rows are works of the people they name; None: they are not."""
    people = [each for each in fields if each.kind == "person"]
    if len(people) > 1 or any(each.kind == "set" and _lists_people(each) for each in fields):
        return None
    if _name_block(people) is not None:
        return None
    bits = [bits_shared(each) for each in fields]
    titles = [(said, each.name) for said, each in zip(bits, fields, strict=True) if each.kind in ("text", "likeness")]
    said, title = max(titles, default=(0.0, ""))
    return title if said > 0.0 and said >= AS_MUCH * max(bits) else None


def _lists_people(field: FieldData) -> bool:
    """Say whether the elements of lists read as names of people rather than as anything else."""
    step = max(len(field.values) // _READ, 1)
    elements = [element for value in field.values[::step] for element in value.split("; ")]
    evidence = shipped_wording().evidence(elements[:: max(len(elements) // _READ, 1)])
    return max(evidence, key=lambda kind: evidence[kind]) == "person"


def _by_block(people: Sequence[FieldData], others: Sequence[FieldData]) -> tuple[str, str]:
    """Return the model where no name is rare, and why: trees for a name block whose rows say ever new things."""
    if any(each.kind == "set" for each in others):
        return "hierarchical", "there are names of people with lists around them"
    block = _name_block(people)
    if block is None:
        return "copying", "there are few rows of one rare name"
    repeated = share_repeated(others, block, _FEWEST // 5)
    if repeated is None or repeated > _REPEATED_IN_BLOCK:
        return "copying", "most rows have one family name, and say nothing else or the same"
    return (
        "hierarchical",
        f"most rows have one family name; of one given name {repeated:.0%} of the pairs repeat the rest",
    )


def _name_block(people: Sequence[FieldData]) -> NDArray[np.int64] | None:
    """Return given name (as a number) and row of the rows with the one family name that most rows have; None: none has.

    In a block given names come again and again. Where they do not, the word that names end with is no family name
    (`director`).
    """
    given, family = (part.to_numpy(zero_copy_only=False) for part in given_and_family(people))
    known = np.array([bool(name) for name in family], dtype=np.bool_)
    names, counts = np.unique(family[known].astype(str), return_counts=True)
    if len(names) == 0 or counts.max() < _BLOCK * len(family):
        return None
    whole = np.array([len(name.split(" ", 1)[0]) > 1 for name in given], dtype=np.bool_)
    rows = np.flatnonzero(whole & (family == names[counts.argmax()]))
    labels = np.unique(given[rows].astype(str), return_inverse=True)[1]
    if len(rows) < _AGAIN * (int(labels.max(initial=0)) + 1):
        return None
    order = np.argsort(labels, kind="stable")
    return np.stack([labels[order], rows[order]], axis=1)


def _rows_of_rare_names(people: Sequence[FieldData]) -> tuple[NDArray[np.int64], float]:
    """Return label and row of rows with rare names that others have too, and how many pairs of them are of two people.

    Rows of one name are next to each other.
    """
    step = max(len(people[0].codes) // _MOST, 1)
    some = np.flatnonzero(people[-1].codes % step == 0)
    names = [NameColumn.of_texts(column) for column in given_and_family(people, some)]
    labels = rare_names(names[0], names[1], name_scores(names[0], names[1]))
    rows = np.flatnonzero(labels >= 0)
    order = np.argsort(labels[rows], kind="stable")
    return np.stack([labels[rows[order]], some[rows[order]]], axis=1), namesake_pairs(names[0], names[1])


def _agreement(fields: Sequence[FieldData], mates: NDArray[np.int64]) -> float:
    """Return how often two rows of a name have the same value beyond chance, where both have one: the mean.

    Rows that say nothing else say the same.
    """
    shares = [share for share in agreements(fields, mates, 1) if share is not None]
    return float(np.mean(shares)) if shares else 1.0
