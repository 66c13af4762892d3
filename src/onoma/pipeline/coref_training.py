"""Coreference models from annotated documents: their own words, our trees and names, their chains.

A model meets text that Onoma annotated, so it learns from such text: the words and sentences of the training documents
are annotated by our own stages, and only the chains are theirs.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onoma.coref.constraints import CONSTRAINTS, Rule, constraint_matrix, fit_weights
from onoma.coref.document import joined
from onoma.coref.features import Prepared
from onoma.coref.learning import Example, LearningSettings
from onoma.coref.model import Annotated, CorefModel, example_of, train_coref
from onoma.coref.posterior import fit_calibration, fit_joined
from onoma.corpus.clustering import Clustering
from onoma.corpus.formats import read_corpus
from onoma.errors import DataError, SettingsError
from onoma.evaluate import evaluate
from onoma.evaluate.significance import compare
from onoma.pipeline.coref_sets import Further, annotated_documents, gap_snippets, litbank, litbank_folds
from onoma.progress import SILENT, Progress

__all__ = [
    "CLEAN_GENRES",
    "GOLD",
    "LITBANK",
    "SETTINGS",
    "SHIPPED",
    "Scores",
    "TrainingReport",
    "Tuning",
    "calibrate_joined",
    "chains_of",
    "choose",
    "difference",
    "further_sets",
    "longer",
    "score",
    "train_from",
    "train_model",
]

SETTINGS = LearningSettings(costs=(2.0, 0.3, 1.0), penalty=0.005, epochs=4, recall=0.98, runs=2)
"""For mentions that are found, not given; chosen on OntoGUM's development documents."""

LITBANK = LearningSettings(costs=(1.0, 0.5, 1.0), penalty=0.005, epochs=4, recall=0.97, runs=2)
"""For LitBank, where mentions that are alone count; chosen on the development documents of its first fold."""

GOLD = LearningSettings(epochs=4, runs=3)
"""For mentions that are given."""

CLEAN_GENRES = ("academic", "bio", "court", "interview", "news", "voyage")
"""Genres of GUM whose texts may be used for a model that ships (its LICENSE.txt)."""


Found = Mapping[tuple[int, int], object]
"""The chain of each span of a document."""


@dataclass(frozen=True)
class Scores:
    """F1 of MUC, B³ and CEAFe, in per cent, and their mean."""

    muc: float
    b3: float
    ceafe: float

    @property
    def mean(self) -> float:
        """The CoNLL average."""
        return (self.muc + self.b3 + self.ceafe) / 3


def score(documents: Sequence[Annotated], found: Iterable[Found]) -> Scores:
    """Compare chains with the annotated ones, document by document, as the official scorer does."""
    gold, (ours,), groups = _clusterings(documents, [list(found)])
    result = evaluate(gold, ours, metrics=["muc", "b3", "ceafe"], groups=groups).as_dict()
    return Scores(*(100 * result[name]["f1"] for name in ("muc", "b3", "ceafe")))  # type: ignore[index]


def difference(documents: Sequence[Annotated], first: Sequence[Found], second: Sequence[Found], *, seed: int) -> str:
    """Say by how much the first system is better than the second, with p values, paired by document."""
    gold, sides, groups = _clusterings(documents, [first, second])
    found = compare(gold, *sides, seed=seed, metrics=["muc", "b3", "ceafe"], groups=groups, n_resamples=2000)
    parts = [
        f"{name} {100 * found[f'{key}.f1'].value:+.1f} (p = {found[f'{key}.f1'].p_value:.3f})"
        for key, name in (("muc", "MUC"), ("b3", "B³"), ("ceafe", "CEAFe"))
    ]
    return ", ".join(parts)


def _clusterings(
    documents: Sequence[Annotated], systems: Sequence[Sequence[Found]]
) -> tuple[Clustering, list[Clustering], NDArray[np.int64]]:
    """Return the annotation and each system's chains as clusterings of the same spans, and the document of each."""
    labels: list[list[int]] = [[] for _ in range(1 + len(systems))]
    names: list[dict[object, int]] = [{} for _ in labels]
    groups: list[int] = []
    for number, one in enumerate(documents):
        sides = [one.chains, *(system[number] for system in systems)]
        for span in dict.fromkeys(span for side in sides for span in side):
            groups.append(number)
            for side, own, known in zip(sides, labels, names, strict=True):
                own.append(known.setdefault((number, side[span]), len(known)) if span in side else -1)
    gold, *ours = (Clustering(np.array(own), len(known)) for own, known in zip(labels, names, strict=True))
    return gold, ours, np.array(groups)


