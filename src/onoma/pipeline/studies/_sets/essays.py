"""Learners' essays as described edits, and weights learnt on all essays but the one that is corrected."""

import lzma
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.edits import Edit, EditedSentence, apply_edits
from onoma.corpus.readers.m2 import read_m2
from onoma.correct.calibration import fit_calibration
from onoma.correct.corrector import Corrector
from onoma.correct.gold import right_rows, wanted_edits
from onoma.correct.lists import TYPES
from onoma.correct.model import EditRows, Encoded, encode
from onoma.evaluate.max_match import EditScore, max_match
from onoma.learning.hashed import HashedMaxEnt, HashedPerceptron, score_rows, softmax_groups
from onoma.pipeline.reproduce import Context
from onoma.pipeline.studies._sets.reranker import Reranker, signs_of
from onoma.pipeline.text.correction_training import tag_words

__all__ = ["PROMPTS", "DescribedEssays", "read_essays", "read_gold"]

_GRID = np.linspace(0.05, 0.8, 51)
_EPOCHS, _PULL = 3, 1e-4
"""How weights are adapted; chosen on CoNLL-2013 by five parts of its essays."""
_LM_UNIT = 3000
"""Logarithms of n-grams are kept as so many parts of 1."""
PROMPTS = 2
"""Two parts are the two prompts of CoNLL-2013: 25 essays on one, then 25 on the other."""


def read_gold(context: Context, path: str) -> list[EditedSentence]:
    """Return the annotated sentences of an M² file of the data folder."""
    return read_m2(context.file(f"correction/{path}.m2.xz"))


def read_essays(context: Context, corrector: Corrector, *, most: int | None = None) -> "DescribedEssays":
    """Return the essays of CoNLL-2013 with every edit that would be proposed."""
    sentences = read_gold(context, "conll-2013/original/official-preprocessed")
    essays = np.array(_essays(context))
    if most is not None:
        kept = int((essays < np.unique(essays)[most]).sum())
        sentences, essays = sentences[:kept], essays[:kept]
    tokens = [sentence.tokens for sentence in sentences]
    text = encode(tokens, tag_words(tokens), corrector.weigher.ngrams)
    edits = corrector.weigher.describe(text)
    chosen, right = right_rows(edits, sentences, corrector.weigher.proposals.actions)
    return DescribedEssays(corrector, sentences, essays, text, edits, chosen, right)


def _essays(context: Context) -> list[int]:
    """Return the number of the essay that each sentence is of."""
    path = context.file("correction/conll-2013/original/official-preprocessed.conll.xz")
    found: dict[tuple[str, ...], None] = {}
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            cells = line.split("\t")
            if len(cells) > 3:
                found[tuple(cells[:3])] = None
    return [int(essay) for essay, _, _ in found]


