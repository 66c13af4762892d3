"""All stages on one text: tokens, sentences, tags, lemmas, trees; with the models that come with Onoma."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from onoma.text.lemmas import Lemmatiser
from onoma.text.syntax.parser import Parser, Trees
from onoma.text.tagger import Tagger, Tags
from onoma.text.tokeniser import Tokeniser
from onoma.text.tokens import Tokens
from onoma.text.words import WordTable

__all__ = ["MODELS", "Annotator", "Sentence"]

MODELS = Path(__file__).with_name("models")
"""The models that come with Onoma."""


@dataclass(frozen=True, eq=False)
class Annotator:
    """The stages with their models.

    Examples
    --------
    >>> annotator = Annotator.load()
    >>> tokens = annotator.tokenise("Ann didn't leave. She smiled!")
    >>> tokens.words()
    ['Ann', 'did', "n't", 'leave', '.', 'She', 'smiled', '!']
    >>> tags = annotator.tag(tokens)
    >>> [annotator.tagger.xpos_names[k] for k in tags.xpos]
    ['NNP', 'VBD', 'RB', 'VB', '.', 'PRP', 'VBD', '.']
    >>> annotator.lemmas(tokens, tags)
    ['Ann', 'do', 'not', 'leave', '.', 'she', 'smile', '!']
    >>> annotator.parse(tokens).heads.tolist()
    [3, 3, 3, -1, 3, 6, -1, 6]
    """

    words: WordTable
    tokeniser: Tokeniser
    tagger: Tagger
    lemmatiser_of: Callable[[], Lemmatiser]
    parser_of: Callable[[], Parser]
    """The lemmatiser and the parser come when they are asked for: who only tags waits for neither."""

    @property
    def lemmatiser(self) -> Lemmatiser:
        """Finds the lemmas of tagged words."""
        return self.lemmatiser_of()

    @property
    def parser(self) -> Parser:
        """Finds the trees of tokens."""
        return self.parser_of()

    @classmethod
    def load(cls, folder: str | Path | None = None) -> "Annotator":
        """Read the models of a folder; by default those that come with Onoma, once."""
        return _load(MODELS if folder is None else Path(folder))

    def save(self, folder: str | Path) -> None:
        """Write the models to a folder."""
        folder = Path(folder)
        self.words.save(folder / "words.npz")
        self.tokeniser.save(folder / "tokeniser.npz")
        self.tagger.save(folder / "tagger.npz")
        self.lemmatiser.save(folder / "lemmas.npz")
        self.parser.save(folder / "parser.npz")

    def tokenise(self, text: str) -> Tokens:
        """Return tokens and sentences of a text."""
        return self.tokeniser.tokenise(text)

    def tag(self, tokens: Tokens) -> Tags:
        """Return the tags of tokens."""
        return self.tagger.tag(tokens)

    def lemmas(self, tokens: Tokens, tags: Tags) -> list[str]:
        """Return the lemmas of tagged tokens."""
        names = self.tagger.xpos_names
        return self.lemmatiser.lemmas(tokens.words(), [names[k] for k in tags.xpos.tolist()])

    def parse(self, tokens: Tokens) -> Trees:
        """Return the trees of tokens."""
        return self.parser.parse(tokens)

    def tag_and_parse(self, tokens: Tokens) -> tuple[Tags, Trees]:
        """Return tags and trees, the tokens being read once for both."""
        tags, trees = self.tagger.nothing_yet(len(tokens)), self.parser.nothing_yet(len(tokens))
        for reading in self.tagger.reader.read(tokens):
            self.tagger.tag_states(reading.first, reading.states, tags)
            self.parser.parse_states(reading, trees)
        return tags, self.parser.joined(tokens, trees)

    def sentences(self, text: str) -> "list[Sentence]":
        """Return every sentence of a text with all that was found, as plain lists."""
        tokens = self.tokenise(text)
        tags, trees = self.tag_and_parse(tokens)
        words, lemmas = tokens.words(), self.lemmas(tokens, tags)
        named = (
            [names[k] for k in codes.tolist()]
            for names, codes in (
                (self.tagger.upos_names, tags.upos),
                (self.tagger.xpos_names, tags.xpos),
                (self.tagger.feats_names, tags.feats),
                (self.parser.label_names, trees.labels),
            )
        )
        upos, xpos, feats, labels = named
        heads, starts, ends = trees.heads.tolist(), tokens.starts.tolist(), tokens.ends.tolist()
        return [
            Sentence(
                words[a:b],
                starts[a:b],
                ends[a:b],
                lemmas[a:b],
                upos[a:b],
                xpos[a:b],
                feats[a:b],
                [head - a if head >= 0 else -1 for head in heads[a:b]],
                labels[a:b],
            )
            for a, b in pairwise(tokens.sentences.tolist())
        ]


@dataclass(frozen=True)
class Sentence:
    """One sentence as lists, one entry a token."""

    words: list[str]
    starts: list[int]
    ends: list[int]
    lemmas: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    heads: list[int]
    """The head's place in the sentence, -1 for the root."""
    labels: list[str]


@cache
def _load(folder: Path) -> Annotator:
    words = WordTable.load(folder / "words.npz")
    tagger = Tagger.load(folder / "tagger.npz", words)
    return Annotator(
        words,
        Tokeniser.load(folder / "tokeniser.npz", words),
        tagger,
        cache(lambda: Lemmatiser.load(folder / "lemmas.npz", words)),
        cache(lambda: Parser.load(folder / "parser.npz", tagger.reader)),
    )
