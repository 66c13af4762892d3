"""How good annotations are against a treebank: of raw text tokens and sentences, of its tokens tags, lemmas, trees."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from onoma.text.annotate import Annotator
from onoma.text.syntax.treebank import Treebank
from onoma.text.tokens import Tokens

__all__ = ["TextScores", "score_annotator", "score_raw"]


@dataclass(frozen=True)
class TextScores:
    """Shares of tokens, in per cent: everything on the treebank's tokens."""

    n_tokens: int
    upos: float
    xpos: float
    feats: float
    lemmas: float
    unlabelled: float
    """Heads right (UAS)."""
    labelled: float
    """Heads and labels right (LAS)."""


def score_annotator(annotator: Annotator, gold: Treebank) -> TextScores:
    """Annotate a treebank's tokens and compare."""
    tags, trees = annotator.tag_and_parse(gold.tokens)
    tagger = annotator.tagger
    xpos = [tagger.xpos_names[k] for k in tags.xpos.tolist()]
    heads = trees.heads == gold.heads
    labels = np.array([annotator.parser.label_names[k] for k in trees.labels.tolist()]) == np.array(gold.labels)
    return TextScores(
        len(gold.words),
        _share([tagger.upos_names[k] for k in tags.upos.tolist()], gold.upos),
        _share(xpos, gold.xpos),
        _share([tagger.feats_names[k] for k in tags.feats.tolist()], gold.feats),
        _share(annotator.lemmatiser.lemmas(gold.words, xpos), gold.lemmas),
        100.0 * float(heads.mean()),
        100.0 * float((heads & labels).mean()),
    )


def score_raw(annotator: Annotator, gold: Treebank) -> tuple[float, float]:
    """Cut the treebank's raw text; return F1 of tokens and of sentences, in per cent, by their offsets."""
    found = annotator.tokenise(gold.tokens.text)
    return _f1(_token_spans(found), _token_spans(gold.tokens)), _f1(
        _sentence_spans(found), _sentence_spans(gold.tokens)
    )


def _share(found: list[str], gold: list[str]) -> float:
    return 100.0 * sum(a == b for a, b in zip(found, gold, strict=True)) / max(len(gold), 1)


def _token_spans(tokens: Tokens) -> set[tuple[int, int]]:
    return set(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True))


def _sentence_spans(tokens: Tokens) -> set[tuple[int, int]]:
    return {(int(tokens.starts[a]), int(tokens.ends[b - 1])) for a, b in pairwise(tokens.sentences.tolist())}


def _f1(found: set[tuple[int, int]], gold: set[tuple[int, int]]) -> float:
    return 200.0 * len(found & gold) / max(len(found) + len(gold), 1)
