"""Coreference models from annotated documents: their own words, our trees and names, their chains.

A model meets text that Onoma annotated, so it learns from such text: the words and sentences of the training documents
are annotated by our own stages, and only the chains are theirs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.coref.constraints import CONSTRAINTS, Rule, constraint_matrix, fit_weights
from onoma.coref.decode import constrained_link
from onoma.coref.document import documents_of
from onoma.coref.features import Prepared
from onoma.coref.learning import Example, LearningSettings
from onoma.coref.model import Annotated, CorefModel, example_of, train_coref
from onoma.coref.posterior import fit_temperature
from onoma.corpus.clustering import Clustering
from onoma.corpus.corpus import Corpus
from onoma.corpus.formats import read_corpus
from onoma.errors import DataError
from onoma.evaluate import evaluate
from onoma.progress import SILENT, Progress
from onoma.text.documents.annotator import DocumentAnnotator

__all__ = [
    "CLEAN_GENRES",
    "SETTINGS",
    "Scores",
    "TrainingReport",
    "annotated_documents",
    "choose",
    "score",
    "train_from",
    "train_model",
]

SETTINGS = LearningSettings(costs=(2.0, 0.3, 1.0), penalty=0.005)
"""For mentions that are found, not given; chosen on OntoGUM's development documents."""

CLEAN_GENRES = ("academic", "bio", "court", "interview", "news", "voyage")
"""Genres of GUM whose texts may be used for a model that ships (its LICENSE.txt)."""


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


def annotated_documents(
    corpus: Corpus, annotator: DocumentAnnotator | None = None, *, limit: int | None = None
) -> list[Annotated]:
    """Annotate the words of a corpus by our own stages; keep its chains and speakers."""
    annotator = annotator or DocumentAnnotator.load()
    chain_of = dict(zip(corpus.chains["mention"].to_pylist(), corpus.chains["chain"].to_pylist(), strict=True))
    result = []
    for row in corpus.documents.to_pylist()[:limit]:
        key = pc.and_(
            pc.equal(corpus.tokens["document"], row["document"]), pc.equal(corpus.tokens["part"], row["part"])
        )
        tokens = corpus.tokens.filter(key)
        words, sentences = tokens["word"].to_pylist(), tokens["sentence"].to_pylist()
        cut: list[list[str]] = []
        for number, (word, sentence) in enumerate(zip(words, sentences, strict=True)):
            if number == 0 or sentence != sentences[number - 1]:
                cut.append([])
            cut[-1].append(word)
        (document,) = documents_of(annotator.annotate_words([(row["document"], cut)]))
        speakers = ["" if each in (None, "-", "_") else each for each in tokens["speaker"].to_pylist()]
        own = corpus.mentions.filter(
            pc.and_(
                pc.equal(corpus.mentions["document"], row["document"]), pc.equal(corpus.mentions["part"], row["part"])
            )
        )
        spans = zip(own["start"].to_pylist(), own["end"].to_pylist(), strict=True)
        chains = {span: chain_of[name] for span, name in zip(spans, own["id"].to_pylist(), strict=True)}
        genre = _genre(row["document"])
        result.append(Annotated(replace(document, speakers=speakers, genre=genre), chains))
    return result


def _genre(name: str) -> str:
    parts = name.split("_")
    return parts[1] if parts[0] == "GUM" and len(parts) > 2 else ""


def score(documents: Sequence[Annotated], found: Iterable[dict[tuple[int, int], int]]) -> Scores:
    """Compare chains with the annotated ones, document by document, as the official scorer does."""
    gold: list[int] = []
    ours: list[int] = []
    groups: list[int] = []
    gold_names: dict[object, int] = {}
    our_names: dict[object, int] = {}
    for number, (one, chains) in enumerate(zip(documents, found, strict=True)):
        for span in dict.fromkeys([*one.chains, *chains]):
            gold.append(
                gold_names.setdefault((number, one.chains[span]), len(gold_names)) if span in one.chains else -1
            )
            ours.append(our_names.setdefault((number, chains[span]), len(our_names)) if span in chains else -1)
            groups.append(number)
    result = evaluate(
        Clustering(np.array(gold), len(gold_names)),
        Clustering(np.array(ours), len(our_names)),
        metrics=["muc", "b3", "ceafe"],
        groups=np.array(groups),
    ).as_dict()
    return Scores(*(100 * result[name]["f1"] for name in ("muc", "b3", "ceafe")))  # type: ignore[index]


