"""Names in text: spans of persons, organisations, places and others, each with its probability.

A linear chain (`sequences`) over the words around a token: their letters, shapes, clusters learnt from plain text, and
what lists of names say (`gazetteer`). It is learnt from several labelled sets at once, which do not agree on what a
name is: is *American* one, is *@ada*? So each feature of a few templates stands twice, once for all sets and once for
the sentence's own set (Daumé, 2007), and a text is read *in the manner of* one set, `style`: `wiki` unless told
otherwise, which names what an encyclopedia or a newspaper would; `social` for posts and messages.

A word with a capital after a title (*Mr Brandt*), or after *Dear* where a letter begins, is a person's name, if the
chain finds no other there. Signs that end a sentence, pictures and marks (*!*, *?*, 🎉) are no part of a name, whatever
the chain has learnt from titles that end so: on texts it was not learnt from, one in some 250 names that ended with one
was right.

A sentence is read by itself, so a document's answer is that of its paragraphs put together.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.learning.packing import load_arrays, save_arrays
from onoma.learning.sequences.sequence import OUTSIDE, ChainTraining
from onoma.progress import SILENT, Progress
from onoma.text.characters import CASED_UPPER, SIGN, tables_for
from onoma.text.names.casing import usually_cased
from onoma.text.names.gazetteer import Gazetteer
from onoma.text.names.sequences import SequenceTagger, bilou_codes, bilou_labels, spans_from
from onoma.text.tokens import Tokens
from onoma.text.words import COLUMNS, WordTable, attributes_of

__all__ = ["NAME_TYPES", "LabelledSentences", "NameSettings", "NameTagger", "Names", "learn_names", "name_attributes"]

NAME_TYPES = ("PER", "ORG", "LOC", "MISC")
"""Persons; organisations; places; works, events, peoples and products."""

_PICTURES = frozenset(("So", "Sk", "Mn", "Me", "Cf"))
"""Unicode's categories of pictures, and of marks that stand by themselves."""
_PERSON = OUTSIDE - 4
"""The labels of the first of the types only."""
_TITLES = frozenset(("Mr", "Mrs", "Ms", "Miss", "Mx", "Dr", "Prof", "Professor", "Sir", "Madame", "Monsieur"))
_GREETED = frozenset((*_TITLES, "Sirs", "Madam", "All", "Customer", "Editor", "Friend", "Friends", "Colleagues"))
"""Follow *Dear* and are no names."""
_LONGEST_TITLE = max(map(len, _TITLES)) + 1
_UPPER = 1
"""The bit of the column `flags` that says: begins with a capital."""
_WORDS = (
    "word lower shape flags lower-1 lower+1 lower-2 lower+2 word-1&word word&word+1 lower-1&lower+1 shape-1&shape "
    "shape&shape+1 shape-1&shape&shape+1 flags-1&flags&flags+1 prefix2 prefix3 prefix4 suffix1 suffix2 suffix3 "
    "suffix4 suffix3-1 suffix3+1 lower-1&flags lower+1&flags shape-1 shape+1 shape-2 shape+2 lower-1&lower-2 "
    "lower+1&lower+2 flags&lower "
)
_CLUSTERS = (
    "cluster cluster_mid cluster_coarse cluster-1 cluster+1 cluster_mid-1 cluster_mid+1 cluster_coarse-1 "
    "cluster_coarse+1 cluster&flags cluster_mid&flags cluster_mid-1&cluster_mid cluster_mid&cluster_mid+1 "
    "cluster_coarse-1&cluster_coarse&cluster_coarse+1 cluster_mid-1&flags cluster_mid+1&flags cluster-2 cluster+2 "
    "cluster_mid-1&cluster_mid+1&flags cluster_coarse&shape "
)
_STYLES = (
    "style style&flags style&lower style&cluster style&cluster_mid style&shape style&lower-1 style&lower+1 "
    "style&word-1&word style&flags-1&flags&flags+1 style&suffix3 style&cluster_mid-1 style&cluster_mid+1 "
    "style&gazetteer "
)


@dataclass(frozen=True)
class NameSettings:
    """How names are learnt."""

    n_epochs: int = 5
    rate: float = 0.1
    l2: float = 1e-4
    least_count: int = 2
    least: float = 0.02


