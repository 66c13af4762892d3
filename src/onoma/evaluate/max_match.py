"""MaxMatch (M²): how many edits of a corrected sentence are edits that annotators asked for.

A corrector returns a sentence, not edits, and there are many sets of edits that lead from the source to it. M² lets
the system have the set that agrees best with the annotator: all shortest alignments of the two token sequences make a
lattice of elementary edits; runs of them, with at most two unchanged tokens inside, make longer ones; the cheapest
path, where an edit of the annotator costs less than any path and every other edit a little more than its length, is
the set of edits that is scored. Where there are several annotators, each sentence is compared with the one that raises
the running F-score most; so the score depends, slightly, on the order of sentences, and this is part of the measure's
definition in the shared tasks.

Dahlmeier and Ng, "Better Evaluation for Grammatical Error Correction", NAACL 2012.

Cost: |source| × (what was changed) for the alignments of a changed sentence and its lattice's arcs (a few for each
changed token) for every annotator; an unchanged sentence costs nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rapidfuzz.distance import Levenshtein

from onoma.corpus.edits import Edit, EditedSentence
from onoma.errors import DataError

__all__ = ["EditScore", "SentenceScore", "extract_edits", "max_match"]

_MAX_UNCHANGED = 2
"""Unchanged tokens that one edit may span, as in the shared tasks."""
_PER_EDIT = 0.001
"""What an edit costs beside its length: of two explanations of one length, the one with fewer edits is taken."""

_Node: TypeAlias = tuple[int, int]
"""So many tokens of the source, so many of the hypothesis, are behind us."""


@dataclass(frozen=True)
class _Arc:
    target: _Node
    steps: int
    unchanged: bool


_Lattice: TypeAlias = dict[_Node, list[_Arc]]


@dataclass(frozen=True)
class EditScore:
    """Edits right, proposed and asked for, over a text.

    Without a proposed edit precision is 1, without one to find recall is 1, as the shared tasks have it: a system that
    changes nothing is wrong nowhere.

    Examples
    --------
    >>> score = EditScore(correct=4, proposed=5, gold=5)
    >>> score.precision, score.recall, round(score.f(0.5), 4)
    (0.8, 0.8, 0.8)
    """

    correct: int
    proposed: int
    gold: int

    @property
    def precision(self) -> float:
        """How much of what was changed should have been."""
        return self.correct / self.proposed if self.proposed else 1.0

    @property
    def recall(self) -> float:
        """How much of what should have been changed was."""
        return self.correct / self.gold if self.gold else 1.0

    def f(self, beta: float = 0.5) -> float:
        """Return F_β from the counts; β < 1 weighs precision more."""
        weight = beta * beta
        size = weight * self.gold + self.proposed
        return (1 + weight) * self.correct / size if size else 1.0

    def __add__(self, other: "EditScore") -> "EditScore":
        return EditScore(self.correct + other.correct, self.proposed + other.proposed, self.gold + other.gold)


@dataclass(frozen=True)
class SentenceScore:
    """One sentence: the annotator it was compared with, the edits found, and which of them are right."""

    annotator: int
    edits: Sequence[Edit]
    """With the type of the annotator's edit where one is right, else without."""
    right: Sequence[bool]
    score: EditScore


def max_match(
    gold: Sequence[EditedSentence], hypotheses: Sequence[Sequence[str]], *, beta: float = 0.5
) -> tuple[EditScore, list[SentenceScore]]:
    """Score corrected sentences against annotated ones, as the CoNLL-2013 and CoNLL-2014 shared tasks do.

    Parameters
    ----------
    gold
        The source sentences with the edits of their annotators.
    hypotheses
        The corrected sentences, tokenised in the same way, in the same order.
    beta
        The weight of recall in the F-score by which an annotator is chosen.

    Examples
    --------
    >>> wanted = [Edit(3, 4, ("on",)), Edit(4, 4, ("the", "a"))]
    >>> source = EditedSentence(("The", "cat", "sat", "at", "mat", "."), {0: wanted})
    >>> score, sentences = max_match([source], ["A cat sat on the mat .".split()])
    >>> score
    EditScore(correct=2, proposed=3, gold=2)
    """
    if len(gold) != len(hypotheses):
        raise DataError(
            f"{len(gold):,} annotated sentences and {len(hypotheses):,} corrected ones: they must pair up",
            hint="A system writes one line for each sentence (S …) of the gold, in its order.",
        )
    total = EditScore(0, 0, 0)
    sentences = []
    for sentence, hypothesis in zip(gold, hypotheses, strict=True):
        best = _best_annotator(sentence, tuple(hypothesis), total, beta)
        total += best.score
        sentences.append(best)
    return total, sentences


