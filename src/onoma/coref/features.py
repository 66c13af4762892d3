"""A document made ready for scoring: its mentions described, with what can be counted once; and the names of features.

The kernels make features in a fixed order, so the k-th feature of a pair comes from the k-th template. `explain` tells
what each template looks at and what it adds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from onoma.coref._features_kernels import (
    MAX_FEATURES,
    N_RELATIONS,
    new_features,
    pair_features,
    pair_relations,
    score_document,
)
from onoma.coref.attributes import Column, Mentions, describe
from onoma.coref.decode import constrained_link
from onoma.coref.discourse.evidence import Evidence, evidence_of, told
from onoma.coref.document import Document
from onoma.coref.mentions import Span

__all__ = ["NEW_TEMPLATES", "PAIR_TEMPLATES", "Prepared", "explain_new", "explain_pair", "prepare"]

_RELATIONS = (
    "same words",
    "same words but for determiners",
    "same head",
    "its words in the antecedent",
    "the antecedent's words in it",
    "its modifiers in the antecedent",
    "the antecedent's modifiers in it",
    "number",
    "gender",
    "animacy",
    "kind of name",
    "distance in sentences",
    "distance in mentions",
    "one inside the other",
    "speaker",
    "place in the tree",
    "initials",
    "parts of the name",
    "person",
    "quotation",
    "company that the heads keep",
    "same head and words before it",
)

NEW_TEMPLATES: Sequence[str] = (
    "type of mention",
    "head word",
    "first word",
    "last word",
    "word before",
    "word after",
    "governing word",
    "relation to the governor",
    "length",
    "kind of name and number",
    "earlier mentions with the same words",
    "earlier mentions with the same head",
    "among the first mentions",
    "inside other mentions",
    "genre",
    "tag of the head and relation",
    "relation and tag of the governor",
    "quotation and first sentences",
    "seen before, by length",
    "part of a mention with the same head",
    "first word, tag of the head, length",
    "company that the head keeps",
    "company that the governor keeps",
    "place among names and relation",
    "what follows the head, held and left out",
    "earlier ones with the same head and words before it",
)
"""What each feature of "a new entity" looks at."""

PAIR_TEMPLATES: Sequence[str] = (
    "types and pronouns",
    "types",
    *(name for relation in _RELATIONS for name in (relation, f"{relation}, by types")),
    "match and distance",
    "match and modifiers",
    "distances",
    "distance and subject",
    "distance in mentions, by pronoun",
    "agreement, by types",
    "agreement, by pronoun",
    "nesting and tree",
    "nesting, tree and relation",
    "speaker and quotation, by pronoun",
    "speaker, by pronoun",
    "form of the pronoun and tree",
    "subjects and distance",
    "relations",
    "relation of the antecedent",
    "length of the antecedent and match",
    "length and match",
    "nesting of both",
    "kind of the antecedent's name, by pronoun",
    "kinds of names and match",
    "match, by genre",
    "distance, by genre",
    "head word and match",
    "both head words",
    "antecedent's head word, by pronoun",
    "both first words",
    "words before both",
    "word after the antecedent",
    "word before and match",
    "both governing words",
    "first word and match",
    "antecedent's first word and match",
    "governing word and antecedent's type",
    "parts of names and gender",
    "tags of heads and match",
    "shared words, by types",
    "nesting in one sentence, by pronoun",
    "animacy and number of the antecedent, by pronoun",
    "company of the heads and match",
    "clusters of both heads, by types",
    "coarse clusters of both heads and match",
    "cluster of the antecedent's head, by pronoun",
    "clusters of the antecedent and of the governor",
    "clusters of the governors",
    "places of both among names",
    "what follows the antecedent's head, and match",
    "what follows the head, match and tree",
    "head word and kind of the antecedent's name",
    "cluster of the head and kind of the antecedent's name",
    "how often the antecedent is said, and first sentences",
)
"""What each feature of "j is the antecedent of i" looks at."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """A document's mentions, ready to be scored."""

    name: str
    spans: Sequence[Span]
    mentions: Mentions
    counts: NDArray[np.int64]
    """For each mention: earlier ones with the same words, with the same head; whether a longer one holds it; all with
    the same words, with the same head; shorter ones with the same head token; earlier heads with the same core, and
    all."""
    names: Sequence[tuple[int, int, str]] = ()
    """The document's names."""

    def __len__(self) -> int:
        return len(self.spans)

    def scores(self, weights: NDArray[np.float64], window: int) -> NDArray[np.float64]:
        """Return the score of each antecedent j of each mention i; on the diagonal, of none; -inf elsewhere.

        It is what was learnt and what the text itself says (`evidence`).
        """
        result = np.full((len(self), len(self)), -np.inf)
        m = self.mentions
        score_document(
            m.table, m.words, m.word_ends, m.modifiers, m.modifier_ends, self.counts, weights, window, result
        )
        if self.evidence is not None:
            result += self.evidence.pairs
        return result

    @cached_property
    def evidence(self) -> Evidence | None:
        """What the text itself says of who is who."""
        return evidence_of(self.mentions.table)

    def linked(
        self, scores: NDArray[np.float64], constraints: NDArray[np.float64] | None, gamma: float
    ) -> NDArray[np.int64]:
        """Return the entity of each mention by `constrained_link`, with what the text itself says of who is who.

        A pronoun that the text resolves (the *I* of a quotation whose speaker is named) takes no part in choices and
        follows its label. Phrases around one head are one thing; the longest that was linked stands for them. A part of
        a name is no mention where, said alone, it is short for the whole.
        """
        table = self.mentions.table
        labels = _one_of_a_head(self._choices(scores, constraints, gamma), table)
        return _without_parts(labels, table)

    def _choices(
        self, scores: NDArray[np.float64], constraints: NDArray[np.float64] | None, gamma: float
    ) -> NDArray[np.int64]:
        """Return the entity that each mention chooses, or that the text says it is."""
        if self.evidence is None:
            return constrained_link(scores, constraints, gamma)
        if self.evidence.parts.any():
            constraints = self.evidence.parts if constraints is None else constraints + self.evidence.parts
        party, label = told(self.mentions.table)
        if not party.any():
            return constrained_link(scores, constraints, gamma)
        free = scores.copy()
        free[:, party > 0] = -np.inf
        np.fill_diagonal(free, np.diag(scores))
        return _following(constrained_link(free, constraints, gamma), party, label)

    def stretch(self, low: int, high: int) -> "Prepared":
        """Return mentions that follow each other, counted as in the whole document."""
        kept = np.zeros(len(self), bool)
        kept[low:high] = True
        return replace(self.only(kept), counts=self.counts[low:high])

    def only(self, kept: NDArray[np.bool_]) -> "Prepared":
        """Return some of the mentions, counted among themselves."""
        m = self.mentions
        table = m.table[kept]
        words, modifiers = _rows(m.words, m.word_ends, kept), _rows(m.modifiers, m.modifier_ends, kept)
        spans = [self.spans[row] for row in np.flatnonzero(kept).tolist()]
        return Prepared(self.name, spans, Mentions(table, *words, *modifiers), _counts(table), self.names)


