"""The linking model that comes with Onoma: from newspapers whose links may be used (NewsEye and SoNAR, CC BY 4.0).

It sees every mention twice: with an entity list alone, as most people have it, and with linked documents besides. Its
probabilities have a temperature and no more: how often answers were right in these newspapers (`Reliability`) does not
carry over. On the four collections of HIPE-2022 that it has not seen, linked by a list alone and by linked documents
besides, the calibration error of all answers is .057 with the temperature; .068 with what half of the training parts
say of the other half; .086 with what four of its sets say of the fifth.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from onoma.errors import DataError
from onoma.linking.candidates import AliasIndex
from onoma.linking.entities import EntityList
from onoma.linking.features import describe
from onoma.linking.model import Described, Knowledge, LinkModel, Reliability, describe_linked, train_links
from onoma.linking.profiles import NIL, Mentions
from onoma.pipeline.reproduce import Context
from onoma.pipeline.studies._sets.linked import hipe
from onoma.pipeline.studies.linking import calibration_error
from onoma.progress import SILENT, Progress

__all__ = ["LinkTraining", "by_list_alone", "train_shipped"]

_FREE = ("newseye", "sonar")


@dataclass(frozen=True)
class LinkTraining:
    """What a linking model was trained on, and how it does on sets that it has not seen, by a list alone."""

    mentions: int
    accuracy: dict[str, float]
    calibration_error: dict[str, float]


def train_shipped(data: Path, output: Path, *, progress: Progress = SILENT) -> LinkTraining:
    """Train the model from the data folder (see docs/data.md), look how it does elsewhere, and write both."""
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise DataError("exists and is not an empty folder", file=output, hint="Name another place for the model.")
    found = {name: parts["known"] for name, parts in hipe(Context(data=data)).items()}
    sets = {name: known for name, known in found.items() if name.startswith(_FREE)}
    with progress.task("linking models", 2, "steps") as task:
        model = replace(train_links(_described(sets)), reliability=Reliability())
        task.advance()
        told = {name: _looked_at(model, known) for name, known in found.items() if name not in sets}
        task.advance()
    report = LinkTraining(
        sum(len(each) for each in sets.values()),
        {name: share for name, (share, _) in told.items()},
        {name: error for name, (_, error) in told.items()},
    )
    card = {
        "licence": "CC BY 4.0",
        "data": sorted(sets),
        "mentions": report.mentions,
        "command": "onoma train links",
        "not seen, by a list alone": {name: {"accuracy": a, "calibration error": c} for name, (a, c) in told.items()},
    }
    replace(model, facts=card).save(output)
    return report


def _looked_at(model: LinkModel, mentions: Mentions) -> tuple[float, float]:
    """Return accuracy and calibration error in documents whose names are known from the others of their set."""
    sure: list[float] = []
    right: list[bool] = []
    for part in by_list_alone(mentions, []):
        best = model.choose(part.problem, part.mentions, part.profiles).best()
        sure += [p for _, p in best]
        right += [entry == truth for (entry, _), truth in zip(best, part.mentions.entries or (), strict=True)]
    return round(float(np.mean(right)), 4), round(calibration_error(sure, right), 4)


def _described(sets: Mapping[str, Mentions]) -> list[Described]:
    """Describe the mentions of each set by the names of the others."""
    parts: list[Described] = []
    for name, own in sets.items():
        others = [
            (alias, entry)
            for other, each in sets.items()
            if other != name
            for alias, entry in zip(each.names, each.entries or (), strict=True)
            if entry != NIL
        ]
        listed = EntityList.build((alias, entry, 1.0) for alias, entry in others)
        parts += describe_linked(own, listed)
        parts += by_list_alone(own, others)
    return parts


def by_list_alone(mentions: Mentions, others: list[tuple[str, str]], n_folds: int = 5) -> list[Described]:
    """Describe linked mentions as if only an entity list were there: other documents' names, without NIL."""
    documents = {document: k for k, document in enumerate(sorted(set(mentions.documents)))}
    folds = np.array([documents[document] % n_folds for document in mentions.documents])
    parts = []
    for k in range(n_folds):
        held = mentions.take(np.flatnonzero(folds == k))
        rest = mentions.take(np.flatnonzero(folds != k))
        own = [pair for pair in zip(rest.names, rest.entries or (), strict=True) if pair[1] != NIL]
        listed = EntityList.build((alias, entry, 1.0) for alias, entry in [*others, *own])
        if len(held):
            profiles = Knowledge.of(None).profiles
            parts.append(Described(held, describe(held, AliasIndex(listed), None, profiles), profiles))
    return parts
