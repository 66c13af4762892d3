"""A trained coreference model: what it needs to turn an annotated document into chains with probabilities."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from onoma.coref.constraints import CONSTRAINTS, WITHIN, Rule, constraint_matrix
from onoma.coref.document import Document
from onoma.coref.features import Prepared, prepare
from onoma.coref.filters import MentionFilter, train_filter
from onoma.coref.learning import Example, LearningSettings, learn
from onoma.coref.mentions import Conventions, Span, candidate_mentions, head_of, is_place
from onoma.coref.posterior import Calibration, Posterior, Stretches, posterior
from onoma.errors import DataError
from onoma.learning.storage import load_model, save_model
from onoma.progress import SILENT, Progress

__all__ = [
    "LONGEST",
    "Annotated",
    "CorefModel",
    "Material",
    "More",
    "Resolved",
    "example_of",
    "gold_spans",
    "load_coref",
    "material_of",
    "train_coref",
    "train_on",
]

_KIND = "coref"
LONGEST = 2000
"""Documents with more mentions are linked in stretches of so many, overlapping by half: memory and time stay bounded,
and a mention's antecedent is looked for at least half as many mentions back."""


class More(Protocol):
    """Gives further examples, in the words that features name and with mentions by a scheme's conventions."""

    def __call__(self, vocabulary: Mapping[str, int], conventions: Conventions, /) -> Sequence[Example]:
        """Return the examples."""


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
    posterior: Posterior | Stretches
    stands: NDArray[np.bool_]
    """Which mentions are sure enough to be reported where they are alone."""
    calibration: Calibration = field(default_factory=Calibration)

    def joined(self) -> Iterator[tuple[int, int]]:
        """Yield the mentions that follow another one of their entity, each with the one before it."""
        last: dict[int, int] = {}
        for row, label in enumerate(self.labels.tolist()):
            if label in last:
                yield row, last[label]
            last[label] = row

    def together(self, i: int, k: int) -> float:
        """Return the probability that two mentions which are neighbours in a chain are one thing."""
        return self.calibration.of_joined(self.posterior.coreference(i, k))

    def reported(self, *, singletons: bool = False) -> NDArray[np.bool_]:
        """Say which mentions to report: those of chains, and on request those that are alone and sure."""
        size = np.bincount(self.labels, minlength=len(self.labels))
        return (size[self.labels] > 1) | (singletons & self.stands)

    def chains(self, *, singletons: bool = False) -> dict[tuple[int, int], int]:
        """Return the entity of each span; mentions that are alone only on request."""
        kept = self.reported(singletons=singletons)
        return {
            (span.start, span.end): int(label)
            for span, label, keep in zip(self.prepared.spans, self.labels, kept, strict=True)
            if keep
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
    calibration
        Of stated probabilities.
    constraints
        What is known beforehand, with weights.
    shift
        Added to the score of "a new entity".
    filter
        Which candidates are looked at; None: all.
    alone
        The filter's log-odds from which a mention that is alone is reported.
    conventions
        What the scheme takes for a mention.
    facts
        What a model card says: scheme, data, scores.
    """

    weights: NDArray[np.float64]
    vocabulary: Mapping[str, int]
    window: int = 1_000_000
    gamma: float = 0.0
    calibration: Calibration = field(default_factory=Calibration)
    constraints: Sequence[Rule] = (WITHIN,)
    shift: float = 0.0
    filter: MentionFilter | None = None
    alone: float = -np.inf
    conventions: Conventions = Conventions()  # noqa: RUF009  (frozen)
    facts: Mapping[str, object] = field(default_factory=dict)

    def resolve(self, document: Document, spans: Sequence[Span] | None = None, *, all_names: bool = False) -> Resolved:
        """Find the chains of a document, among given mentions or among all that may refer.

        With `all_names` every name is looked at, also one that the filter takes for said only once.
        """
        if spans is not None:
            return self.resolve_prepared(prepare(document, spans, self.vocabulary))
        prepared = prepare(document, candidate_mentions(document, self.conventions), self.vocabulary)
        if self.filter is None:
            return self.resolve_prepared(prepared)
        odds = self.filter.log_odds(prepared)
        kept = self.filter.keeps(prepared)
        if all_names:
            names = {(start, end) for start, end, _ in document.names}
            kept |= np.array([(span.start, span.end) in names for span in prepared.spans], bool)
        return self.resolve_prepared(prepared.only(kept), odds[kept] >= self.alone)

    def resolve_prepared(self, prepared: Prepared, stands: NDArray[np.bool_] | None = None) -> Resolved:
        """Find the chains among mentions that are described already."""
        stands = np.ones(len(prepared), bool) if stands is None else stands
        if len(prepared) <= LONGEST:
            return Resolved(prepared, *self._link(prepared), stands, self.calibration)
        return self._resolve_long(prepared, stands)

    def _link(self, prepared: Prepared) -> tuple[NDArray[np.int64], Posterior]:
        scores = prepared.scores(self.weights, self.window)
        how_sure = posterior(scores, self.calibration)
        scores[np.diag_indices(len(scores))] += self.shift
        rules = constraint_matrix(prepared, self.constraints) if self.constraints else None
        return prepared.linked(scores, rules, self.gamma), how_sure

    def _resolve_long(self, prepared: Prepared, stands: NDArray[np.bool_]) -> Resolved:
        """Link stretch after stretch; the second half of each looks back at the whole of the first."""
        step = LONGEST // 2
        labels = np.arange(len(prepared))
        parts = []
        for start in range(0, len(prepared), step):
            low, high = max(0, start - step), min(len(prepared), start + step)
            own, how_sure = self._link(prepared.stretch(low, high))
            parts.append((low, how_sure))
            last: dict[int, int] = {}
            for i, label in enumerate(own.tolist(), start=low):
                if i >= start and label in last:
                    labels[i] = labels[last[label]]
                last[label] = i
        return Resolved(prepared, labels, Stretches(parts, step), stands, self.calibration)

    def save(self, folder: str | Path) -> None:
        """Write the model; weights that are nearly zero are left out, the others kept to half precision."""
        arrays = _sparse("", self.weights)
        if self.filter is not None:
            arrays |= _sparse("filter_", self.filter.weights)
        facts = {
            "size": len(self.weights),
            "words": sorted(self.vocabulary, key=self.vocabulary.__getitem__),
            "window": self.window,
            "gamma": self.gamma,
            "calibration": asdict(self.calibration),
            "constraints": {rule.name: rule.weight for rule in self.constraints},
            "shift": self.shift,
            "conventions": asdict(self.conventions),
            "filter": None
            if self.filter is None
            else {
                "size": len(self.filter.weights),
                "threshold": self.filter.threshold,
                "alone": self.alone if np.isfinite(self.alone) else None,
            },
            "card": dict(self.facts),
        }
        save_model(folder, _KIND, facts, arrays)


def load_coref(folder: str | Path) -> CorefModel:
    """Read a saved model."""
    facts, arrays = load_model(folder, _KIND)
    weights = _dense("", facts["size"], arrays, folder)
    known = {rule.name: rule for rule in (WITHIN, *CONSTRAINTS)}
    missing = [name for name in facts["constraints"] if name not in known]
    if missing:
        raise DataError(f"uses constraints that this program does not know: {', '.join(missing)}", file=folder)
    sieve = facts["filter"]
    return CorefModel(
        weights=weights,
        vocabulary={word: number for number, word in enumerate(facts["words"], start=1)},
        window=int(facts["window"]),
        gamma=float(facts["gamma"]),
        calibration=Calibration(**facts["calibration"]),
        constraints=[replace(known[name], weight=float(weight)) for name, weight in facts["constraints"].items()],
        shift=float(facts["shift"]),
        conventions=Conventions(**facts.get("conventions", {})),
        filter=MentionFilter(_dense("filter_", sieve["size"], arrays, folder), sieve["threshold"]) if sieve else None,
        alone=-np.inf if not sieve or sieve["alone"] is None else float(sieve["alone"]),
        facts=dict(facts["card"]),
    )


_SMALL = 2e-3
"""Weights below this are left out of files: a score is a sum of about a hundred."""


def _sparse(name: str, weights: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
    kept = np.flatnonzero(np.abs(weights) > _SMALL)
    return {f"{name}rows": kept.astype(np.uint32), f"{name}values": weights[kept].astype(np.float16)}


def _dense(name: str, size: object, arrays: Mapping[str, NDArray[Any]], folder: str | Path) -> NDArray[np.float64]:
    rows, values = arrays[f"{name}rows"], arrays[f"{name}values"]
    if not isinstance(size, int) or size & (size - 1) or not 0 < size <= 1 << 26:
        raise DataError(f"is damaged: a table of {size!r} weights", file=folder)
    if len(rows) != len(values) or (len(rows) and int(rows.max()) >= size):
        raise DataError("is damaged: its weights do not fit its table", file=folder)
    weights = np.zeros(size)
    weights[rows] = values.astype(np.float64)
    return weights


def gold_spans(document: Document, chains: Iterable[tuple[int, int]]) -> list[Span]:
    """Return annotated mentions as spans with heads, in the order of the text."""
    found = [Span(start, end, head_of(document, start, end)) for start, end in chains]
    return sorted(found, key=lambda span: (span.start, -span.end))


def train_coref(
    documents: Sequence[Annotated],
    settings: LearningSettings = LearningSettings(),  # noqa: B008  (frozen)
    *,
    gold_mentions: bool = False,
    more: More | None = None,
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
    more
        Gives further examples, in which a few links were judged, once the words that features name are known.
    """
    material = material_of(documents, settings, gold_mentions=gold_mentions, more=more)
    return train_on(material, settings, progress=progress)


@dataclass(frozen=True, eq=False)
class Material:
    """What learners of one study learn from, described once: words, mentions, which of them are looked at."""

    vocabulary: Mapping[str, int]
    examples: Sequence[Example]
    filter: MentionFilter | None
    conventions: Conventions = Conventions()  # noqa: RUF009  (frozen)


def material_of(
    documents: Sequence[Annotated],
    settings: LearningSettings,
    *,
    gold_mentions: bool = False,
    more: More | None = None,
) -> Material:
    """Describe annotated documents; of the settings those of words, mentions and the filter count (`train_coref`)."""
    vocabulary = _vocabulary(documents, settings.min_word_count)
    conventions = _conventions(documents)
    examples = [
        example_of(one, vocabulary, conventions, gold_mentions=gold_mentions, relaxed=settings.relaxed)
        for one in documents
    ]
    sieve = None
    if settings.recall < 1 and not gold_mentions:
        sieve = train_filter(
            [one.prepared for one in examples], [one.chains for one in examples], settings.recall, seed=settings.seed
        )
        # In training no annotated mention is lost: the filter has seen these documents and would keep too many anyway.
        examples = [one.only(sieve.keeps(one.prepared) | (one.chains >= 0)) for one in examples]
    examples += more(vocabulary, conventions) if more else ()
    return Material(vocabulary, examples, sieve, conventions)


def train_on(material: Material, settings: LearningSettings, *, progress: Progress = SILENT) -> CorefModel:
    """Learn weights from documents that are described already."""
    weights, _ = learn(material.examples, settings, progress=progress)
    return CorefModel(
        weights,
        material.vocabulary,
        window=settings.window,
        gamma=settings.gamma,
        filter=material.filter,
        conventions=material.conventions,
    )


def example_of(
    one: Annotated,
    vocabulary: Mapping[str, int],
    conventions: Conventions = Conventions(),  # noqa: B008  (frozen)
    *,
    gold_mentions: bool,
    relaxed: bool = False,
) -> Example:
    """Describe a document's mentions and number their chains."""
    spans = gold_spans(one.document, one.chains) if gold_mentions else candidate_mentions(one.document, conventions)
    given = dict(one.chains)
    if relaxed:
        given |= _by_head(one, spans)
    numbers: dict[object, int] = {}
    chains = np.full(len(spans), -1, np.int64)
    for row, span in enumerate(spans):
        chain = given.get((span.start, span.end))
        if chain is not None:
            chains[row] = numbers.setdefault(chain, len(numbers))
    return Example(prepare(one.document, spans, vocabulary), chains)


_OFTEN = 1 / 3
"""Adverbs of place are mentions where so many are annotated: 43 % in LitBank, 12 % in OntoGUM."""


def _conventions(documents: Sequence[Annotated]) -> Conventions:
    """Return what annotated documents take for mentions."""
    held = left = places = said = 0
    for one in documents:
        document, tags = one.document, one.document.tags
        held += sum(tags[end - 1] == "POS" for _, end in one.chains)
        left += sum(end < len(tags) and tags[end] == "POS" for _, end in one.chains)
        adverbs = [token for token in range(len(document)) if is_place(document, token)]
        said += len(adverbs)
        places += sum((token, token + 1) in one.chains for token in adverbs)
    return Conventions(possessive=held >= left, places=places > _OFTEN * said)


def _by_head(one: Annotated, spans: Sequence[Span]) -> dict[tuple[int, int], object]:
    """Return for annotated mentions that no candidate matches the longest candidate with the same head."""
    candidates = {(span.start, span.end) for span in spans}
    by_head: dict[int, tuple[int, int]] = {}
    for span in sorted(spans, key=lambda span: span.end - span.start):
        by_head[span.head] = (span.start, span.end)
    found = {}
    for (start, end), chain in one.chains.items():
        match = by_head.get(head_of(one.document, start, end))
        if (start, end) not in candidates and match is not None and match not in one.chains:
            found[match] = chain
    return found


def _vocabulary(documents: Sequence[Annotated], minimum: int) -> dict[str, int]:
    counts = Counter(word.lower() for one in documents for word in one.document.words)
    words = sorted(word for word, count in counts.items() if count >= minimum)
    return {word: number for number, word in enumerate(words, start=1)}
