"""Mentions in context made ready in partitions: every function here sees some rows, or what was counted over all.

Contexts never leave the rows they stand in. What is known of all mentions together is small: how many contexts have
each word (a hash of it), the different names, and what two names score. It is carried to the rows instead.

Words are numbered by the rank of their hash among those that at least two contexts have. Others meet nobody: they count
in the length of a bag and are left out of it.
"""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.fingerprints import text_fingerprints
from onoma.resolve.models.cross_document.evidence import tell_apart
from onoma.resolve.models.cross_document.grouping import CrossDocumentSettings, step
from onoma.resolve.models.cross_document.names import NameEvidence, compare_names
from onoma.resolve.models.cross_document.text import Bags, count_words, weigh_words
from onoma.resolve.partitions.rounds import MENTIONS

__all__ = [
    "NAMES",
    "NamedStep",
    "Names",
    "Vocabulary",
    "begin",
    "count_contexts",
    "count_names",
    "distinct_names",
    "in_sample",
    "name_key",
    "numbered",
    "sample_bags",
]

NAMES = pa.schema([("mention", pa.int64()), ("name", pa.string())])
"""Different names, each with the smallest of its mentions."""
CONTEXTS = -1
"""The item under which contexts are counted."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Words of at least two contexts: their hashes, ascending, and how many contexts have each."""

    hashes: NDArray[np.int64]
    frequency: NDArray[np.int64]
    n_contexts: int

    @classmethod
    def of_counts(cls, counts: pa.Table) -> "Vocabulary":
        """Make it of what `count_contexts` counted, added up and ordered by item."""
        items, values = counts["item"].to_numpy(), counts["count"].to_numpy()
        use = (items != CONTEXTS) & (values > 1)
        return cls(items[use], values[use], int(values[items == CONTEXTS].sum()))

    def find(self, words: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the number of each word, and whether it has one."""
        hashes = _hashes(words)
        at = np.minimum(np.searchsorted(self.hashes, hashes), max(len(self.hashes) - 1, 0))
        there = self.hashes[at] == hashes if len(self.hashes) else np.zeros(len(hashes), np.bool_)
        return at, there


@dataclass(frozen=True, eq=False)
class Names:
    """Different names as written, and what each two score."""

    hashes: NDArray[np.int64]
    """Of the names as written, ascending."""
    of: NDArray[np.int64]
    """The number of each, as it is compared."""
    first: NDArray[np.int64]
    """The smallest mention of each number."""
    counts: NDArray[np.int64]
    """The mentions of each number."""
    evidence: NameEvidence

    @classmethod
    def of_table(cls, found: pa.Table, counts: pa.Table) -> "Names":
        """Make it of all different names (schema `NAMES`) and of how many mentions the hash of each has."""
        hashes = _hashes(found["name"].combine_chunks())
        order = np.argsort(hashes)
        texts = found["name"].take(pa.array(order)).to_pylist()
        evidence = compare_names(texts)
        n = len(evidence.names)
        first = np.full(n, np.iinfo(np.int64).max)
        np.minimum.at(first, evidence.of, found["mention"].to_numpy()[order])
        sizes = np.zeros(n, np.int64)
        np.add.at(sizes, evidence.of, counts["count"].to_numpy())  # ordered by hash, too
        return cls(hashes[order], evidence.of, first, sizes, evidence)

    @property
    def telling(self) -> bool:
        """Whether names tell entities apart."""
        return tell_apart(self.counts)

    def numbers(self, names: pa.Array) -> NDArray[np.int64]:
        """Return the number of each name as written."""
        return self.of[np.searchsorted(self.hashes, _hashes(names))]


@dataclass(frozen=True, eq=False)
class NamedStep:
    """The step of the cross-document model, which is told what near names score in the partition, not before.

    Near names are many, and the same for every mention of a name: rows would be several times as long with them.
    """

    evidence: NameEvidence | None
    """None: names tell nothing."""

    def __call__(
        self,
        partition: pa.Table,
        *,
        settings: CrossDocumentSettings,
        seed: int,
        round: int,
        key: int,
    ) -> pa.Table:
        """Run the step on a partition."""
        told = partition
        if self.evidence is not None:
            near = replace(self.evidence, of=partition["name"].to_numpy()).columns()
            for name in ("near", "near_weights", "near_here"):
                told = told.append_column(name, near[name])
        found = step(told, settings=settings, seed=seed, round=round, key=key)
        return found.select(partition.column_names)


def numbered(rows: pa.Table) -> pa.Table:
    """Return the rows with a number for each mention, made of its `id`."""
    return rows.add_column(0, "mention", pa.array(_hashes(rows["id"].combine_chunks())))


def count_contexts(rows: pa.Table) -> pa.Table:
    """Count the contexts that have each word, by its hash; and all contexts, as item -1."""
    found = count_words(rows["context"])
    frequency = found.frequency[: len(found.vocabulary)]
    there = frequency > 0
    items = np.concatenate([[CONTEXTS], _hashes(found.vocabulary)[there]])
    return pa.table({"item": items, "count": np.concatenate([[found.n], frequency[there]])})


def count_names(rows: pa.Table) -> pa.Table:
    """Count the mentions of each name as written, by its hash."""
    items, counts = np.unique(_hashes(_names(rows)), return_counts=True)
    return pa.table({"item": items, "count": counts})


def name_key(rows: pa.Table, *, n_partitions: int) -> pa.Array:
    """Return the partition in which the mentions of a name meet."""
    return pa.array(_hashes(_names(rows)) % n_partitions, pa.int32())


def distinct_names(rows: pa.Table, key: int) -> pa.Table:  # noqa: ARG001
    """Return each name of a partition once, with its smallest mention (rows are ordered by mention)."""
    encoded = pc.dictionary_encode(_names(rows))
    _, first = np.unique(encoded.indices.to_numpy(), return_index=True)
    return pa.table([rows["mention"].take(pa.array(first)), encoded.dictionary], schema=NAMES)


def begin(rows: pa.Table, *, vocabulary: Vocabulary, names: Names, from_names: bool, keep: list[str]) -> pa.Table:
    """Return the rows as rounds want them: a start, names by number, bags; and the columns to keep."""
    mention = rows["mention"].to_numpy()
    number = names.numbers(_names(rows))
    entity = names.first[number] if from_names else mention
    columns = {"mention": mention, "entity": entity, "sub": mention, "super": entity, "name": number}
    bags = _bags(rows, vocabulary)
    columns |= {"tokens": bags[0], "weights": bags[1]}
    found = pa.table({name: columns[name] for name in MENTIONS.names})
    if "document" in rows.column_names:
        found = found.append_column("document", pa.array(_hashes(rows["document"].combine_chunks().cast(pa.string()))))
    for name in keep:
        found = found.append_column(name, rows[name].cast(pa.string()))
    return found


def _bags(rows: pa.Table, vocabulary: Vocabulary) -> tuple[pa.Array, pa.Array]:
    """Return the numbers and weights of the words of each context."""
    found = count_words(rows["context"])
    # Sums are rounded: words must come in the same order whatever other rows are here.
    order = np.lexsort((_hashes(found.vocabulary)[found.words], found.owner))
    parts = {name: getattr(found, name)[order] for name in ("owner", "words", "counts")}
    found = replace(found, **parts)
    at, there = vocabulary.find(found.vocabulary)
    frequency = np.where(there, vocabulary.frequency[at], 1) if len(vocabulary.frequency) else np.ones(len(at), int)
    bags = weigh_words(found, frequency=frequency, n_contexts=vocabulary.n_contexts)
    at, there = vocabulary.find(bags.vocabulary)
    kept = there[bags.words]
    lengths = np.add.reduceat(np.append(kept, False), bags.offsets[:-1]) * (np.diff(bags.offsets) > 0)
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())
    words, weights = at[bags.words[kept]].astype(np.int32), bags.weights[kept]
    return pa.ListArray.from_arrays(offsets, pa.array(words)), pa.ListArray.from_arrays(offsets, pa.array(weights))


def in_sample(rows: pa.Table, *, share: float, by: str = "name") -> pa.Table:
    """Return the mentions of a share of the names, chosen by the name alone; or a share of the mentions."""
    mixed = rows[by].to_numpy().astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    chosen = (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53 < share
    return rows.filter(pa.array(chosen))


def sample_bags(rows: pa.Table) -> Bags:
    """Return the bags of some rows by themselves, their words numbered anew."""
    tokens, weights = (rows[name].combine_chunks() for name in ("tokens", "weights"))
    known, words = np.unique(tokens.flatten().to_numpy(), return_inverse=True)
    offsets = tokens.offsets.to_numpy().astype(np.int64)
    vocabulary = pa.array(known).cast(pa.string())
    return Bags(offsets - offsets[0], words.astype(np.int32), weights.flatten().to_numpy(), vocabulary)


def _names(rows: pa.Table) -> pa.Array:
    return pc.fill_null(rows["name"].combine_chunks().cast(pa.string()), "")


def _hashes(texts: pa.Array) -> NDArray[np.int64]:
    """Return 63 bits for each text, the same everywhere."""
    return (text_fingerprints(texts.cast(pa.large_string())) >> np.uint64(1)).astype(np.int64)
