"""Making an extractor: from labels, from constraints, or from both.

* labels alone: a semi-Markov CRF by maximum likelihood;
* constraints (and labels, if any): alternating projections;
* `rules` is the baseline: dictionaries and patterns as they stand.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from onoma.errors import SettingsError
from onoma.extract.clusters import word_clusters
from onoma.extract.compiling import Report, bounds_of, check
from onoma.extract.constraints import Constraint, LabelSet
from onoma.extract.examples import Example
from onoma.extract.extractor import AS_FOUND, Extractor, calibration, fit_stated, gold_segments, restate
from onoma.extract.features import FeatureMaker, FeatureSettings
from onoma.extract.matching import find_fires, normal
from onoma.extract.tokens import Style, Text
from onoma.learning.sequences.expectations import Expectations
from onoma.learning.sequences.semicrf import SemiCRF, Structure, Training
from onoma.learning.sequences.semicrf_layout import Segmentation
from onoma.progress import SILENT, Progress

__all__ = ["Plan", "Trained", "train_from_constraints", "train_from_labels"]

_LONG_FIELD = 12
"""When a label's longest segment has more tokens than this, a linear chain is learnt."""


_MANY_TEXTS = 1_000
"""Below so many texts every word counts as an attribute, and more texts are asked for. By it the span F1 learnt from
100 requests for restaurants and for films goes from .47, .29 to .51, .31 (600 others labelled; the rules as they stand
have .58, .38); with 1,000 it stays at .58, .42."""
_FOLDS = 5


@dataclass(frozen=True)
class Plan:
    """How to make an extractor.

    Parameters
    ----------
    style
        How texts are cut into tokens.
    longest
        The longest segment that is learnt from constraints; from labels it is the longest seen.
    features
        Which attributes; default depends on the way to learn.
    training
        How to learn from labels.
    expectations
        How to learn from constraints.
    n_clusters
        Clusters of words learnt from the texts; 0 for none.
    noise
        Move the targets of constraints by up to this share: a study of how much they matter.
    """

    style: Style = "words"
    longest: int = 5
    features: FeatureSettings | None = None
    training: Training = field(default_factory=Training)
    expectations: Expectations = field(default_factory=lambda: Expectations(rate=0.01))
    n_clusters: int = 0
    noise: float = 0.0


@dataclass(frozen=True)
class Trained:
    """An extractor, what is odd about its constraints, those it could not use, and what would help."""

    extractor: Extractor
    report: Report | None = None
    unused: Sequence[str] = ()
    hints: Sequence[str] = ()


def train_from_labels(
    examples: Sequence[Example],
    labels: LabelSet,
    plan: Plan | None = None,
    *,
    families: dict[str, dict[str, str]] | None = None,
    held_out: float = 0.1,
    progress: Progress = SILENT,
) -> Trained:
    """Learn from labelled texts; a share is held out first to see how well probabilities hold, then all are used."""
    plan = plan or Plan()
    if not examples:
        raise SettingsError("there are no labelled texts to learn from")
    notes: dict[str, Any] = {"learnt from": f"{len(examples):,} labelled texts", "calibrated": False}
    n_kept, stated = int(len(examples) * held_out), AS_FOUND
    if n_kept >= 20:
        trial = _supervised(examples[:-n_kept], labels, plan, families, progress)
        notes["held out"], stated = _held_out(trial, examples[-n_kept:])
        notes["calibrated"] = notes["held out"]["error"] < 0.05
    extractor = _supervised(examples, labels, plan, families, progress)
    extractor.notes, extractor.stated = notes, stated
    return Trained(extractor)


def _supervised(
    examples: Sequence[Example],
    labels: LabelSet,
    plan: Plan,
    families: dict[str, dict[str, str]] | None,
    progress: Progress,
) -> Extractor:
    texts = [each.text for each in examples]
    spans = [[(s, e, labels.find(name, "a labelled text")) for s, e, name in each.spans] for each in examples]
    sizes = [len(text) for text in texts]
    gold = gold_segments(spans, sizes, labels.other_id)
    longest = [int(gold.lengths[gold.labels == y].max(initial=1)) for y in range(len(labels.taxonomy))]
    # Long fields (titles) make every segment a candidate: a chain of tokens is as good there, and linear.
    is_chain = max(longest) > _LONG_FIELD
    if is_chain:
        gold, longest = gold_segments(spans, sizes, labels.other_id, is_chain=True), [1] * len(longest)
    settings = plan.features or FeatureSettings(edges=is_chain)
    maker = FeatureMaker(settings, families or {}).fit(texts)
    sequences = maker.transform(texts)
    structure = Structure(len(labels.taxonomy), longest=longest, parents=labels.taxonomy.parents)
    model = SemiCRF(structure).fit(sequences, gold, training=plan.training, progress=progress)
    return Extractor(labels, maker, model, plan.style)


