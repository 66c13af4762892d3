"""What a text itself says of who is who, beside what was learnt: voices, names of people, roles.

Each rule speaks of pairs of mentions; its weight is added to the score of the pair. On annotated mentions of OntoGUM's
training documents and of LitBank rules are right this often: same party 94 % of 10,511 pairs, other party 97 % of
20,511, other gender 99 % of 882, other given name 22 of 22, named beside 29 of 31. Their weights are the log-odds of
that, about 3 to 4; 3 more where what was learnt leans against such links (a name that follows a phrase, a label its
*I*). Roles are too rare there to say (all of three wrong, in one speech): their weight is a judgement.

Where OntoGUM's training documents give speakers, *I* and *you* of other parties are two people in 95 to 99 % of pairs
(two *you* of two who talk in 87 %); *I* of one speaker is one person in 79 to 96 %, *I* and the *you* of the other in
68 %, since *you* may be anybody. There it is being told apart that counts (development: 59.3 → 59.6); the weight of
what belongs together changes nothing.

Names that part two people part whole entities. Voices part pairs alone: one wrong *I* in an entity would keep all
others out of it (LitBank's development documents lose .6 by it).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.coref.attributes import Column

__all__ = ["Evidence", "evidence_of", "told"]

Matrix = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is said of two mentions, j < i.

    Parameters
    ----------
    pairs
        What is added to the score of j as the antecedent of i.
    parts
        What is added, at most 0, for each member j of an entity that i would join.
    """

    pairs: NDArray[np.float64]
    parts: NDArray[np.float64]


def evidence_of(table: NDArray[np.int64]) -> Evidence | None:
    """Return what rules say of the mentions of a document; None where none speaks.

    Each rule looks at the mentions that it concerns alone, which are few.
    """
    pairs, parts = np.zeros((2, len(table), len(table)))
    for rule, concerns, weight, holds_for_entities in _RULES:
        rows = np.flatnonzero(concerns(table))
        spoken = rule(table[rows]) if len(rows) > 1 else None
        if spoken is not None:
            later, earlier = np.nonzero(np.tril(spoken, -1))
            pairs[rows[later], rows[earlier]] += weight
            if holds_for_entities:
                parts[rows[later], rows[earlier]] += weight
    return Evidence(pairs, parts) if pairs.any() else None