def chains_of(
    prepared: Prepared, labels: NDArray[np.int64], *, stands: NDArray[np.bool_] | None = None
) -> dict[tuple[int, int], int]:
    """Return the entity of each span; of mentions that are alone, those that `stands` names."""
    size = np.bincount(labels, minlength=len(labels))
    kept = size[labels] > 1
    if stands is not None:
        kept |= stands
    return {
        (span.start, span.end): int(label)
        for span, label, keep in zip(prepared.spans, labels.tolist(), kept, strict=True)
        if keep
    }


def train_model(
    train: Sequence[Annotated],
    dev: Sequence[Annotated],
    settings: LearningSettings,
    *,
    gold_mentions: bool = False,
    singletons: bool = False,
    further: Further | None = None,
    any_length: bool = False,
    progress: Progress = SILENT,
) -> tuple[CorefModel, Scores]:
    """Learn weights; choose decoder and constraints, and fit what calibrates, on development documents.

    With `any_length` the decoder is to be good on the same documents joined to longer ones, too. Where a mention
    chooses among the members of an entity together, many unlikely ones outweigh "none" in a text much longer than those
    that were learnt from; documents of one length do not show it.
    """
    more = None if further is None else partial(further.examples, gold_mentions=gold_mentions)
    model = train_coref(train, settings, gold_mentions=gold_mentions, more=more, progress=progress)
    looked_at = [dev, longer(dev)] if any_length else [dev]
    tunings = [Tuning.of(model, part, gold_mentions=gold_mentions, singletons=singletons) for part in looked_at]
    chosen, scores = choose(tunings)
    return calibrate_joined(chosen, tunings[0].examples), scores


_LONG = 5000
"""Words of a document that is put together: those of a long article or a chapter; documents of GUM have 1,000."""


