"""Latent left-linking models: Best-Link, L3M, PL3M and their constrained forms, on OntoGUM and LitBank."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from onoma.coref.cccp import CccpSettings, hinge_loss, learn_cccp
from onoma.coref.constraints import CONSTRAINTS, Rule, fit_weights
from onoma.coref.learning import LearningSettings, learn
from onoma.coref.model import Annotated, CorefModel, example_of, material_of, train_on
from onoma.pipeline.coref_sets import litbank, litbank_folds
from onoma.pipeline.coref_training import GOLD, SETTINGS, Found, Tuning, difference, score
from onoma.pipeline.reproduce import Context, Findings, Row, Study
from onoma.pipeline.studies._coref_parts import ontogum, ontogum_part
from onoma.progress import Progress

__all__ = ["STUDIES"]

_GOLD_PAPER = {"Best-Link": 73.70, "L3M": 75.37, "PL3M": 75.97, "CL3M": 77.05, "CPL3M": 77.43}
_PREDICTED_PAPER = {"L3M": 61.95, "CL3M": 63.30}
_GRID = (0, 0.25, 0.5, 1)
_ORDER = ("Best-Link", "L3M", "PL3M", "CL3M", "CPL3M")
"""The paper's order, from worst to best."""


@dataclass(frozen=True, eq=False)
class _Split:
    """Documents to learn from, to choose a decoder on, and to be judged by."""

    train: Sequence[Annotated]
    dev: Sequence[Annotated]
    test: Sequence[Annotated]


@dataclass(frozen=True, eq=False)
class _Setting:
    """What the rows of a table have in common."""

    settings: LearningSettings
    gold_mentions: bool
    singletons: bool = False


@dataclass(frozen=True, eq=False)
class _Chains:
    """What one row of a table found in development and test documents."""

    dev: Sequence[Found]
    test: Sequence[Found]


def _table_3(context: Context) -> Findings:
    return _on_ontogum(context, _Setting(GOLD, gold_mentions=True), _GOLD_PAPER)


def _table_1(context: Context) -> Findings:
    return _on_ontogum(context, _Setting(SETTINGS, gold_mentions=False), _PREDICTED_PAPER)


def _on_ontogum(context: Context, setting: _Setting, published: Mapping[str, float]) -> Findings:
    notes = [
        "Average F1 of MUC, B³ and CEAFe on OntoGUM; words and sentences as given, tags, trees and names by our own "
        "stages. The paper's figures are on OntoNotes 5.",
        *_NOTES,
        *(["Quick: six documents, and the development documents stand for the test."] if context.quick else []),
    ]
    return _findings(context, [_Split(*ontogum(context))], setting, published, notes)


def _litbank(context: Context) -> Findings:
    folder = context.file("text/litbank")
    documents = litbank(folder, limit=12 if context.quick else None)
    names = list(documents)
    few = {"train": names[:6], "dev": names[6:9], "test": names[9:]}
    folds = [few] if context.quick else litbank_folds(folder)[:_FOLDS]
    splits = [_Split(*([documents[name] for name in fold[part]] for part in _PARTS)) for fold in folds]
    used = "Quick: six documents to learn from, three to tune on, three to test."
    if not context.quick:
        used = f"{len(folds)} of its ten folds; the test documents of all are scored together, as one set."
    notes = [
        "Average F1 of MUC, B³ and CEAFe on LitBank's gold mentions, singletons among them; tags, trees and names by "
        f"our own stages. {used}",
        *_NOTES,
    ]
    return _findings(context, splits, _Setting(GOLD, gold_mentions=True, singletons=True), {}, notes)


_FOLDS = 3
"""Of LitBank's ten: with 30 test documents, as many as OntoGUM has, in a third of the time."""
_PARTS = ("train", "dev", "test")
_NOTES = (
    "γ, thresholds and constraints' weights are chosen on the development documents, in the run.",
    "Training is describing the documents (once for all learners, counted for each) and learning.",
)


