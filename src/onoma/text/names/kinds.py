"""What kind of thing a mention is: the ten entity types of GUM, for names, nouns and pronouns alike.

person, place, organization, object, event, time, substance, animal, plant or abstract (Zeldes, 2017). A logistic model
(a linear chain of length one) over the head of the mention: its word, clusters, ending, what lists say of it; and the
words around the mention. A kind has a probability like any other answer of the model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.learning.packing import load_arrays, save_arrays
from onoma.learning.sequences.sequence import ChainTraining
from onoma.progress import SILENT, Progress
from onoma.text.names.sequences import SequenceTagger
from onoma.text.names.tagger import NameTagger, name_attributes
from onoma.text.tokens import Tokens
from onoma.text.words import COLUMNS

__all__ = ["KINDS", "MentionKinds", "learn_kinds"]

KINDS = ("person", "place", "organization", "object", "event", "time", "substance", "animal", "plant", "abstract")

_HEAD = (*COLUMNS, "gazetteer", "level_type")
_MORE = ("name", "first", "before", "after", "before_cluster", "after_cluster", "size", "next_lower", "inner")
_TEMPLATES = (
    "word lower suffix2 suffix3 suffix4 prefix3 shape flags cluster cluster_mid cluster_coarse lexicon gazetteer "
    "level_type name name&lower name&cluster_mid first first&lower first&cluster_mid before before&lower "
    "before&cluster after after&cluster before_cluster before_cluster&cluster_mid after_cluster "
    "after_cluster&cluster_mid size size&cluster_mid before&after before&flags after&flags before&name "
    "next_lower&lower inner inner&lower inner&cluster "
)


@dataclass(frozen=True, eq=False)
class MentionKinds:
    """Says what kind of thing each mention is."""

    names: NameTagger
    tagger: SequenceTagger

    def find(
        self,
        tokens: Tokens,
        starts: NDArray[np.integer],
        ends: NDArray[np.integer],
        heads: NDArray[np.integer],
        name_types: NDArray[np.integer],
        *,
        values: NDArray[np.uint32] | None = None,
    ) -> tuple[list[str], NDArray[np.float64]]:
        """Return the kind of each mention and its probability.

        Parameters
        ----------
        tokens
            The sentences.
        starts, ends, heads
            Mentions, by tokens of the batch.
        name_types
            Of each token, 1 + the number of the type of the name it stands in, 0 for none.
        values
            What the tagger's `attributes` gives for the tokens, if it is at hand.
        """
        if values is None:
            values = self.names.attributes(tokens)
        columns = _columns(self.names, tokens, values, (starts, ends, heads), name_types)
        alone = np.arange(len(columns) + 1, dtype=np.int32)
        kinds, sure = [], [np.zeros(0)]
        for _, ids, bounds in self.tagger.pieces(columns, alone):
            chances = self.tagger.chain.marginals(ids, bounds)
            kinds += [self.tagger.chain.labels[k] for k in chances.argmax(axis=1)]
            sure.append(chances.max(axis=1).astype(np.float64))
        return kinds, np.concatenate(sure)

    def save(self, path: str | Path) -> None:
        """Write to one `.npz`."""
        save_arrays(path, "text/kinds", self.tagger.header(), self.tagger.arrays())

    @classmethod
    def load(cls, path: str | Path, names: NameTagger) -> "MentionKinds":
        """Read what `save` wrote."""
        return cls(names, SequenceTagger.of(*load_arrays(path, "text/kinds")))


def learn_kinds(
    tokens: Tokens,
    mentions: Sequence[tuple[int, int, int, str]],
    names: NameTagger,
    *,
    n_epochs: int = 6,
    seed: int = 0,
    progress: Progress = SILENT,
) -> MentionKinds:
    """Learn kinds from mentions (start, end, head, kind) of the tokens of a batch."""
    unknown = sorted({mention[3] for mention in mentions} - set(KINDS))
    if unknown or not mentions:
        raise DataError(f"mentions of kind {', '.join(unknown) or '(none at all)'}; known are {', '.join(KINDS)}")
    starts, ends, heads = (np.array([mention[k] for mention in mentions], np.int64) for k in range(3))
    types = name_types_of(tokens, names)
    values = name_attributes(tokens, names.words, names.gazetteer)
    columns = _columns(names, tokens, values, (starts, ends, heads), types)
    tagger = SequenceTagger.learn(
        columns,
        np.arange(len(mentions) + 1, dtype=np.int32),
        np.array([KINDS.index(mention[3]) for mention in mentions], np.int32),
        KINDS,
        (*_HEAD, *_MORE),
        _TEMPLATES,
        ChainTraining(n_epochs=n_epochs, least=0.02, seed=seed),
        progress=progress,
    )
    return MentionKinds(names, tagger)


def name_types_of(tokens: Tokens, names: NameTagger, *, style: str = "wiki") -> NDArray[np.int64]:
    """Return, for each token, 1 + the number of the type of the name it stands in, 0 for none."""
    found = names.find(tokens, style=style)
    types = np.zeros(len(tokens), np.int64)
    for start, end, kind in zip(found.starts.tolist(), found.ends.tolist(), found.types.tolist(), strict=True):
        types[start:end] = kind + 1
    return types


def _columns(
    names: NameTagger,
    tokens: Tokens,
    values: NDArray[np.uint32],
    mentions: tuple[NDArray[np.integer], NDArray[np.integer], NDArray[np.integer]],
    name_types: NDArray[np.integer],
) -> NDArray[np.uint32]:
    """Return mentions × columns: the head's own, then those of its surroundings; 0 outside the sentence."""
    starts, ends, heads = mentions
    all_columns = (*COLUMNS, *names.gazetteer.columns, "style")
    place = {name: number for number, name in enumerate(all_columns)}
    head = values[heads][:, [place[name] for name in _HEAD if name in place]]
    if head.shape[1] < len(_HEAD):  # a gazetteer without types of words
        head = np.concatenate([head, np.zeros((len(head), len(_HEAD) - head.shape[1]), np.uint32)], axis=1)
    sentence = np.repeat(np.arange(len(tokens.sentences) - 1), np.diff(tokens.sentences))
    lower, cluster = values[:, place["lower"]], values[:, place["cluster_mid"]]

    def at(column: NDArray[np.uint32], where: NDArray[np.integer]) -> NDArray[np.uint32]:
        inside = np.clip(where, 0, max(len(column) - 1, 0))
        is_near = (inside == where) & (sentence[inside] == sentence[starts])
        return np.where(is_near, column[inside], 0).astype(np.uint32)

    size = np.minimum(np.asarray(ends) - np.asarray(starts), 6).astype(np.uint32)
    more = [
        name_types[heads].astype(np.uint32),
        lower[starts],
        at(lower, starts - 1),
        at(lower, ends),
        at(cluster, starts - 1),
        at(cluster, ends),
        size,
        at(lower, heads + 1),
        np.where(heads > starts, at(lower, np.maximum(heads - 1, 0)), 0).astype(np.uint32),
    ]
    return np.concatenate([head, np.stack(more, axis=1)], axis=1)