def longer(documents: Sequence[Annotated]) -> list[Annotated]:
    """Return documents joined to some 5,000 words, each with ones that do not stand beside it in the list."""
    step = min(len(documents), -(-sum(len(one.document) for one in documents) // _LONG))
    found = []
    for part in (documents[k::step] for k in range(step)):
        starts = np.cumsum([0, *(len(one.document) for one in part)]).tolist()
        chains = {
            (start + at, end + at): (at, chain)
            for one, at in zip(part, starts[:-1], strict=True)
            for (start, end), chain in one.chains.items()
        }
        found.append(Annotated(joined([one.document for one in part]), chains))
    return found


def calibrate_joined(model: CorefModel, examples: Sequence[Example]) -> CorefModel:
    """Fit what makes the stated probabilities of neighbours in chains frequencies."""
    plain = replace(model, calibration=replace(model.calibration, slope=1.0, lift=0.0, top=1.0))
    stated, right = [], []
    for one in examples:
        found = plain.resolve_prepared(one.prepared)
        for row, before in found.joined():
            stated.append(found.together(row, before))
            right.append(one.chains[row] >= 0 and one.chains[row] == one.chains[before])
    if not stated:
        return plain
    return replace(plain, calibration=fit_joined(plain.calibration, np.array(stated), np.array(right, bool)))


@dataclass(frozen=True, eq=False)
class Tuning:
    """Development documents with the scores of their antecedents: what a decoder is chosen on."""

    model: CorefModel
    documents: Sequence[Annotated]
    examples: Sequence[Example]
    odds: Sequence[NDArray[np.float64]]
    """The filter's log-odds of each mention; all 0 where there is no filter."""
    scores: Sequence[NDArray[np.float64]]
    singletons: bool

    @classmethod
    def of(
        cls, model: CorefModel, documents: Sequence[Annotated], *, gold_mentions: bool = False, singletons: bool = False
    ) -> "Tuning":
        """Look at documents through a model."""
        examples = [
            example_of(one, model.vocabulary, model.conventions, gold_mentions=gold_mentions) for one in documents
        ]
        odds = [np.zeros(len(one.prepared)) for one in examples]
        if model.filter is not None:
            odds = [model.filter.log_odds(one.prepared) for one in examples]
            kept = [model.filter.keeps(one.prepared) for one in examples]
            examples = [one.only(keep) for one, keep in zip(examples, kept, strict=True)]
            odds = [each[keep] for each, keep in zip(odds, kept, strict=True)]
        scores = [one.prepared.scores(model.weights, model.window) for one in examples]
        return cls(model, documents, examples, odds, scores, singletons)

    def under(self, model: CorefModel) -> "Tuning":
        """Look at the same mentions through other weights."""
        scores = [one.prepared.scores(model.weights, model.window) for one in self.examples]
        return replace(self, model=model, scores=scores)

    def matrices(self, rule: Rule) -> list[NDArray[np.float64]]:
        """Return of which pairs a constraint speaks, in each document."""
        return [rule.speaks(one.prepared).astype(np.float64) for one in self.examples]

    def decode(
        self, gamma: float, shift: float = 0.0, bonus: Sequence[NDArray[np.float64]] | None = None
    ) -> list[NDArray[np.int64]]:
        """Return the entities of each document; `bonus` comes on top of the model's own constraints."""
        given = self.held if bonus is None else [own + more for own, more in zip(self.held, bonus, strict=True)]
        return [
            self.examples[k].prepared.linked(one + shift * np.eye(len(one)), given[k], gamma)
            for k, one in enumerate(self.scores)
        ]

    @cached_property
    def held(self) -> list[NDArray[np.float64]]:
        """What the model's own constraints add to each pair of mentions, in each document."""
        return [constraint_matrix(one.prepared, self.model.constraints) for one in self.examples]

    def quality(self, labels: Sequence[NDArray[np.int64]], alone: float = -np.inf) -> Scores:
        """Score entities against the annotation."""
        return score(self.documents, self.chains(labels, alone))

    def chains(self, labels: Sequence[NDArray[np.int64]], alone: float = -np.inf) -> list[dict[tuple[int, int], int]]:
        """Return the entity of each span of each document."""
        return [
            chains_of(one.prepared, label, stands=(odds >= alone) & self.singletons)
            for one, label, odds in zip(self.examples, labels, self.odds, strict=True)
        ]


def choose(tunings: Sequence[Tuning], *, grid: Sequence[float] = (0, 0.5, 1)) -> tuple[CorefModel, Scores]:
    """Choose γ, the shift of "none", constraints and the threshold of mentions that are alone; then calibrate.

    What is best in the mean over the parts is chosen; calibration and the returned scores are of the first.
    """
    first = tunings[0]
    alone = _alone(first, first.decode(0.5))
    spoken = [{rule.name: part.matrices(rule) for rule in CONSTRAINTS} for part in tunings]

    def labels(number: int, gamma: float, shift: float, rules: Sequence[Rule]) -> list[NDArray[np.int64]]:
        used = [rule for rule in rules if rule.weight]
        if not used:
            return tunings[number].decode(gamma, shift)
        matrices = zip(*(spoken[number][rule.name] for rule in used), strict=True)
        bonus = [sum(rule.weight * own for rule, own in zip(used, each, strict=True)) for each in matrices]
        return tunings[number].decode(gamma, shift, bonus)

    def quality(gamma: float, shift: float, rules: Sequence[Rule] = ()) -> float:
        found = [part.quality(labels(k, gamma, shift, rules), alone).mean for k, part in enumerate(tunings)]
        return float(np.mean(found))

    gamma, shift = max(
        ((gamma, shift) for gamma in (0.0, 0.5, 1.0) for shift in (-1.5, -1.0, -0.6, -0.3, 0.0, 0.3)),
        key=lambda pair: quality(*pair),
    )
    rules = [rule for rule in fit_weights(CONSTRAINTS, partial(quality, gamma, shift), grid) if rule.weight]
    if quality(gamma, shift, rules) < quality(gamma, shift) + _WORTH:
        rules = []
    best = labels(0, gamma, shift, rules)
    alone = _alone(first, best)
    calibrated = fit_calibration(first.scores, [one.chains for one in first.examples])
    model = replace(
        first.model,
        gamma=gamma,
        shift=shift,
        constraints=[*first.model.constraints, *rules],
        alone=alone,
        calibration=calibrated,
    )
    return model, first.quality(best, alone)


_WORTH = 0.5
"""Constraints that gain less than so many points on development documents are left out: seeds differ by as much."""


def _alone(tuning: Tuning, labels: Sequence[NDArray[np.int64]]) -> float:
    """Return the log-odds from which mentions that are alone are reported."""
    if not tuning.singletons or tuning.model.filter is None:
        return -np.inf
    return max((-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0), key=lambda value: tuning.quality(labels, value).mean)


@dataclass(frozen=True)
class TrainingReport:
    """What a model was trained on and how good it is on development documents."""

    n_train: int
    n_dev: int
    scores: Scores


def train_from(
    inputs: Sequence[str], output: Path, *, scheme: str = "ontogum", seed: int = 0, progress: Progress = SILENT
) -> TrainingReport:
    """Train a model from annotated files, or from the data folder one that comes with Onoma, and save it.

    Of files, every tenth document is for development: decoder, constraints and calibration are chosen on it.
    """
    folder = Path(inputs[0])
    if folder.is_dir():
        if scheme not in SHIPPED:
            raise SettingsError(f"there is no scheme {scheme!r}; there are {', '.join(SHIPPED)}")
        parts = SHIPPED[scheme](folder)
    else:
        parts = _parts_of_files(inputs)
    settings = replace(parts.settings, seed=seed)
    model, scores = train_model(
        parts.train,
        parts.dev,
        settings,
        singletons=parts.singletons,
        further=parts.further,
        any_length=True,
        progress=progress,
    )
    card = {
        **parts.card,
        "documents": len(parts.train),
        "singletons": parts.singletons,
        "development": {"documents": len(parts.dev), "muc": scores.muc, "b3": scores.b3, "ceafe": scores.ceafe},
    }
    replace(model, facts=card).save(output)
    return TrainingReport(len(parts.train), len(parts.dev), scores)


@dataclass(frozen=True, eq=False)
class _Parts:
    """What a model is trained from."""

    train: Sequence[Annotated]
    dev: Sequence[Annotated]
    settings: LearningSettings
    card: Mapping[str, object]
    singletons: bool = False
    further: Further | None = None


def _parts_of_files(inputs: Sequence[str]) -> _Parts:
    documents = [one for name in inputs for one in annotated_documents(read_corpus(Path(name)), genres=False)]
    train = [one for number, one in enumerate(documents) if number % 10 != 9]
    dev = [one for number, one in enumerate(documents) if number % 10 == 9]
    if not dev:
        raise DataError(f"{len(documents)} documents; at least ten are needed, one of them for development")
    sizes = Counter((number, chain) for number, one in enumerate(documents) for chain in one.chains.values())
    singletons = 2 * sum(size == 1 for size in sizes.values()) > len(sizes) / 2
    card = {
        "scheme": "that of the training files",
        "data": list(inputs),
        "licence": "that of the training files",
        "command": "onoma train coref FILES… -o FOLDER",
    }
    return _Parts(train, dev, SETTINGS, card, singletons)


def further_sets(data: Path, scheme: str = "ontogum") -> Further:
    """Return what a model of a scheme may learn from besides: GAP's development texts, documents of the other scheme.

    Their licences allow a model that ships.
    """
    snippets = gap_snippets(data / "text" / "gap" / "gap-development.tsv.gz")
    others = _clean(data) if scheme == "litbank" else list(litbank(data / "text" / "litbank").values())
    return Further(snippets, others)


def _clean(data: Path) -> list[Annotated]:
    """Return the training documents of OntoGUM whose texts may be used for a model that ships."""
    return [one for one in _ontogum_part(data, "train") if one.document.name.split("_")[1] in CLEAN_GENRES]


def _ontogum_part(data: Path, part: str) -> list[Annotated]:
    file = data / "text" / "gum" / f"ontogum_{part}.conll12.gz"
    return annotated_documents(read_corpus(file, format="conll2012"), genres=False)


def _ontogum(data: Path) -> _Parts:
    card = {
        "scheme": "OntoNotes (OntoGUM)",
        "data": [f"GUM 11, genres {', '.join(CLEAN_GENRES)}", "GAP, development", "LitBank: pronouns, names"],
        "licence": "CC BY-SA 4.0; GAP: Apache-2.0; LitBank: CC BY 4.0",
        "command": "onoma train coref $ONOMA_DATA -o FOLDER",
    }
    return _Parts(_clean(data), _ontogum_part(data, "dev"), SETTINGS, card, further=further_sets(data))


def _litbank(data: Path) -> _Parts:
    documents = litbank(data / "text" / "litbank")
    fold = litbank_folds(data / "text" / "litbank")[0]
    card = {
        "scheme": "LitBank: people, places, facilities, vehicles, organisations; singletons",
        "data": [
            "LitBank, fold 0: training and test documents; development documents for the decoder",
            "GAP, development",
            f"GUM 11, genres {', '.join(CLEAN_GENRES)}: pronouns, names",
        ],
        "licence": "CC BY 4.0; GAP: Apache-2.0; GUM: CC BY-SA 4.0",
        "command": "onoma train coref $ONOMA_DATA --scheme litbank -o FOLDER",
    }
    train = [documents[name] for name in [*fold["train"], *fold["test"]]]
    dev = [documents[name] for name in fold["dev"]]
    return _Parts(train, dev, LITBANK, card, singletons=True, further=further_sets(data, "litbank"))


SHIPPED = {"ontogum": _ontogum, "litbank": _litbank}
"""The models that come with Onoma, by annotation scheme."""