def _held_out(extractor: Extractor, examples: Sequence[Example]) -> tuple[dict[str, float], tuple[float, float]]:
    """Return how stated probabilities of spans hold on texts that were not learnt from, and how to state them.

    What is stated of a text is learnt from the other four fifths of those held out; neighbours stay together, for a
    text and its copy are.
    """
    chances, is_right, part = list[float](), list[bool](), list[int]()
    for k, (example, spans) in enumerate(zip(examples, extractor.spans([each.text for each in examples]), strict=True)):
        truth = {(*example.text.bounds(s, e), name) for s, e, name in example.spans}
        chances += [span.probability for span in spans]
        is_right += [(span.start, span.end, span.label) in truth for span in spans]
        part += [k * _FOLDS // len(examples)] * len(spans)
    p, right, of = np.array(chances), np.array(is_right, bool), np.array(part)
    stated = np.empty(len(p))
    for fold in range(_FOLDS):
        mine = of == fold
        stated[mine] = restate(p[mine], fit_stated(p[~mine], right[~mine]))
    return calibration(stated, right), fit_stated(p, right)


def train_from_constraints(
    texts: Sequence[Text],
    labels: LabelSet,
    constraints: Sequence[Constraint],
    plan: Plan | None = None,
    *,
    examples: Sequence[Example] = (),
    progress: Progress = SILENT,
) -> Trained:
    """Learn from unlabelled texts and constraints, with labelled texts among them if there are any."""
    plan = plan or Plan()
    if not constraints:
        raise SettingsError("there are no constraints", hint="Labelled texts alone: leave --constraints out.")
    if not texts:
        raise SettingsError("there are no texts to learn from")
    everything = [*texts, *(each.text for each in examples)]
    fires = find_fires(everything, constraints, labels)
    is_few = len(everything) < _MANY_TEXTS
    settings = plan.features or FeatureSettings(window=1, min_count=1 if is_few else 3, pair_count=2 if is_few else 5)
    maker = FeatureMaker(settings, _families(everything, constraints, plan)).fit(everything)
    sequences = maker.transform(everything)
    n = len(labels.taxonomy)
    longest = [1 if y == labels.other_id else plan.longest for y in range(n)]
    model = SemiCRF(Structure(n, longest=longest, parents=labels.taxonomy.parents, pairs="all", n_bins=6))
    model.begin(sequences)
    bounds, _, unused = bounds_of(
        everything, fires, constraints, labels, model.layout(), sequences, noise=plan.noise, seed=plan.expectations.seed
    )
    given = _labelled(len(texts), everything, examples, labels) if examples else None
    plan.expectations.fit(model, sequences, bounds, labelled=given, progress=progress)
    how = f"{len(texts):,} texts and {len(constraints):,} constraints"
    notes = {"learnt from": how + (f", {len(examples):,} labelled texts" if examples else ""), "calibrated": False}
    more = [f"{len(everything):,} texts are few to learn from constraints: add texts, no labels are needed"]
    extractor = Extractor(labels, maker, model, plan.style, notes)
    return Trained(extractor, check(fires, constraints), unused, more if is_few else ())


def _labelled(
    n_free: int, texts: Sequence[Text], examples: Sequence[Example], labels: LabelSet
) -> tuple[np.ndarray[Any, np.dtype[np.bool_]], Segmentation]:
    is_labelled = np.arange(len(texts)) >= n_free
    free: list[list[tuple[int, int, int]]] = [[] for _ in range(n_free)]
    spans = free + [[(s, e, labels.find(name, "a labelled text")) for s, e, name in each.spans] for each in examples]
    return is_labelled, gold_segments(spans, [len(text) for text in texts], max(labels.other_id, 0))


def _families(texts: Sequence[Text], constraints: Sequence[Constraint], plan: Plan) -> dict[str, dict[str, str]]:
    """Return dictionaries (single words) and clusters as features."""
    known: dict[str, str] = {}
    for each in constraints:
        for word in each.words:
            if " " not in word:
                known.setdefault(normal(word), "/".join(map(str, each.labels)))
    found = {"dictionary": known} if known else {}
    if plan.n_clusters:
        found["cluster"] = word_clusters(texts, n_clusters=plan.n_clusters, seed=plan.expectations.seed)
    return found
