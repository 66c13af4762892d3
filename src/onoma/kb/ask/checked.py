"""What the checks leave open, as draws of who is who.

Samples of the posterior hold what the weights leave open, but not that the weights are estimates themselves. `resolve`
plants decoys and copies, and so knows about how many of its links are wrong and how many it missed
(`resolve/check/checking.py`). Draws of both are kept with the knowledge base. A draw of who is who is then a sample in
which so many links are cut and so many pairs joined:

    links of the sample · (1 − right) are cut, links · right · (1/recall − 1) are joined.

Which these are is not known. Cut are records whose place is least sure, and joined pairs that were compared and left
apart, the likelier the sooner, by chance; where there are not enough of these, any. So whatever is asked about has the
interval that `resolve` states of the number of entities.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.kb.database import KnowledgeBase
from onoma.numerics.rng import stream
from onoma.numerics.union_find import components
from onoma.resolve.check.quality import Quality

__all__ = ["Checked", "draw_entities", "keep_checked", "read_checked"]

Labels = NDArray[np.int64]
N_DRAWS = 200
"""Draws of who is who."""
_FAINT_CUT, _FAINT_JOIN = 0.001, 0.02
"""What is added to the chance that a record is cut off and that a pair is joined: of what is held for certain, some is
wrong too."""
_BLOB = "checked"


class Checked(NamedTuple):
    """Draws of what the checks do not know exactly."""

    right: NDArray[np.float64]
    """The share of links that is right."""
    recall: NDArray[np.float64]
    """The share of links that was found."""
    spread: NDArray[np.float64]
    """By how many entities a sample differs from the others."""

    def totals(self, n_records: int, n_entities: int) -> NDArray[np.float64]:
        """Return draws of the number of entities, given how many are reported; as `resolve` draws it."""
        links = (n_records - n_entities - self.spread) * self.right / np.maximum(self.recall, 1e-3)
        return np.clip(n_records - links, 1.0, float(n_records))

    def some(self, n: int) -> "Checked":
        """Return some of the draws, which are spread as all of them are."""
        order = np.argsort(self.right / np.maximum(self.recall, 1e-3), kind="stable")
        at = order[((np.arange(n) + 0.5) * len(order) / n).astype(np.int64)]
        at = stream(0, "checked").permutation(at)
        return Checked(*(part[at] for part in self))


def keep_checked(base: KnowledgeBase, quality: Quality | None) -> None:
    """Keep what the checks say; nothing, where there were none."""
    drawn = None if quality is None else quality.link_draws
    told = b"" if drawn is None else json.dumps([[round(x, 6) for x in part] for part in drawn.tolist()]).encode()
    base.set_blob(_BLOB, told)


def read_checked(base: KnowledgeBase) -> Checked | None:
    """Return what the checks said; None where there were none, or where the past is asked about."""
    told = b"" if base.is_past else base.blob(_BLOB)
    return Checked(*(np.array(part) for part in json.loads(told))) if told else None


def draw_entities(base: KnowledgeBase, checked: Checked) -> tuple[Labels, Iterator[Labels]]:
    """Return the numbers of all records, ascending, and draws of the entity of each."""
    rows = base.query("SELECT record, entity, probability FROM memberships ORDER BY record")
    numbers = rows["record"].to_numpy()
    reported = rows["entity"].combine_chunks().dictionary_encode().indices.to_numpy().astype(np.int64)
    edges = base.query("SELECT a, b, probability FROM edges WHERE probability < 0.98 ORDER BY a, b")
    ends = np.stack([np.searchsorted(numbers, edges[side].to_numpy()) for side in ("a", "b")])
    likely = edges["probability"].to_numpy().astype(np.float64) + _FAINT_JOIN
    doubt = 1.0 - rows["probability"].to_numpy() + _FAINT_CUT
    return numbers, _draws(checked.some(N_DRAWS), _Samples.read(base, numbers, reported), doubt, ends, likely)


class _Samples(NamedTuple):
    """Samples of the entities of all records."""

    reported: Labels
    places: Labels
    """The records in doubt."""
    roots: Labels
    """Of these, record by sample, a place in the entity that it is in."""

    @classmethod
    def read(cls, base: KnowledgeBase, numbers: Labels, reported: Labels) -> "_Samples":
        found = base.query("FROM samples ORDER BY record")
        lists = found["roots"].combine_chunks()
        if not len(found):
            return cls(reported, np.zeros(0, dtype=np.int64), np.zeros((0, 1), dtype=np.int64))
        lengths = pc.list_value_length(lists).to_numpy()
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        # Groups that were drawn at different times are independent: those with fewer samples begin again.
        at = starts[:, None] + np.arange(int(lengths.max()))[None, :] % lengths[:, None]
        return cls(reported, np.searchsorted(numbers, found["record"].to_numpy()), lists.flatten().to_numpy()[at])

    def labels(self, s: int) -> Labels:
        """Return the entity of each record in a sample."""
        found = self.reported.copy()
        found[self.places] = self.roots[:, s % self.roots.shape[1]] + len(found)
        return np.unique(found, return_inverse=True)[1].astype(np.int64)


def _draws(
    checked: Checked, samples: _Samples, doubt: NDArray[np.float64], ends: Labels, likely: NDArray[np.float64]
) -> Iterator[Labels]:
    rng = stream(0, "checked draws")
    n = len(doubt)
    for d, (right, recall) in enumerate(zip(checked.right.tolist(), checked.recall.tolist(), strict=True)):
        labels = samples.labels(d)
        n_links = n - int(labels.max(initial=-1)) - 1
        n_join = round(n_links * right * (1.0 / max(recall, 1e-3) - 1.0))
        labels = _cut(labels, doubt, round(n_links * (1.0 - right)), rng)
        yield _join(labels, ends, likely, n_join, rng)


def _cut(labels: Labels, doubt: NDArray[np.float64], n_cut: int, rng: np.random.Generator) -> Labels:
    """Let some records be alone; the first of an entity stays, so that each takes one link away."""
    first = np.zeros(len(labels), dtype=np.bool_)
    first[np.unique(labels, return_index=True)[1]] = True
    others = np.flatnonzero(~first)
    chosen = others[_first_of(rng.exponential(size=len(others)) / doubt[others], n_cut)]
    labels = labels.copy()
    labels[chosen] = int(labels.max(initial=-1)) + 1 + np.arange(len(chosen))
    return labels


def _join(labels: Labels, ends: Labels, likely: NDArray[np.float64], n_join: int, rng: np.random.Generator) -> Labels:
    """Let entities be one: by pairs that were compared, then any."""
    n = int(labels.max(initial=-1)) + 1
    a, b = labels[ends]
    apart = np.flatnonzero(a != b)
    chosen = apart[_first_of(rng.exponential(size=len(apart)) / likely[apart], n_join)]
    a, b = a[chosen], b[chosen]
    if len(chosen) < n_join and n > 1:
        more = rng.integers(0, n, size=(2, n_join - len(chosen)))
        a, b = np.append(a, more[0]), np.append(b, more[1])
    return components(n, a.astype(np.int64), b.astype(np.int64))[labels]


def _first_of(times: NDArray[np.float64], n: int) -> Labels:
    """Return which come first."""
    return np.arange(len(times)) if n >= len(times) else np.argpartition(times, n)[:n]