def extract_edits(source: Sequence[str], hypothesis: Sequence[str]) -> list[Edit]:
    """Return the fewest edits that lead from one tokenised sentence to another.

    Examples
    --------
    >>> extract_edits("He go to school".split(), "He goes to the school".split())
    [Edit(start=1, end=2, corrections=('goes',), type=''), Edit(start=3, end=3, corrections=('the',), type='')]
    """
    return _best_path(_lattice(source, hypothesis, max_unchanged=0), source, hypothesis, ())


def _best_annotator(
    sentence: EditedSentence, hypothesis: tuple[str, ...], before: EditScore, beta: float
) -> SentenceScore:
    """Compare with every annotator; keep the one who raises the running score most, then the one with more right."""
    lattice = _lattice(sentence.tokens, hypothesis, _MAX_UNCHANGED) if sentence.tokens != hypothesis else {}
    best: tuple[tuple[float, int, int], SentenceScore] | None = None
    for annotator, wanted in sentence.annotators.items():
        found = _compare(lattice, sentence.tokens, hypothesis, (annotator, wanted))
        after = before + found.score
        rank = (after.f(beta), after.correct, -found.score.proposed - found.score.gold)
        if best is None or rank > best[0]:
            best = rank, found
    if best is None:  # a sentence that nobody annotated
        return _compare(lattice, sentence.tokens, hypothesis, (0, ()))
    return best[1]


def _compare(
    lattice: _Lattice, source: Sequence[str], hypothesis: Sequence[str], annotation: tuple[int, Sequence[Edit]]
) -> SentenceScore:
    annotator, wanted = annotation
    edits = _best_path(lattice, source, hypothesis, wanted) if lattice else []
    left = list(wanted)
    right = [False] * len(edits)
    for index in range(len(edits) - 1, -1, -1):
        match = next((edit for edit in reversed(left) if _same(edit, edits[index])), None)
        if match is not None:
            left.remove(match)
            right[index] = True
            found = edits[index]
            edits[index] = Edit(found.start, found.end, found.corrections, match.type)
    return SentenceScore(annotator, edits, right, EditScore(sum(right), len(edits), len(wanted)))


def _same(wanted: Edit, found: Edit) -> bool:
    return wanted.start == found.start and wanted.end == found.end and found.correction in wanted.corrections


def _lattice(source: Sequence[str], hypothesis: Sequence[str], max_unchanged: int) -> _Lattice:
    """Return every arc: elementary steps, and runs of them that change something and span few unchanged tokens."""
    steps: dict[_Node, dict[_Node, bool]] = {}
    # A substitution may cost one or two: an alignment that is shortest under either cost may be meant.
    for substitution in (1, 2):
        _add_shortest(steps, source, hypothesis, substitution)
    return {node: list(_runs(steps, node, max_unchanged)) for node in steps}


def _add_shortest(
    steps: dict[_Node, dict[_Node, bool]], source: Sequence[str], hypothesis: Sequence[str], substitution: int
) -> None:
    """Add the steps of every shortest alignment; True marks a step over an unchanged token."""
    cost = _distances(source, hypothesis, substitution)
    waiting = [(len(source), len(hypothesis))]
    seen = set(waiting)
    while waiting:
        i, j = waiting.pop()
        here = cost[i][j]
        behind: list[tuple[_Node, bool]] = []
        if i and j:
            equal = source[i - 1] == hypothesis[j - 1]
            if cost[i - 1][j - 1] + (0 if equal else substitution) == here:
                behind.append(((i - 1, j - 1), equal))
        if i and cost[i - 1][j] + 1 == here:
            behind.append(((i - 1, j), False))
        if j and cost[i][j - 1] + 1 == here:
            behind.append(((i, j - 1), False))
        for node, unchanged in behind:
            steps.setdefault(node, {})[(i, j)] = unchanged
            if node not in seen:
                seen.add(node)
                waiting.append(node)


