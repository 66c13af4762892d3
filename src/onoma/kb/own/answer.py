"""What a model said by itself: kept beside who is who now, so that a judgement can be taken back without a trace.

The table `own` has one row for each record: the first record of its entity in the model's answer, how sure the model is
of that, and one record of its entity in each sample (one number where all samples agree; none where the model has one
answer and no samples).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.kb.database import KnowledgeBase
from onoma.resolve.contract import Posterior

__all__ = ["Answer", "OwnPairs", "answer_of", "forget_own", "in_doubt", "own_pairs", "read_own", "store_own"]

_SURE = 16.0
"""The greatest log odds that a probability is kept as."""
_SHOWN = 0.01


@dataclass(frozen=True, eq=False)
class Answer:
    """What a model said of some records, given by their numbers."""

    records: NDArray[np.int64]
    first: NDArray[np.int64]
    """The first record of its entity."""
    probability: NDArray[np.float64]
    roots: list[NDArray[np.int64]]
    """By record: one record of its entity in each sample; one in all where they agree; none where there are none."""

    def samples(self) -> NDArray[np.int64]:
        """Return by sample and record one record of its entity; the answer itself where there are no samples."""
        n = max((len(each) for each in self.roots), default=0)
        rows = np.empty((max(n, 1), len(self.records)), dtype=np.int64)
        for at, (roots, first) in enumerate(zip(self.roots, self.first, strict=True)):
            rows[:, at] = np.resize(roots, len(rows)) if len(roots) else first
        return rows

    @property
    def is_sampled(self) -> bool:
        """Whether the model has samples."""
        return any(len(each) for each in self.roots)

    def take(self, which: NDArray[np.generic]) -> "Answer":
        """Return what is said of some of the records."""
        chosen = np.arange(len(self.records))[which]
        return Answer(
            self.records[chosen], self.first[chosen], self.probability[chosen], [self.roots[i] for i in chosen.tolist()]
        )

    def table(self) -> pa.Table:
        """Return it as it is kept."""
        offsets = np.concatenate([[0], np.cumsum([len(each) for each in self.roots])]).astype(np.int32)
        values = np.concatenate([np.zeros(0, dtype=np.int64), *self.roots])
        lists = pa.ListArray.from_arrays(pa.array(offsets), pa.array(values, pa.int64()))
        return pa.table({"record": self.records, "first": self.first, "probability": self.probability, "roots": lists})


class OwnPairs(NamedTuple):
    """Pairs of record numbers with the probability that the model states."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    probability: NDArray[np.float64]

    def table(self) -> pa.Table:
        """Return them as edges: what is said of a pair is kept as log odds, which no judgement changes."""
        with np.errstate(divide="ignore"):
            odds = np.clip(np.log(self.probability) - np.log1p(-self.probability), -_SURE, _SURE)
        floats = {"log_copy": odds, "log_relative": np.full(len(odds), -np.inf), "probability": self.probability}
        return pa.table({"a": self.a, "b": self.b} | {name: part.astype(np.float32) for name, part in floats.items()})


def answer_of(found: Posterior, records: NDArray[np.int64]) -> Answer:
    """Return what a model found out about records with these numbers."""
    first = np.full(found.clustering.n_entities, np.iinfo(np.int64).max)
    np.minimum.at(first, found.clustering.labels, records)
    roots: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)] * len(records)
    if found.samples is not None and len(found.samples) > 1:
        drawn = records[found.samples]
        roots = [np.ascontiguousarray(each) for each in drawn[:1].T]
        for i in in_doubt(np.asarray(found.samples)).tolist():
            roots[i] = np.ascontiguousarray(drawn[:, i])
    return Answer(records, first[found.clustering.labels], found.probability, roots)


def own_pairs(found: Posterior, records: NDArray[np.int64]) -> OwnPairs:
    """Return the pairs that a model states, and those that its samples hold together besides."""
    n = len(records)
    a, b = (side.astype(np.int64) for side in found.pairs[:2])
    keys, probability = np.minimum(a, b) * n + np.maximum(a, b), found.pairs.probability
    keys, first = np.unique(keys, return_index=True)
    probability = probability[first].astype(np.float64)
    if found.samples is not None and len(found.samples):
        doubtful = in_doubt(np.asarray(found.samples))
        roots = found.samples[:, doubtful].astype(np.int64)
        other = np.broadcast_to(doubtful, roots.shape)
        more = np.unique((np.minimum(roots, other) * n + np.maximum(roots, other))[roots != other])
        more = np.setdiff1d(more, keys)
        share = (found.samples[:, more // n] == found.samples[:, more % n]).mean(axis=0)
        keys, probability = np.concatenate([keys, more]), np.concatenate([probability, share])
    shown = probability >= _SHOWN
    return OwnPairs(records[keys[shown] // n], records[keys[shown] % n], probability[shown])


def in_doubt(roots: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the records (places) that are not in the same company in all samples.

    Examples
    --------
    >>> in_doubt(np.array([[0, 0, 2, 3], [0, 1, 2, 3]])).tolist()
    [0, 1]
    """
    if not len(roots):
        return np.zeros(0, dtype=np.int64)
    every = Clustering.from_labels(np.ascontiguousarray(roots[0], dtype=np.int64))
    doubtful = np.zeros(roots.shape[1], dtype=np.bool_)
    for row in {row.tobytes(): row for row in roots[1:]}.values():  # most samples repeat others
        now = Clustering.from_labels(np.ascontiguousarray(row, dtype=np.int64))
        both = every.intersect(now)
        # A record is in doubt where its company is not all of its company in both.
        doubtful |= both.sizes[both.labels] != every.sizes[every.labels]
        doubtful |= both.sizes[both.labels] != now.sizes[now.labels]
    return np.flatnonzero(doubtful)


def store_own(base: KnowledgeBase, answer: Answer) -> None:
    """Keep what a model said, of all records or of some."""
    if base.value("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'own'"):
        said = {"said": pa.table({"record": answer.records})}
        base.change("DELETE FROM own USING said WHERE own.record = said.record", None, said)
        base.append("own", answer.table())
    else:
        base.replace("own", answer.table())


def forget_own(base: KnowledgeBase) -> None:
    """Keep nothing of what a model said."""
    base.change("DROP TABLE IF EXISTS own")


def read_own(base: KnowledgeBase, numbers: NDArray[np.int64]) -> Answer:
    """Return what the model said of some records (ascending); one it said nothing of stands alone."""
    wanted = {"wanted": pa.table({"record": numbers})}
    found = base.query("SELECT own.* FROM own SEMI JOIN wanted USING (record) ORDER BY record", None, wanted)
    at = np.searchsorted(numbers, found["record"].to_numpy())
    first, probability = numbers.copy(), np.ones(len(numbers))
    first[at], probability[at] = found["first"].to_numpy(), found["probability"].to_numpy()
    roots: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)] * len(numbers)
    for place, each in zip(at.tolist(), found["roots"].to_pylist(), strict=True):
        roots[place] = np.array(each or [], dtype=np.int64)
    return Answer(numbers, first, probability, roots)