def told(table: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the party of each pronoun whose party has a name or a noun, and of each of these; 0 for others.

    Such a pronoun needs no choice of its own: it goes where its label goes, be that before it or behind.
    """
    pronoun, person, said = table[:, Column.TYPE] == 0, table[:, Column.PERSON], _said(table)
    labels = np.where(pronoun & (person < 3), 0, said)
    return np.where(pronoun & (person < 3) & np.isin(said, labels[labels > 0]), said, 0), labels


def _said(table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the party that each mention is: as the text names it, or as *I* and *you* are it."""
    party, voice, hearer, person = (table[:, k] for k in (Column.PARTY, Column.VOICE, Column.HEARER, Column.PERSON))
    pronoun = table[:, Column.TYPE] == 0
    mine = pronoun & (person == 1) & (table[:, Column.NUMBER] == 1)
    return np.where(mine, voice, np.where(pronoun & (person == 2), hearer, np.where(pronoun & (person == 1), 0, party)))


def _same_party(table: NDArray[np.int64]) -> Matrix | None:
    """Both are the same party."""
    said = _said(table)
    return (said[:, None] == said[None, :]) & (said[:, None] > 0) if said.any() else None


def _other_party(table: NDArray[np.int64]) -> Matrix | None:
    """One speaks, or is spoken to, in the words of the other, which is not said as *I* or *you*; or is called there."""
    voice, hearer, person = (table[:, k] for k in (Column.VOICE, Column.HEARER, Column.PERSON))
    if not voice.any():
        return None
    pronoun, said = table[:, Column.TYPE] == 0, _said(table)
    singular = table[:, Column.NUMBER] != 2
    mine = pronoun & (person == 1) & singular
    third = pronoun & (person == 3) & (table[:, Column.FORM] <= 2)
    yours = pronoun & (person == 2)
    own = (said[None, :] > 0) & (voice[:, None] == said[None, :])  # j is who speaks the words in which i stands
    heard = (said[None, :] > 0) & (hearer[:, None] == said[None, :])
    alike = (voice[:, None] == voice[None, :]) & (voice[:, None] > 0)
    no = ((third | yours)[:, None] & own) | ((third | mine)[:, None] & heard)
    no |= (~pronoun & (said > 0))[:, None] & own & (said[:, None] != said[None, :])
    no |= alike & (mine[:, None] & (third | yours)[None, :])
    no |= alike & (yours[:, None] & third[None, :])
    return no | no.T


def _other_gender(table: NDArray[np.int64]) -> Matrix | None:
    """Two names of people that tell different genders."""
    gender = table[:, Column.NAMED_GENDER]
    return (gender[:, None] != gender[None, :]) & (gender[:, None] > 0) & (gender[None, :] > 0)


def _other_given(table: NDArray[np.int64]) -> Matrix | None:
    """Two names of people with one surname and given names that do not begin alike (Larry may be Lawrence)."""
    letter = table[:, Column.GIVEN_LETTER]
    return _same_surname(table) & (letter[:, None] != letter[None, :]) & (letter[:, None] > 0) & (letter[None, :] > 0)


def _same_surname(table: NDArray[np.int64]) -> Matrix:
    surname = table[:, Column.SURNAME]
    return (surname[:, None] == surname[None, :]) & (surname[:, None] > 0)


def _named_beside(table: NDArray[np.int64]) -> Matrix | None:
    """A name, and an earlier phrase that has it for an apposition, where until then one person bears that surname."""
    surname, given, kind = (table[:, k] for k in (Column.SURNAME, Column.GIVEN, Column.TYPE))
    borne: dict[int, set[int]] = {}
    alone = np.zeros(len(table), bool)
    for i, (name, first) in enumerate(zip(surname.tolist(), given.tolist(), strict=True)):
        if name:
            borne.setdefault(name, set()).update({first} - {0})
            alone[i] = len(borne[name]) <= 1
    inside = (table[:, Column.START][:, None] >= table[:, Column.START][None, :]) & (
        table[:, Column.END][:, None] <= table[:, Column.END][None, :]
    )
    phrase = (kind > 1) & (kind != 6)  # and not "her brother", whose surname others of the family bear
    return _same_surname(table) & ~inside & ((kind == 1) & alone)[:, None] & phrase[None, :]


def _same_role(table: NDArray[np.int64]) -> Matrix | None:
    """*The mayor*, and earlier names of the one person of whom it was said."""
    role, kind, surname = (table[:, k] for k in (Column.ROLE, Column.TYPE, Column.SURNAME))
    bears = np.full(len(table), -2)
    for code in np.unique(role[role > 0]).tolist():
        named = role == code
        if len(np.unique(surname[named])) == 1:
            family = surname == surname[named][0]
            given = np.unique(table[family, Column.GIVEN])
            bears[named if len(given[given > 0]) > 1 else family] = code
    definite = (kind == 2) & (table[:, Column.LENGTH] == 2) & (surname == 0)
    apart = table[:, Column.SENTENCE][:, None] > table[:, Column.SENTENCE][None, :]
    return apart & (np.where(definite, table[:, Column.HEAD_TEXT], -1)[:, None] == bears[None, :])


def _in_voices(table: NDArray[np.int64]) -> NDArray[np.bool_]:
    is_pronoun = table[:, Column.TYPE] == 0
    return (table[:, Column.PARTY] > 0) | (is_pronoun & ((table[:, Column.VOICE] > 0) | (table[:, Column.HEARER] > 0)))


def _has(column: Column) -> Callable[[NDArray[np.int64]], NDArray[np.bool_]]:
    return lambda table: table[:, column] > 0


def _is_role(table: NDArray[np.int64]) -> NDArray[np.bool_]:
    if not table[:, Column.ROLE].any():
        return np.zeros(len(table), bool)
    return (table[:, Column.SURNAME] > 0) | ((table[:, Column.TYPE] == 2) & (table[:, Column.LENGTH] == 2))


_Rule = Callable[[NDArray[np.int64]], Matrix | None]
_RULES: Sequence[tuple[_Rule, Callable[[NDArray[np.int64]], NDArray[np.bool_]], float, bool]] = (
    (_same_party, _in_voices, 6.0, False),
    (_other_party, _in_voices, -6.0, False),
    (_other_gender, _has(Column.NAMED_GENDER), -4.0, True),
    (_other_given, _has(Column.GIVEN_LETTER), -4.0, True),
    (_named_beside, _has(Column.SURNAME), 6.0, False),
    (_same_role, _is_role, 6.0, False),
)
"""Rules, which mentions they concern, what each adds, and whether it holds for whole entities."""