@dataclass(frozen=True, eq=False)
class LabelledSentences:
    """Sentences whose names are known: words, names as (first, one past the last, type), and the style of each."""

    words: list[list[str]]
    names: list[list[tuple[int, int, str]]]
    styles: list[str]

    def __len__(self) -> int:
        return len(self.words)

    def take(self, which: Sequence[int]) -> "LabelledSentences":
        """Return some of the sentences."""
        return LabelledSentences(
            [self.words[i] for i in which], [self.names[i] for i in which], [self.styles[i] for i in which]
        )


@dataclass(frozen=True, eq=False)
class Names:
    """Names found: tokens from starts[i] to before ends[i] are a name of type `NAME_TYPES[types[i]]`."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    types: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    """That exactly this span is a name of this type."""

    def __len__(self) -> int:
        return len(self.starts)


@dataclass(frozen=True, eq=False)
class NameTagger:
    """Finds names."""

    words: WordTable
    gazetteer: Gazetteer
    tagger: SequenceTagger
    styles: tuple[str, ...]

    def find(self, tokens: Tokens, *, style: str = "wiki", values: NDArray[np.uint32] | None = None) -> Names:
        """Return the names in some sentences.

        Parameters
        ----------
        tokens
            The sentences.
        style
            In whose manner: one of `styles`.
        values
            What `attributes` gives for the tokens, if it is at hand; its last column is written to.
        """
        if style not in self.styles:
            raise SettingsError(f"there is no style {style!r}; there are {', '.join(self.styles)}")
        columns = self.attributes(tokens) if values is None else values
        columns[:, -1] = self.styles.index(style) + 1
        found: list[tuple[NDArray[Any], ...]] = [(np.zeros(0, np.int64),) * 3 + (np.zeros(0),)]
        outside, inside = _outside(tokens), _after_titles(tokens)
        for first, ids, sentences in self.tagger.pieces(columns, tokens.sentences):
            ids[outside[first : first + len(ids)], 0] = OUTSIDE
            codes = self.tagger.chain.decode(ids, sentences)
            missed = inside[first : first + len(ids)] & (codes == 0)
            if missed.any():
                ids[missed, 0] = _PERSON
                codes = self.tagger.chain.decode(ids, sentences)
            starts, ends, types = spans_from(codes)
            chances = self.tagger.chain.span_probabilities(ids, sentences, codes, starts, ends)
            found.append((starts + first, ends + first, types, chances))
        return Names(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def attributes(self, tokens: Tokens) -> NDArray[np.uint32]:
        """Return what is known of each token, as it would usually be written (`casing`)."""
        return name_attributes(usually_cased(tokens, self.words), self.words, self.gazetteer)

    def save(self, path: str | Path, card: Mapping[str, Any] | None = None) -> None:
        """Write to one `.npz`; the table of words is a file of its own."""
        header = {**self.tagger.header(), **self.gazetteer.header(), "styles": self.styles, "card": dict(card or {})}
        save_arrays(path, "text/names", header, {**self.tagger.arrays(), **self.gazetteer.arrays()})

    @classmethod
    def load(cls, path: str | Path, words: WordTable) -> "NameTagger":
        """Read what `save` wrote."""
        header, arrays = load_arrays(path, "text/names")
        gazetteer = Gazetteer.load(header, arrays)
        return cls(words, gazetteer, SequenceTagger.of(header, arrays), tuple(header["styles"]))


def _outside(tokens: Tokens) -> NDArray[np.bool_]:
    """Return which tokens are no part of a name: signs, pictures, the *Dear* of a letter."""
    classes, _ = tables_for(tokens.codes)
    out, text = np.zeros(len(tokens), np.bool_), tokens.text
    for i in np.flatnonzero(classes[tokens.codes[tokens.starts]] >= SIGN).tolist():
        out[i] = _is_outside(text[tokens.starts[i] : tokens.ends[i]])
    for i in tokens.sentences[:-1][np.diff(tokens.sentences) > 0].tolist():
        out[i] |= text[tokens.starts[i] : tokens.ends[i]] == "Dear"
    return out


def _after_titles(tokens: Tokens) -> NDArray[np.bool_]:
    """Return which tokens are part of a person's name: words with a capital after a title, or after a letter's *Dear*.

    Of 254 such in sets that were not learnt from, 248 are.
    """
    classes, _ = tables_for(tokens.codes)
    begins = tokens.sentences[:-1][np.diff(tokens.sentences) > 0]
    is_open = classes[tokens.codes[tokens.starts]] == CASED_UPPER
    is_open[begins] = False
    is_open[1:] &= (tokens.ends - tokens.starts)[:-1] <= _LONGEST_TITLE
    out, text, first = np.zeros(len(tokens), np.bool_), tokens.text, set(begins.tolist())
    for i in np.flatnonzero(is_open).tolist():
        before, word = (text[tokens.starts[k] : tokens.ends[k]].removesuffix(".") for k in (i - 1, i))
        greeted = before == "Dear" and i - 1 in first and word not in _GREETED
        out[i] = greeted or (before in _TITLES and word not in _TITLES)
    return out


@lru_cache(10_000)
def _is_outside(word: str) -> bool:
    return all(letter in "!?<>=~^*_" or unicodedata.category(letter) in _PICTURES for letter in word)


def name_attributes(tokens: Tokens, words: WordTable, gazetteer: Gazetteer) -> NDArray[np.uint32]:
    """Return tokens × columns: those of words, those of the gazetteer, and an empty one for the style."""
    known = attributes_of(tokens, words)
    is_open = (known[:, COLUMNS.index("flags")] & _UPPER) > 0
    lower = np.ascontiguousarray(known[:, COLUMNS.index("lower")])
    listed = gazetteer.attributes(lower, is_open, tokens.sentences)
    return np.concatenate([known, listed, np.zeros((len(known), 1), np.uint32)], axis=1)


def learn_names(
    labelled: LabelledSentences,
    words: WordTable,
    gazetteer: Gazetteer,
    *,
    settings: NameSettings | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> NameTagger:
    """Learn to find names.

    Parameters
    ----------
    labelled
        Sentences with their names.
    words, gazetteer
        What is known beforehand.
    settings
        Of the learner.
    seed
        Of the order of sentences.
    progress
        Shows passes.
    """
    settings = settings or NameSettings()
    tokens = Tokens.of_words(labelled.words)
    styles = tuple(sorted(set(labelled.styles)))
    columns = name_attributes(tokens, words, gazetteer)
    numbers = np.array([styles.index(style) + 1 for style in labelled.styles], np.uint32)
    columns[:, -1] = np.repeat(numbers, np.diff(tokens.sentences))
    y = [
        bilou_codes(len(sentence), [(a, b, NAME_TYPES.index(kind)) for a, b, kind in names])
        for sentence, names in zip(labelled.words, labelled.names, strict=True)
    ]
    tagger = SequenceTagger.learn(
        columns,
        tokens.sentences,
        np.concatenate(y),
        bilou_labels(NAME_TYPES),
        (*COLUMNS, *gazetteer.columns, "style"),
        _WORDS + _CLUSTERS + _STYLES + _list_templates(gazetteer),
        ChainTraining(
            n_epochs=settings.n_epochs,
            rate=settings.rate,
            l2=settings.l2,
            least=settings.least,
            least_count=settings.least_count,
            seed=seed,
        ),
        progress=progress,
    )
    return NameTagger(words, gazetteer, tagger, styles)


def _list_templates(gazetteer: Gazetteer) -> str:
    templates = [
        "gazetteer",
        "gazetteer-1&gazetteer",
        "gazetteer&gazetteer+1",
        "gazetteer&flags",
        "gazetteer-1",
        "gazetteer+1",
    ]
    templates += [f"in_{kind}" for kind in gazetteer.kinds]
    for level in gazetteer.levels:
        name = f"level_{level}"
        templates += [name, f"{name}&flags", f"{name}-1&{name}", f"{name}&{name}+1", f"{name}-1", f"{name}+1"]
        templates += [f"{name}&flags&gazetteer", f"style&{name}&flags"]
    return " ".join(templates)
