"""MaxMatch from its definition: every path of single steps, every way to join steps into edits, the best of all."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from onoma.corpus.edits import Edit

Step = tuple[int, int, bool]


def distance(source: Sequence[str], hypothesis: Sequence[str], substitution: int) -> int:
    @cache
    def rest(i: int, j: int) -> int:
        if i == len(source) or j == len(hypothesis):
            return len(source) - i + len(hypothesis) - j
        diagonal = rest(i + 1, j + 1) + (0 if source[i] == hypothesis[j] else substitution)
        return min(diagonal, rest(i + 1, j) + 1, rest(i, j + 1) + 1)

    return rest(0, 0)


def shortest_nodes(source: Sequence[str], hypothesis: Sequence[str], substitution: int) -> set[tuple]:
    """The single steps that lie on some shortest alignment."""
    total = distance(source, hypothesis, substitution)
    steps = set()
    for i in range(len(source) + 1):
        for j in range(len(hypothesis) + 1):
            before = distance(source[:i], hypothesis[:j], substitution)
            for di, dj in ((1, 1), (1, 0), (0, 1)):
                if i + di > len(source) or j + dj > len(hypothesis):
                    continue
                same = di == dj == 1 and source[i] == hypothesis[j]
                price = 0 if same else (substitution if di == dj else 1)
                after = distance(source[i + di :], hypothesis[j + dj :], substitution)
                if before + price + after == total:
                    steps.add(((i, j), (i + di, j + dj), same))
    return steps


def paths(steps: set[tuple], node: tuple[int, int], end: tuple[int, int]) -> Iterator[list[tuple]]:
    if node == end:
        yield []
    for step in steps:
        if step[0] == node:
            for rest in paths(steps, step[1], end):
                yield [step, *rest]


def groupings(n: int) -> Iterator[list[tuple[int, int]]]:
    """Every way to cut a sequence of n steps into runs."""
    for mask in range(1 << max(n - 1, 0)):
        cuts = [0, *(k + 1 for k in range(n - 1) if mask >> k & 1), n]
        yield list(pairwise(cuts))


def best_counts(source: Sequence[str], hypothesis: Sequence[str], wanted: Sequence[Edit]) -> tuple[int, int]:
    """The number of edits right and the number of edits proposed, of the best explanation."""
    steps = shortest_nodes(source, hypothesis, 1) | shortest_nodes(source, hypothesis, 2)
    best = None
    for path in paths(steps, (0, 0), (len(source), len(hypothesis))):
        for runs in groupings(len(path)):
            parts = [path[a:b] for a, b in runs]
            if any(sum(same for *_, same in part) > 2 for part in parts):
                continue
            if any(len(part) > 1 and all(same for *_, same in part) for part in parts):
                continue
            changed = [part for part in parts if not all(same for *_, same in part)]
            right = [part for part in changed if is_wanted(part, hypothesis, wanted)]
            length = sum(len(part) for part in parts if part not in right) + 0.001 * (len(changed) - len(right))
            rank = (len(right), -length)
            if best is None or rank > best[0]:
                # A wanted edit can be found once, however often the same words are inserted at its place.
                once = {(part[0][0][0], part[-1][1][0]) for part in right}
                best = rank, (len(once), len(changed))
    assert best is not None
    return best[1]


def is_wanted(part: list[tuple], hypothesis: Sequence[str], wanted: Sequence[Edit]) -> bool:
    (start, j), (end, k) = part[0][0], part[-1][1]
    text = " ".join(hypothesis[j:k])
    return any(edit.start == start and edit.end == end and text in edit.corrections for edit in wanted)