def _findings(
    context: Context,
    splits: Sequence[_Split],
    setting: _Setting,
    published: Mapping[str, float],
    notes: Sequence[str],
) -> Findings:
    base = replace(setting.settings, seed=context.seed)
    base = replace(base, epochs=2, runs=1) if context.quick else base
    pieces: dict[str, list[_Chains]] = {name: [] for name in _ORDER}
    seconds: dict[str, float] = defaultdict(float)
    for split in splits:
        for name, chains in _learnt(split, base, setting, seconds, context.progress).items():
            pieces[name].append(chains)
    dev, test = ([one for split in splits for one in part(split)] for part in (_dev, _test))
    found = {name: _Chains(_joined(own, _dev), _joined(own, _test)) for name, own in pieces.items()}
    scores = {name: score(test, own.test) for name, own in found.items()}
    rows = []
    for name in _ORDER:
        rows.append(Row(name, "average F1", published.get(name), round(scores[name].mean, 2), "%"))
        rows += [Row(name, key, None, round(getattr(scores[name], key), 2), "%") for key in ("muc", "b3", "ceafe")]
        rows.append(Row(name, "average F1, development", None, round(score(dev, found[name].dev).mean, 2), "%"))
    rows += [Row(name, "training", None, round(value, 1), "s of processor time") for name, value in seconds.items()]
    said = []
    for worse, better in pairwise(_ORDER):
        holds = "holds" if scores[better].mean > scores[worse].mean else "does not hold"
        by = difference(test, found[better].test, found[worse].test, seed=context.seed)
        said.append(f"{worse} < {better} {holds}: {by}; approximate randomisation over documents.")
    return Findings(rows, [*notes, *said])


_dev, _test = attrgetter("dev"), attrgetter("test")


def _joined(pieces: Sequence[_Chains], part: Callable[[_Chains], Sequence[Found]]) -> list[Found]:
    return [one for piece in pieces for one in part(piece)]


def _learnt(
    split: _Split, base: LearningSettings, setting: _Setting, seconds: dict[str, float], progress: Progress
) -> dict[str, _Chains]:
    """Learn every row from one split; add to `seconds` what each learner took."""
    learners = {"Best-Link": replace(base, learner="binary"), "L3M": replace(base, gamma=0.0), "PL3M": base}
    start = time.process_time()
    material = material_of(split.train, base, gold_mentions=setting.gold_mentions)
    described = time.process_time() - start
    found: dict[str, _Chains] = {}
    parts: list[Tuning] = []
    for name, own in learners.items():
        start = time.process_time()
        model = train_on(material, own, progress=progress)
        seconds[name] += described + time.process_time() - start
        if parts:
            parts = [part.under(model) for part in parts]
        else:
            parts = [
                Tuning.of(model, part, gold_mentions=setting.gold_mentions, singletons=setting.singletons)
                for part in (split.dev, split.test)
            ]
        if name == "Best-Link":  # a classifier of pairs has no score for "none": its threshold stands there
            for one in (*parts[0].scores, *parts[1].scores):
                np.fill_diagonal(one, 0.0)
        found |= _decoded(name, *parts)
    return found


def _decoded(name: str, dev: Tuning, test: Tuning) -> dict[str, _Chains]:
    """Link with and without constraints; decoder and threshold by the development documents."""
    gammas = (0.5, 1.0) if name == "PL3M" else (0.0,)
    shifts = np.arange(-3, 3.1, 0.5).tolist() if name == "Best-Link" else (-0.6, -0.3, 0.0, 0.3)
    gamma, shift = max(
        ((gamma, shift) for gamma in gammas for shift in shifts),
        key=lambda choice: dev.quality(dev.decode(*choice)).mean,
    )
    found = {name: _chains(dev, test, gamma, shift, ())}
    if name == "Best-Link":
        return found
    spoken = {rule.name: dev.matrices(rule) for rule in CONSTRAINTS}

    def quality(rules: Sequence[Rule]) -> float:
        bonus = [np.sum([rule.weight * spoken[rule.name][k] for rule in rules], axis=0) for k in range(len(dev.scores))]
        return dev.quality(dev.decode(gamma, shift, bonus)).mean

    rules = [rule for rule in fit_weights(CONSTRAINTS, quality, _GRID) if rule.weight]
    return found | {f"C{name}": _chains(dev, test, gamma, shift, rules)}