def _following(labels: NDArray[np.int64], party: NDArray[np.int64], label: NDArray[np.int64]) -> NDArray[np.int64]:
    """Let pronouns follow the mention that names their party; of several, the one in the largest entity."""
    found = labels.copy()
    size = np.bincount(labels[party == 0], minlength=len(labels))
    for number in np.unique(party[party > 0]).tolist():
        named = np.flatnonzero(label == number)
        best = named[np.lexsort((named, size[labels[named]]))[-1]]
        found[party == number] = labels[best]
    return _by_first(found)


def _one_of_a_head(labels: NDArray[np.int64], table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Join the entities of phrases around one head, and leave the longest of these phrases in it, the others alone.

    A name is the head of what it is the apposition of, too. Phrases of different number are not one thing: *you*, and
    *you and Mrs Brandt*.
    """
    size = np.bincount(labels, minlength=len(labels))
    head, name = table[:, Column.HEAD], table[:, Column.NAMED_AT]
    named = dict(zip(head[name > 0].tolist(), (name[name > 0] - 1).tolist(), strict=True))
    around: dict[tuple[int, int], list[int]] = {}
    for row in np.flatnonzero(size[labels] > 1).tolist():
        own = named.get(int(head[row]), int(head[row]))
        around.setdefault((own, int(table[row, Column.NUMBER])), []).append(row)
    several = [rows for rows in around.values() if len(rows) > 1]
    found = labels.copy()
    for rows in several:
        mine = np.unique(found[rows])
        found[np.isin(found, mine[1:])] = mine[0]
    alone = [row for rows in several for row in rows if row != max(rows, key=lambda at: _width(table, at))]
    found[alone] = len(labels) + np.arange(len(alone))
    return _by_first(np.unique(found, return_inverse=True)[1])


def _without_parts(labels: NDArray[np.int64], table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Leave parts of names alone that are short for the whole: *Volta* of *Volta Motors* where *Volta* is that, too."""
    core, head, naming = (table[:, column] for column in (Column.CORE, Column.HEAD, Column.NAMING))
    alone = []
    for row in np.flatnonzero((naming >= 6) & (np.bincount(labels)[labels] > 1)).tolist():
        holds = (table[:, Column.START] <= table[row, Column.START]) & (table[row, Column.END] <= table[:, Column.END])
        whole = np.unique(labels[holds & (head != head[row]) & (naming > 0)])
        if (core[np.isin(labels, whole)] == core[row]).any():
            alone.append(row)
    if not alone:
        return labels
    found = labels.copy()
    found[alone] = len(labels) + np.arange(len(alone))
    return _by_first(np.unique(found, return_inverse=True)[1])


def _width(table: NDArray[np.int64], row: int) -> int:
    return int(table[row, Column.END] - table[row, Column.START])


def _by_first(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number entities by their first mentions."""
    first = np.full(len(labels), len(labels), np.int64)
    np.minimum.at(first, labels, np.arange(len(labels)))
    return first[labels]


def _rows(values: NDArray[np.int64], ends: NDArray[np.int64], kept: NDArray[np.bool_]) -> tuple[NDArray[np.int64], ...]:
    sizes = np.diff(ends, prepend=0)
    return values[np.repeat(kept, sizes)], np.cumsum(sizes[kept])


def prepare(document: Document, spans: Sequence[Span], vocabulary: Mapping[str, int]) -> Prepared:
    """Describe the mentions of a document."""
    mentions = describe(document, spans, vocabulary)
    return Prepared(document.name, spans, mentions, _counts(mentions.table), document.names)


def explain_pair(prepared: Prepared, weights: NDArray[np.float64], i: int, j: int) -> list[tuple[str, float]]:
    """Return what each template adds to the score of "j is the antecedent of i"; together they are that score."""
    out, rel = np.empty(MAX_FEATURES, np.int64), np.empty(N_RELATIONS, np.int64)
    m = prepared.mentions
    pair_relations(m.table, m.words, m.word_ends, m.modifiers, m.modifier_ends, i, j, rel)
    n = pair_features(m.table, i, j, rel, len(weights) - 1, out)
    learnt = list(zip(PAIR_TEMPLATES, weights[out[:n]].tolist(), strict=True))
    if prepared.evidence is None:
        return learnt
    said = float(prepared.evidence.pairs[i, j])
    return [*learnt, ("who is who, by the text itself", said)] if said else learnt


def explain_new(prepared: Prepared, weights: NDArray[np.float64], i: int) -> list[tuple[str, float]]:
    """Return what each template adds to the score of "i begins a new entity"."""
    out = np.empty(MAX_FEATURES, np.int64)
    n = new_features(prepared.mentions.table, prepared.counts, i, len(weights) - 1, out)
    return list(zip(NEW_TEMPLATES, weights[out[:n]].tolist(), strict=True))


def _counts(table: NDArray[np.int64]) -> NDArray[np.int64]:
    counts = np.zeros((len(table), 8), np.int64)
    named = np.flatnonzero(table[:, Column.TYPE] != 0)
    for k, column in enumerate((Column.BARE_TEXT, Column.HEAD_TEXT)):
        counts[named, k], counts[named, 3 + k] = _occurrences(table[named, column])
    earlier, all_ = _occurrences(table[:, Column.HEAD])
    counts[:, 2], counts[:, 5] = earlier > 0, all_ - 1 - earlier
    if len(named):  # phrases around one head are counted once
        _, first, same = np.unique(table[named, Column.HEAD], return_index=True, return_inverse=True)
        heads = np.array(_occurrences(table[named[first], Column.CORE]))
        counts[named, 6], counts[named, 7] = heads[:, same]
    return counts


def _occurrences(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return of each value how often it stands before, and in all."""
    order = np.argsort(values, kind="stable")
    _, inverse, sizes = np.unique(values, return_inverse=True, return_counts=True)
    earlier = np.empty(len(values), np.int64)
    earlier[order] = np.arange(len(values)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return earlier, sizes[inverse]
