"""From thesauri, or a model fitted before, to answers about words."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from onoma.errors import DataError
from onoma.knowledge.mrlsa import RELATIONS, Mrlsa, RawRelations, Related
from onoma.knowledge.mrlsa_tensor import RelationTensor, Spread, relation_tensor
from onoma.knowledge.thesaurus import Thesaurus, combine
from onoma.knowledge.thesaurus_files import read_thesaurus
from onoma.knowledge.thesaurus_wordnet import find_wordnet, read_wordnet
from onoma.progress import SILENT, Progress

__all__ = ["ANTONYM_SCALES", "RELATIONS", "Mrlsa", "RawRelations", "Related", "Words", "fit_words", "open_words"]

ANTONYM_SCALES = {"synonym": 1.0, "antonym": 4.0, "hypernym": 0.25, "hyponym": 0.25}
"""Scales of the slices: antonyms are few, so they count more."""
_PLAIN = Spread(steps=0, left_steps=0)
_CLASSES = {"synonym": 1.0, "hyponym": 1.0}
_NEAREST = 0.5
"""How much a hypernym's hypernym counts in a list: otherwise everything is, first of all, an entity."""


@dataclass(frozen=True)
class Words:
    """Something that answers, and what it was made of."""

    relations: Mrlsa | RawRelations
    notes: Sequence[str]


def open_words(
    thesauri: Sequence[Path] = (),
    relation: str = "",
    *,
    degree: bool = False,
    model: Path | None = None,
    progress: Progress = SILENT,
) -> Words:
    """Return the model in a folder, or the relations of thesauri as they are; WordNet where none is named.

    Without a model, the tensor is the one that serves the relation to be asked for: class inclusion goes up all the
    way, words counted by sense. For a degree all that is above a word counts alike, in a list the nearest comes first.
    """
    if model is not None:
        return Words(Mrlsa.load(model), [f"model: {model}"])
    with progress.task("reading thesauri"):
        thesaurus, notes = _read(thesauri)
        _check_relation(thesaurus, relation)
        if relation in ("is-a", "hypernym", "hyponym") and "hypernym" in thesaurus.links:
            closure = 1.0 if degree else _NEAREST
            tensor = relation_tensor(thesaurus, _CLASSES, spread=_PLAIN, closure=closure, by_sense=True)
            return Words(RawRelations(thesaurus, tensor), notes)
        return Words(RawRelations(thesaurus, _tensor(thesaurus, Spread())), notes)


def fit_words(
    thesauri: Sequence[Path], folder: Path, *, rank: int = 300, seed: int = 0, progress: Progress = SILENT
) -> Words:
    """Decompose the relations of thesauri and keep the model in a folder."""
    with progress.task("reading thesauri"):
        thesaurus, notes = _read(thesauri)
    model = Mrlsa.fit(thesaurus, _tensor(thesaurus, Spread()), rank=rank, seed=seed, progress=progress)
    with progress.task("writing the model"):
        model.save(folder)
    return Words(model, [*notes, f"model: {folder}, rank {rank}"])


def _read(paths: Sequence[Path]) -> tuple[Thesaurus, list[str]]:
    notes: list[str] = []
    if not paths:
        found = find_wordnet()
        thesaurus = read_wordnet(found)
        paths = [found]
    else:
        thesaurus = combine([read_thesaurus(path, notes=notes) for path in paths])
    size = f"{len(thesaurus.words):,} words, {len(thesaurus.documents):,} senses"
    return thesaurus, [*notes, f"{', '.join(map(str, paths))}: {size}"]


def _check_relation(thesaurus: Thesaurus, relation: str) -> None:
    """Refuse a relation that the thesauri do not speak of."""
    needed = {"antonym": ("antonym",), **dict.fromkeys(("is-a", "hypernym", "hyponym"), ("hypernym", "hyponym"))}
    there = [name for name in thesaurus.links if thesaurus.links[name].nnz]
    if relation in needed and not set(needed[relation]) & set(there):
        raise DataError(
            f"nothing was read about the relation {relation!r}; there is {', '.join(['synonym', *there])}",
            hint="Add a thesaurus that has it, such as the folder of WordNet: --thesaurus FOLDER.",
        )


def _tensor(thesaurus: Thesaurus, spread: Spread) -> RelationTensor:
    """Return the tensor of the relations the thesaurus has."""
    scales = {
        name: scale
        for name, scale in ANTONYM_SCALES.items()
        if name == "synonym" or (name in thesaurus.links and thesaurus.links[name].nnz)
    }
    return relation_tensor(thesaurus, scales, spread=spread)