def _chains(dev: Tuning, test: Tuning, gamma: float, shift: float, rules: Sequence[Rule]) -> _Chains:
    found = []
    for part in (dev, test):
        spoken = [part.matrices(rule) for rule in rules]
        bonus = [
            np.sum([rule.weight * own[k] for rule, own in zip(rules, spoken, strict=True)], axis=0)
            for k in range(len(part.scores))
        ]
        found.append(part.chains(part.decode(gamma, shift, bonus if rules else None)))
    return _Chains(*found)


def _learners(context: Context) -> Findings:
    """L3M by stochastic steps and by CCCP: the same documents, features and costs; processor time and what it buys."""
    documents = ontogum_part(context, "dev")  # few: a round of CCCP goes through them a hundred times
    learnt, rest = documents[::5], [one for k, one in enumerate(documents) if k % 5]
    examples = [example_of(one, {}, gold_mentions=True) for one in learnt]
    procedure = CccpSettings(rounds=2, planes=10) if context.quick else CccpSettings()
    shape = LearningSettings(gamma=0.0, bits=procedure.bits, penalty=0.0, epochs=5, seed=context.seed)
    learn(examples[:1], replace(shape, epochs=1))  # compiles
    hinge_loss(examples[:1], np.zeros(1 << procedure.bits), procedure)

    def quality(weights: NDArray[np.float64]) -> float:
        part = Tuning.of(CorefModel(weights, {}), rest, gold_mentions=True)
        return part.quality(part.decode(0.0)).mean

    start = time.process_time()
    stepped, _ = learn(examples, shape)
    first = time.process_time() - start
    start = time.process_time()
    solved, objectives = learn_cccp(examples, procedure)
    second = time.process_time() - start
    rows = []
    for name, weights, took in (("SGD, 5 passes", stepped, first), ("CCCP", solved, second)):
        rows += [
            Row(name, "training", None, round(took, 2), "s of processor time"),
            Row(name, "objective", None, round(hinge_loss(examples, weights, procedure), 4), ""),
            Row(name, "average F1", None, round(quality(weights), 2), "%"),
        ]
    rows.append(Row("CCCP", "rounds", None, len(objectives), ""))
    rows.append(Row("CCCP against SGD", "time", 10_000, round(second / first, 1), "times"))
    notes = [
        f"Learnt from {len(learnt)} development documents of OntoGUM and scored on the other {len(rest)}, gold "
        "mentions, the same features and costs. The objective is the penalty and the mean latent hinge loss of a "
        "mention: CCCP minimises it; the steps are those of table 3, which have no such penalty.",
        "The paper's ratio is for OntoNotes, some five hundred times these documents, and solvers of its day: a plane "
        "of CCCP is a pass over all documents, and the planes it needs grow with them.",
        *(["Quick: two documents and four, two rounds of ten planes."] if context.quick else []),
    ]
    return Findings(rows, notes)


_PAPER = "Chang, Samdani and Roth: A Constrained Latent Variable Model for Coreference Resolution, 2013"
STUDIES = (
    Study(name="l3m/table-3", title="Latent left-linking on gold mentions", paper=_PAPER, run=_table_3),
    Study(name="l3m/table-1", title="Latent left-linking on predicted mentions", paper=_PAPER, run=_table_1),
    Study(name="l3m/litbank", title="Latent left-linking on LitBank's gold mentions", paper=_PAPER, run=_litbank),
    Study(name="l3m/sgd-cccp", title="Stochastic steps against CCCP", paper=_PAPER, run=_learners),
)