def chains_of(prepared: Prepared, labels: NDArray[np.int64], *, singletons: bool) -> dict[tuple[int, int], int]:
    """Return the entity of each span; mentions that are alone only on request."""
    size = np.bincount(labels, minlength=len(labels))
    return {
        (span.start, span.end): int(label)
        for span, label in zip(prepared.spans, labels.tolist(), strict=True)
        if singletons or size[label] > 1
    }


def train_model(
    train: Sequence[Annotated],
    dev: Sequence[Annotated],
    settings: LearningSettings,
    *,
    gold_mentions: bool = False,
    singletons: bool = False,
    progress: Progress = SILENT,
) -> tuple[CorefModel, Scores]:
    """Learn weights; choose decoder and constraints, and fit the temperature, on development documents."""
    model = train_coref(train, settings, gold_mentions=gold_mentions, progress=progress)
    examples = [example_of(one, model.vocabulary, gold_mentions=gold_mentions) for one in dev]
    return choose(model, dev, examples, singletons=singletons)


def choose(
    model: CorefModel, dev: Sequence[Annotated], examples: Sequence[Example], *, singletons: bool = False
) -> tuple[CorefModel, Scores]:
    """Choose γ of the decoder and the constraints' weights by the score on development documents."""
    scores = [example.prepared.scores(model.weights, model.window) for example in examples]

    def quality(gamma: float, rules: Sequence[Rule]) -> Scores:
        decoded = (
            constrained_link(one, constraint_matrix(example.prepared, rules) if rules else None, gamma)
            for one, example in zip(scores, examples, strict=True)
        )
        return score(
            dev,
            (
                chains_of(example.prepared, labels, singletons=singletons)
                for example, labels in zip(examples, decoded, strict=True)
            ),
        )

    gamma = max((0.0, 0.5, 1.0), key=lambda value: quality(value, ()).mean)
    rules = fit_weights(CONSTRAINTS, lambda chosen: quality(gamma, chosen).mean, (0, 0.25, 0.5, 1))
    kept = [rule for rule in rules if rule.weight]
    temperature = fit_temperature(scores, [example.chains for example in examples])
    return replace(model, gamma=gamma, constraints=kept, temperature=temperature), quality(gamma, kept)


@dataclass(frozen=True)
class TrainingReport:
    """What a model was trained on and how good it is on development documents."""

    n_train: int
    n_dev: int
    scores: Scores


def train_from(inputs: Sequence[str], output: Path, *, seed: int = 0, progress: Progress = SILENT) -> TrainingReport:
    """Train a model from annotated files, or from the data folder the one that comes with Onoma, and save it.

    Of files, every tenth document is for development: decoder, constraints and temperature are chosen on it.
    """
    documents = []
    for name in inputs:
        place = Path(name)
        if place.is_dir():
            train, dev = _shipped_parts(place)
            break
        documents += annotated_documents(read_corpus(place))
    else:
        train = [one for number, one in enumerate(documents) if number % 10 != 9]
        dev = [one for number, one in enumerate(documents) if number % 10 == 9]
        if not dev:
            raise DataError(f"{len(documents)} documents; at least ten are needed, one of them for development")
    model, scores = train_model(train, dev, replace(SETTINGS, seed=seed), progress=progress)
    card = {
        "scheme": "OntoNotes (OntoGUM)" if Path(inputs[0]).is_dir() else "that of the training files",
        "data": "GUM 11, genres " + ", ".join(CLEAN_GENRES) if Path(inputs[0]).is_dir() else list(inputs),
        "licence": "CC BY-SA 4.0" if Path(inputs[0]).is_dir() else "that of the training files",
        "documents": len(train),
        "development": {"documents": len(dev), "muc": scores.muc, "b3": scores.b3, "ceafe": scores.ceafe},
        "command": "onoma train coref $ONOMA_DATA -o FOLDER",
    }
    replace(model, facts=card).save(output)
    return TrainingReport(len(train), len(dev), scores)


def _shipped_parts(data: Path) -> tuple[list[Annotated], list[Annotated]]:
    parts = [
        annotated_documents(read_corpus(data / "text" / "gum" / f"ontogum_{part}.conll12.gz", format="conll2012"))
        for part in ("train", "dev")
    ]
    return [one for one in parts[0] if one.document.genre in CLEAN_GENRES], parts[1]
