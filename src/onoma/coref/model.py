"""A trained coreference model: what it needs to turn an annotated document into chains with probabilities."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.coref.constraints import CONSTRAINTS, Rule, constraint_matrix
from onoma.coref.decode import constrained_link
from onoma.coref.document import Document
from onoma.coref.features import Prepared, prepare
from onoma.coref.learning import Example, LearningSettings, learn
from onoma.coref.mentions import Span, candidate_mentions, head_of
from onoma.coref.posterior import Posterior, posterior
from onoma.errors import DataError
from onoma.learning.storage import load_model, save_model
from onoma.progress import SILENT, Progress

__all__ = ["Annotated", "CorefModel", "Resolved", "gold_spans", "load_coref", "train_coref"]

_KIND = "coref"


@dataclass(frozen=True, eq=False)
class Annotated:
    """A document with its annotated chains: the chain of each span (start, end)."""

    document: Document
    chains: Mapping[tuple[int, int], object]


@dataclass(frozen=True, eq=False)
class Resolved:
    """A document's mentions, the entity of each (the number of its first mention), and how sure all is."""

    prepared: Prepared
    labels: NDArray[np.int64]
    posterior: Posterior

    def chains(self, *, singletons: bool = False) -> dict[tuple[int, int], int]:
        """Return the entity of each span; mentions that are alone only on request."""
        size = np.bincount(self.labels, minlength=len(self.labels))
        return {
            (span.start, span.end): int(label)
            for span, label in zip(self.prepared.spans, self.labels, strict=True)
            if singletons or size[label] > 1
        }


@dataclass(frozen=True, eq=False)
class CorefModel:
    """Weights, words and constraints.

    Parameters
    ----------
    weights
        One for each row of the feature table.
    vocabulary
        The words that features name.
    window
        How many mentions back an antecedent may lie.
    gamma
        How a mention chooses an entity: 0 by its best antecedent, above 0 by the sum of probabilities.
    temperature
        Of stated probabilities.
    constraints
        What is known beforehand, with weights.
    facts
        What a model card says: scheme, data, scores.
    """

    weights: NDArray[np.float64]
    vocabulary: Mapping[str, int]
    window: int = 1_000_000
    gamma: float = 0.0
    temperature: float = 1.0
    constraints: Sequence[Rule] = ()
    facts: Mapping[str, object] = field(default_factory=dict)

    def resolve(self, document: Document, spans: Sequence[Span] | None = None) -> Resolved:
        """Find the chains of a document, among given mentions or among all that may refer."""
        prepared = prepare(document, candidate_mentions(document) if spans is None else spans, self.vocabulary)
        return self.resolve_prepared(prepared)

    def resolve_prepared(self, prepared: Prepared) -> Resolved:
        """Find the chains among mentions that are described already."""
        scores = prepared.scores(self.weights, self.window)
        rules = constraint_matrix(prepared, self.constraints) if self.constraints else None
        labels = constrained_link(scores, rules, self.gamma)
        return Resolved(prepared, labels, posterior(scores, self.temperature))

    def save(self, folder: str | Path) -> None:
        """Write the model; weights that are zero are left out, the others kept to half precision."""
        kept = np.flatnonzero(np.abs(self.weights) > 1e-4)
        arrays: dict[str, NDArray[Any]] = {
            "rows": kept.astype(np.uint32),
            "values": self.weights[kept].astype(np.float16),
        }
        facts = {
            "size": len(self.weights),
            "words": sorted(self.vocabulary, key=self.vocabulary.__getitem__),
            "window": self.window,
            "gamma": self.gamma,
            "temperature": self.temperature,
            "constraints": {rule.name: rule.weight for rule in self.constraints},
            "card": dict(self.facts),
        }
        save_model(folder, _KIND, facts, arrays)


def load_coref(folder: str | Path) -> CorefModel:
    """Read a saved model."""
    facts, arrays = load_model(folder, _KIND)
    size, rows, values = facts["size"], arrays["rows"], arrays["values"]
    if not isinstance(size, int) or size & (size - 1) or not 0 < size <= 1 << 26:
        raise DataError(f"is damaged: a table of {size!r} weights", file=folder)
    if len(rows) != len(values) or (len(rows) and int(rows.max()) >= size):
        raise DataError("is damaged: its weights do not fit its table", file=folder)
    weights = np.zeros(size)
    weights[rows] = values.astype(np.float64)
    known = {rule.name: rule for rule in CONSTRAINTS}
    missing = [name for name in facts["constraints"] if name not in known]
    if missing:
        raise DataError(f"uses constraints that this program does not know: {', '.join(missing)}", file=folder)
    return CorefModel(
        weights=weights,
        vocabulary={word: number for number, word in enumerate(facts["words"], start=1)},
        window=int(facts["window"]),
        gamma=float(facts["gamma"]),
        temperature=float(facts["temperature"]),
        constraints=[replace(known[name], weight=float(weight)) for name, weight in facts["constraints"].items()],
        facts=dict(facts["card"]),
    )


def gold_spans(document: Document, chains: Iterable[tuple[int, int]]) -> list[Span]:
    """Return annotated mentions as spans with heads, in the order of the text."""
    found = [Span(start, end, head_of(document, start, end)) for start, end in chains]
    return sorted(found, key=lambda span: (span.start, -span.end))


def train_coref(
    documents: Sequence[Annotated],
    settings: LearningSettings = LearningSettings(),  # noqa: B008  (frozen)
    *,
    gold_mentions: bool = False,
    progress: Progress = SILENT,
) -> CorefModel:
    """Learn weights from annotated documents.

    Parameters
    ----------
    documents
        The documents and their chains.
    settings
        How to learn.
    gold_mentions
        Whether mentions are the annotated ones, or all that may refer (those annotated nowhere begin entities of their
        own, and annotated ones that cannot be found are left out).
    """
    vocabulary = _vocabulary(documents, settings.min_word_count)
    examples = [example_of(one, vocabulary, gold_mentions=gold_mentions) for one in documents]
    weights, _ = learn(examples, settings, progress=progress)
    return CorefModel(weights, vocabulary, window=settings.window, gamma=settings.gamma)


def example_of(one: Annotated, vocabulary: Mapping[str, int], *, gold_mentions: bool) -> Example:
    """Describe a document's mentions and number their chains."""
    spans = gold_spans(one.document, one.chains) if gold_mentions else candidate_mentions(one.document)
    numbers: dict[object, int] = {}
    chains = np.full(len(spans), -1, np.int64)
    for row, span in enumerate(spans):
        chain = one.chains.get((span.start, span.end))
        if chain is not None:
            chains[row] = numbers.setdefault(chain, len(numbers))
    return Example(prepare(one.document, spans, vocabulary), chains)


def _vocabulary(documents: Sequence[Annotated], minimum: int) -> dict[str, int]:
    counts = Counter(word.lower() for one in documents for word in one.document.words)
    words = sorted(word for word, count in counts.items() if count >= minimum)
    return {word: number for number, word in enumerate(words, start=1)}
