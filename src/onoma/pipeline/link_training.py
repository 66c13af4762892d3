"""The linking model that comes with Onoma: from newspapers whose links may be used (NewsEye and SoNAR, CC BY 4.0).

It sees every mention twice: with an entity list alone, as most people have it, and with linked documents besides.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from onoma.linking.candidates import AliasIndex
from onoma.linking.entities import EntityList
from onoma.linking.features import describe
from onoma.linking.model import Described, Knowledge, LinkModel, describe_linked, train_links
from onoma.linking.profiles import NIL, Mentions
from onoma.pipeline.reproduce import Context
from onoma.pipeline.studies._sets.linked import hipe

__all__ = ["by_list_alone", "train_shipped"]

_FREE = ("newseye", "sonar")


def train_shipped(data: Path) -> LinkModel:
    """Train the model from the data folder (see docs/data.md); write it with `save`."""
    found = hipe(Context(data=data))
    sets = {name: parts["known"] for name, parts in found.items() if name.startswith(_FREE)}
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
    model = train_links(parts)
    card = {"licence": "CC BY 4.0", "data": sorted(sets), "mentions": sum(len(each) for each in sets.values())}
    return replace(model, facts=card)


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
