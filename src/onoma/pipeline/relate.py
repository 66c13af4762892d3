"""From thesauri, or a model fitted before, to answers about words."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from onoma.knowledge.mrlsa import RELATIONS, Mrlsa, RawRelations, Related
from onoma.knowledge.mrlsa_tensor import RelationTensor, Spread, relation_tensor
from onoma.knowledge.thesaurus import Thesaurus, combine
from onoma.knowledge.thesaurus_files import read_thesaurus
from onoma.knowledge.thesaurus_wordnet import find_wordnet, read_wordnet
from onoma.progress import SILENT, Progress

__all__ = ["ANTONYM_SCALES", "RELATIONS", "Mrlsa", "RawRelations", "Related", "Words", "fit_words", "open_words"]

ANTONYM_SCALES = {"synonym": 1.0, "antonym": 4.0, "hypernym": 0.25, "hyponym": 0.25}
"""Scales of the slices: antonyms are few, so they count more."""
_ANCESTORS = Spread(steps=4, left_steps=0, decay=0.7, share=0.0, weights={"hypernym": 1.0})
"""The hypernyms of a sense, and theirs."""
_PLAIN = Spread(steps=0, left_steps=0)


@dataclass(frozen=True)
class Words:
    """Something that answers, and what it was made of."""

    relations: Mrlsa | RawRelations
    notes: Sequence[str]


def open_words(
    thesauri: Sequence[Path] = (), relation: str = "", *, model: Path | None = None, progress: Progress = SILENT
) -> Words:
    """Return the model in a folder, or the relations of thesauri as they are; WordNet where none is named.

    Without a model, words are spread in the way that serves the relation to be asked for.
    """
    if model is not None:
        return Words(Mrlsa.load(model), [f"model: {model}"])
    with progress.task("reading thesauri"):
        thesaurus, notes = _read(thesauri)
        if relation in ("is-a", "hypernym", "hyponym") and "hypernym" in thesaurus.links:
            ancestors, plain = (
                relation_tensor(thesaurus, {"synonym": 1.0, "hypernym": 1.0}, spread=spread)
                for spread in (_ANCESTORS, _PLAIN)
            )
            return Words(RawRelations(thesaurus, ancestors, pivot=plain), notes)
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
    if not paths:
        found = find_wordnet()
        thesaurus = read_wordnet(found)
        paths = [found]
    else:
        thesaurus = combine([read_thesaurus(path) for path in paths])
    size = f"{len(thesaurus.words):,} words, {len(thesaurus.documents):,} senses"
    return thesaurus, [f"{', '.join(map(str, paths))}: {size}"]


def _tensor(thesaurus: Thesaurus, spread: Spread) -> RelationTensor:
    """Return the tensor of the relations the thesaurus has."""
    scales = {
        name: scale
        for name, scale in ANTONYM_SCALES.items()
        if name == "synonym" or (name in thesaurus.links and thesaurus.links[name].nnz)
    }
    return relation_tensor(thesaurus, scales, spread=spread)