def _distances(source: Sequence[str], hypothesis: Sequence[str], substitution: int) -> list[list[int]]:
    """Return the edit distance of pairs of prefixes, of all that a shortest alignment of the whole can pass.

    An alignment that leaves the diagonals between the two corners by s costs 2 s more than their distance, so those
    further out than the whole's distance allows are left at a number that no alignment reaches.
    """
    n, m = len(source), len(hypothesis)
    whole = Levenshtein.distance(source, hypothesis, weights=(1, 1, substitution))
    spare = (whole - abs(m - n)) // 2
    first, last = min(0, m - n) - spare, max(0, m - n) + spare
    far = n + m + 1
    above = [j if j <= last else far for j in range(m + 1)]
    rows = [above]
    for i, token in enumerate(source, start=1):
        row = [far] * (m + 1)
        begin, end = max(i + first, 0), min(i + last, m)
        left = far
        if not begin:
            left = row[0] = i
            begin = 1
        for j in range(begin, end + 1):
            best = above[j - 1]
            if token != hypothesis[j - 1]:
                best += substitution
                if above[j] < best:
                    best = above[j] + 1
                if left < best:
                    best = left + 1
            left = row[j] = best
        rows.append(row)
        above = row
    return rows


def _runs(steps: dict[_Node, dict[_Node, bool]], start: _Node, max_unchanged: int) -> Iterable[_Arc]:
    """Yield an arc to every node within reach, by breadth-first search over (node, unchanged tokens passed)."""
    reached: set[_Node] = set()
    frontier = {(start, 0)}
    seen = set(frontier)
    length = 0
    while frontier:
        length += 1
        following = set()
        for node, passed in frontier:
            for target, unchanged in steps.get(node, {}).items():
                state = target, passed + unchanged
                if state in seen or (state[1] > max_unchanged and not (length == 1 and unchanged)):
                    continue
                seen.add(state)
                if state[1] <= max_unchanged:
                    following.add(state)
                if target not in reached:
                    reached.add(target)
                    nothing_new = state[1] == length
                    if not nothing_new or length == 1:
                        yield _Arc(target, length, nothing_new)
        frontier = following


def _best_path(
    lattice: _Lattice, source: Sequence[str], hypothesis: Sequence[str], wanted: Sequence[Edit]
) -> list[Edit]:
    """Return the edits of the cheapest path; an edit that is wanted is worth more than everything else together."""
    reward = -float(sum(map(len, lattice.values())))
    spans: dict[tuple[int, int], list[Edit]] = {}
    for edit in wanted:
        spans.setdefault((edit.start, edit.end), []).append(edit)
    cost: dict[_Node, float] = {(0, 0): 0.0}
    came: dict[_Node, tuple[_Node, bool]] = {}
    for node in sorted(lattice, key=lambda node: (node[0] + node[1], node[0])):
        for arc in lattice[node]:
            asked = spans.get((node[0], arc.target[0]), ())
            text = " ".join(hypothesis[node[1] : arc.target[1]]) if asked else ""
            if arc.unchanged:
                price = 1.0
            elif any(text in edit.corrections for edit in asked):
                price = reward
            else:
                price = arc.steps + _PER_EDIT
            if cost[node] + price < cost.get(arc.target, float("inf")):
                cost[arc.target] = cost[node] + price
                came[arc.target] = node, arc.unchanged
    return _walk_back(came, (len(source), len(hypothesis)), hypothesis)


def _walk_back(came: dict[_Node, tuple[_Node, bool]], end: _Node, hypothesis: Sequence[str]) -> list[Edit]:
    edits = []
    while end in came:
        node, unchanged = came[end]
        if not unchanged:
            edits.append(Edit(node[0], end[0], (" ".join(hypothesis[node[1] : end[1]]),)))
        end = node
    return edits[::-1]
