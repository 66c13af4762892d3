"""GLEU: how near a corrected text is to references, n-gram by n-gram, where leaving a mistake in place costs.

BLEU counts the n-grams of a hypothesis that a reference has. A hypothesis of a correction shares most of them with its
source whatever it does, so GLEU also subtracts those that the source has and the reference has not:

    p_n = Σ max(|h ∩ r| − |h ∩ (s ∖ r)|, 0) / Σ |h|,      GLEU = exp(min(0, 1 − |r| / |h|) + ¼ Σ_{n ≤ 4} log p_n).

With several references, one is drawn for each sentence, and the mean over many draws is the score. Napoles, Sakaguchi,
Post and Tetreault, "Ground Truth for Grammatical Error Correction Metrics", ACL 2015, without tuning (2016).

Cost: the n-grams of every sentence and reference once; a draw is a sum of ten numbers a sentence.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.numerics.rng import stream

__all__ = ["gleu"]

_LONGEST = 4


def gleu(
    sources: Sequence[Sequence[str]],
    hypotheses: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
    *,
    n_draws: int = 500,
    seed: int = 0,
) -> float:
    """Return GLEU of a corrected text, between 0 and 1.

    Parameters
    ----------
    sources, hypotheses
        Tokenised sentences.
    references
        For each sentence, its references.

    Examples
    --------
    >>> source, right = "He go to school today .".split(), "He goes to school today .".split()
    >>> round(gleu([source], [right], [[right]]), 2), gleu([source], [source], [[right]]) < 0.5
    (1.0, True)
    """
    if not len(sources) == len(hypotheses) == len(references):
        raise DataError(
            f"{len(sources):,} sources, {len(hypotheses):,} corrections and {len(references):,} references must pair up"
        )
    if not sources or not all(references):
        raise DataError("every sentence needs a reference, and there must be a sentence")
    stats = [
        np.array([_statistics(source, hypothesis, reference) for reference in some])
        for source, hypothesis, some in zip(sources, hypotheses, references, strict=True)
    ]
    most = max(map(len, stats))
    if most == 1:
        return _score(np.array([each[0] for each in stats]).sum(0))
    rng = stream(seed, "gleu")
    sizes = np.array([len(each) for each in stats])
    table = np.stack([np.pad(each, ((0, most - len(each)), (0, 0))) for each in stats])
    at = np.arange(len(stats))
    return float(np.mean([_score(table[at, (rng.random(len(at)) * sizes).astype(int)].sum(0)) for _ in range(n_draws)]))


def _statistics(source: Sequence[str], hypothesis: Sequence[str], reference: Sequence[str]) -> list[int]:
    """Return the lengths of hypothesis and reference, then matches and n-grams of each order."""
    found = [len(hypothesis), len(reference)]
    for n in range(1, _LONGEST + 1):
        mine, wanted, before = _grams(hypothesis, n), _grams(reference, n), _grams(source, n)
        lost = Counter({gram: count for gram, count in before.items() if gram not in wanted})
        found += [max((mine & wanted).total() - (mine & lost).total(), 0), max(len(hypothesis) + 1 - n, 0)]
    return found


def _grams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[k : k + n]) for k in range(len(words) + 1 - n))


def _score(sums: NDArray[np.int64]) -> float:
    if (sums == 0).any():
        return 0.0
    precisions = np.log(sums[2::2] / sums[3::2])
    return float(np.exp(min(0.0, 1 - sums[1] / sums[0]) + precisions.mean()))
