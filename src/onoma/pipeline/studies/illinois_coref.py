"""Illinois-Coref: decoders as in 2011, and each step of 2012, on OntoGUM."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onoma.coref.attributes import Column
from onoma.coref.decode import all_link, spanning_link
from onoma.coref.learning import Example, LearningSettings
from onoma.coref.model import Material, material_of, train_coref, train_on
from onoma.pipeline.coref_training import GOLD, SETTINGS, Scores, Tuning, difference
from onoma.pipeline.reproduce import Context, Findings, Row, Study
from onoma.pipeline.studies._coref_parts import ontogum

__all__ = ["STUDIES"]

_SHIFTS = tuple(np.arange(-2, 2.1, 0.5).tolist())
_SECONDS = 4.0
"""Of the integer program, for each document."""


def _best_link(part: Tuning, shift: float) -> list[NDArray[np.int64]]:
    return part.decode(0.0, shift)


def _spanning(part: Tuning, shift: float) -> list[NDArray[np.int64]]:
    return [spanning_link(scores + shift * np.eye(len(scores))) for scores in part.scores]


_DECODERS = {"Best-Link": _best_link, "spanning forest": _spanning}


def _decoders(context: Context) -> Findings:
    """Best-Link, spanning forest and All-Link over one classifier of pairs, gold mentions."""
    train, dev, test = ontogum(context)
    settings = replace(GOLD, learner="binary", runs=1, seed=context.seed, epochs=2 if context.quick else GOLD.epochs)
    model = train_coref(train, settings, gold_mentions=True, progress=context.progress)
    parts = [Tuning.of(model, documents, gold_mentions=True) for documents in (dev, test)]
    for part in parts:
        for one, held in zip(part.scores, part.held, strict=True):
            one += held  # what is impossible is so for every decoder
            np.fill_diagonal(one, 0.0)
    published = {"Best-Link": 73.65, "All-Link": 70.18}
    rows, chains, chosen = [], {}, {}
    for name, decode in _DECODERS.items():
        chosen[name] = max(_SHIFTS, key=lambda value, use=decode: parts[0].quality(use(parts[0], value)).mean)  # type: ignore[misc]
        labels = decode(parts[1], chosen[name])
        chains[name] = parts[1].chains(labels)
        rows += _rows(name, parts[1].quality(labels), published.get(name))
    kept = chosen["Best-Link"]
    labels = [all_link(scores + kept * np.eye(len(scores)), seconds=_SECONDS) for scores in parts[1].scores]
    chains["All-Link"] = parts[1].chains(labels)
    rows += _rows("All-Link", parts[1].quality(labels), published["All-Link"])
    notes = [
        "OntoGUM test, gold mentions; one classifier of pairs for all. Thresholds are chosen on the development "
        f"documents (All-Link takes that of Best-Link); All-Link has {_SECONDS:g} s a document.",
        "The paper's figures are development figures on OntoNotes 4 (CoNLL-2011), without constraints.",
        *(
            f"Best-Link against {other}: {difference(test, chains['Best-Link'], chains[other], seed=context.seed)}."
            for other in ("spanning forest", "All-Link")
        ),
    ]
    return Findings(rows, notes)


def _steps(context: Context) -> Findings:
    """Each step of 2012 on the development documents, as in the paper's tables."""
    train, dev, _ = ontogum(context)
    base = replace(SETTINGS, runs=1, seed=context.seed, epochs=2 if context.quick else SETTINGS.epochs)
    rows = []
    material = material_of(train, base)
    full = Tuning.of(train_on(material, base, progress=context.progress), dev)
    rows += _rows("latent", _best(full), 59.82)
    pairs = replace(base, learner="binary")
    rows += _rows("binary", _best(full.under(train_on(material, pairs)), none=False), 57.97)
    rows += _rows("latent, pronouns apart", _apart(material, full, base), 60.43)
    rows += _rows("binary, pronouns apart", _apart(material, full, pairs), 59.76)
    relaxed = train_coref(train, replace(base, relaxed=True), progress=context.progress)
    rows += _rows("latent, relaxed matching", _best(Tuning.of(relaxed, dev)), None)
    unfiltered = train_coref(train, replace(base, recall=1.0), progress=context.progress)
    rows += _rows("latent, no filter of mentions", _best(Tuning.of(unfiltered, dev)), None)
    notes = [
        "OntoGUM development documents, predicted mentions; thresholds are chosen on the same documents, as in the "
        "paper, whose figures are on the development part of OntoNotes (CoNLL-2012).",
        "Pronouns apart: one set of weights for pronouns, one for other mentions. Relaxed matching: an annotated "
        "mention that no candidate matches teaches through a candidate with the same head.",
    ]
    return Findings(rows, notes)


def _best(tuning: Tuning, *, none: bool = True) -> Scores:
    """Return the score of Best-Link at the best threshold; without a learnt "none" the threshold stands alone."""
    if not none:
        for one in tuning.scores:
            np.fill_diagonal(one, 0.0)
    return max((tuning.quality(tuning.decode(0.0, shift)) for shift in _SHIFTS), key=lambda found: found.mean)


def _apart(material: Material, tuning: Tuning, settings: LearningSettings) -> Scores:
    """Learn pronouns and other mentions apart."""
    sides = []
    for pronouns in (True, False):
        taught = [Example(one.prepared, one.chains, _pronouns(one) == pronouns) for one in material.examples]
        sides.append(tuning.under(train_on(replace(material, examples=taught), settings)))
    for one, other, example in zip(sides[1].scores, sides[0].scores, sides[0].examples, strict=True):
        one[_pronouns(example)] = other[_pronouns(example)]
    return _best(sides[1], none=settings.learner != "binary")


def _pronouns(example: Example) -> NDArray[np.bool_]:
    return np.asarray(example.prepared.mentions.table[:, Column.TYPE] == 0)


def _rows(name: str, found: Scores, paper: float | None) -> list[Row]:
    return [
        Row(name, "average F1", paper, round(found.mean, 2), "%"),
        *(Row(name, metric, None, round(getattr(found, metric), 2), "%") for metric in ("muc", "b3", "ceafe")),
    ]


STUDIES = (
    Study(
        name="illinois-coref/2011",
        title="Best-Link, All-Link and a spanning forest",
        paper="Chang et al.: Inference Protocols for Coreference Resolution, CoNLL 2011",
        run=_decoders,
    ),
    Study(
        name="illinois-coref/2012",
        title="Each step of the system of 2012",
        paper="Chang et al.: Illinois-Coref: The UI System in the CoNLL-2012 Shared Task, 2012",
        run=_steps,
    ),
)
