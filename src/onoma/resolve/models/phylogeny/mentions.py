"""Mentions of names, and the nodes that descend: a name with all its mentions, or one mention."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.resolve.fields.writing import number_texts
from onoma.resolve.models.phylogeny.parents import Circumstance, Pairs, in_documents, of_a_kind, of_a_time

__all__ = ["Mentions", "Nodes"]

_OF_A_LANGUAGE = (0.7, 0.3)


@dataclass(frozen=True, eq=False)
class Mentions:
    """Names, and what is known of where each stands: its kind, its document, the topic, language and date of its text.

    Mentions of one name, kind and topic are one thing's, unless they are told to be apart.
    """

    names: Sequence[str]
    kinds: Sequence[str] | None = None
    documents: Sequence[str] | None = None
    topics: NDArray[np.int32] | None = None
    topic_shares: NDArray[np.float64] | None = None
    """Instead of one topic, the share of each in the text: then topics are sampled together with orders and parents."""
    languages: Sequence[str] | None = None
    """Of the text; empty: not known."""
    years: NDArray[np.float64] | None = None
    """When the text was written; NaN: not known."""
    is_apart: bool = False
    """Every mention descends for itself: one name may be of several things."""

    def __post_init__(self) -> None:
        for what in ("kinds", "documents", "topics", "topic_shares", "languages", "years"):
            column = getattr(self, what)
            if column is not None and len(column) != len(self.names):
                raise DataError(f"there are {len(self.names):,} names and {len(column):,} {what}")


@dataclass(frozen=True, eq=False)
class Nodes:
    """What descends: a name with all its mentions of one kind and topic, or one mention."""

    place: NDArray[np.int32]
    """The node of each mention."""
    name: NDArray[np.int32]
    kind: NDArray[np.int32]
    topic: NDArray[np.int32] | None
    often: NDArray[np.float64]

    @classmethod
    def of(cls, mentions: Mentions) -> "Nodes":
        """Gather mentions that nothing tells apart."""
        n = len(mentions.names)
        columns = [number_texts(mentions.names)]
        kinds = np.zeros(n, np.int32) if mentions.kinds is None else number_texts(mentions.kinds)
        # An empty name is nobody's: it has a kind of its own.
        empty = np.array([not name.strip() for name in mentions.names], dtype=np.bool_)
        columns.append(np.where(empty, n + np.arange(n), kinds).astype(np.int32))
        if mentions.topics is not None:
            columns.append(mentions.topics)
        if mentions.topic_shares is not None or mentions.is_apart:
            columns.append(np.arange(n, dtype=np.int32))
        _, first, group = np.unique(np.stack(columns, axis=1), axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        place, first = rank[group.ravel()], first[order]
        picked = [np.ascontiguousarray(column[first]) for column in columns]
        often = np.bincount(place, minlength=len(first)).astype(np.float64)
        return cls(place, picked[0], picked[1], picked[2] if mentions.topics is not None else None, often)

    def __len__(self) -> int:
        return len(self.name)

    def circumstances(self, mentions: Mentions, pairs: Pairs) -> list[Circumstance]:
        """Return what is known of directed pairs of nodes."""
        found = []
        if mentions.documents is not None:
            found.append(in_documents(pairs, self.often, self.place, number_texts(mentions.documents)))
        if self.topic is not None:
            found.append(of_a_kind("topic", pairs, self.often, self.topic))
        if mentions.languages is not None:
            languages = self._commonest(mentions.languages)
            found.append(of_a_kind("language", pairs, self.often, languages, _OF_A_LANGUAGE))
        if mentions.years is not None:
            found.append(of_a_time(pairs, self.often, self._mean(mentions.years)))
        return found

    def _commonest(self, values: Sequence[str]) -> NDArray[np.int32]:
        """Return for each node the number of the value that most of its mentions have; -1 where that is empty."""
        number = number_texts(values)
        empty = np.array([not value for value in values], dtype=np.bool_)
        counts = np.zeros((len(self), int(number.max(initial=-1)) + 1))
        np.add.at(counts, (self.place[~empty], number[~empty]), 1.0)
        return np.where(counts.sum(axis=1) > 0, counts.argmax(axis=1), -1).astype(np.int32)

    def _mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean of the values known of each node; NaN where there is none."""
        known = np.isfinite(values)
        many = np.bincount(self.place[known], minlength=len(self))
        total = np.bincount(self.place[known], values[known], len(self))
        return np.where(many > 0, total / np.maximum(many, 1), np.nan)