@dataclass(frozen=True)
class DescribedEssays:
    """Annotated essays and their possible edits."""

    corrector: Corrector
    sentences: Sequence[EditedSentence]
    essays: NDArray[np.int64]
    text: Encoded
    edits: EditRows
    chosen: NDArray[np.int64]
    right: NDArray[np.bool_]

    def learnt(
        self, *, anchor: NDArray[np.float32] | None = None, inflation: float = 1.0, n_parts: int = 10
    ) -> NDArray[np.float64]:
        """Return the probability of each edit by weights that its essay took no part in.

        Parameters
        ----------
        anchor
            Weights to begin from; None: zero.
        inflation
            How many times a place with a slip counts.
        n_parts
            Essays are parted so; `PROMPTS`: by what they are about.
        """
        rows, groups = self.edits.rows, self.edits.rows.groups
        part = self._parts(n_parts)
        place_part = part[self.edits.sentence[groups[:-1]]]
        weight = np.where(self.chosen != groups[:-1], inflation, 1.0)
        out = np.zeros(len(self.edits.actions))
        for k in range(int(part.max()) + 1):
            weights = self.fit(anchor=anchor, counts=np.where(place_part == k, 0.0, weight))
            p = softmax_groups(score_rows(rows.ptr, rows.ids, rows.values, weights), groups)
            mine = np.repeat(place_part == k, np.diff(groups))
            out[mine] = p[mine]
        return out

    def perceived(self, *, inflation: float = 1.0, n_parts: int = 10) -> NDArray[np.float64]:
        """Return what an averaged perceptron that an edit's essay took no part in says of it, between 0 and 1.

        Scores of perceptrons have no scale; divided by their deviation they are taken for log odds, and `score` finds
        the threshold on other essays.
        """
        rows, groups = self.edits.rows, self.edits.rows.groups
        part = self._parts(n_parts)
        place_part = part[self.edits.sentence[groups[:-1]]]
        weight = np.where(self.chosen != groups[:-1], inflation, 1.0)
        out = np.zeros(len(self.edits.actions))
        for k in range(int(part.max()) + 1):
            model = HashedPerceptron(bits=self.corrector.weigher.bits)
            model.fit(rows, self.chosen, counts=np.where(place_part == k, 0.0, weight))
            scores = model.scores(rows)
            p = softmax_groups(scores / scores[self.edits.types >= 0].std(), groups)
            mine = np.repeat(place_part == k, np.diff(groups))
            out[mine] = p[mine]
        return out

    def reranked(self, *, n_parts: int = 10) -> NDArray[np.float64]:
        """Return the probability of each edit by a second look that its essay took no part in."""
        signs, part = signs_of(self.corrector, self.edits), self._parts(n_parts)[self.edits.sentence]
        out = np.zeros(len(self.edits.actions))
        for k in range(int(part.max()) + 1):
            out[part == k] = Reranker().fit(signs, self.right, known=part != k).probabilities(signs)[part == k]
        return out

    def by_counts(self, *, with_priors: bool = True, n_parts: int = 10) -> NDArray[np.float64]:
        """Return the probability of each edit by n-grams and how often its change is right in other essays.

        Naive Bayes as in the papers: log P(edit) = log prior of the change + Σ log p of the words around it.
        """
        groups, part = self.edits.rows.groups, self._parts(n_parts)[self.edits.sentence]
        said = np.log(10) * self.edits.lm[:, 0] / _LM_UNIT
        if not with_priors:
            return softmax_groups(np.where(self.edits.types < 0, 0.0, said), groups)
        actions = self.corrector.weigher.proposals.actions
        names = np.array(["" if k < 0 else f"{actions[k].type} {actions[k].name}" for k in self.edits.actions.tolist()])
        change = np.unique(names, return_inverse=True)[1]
        prior = np.zeros(len(said))
        for k in range(int(part.max()) + 1):
            others = part != k
            made, seen = (
                np.bincount(change[rows], minlength=int(change.max()) + 1) for rows in (others & self.right, others)
            )
            prior[~others] = np.log((made + 0.1) / (seen + 10.0))[change[~others]]
        return softmax_groups(np.where(self.edits.types < 0, 0.0, said + prior), groups)

    def reranker(self) -> Reranker:
        """Return a second look learnt from all essays."""
        return Reranker().fit(signs_of(self.corrector, self.edits), self.right)

    def _parts(self, n_parts: int) -> NDArray[np.int64]:
        """Return the part of each sentence: whole essays, or the two prompts, one of which comes after the other."""
        essay = np.unique(self.essays, return_inverse=True)[1]
        return 2 * essay // (essay.max() + 1) if n_parts == PROMPTS else essay % n_parts

    def fit(
        self, *, anchor: NDArray[np.float32] | None = None, counts: NDArray[np.float64] | None = None
    ) -> NDArray[np.float32]:
        """Return weights learnt on all essays, or on places that count."""
        model = HashedMaxEnt(bits=self.corrector.weigher.bits, pull=_PULL, anchor=anchor)
        return model.partial_fit(self.edits.rows, self.chosen, counts=counts, n_epochs=_EPOCHS).weights_

    def shipped(self, *, is_calibrated: bool = True, n_parts: int = 10) -> NDArray[np.float64]:
        """Return the probability of each edit by the weights that are shipped, calibrated on other essays."""
        rows, groups = self.edits.rows, self.edits.rows.groups
        scores = score_rows(rows.ptr, rows.ids, rows.values, self.corrector.weights)
        if not is_calibrated:
            return softmax_groups(scores, groups)
        part = self._parts(n_parts)
        place_part, sizes = part[self.edits.sentence[groups[:-1]]], np.diff(groups)
        out = np.zeros(len(scores))
        for k in range(int(part.max()) + 1):
            others = np.flatnonzero(place_part != k)
            mine = np.repeat(place_part == k, sizes)
            begins = np.concatenate([[0], np.cumsum(sizes[others])])
            chosen = self.chosen[others] - groups[others] + begins[:-1]
            found = fit_calibration(scores[~mine], self.edits.types[~mine], begins, chosen)
            out[mine] = softmax_groups(found.apply(scores, self.edits.types), groups)[mine]
        return out

    def thresholds(
        self, p: NDArray[np.float64], *, types: Collection[str] = TYPES, beta: float = 0.5, kinds: Collection[str] = ()
    ) -> tuple[NDArray[np.float64], float]:
        """Return for each sentence the threshold that is best on the other essays, and the best of all.

        `kinds` are the annotators' types that are asked for; none: all.
        """
        asked = [
            sum(not kinds or kind in kinds for kind in wanted_edits(sentence).values()) for sentence in self.sentences
        ]
        usable = np.isin(self.edits.types, [TYPES.index(name) for name in types])
        essay = np.unique(self.essays, return_inverse=True)[1]
        n = int(essay.max()) + 1
        gold = np.bincount(essay, asked, n)
        mine = essay[self.edits.sentence]
        made = np.stack([np.bincount(mine[usable & (p >= t)], minlength=n) for t in _GRID], 1)
        good = np.stack([np.bincount(mine[usable & self.right & (p >= t)], minlength=n) for t in _GRID], 1)
        b2 = beta * beta

        def best(made: NDArray[Any], good: NDArray[Any], gold: NDArray[Any]) -> NDArray[np.int64]:
            return np.asarray(
                np.argmax((1 + b2) * good / np.maximum(b2 * gold[..., None] + made, 1), axis=-1), np.int64
            )

        alone = best(made.sum(0) - made, good.sum(0) - good, gold.sum() - gold)
        everywhere = best(made.sum(0), good.sum(0), np.asarray(gold.sum()))
        return _GRID[alone][essay], float(_GRID[everywhere])

    def corrected(
        self,
        p: NDArray[np.float64],
        thresholds: NDArray[np.float64],
        *,
        types: Collection[str] = TYPES,
        joint: bool = False,
    ) -> list[list[str]]:
        """Return the sentences as corrected, each at its threshold."""
        line = thresholds[self.edits.sentence]
        odds = p * (1 - line) / np.maximum((1 - p) * line, 1e-12)
        found = self.corrector.choose(self.text, self.edits, odds / (1 + odds), threshold=0.5, types=types, joint=joint)
        return [
            apply_edits(sentence.tokens, [Edit(each.start, each.end, (" ".join(each.put),)) for each in some])
            for sentence, some in zip(self.sentences, found, strict=True)
        ]

    def score(
        self,
        p: NDArray[np.float64],
        *,
        types: Collection[str] = TYPES,
        beta: float = 0.5,
        gold: Sequence[EditedSentence] | None = None,
        joint: bool = False,
        kinds: Collection[str] = (),
    ) -> EditScore:
        """Return M² of the essays, each corrected at the threshold that is best on the others."""
        line, _ = self.thresholds(p, types=types, beta=beta, kinds=kinds)
        hypotheses = self.corrected(p, line, types=types, joint=joint)
        return max_match(self.sentences if gold is None else gold[: len(hypotheses)], hypotheses, beta=beta)[0]
