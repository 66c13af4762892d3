"""Gathering: what the candidates of a table agree on, and what strangers agree on."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress
from onoma.resolve.blocking.canopies import Candidates, find_candidates, pair_similarity
from onoma.resolve.comparison._weights_kernels import margins
from onoma.resolve.comparison.compare import compare_records, random_pairs, shares_of_values
from onoma.resolve.comparison.noise import noise_of
from onoma.resolve.comparison.swaps import mark_swaps
from onoma.resolve.comparison.taught import count_in_part
from onoma.resolve.comparison.weights import NEXT, OWN, RANDOM, Evidence
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.packed.texts import arrow_of
from onoma.resolve.fields.telling.lone import taught_field

__all__ = ["CONTRAST_LEVELS", "contrast_levels", "count_pairs", "gather_evidence"]

CONTRAST_CUTS = (0.25, 0.12, 0.05, 0.0)
CONTRAST_LEVELS = (
    "far ahead of all rivals",
    "well ahead of all rivals",
    "ahead of all rivals",
    "just ahead of all rivals",
    "ahead on one side",
    "behind a rival",
)
"""How a pair between two sources compares with the rivals of its records, by similarity."""
CLEARLY = CONTRAST_CUTS[2]
"""By how much a pair is ahead that is no longer just ahead, and a pair behind that is clearly behind."""
_STRANGERS = 300_000
_SIMILARITIES = np.linspace(0.0, 1.0, 21)
"""Bins of similarity."""
_NAMES = ("person", "organisation")
"""Kinds of names."""


def gather_evidence(
    fields: Sequence[FieldData],
    candidates: Candidates,
    source: NDArray[np.int32] | None,
    block: NDArray[np.int32] | None,
    apart: int = 0,
    *,
    seed: int,
    progress: Progress = SILENT,
) -> Evidence:
    """Compare the candidates, and pairs that stand for the others.

    Parameters
    ----------
    fields
        The prepared fields.
    candidates
        The pairs to compare.
    source, block, apart
        As for `find_candidates`.
    seed
        Of the pairs that stand for the others.
    """
    n, a, b = len(fields[0].codes), candidates.a, candidates.b
    levels = compare_records(fields, a, b, progress=progress)
    mark_swaps(fields, a, b, levels)
    n_pairs = count_pairs(n, source, block, apart)
    keys = a.astype(np.int64) * n + b
    if n_pairs > len(a):
        one, other = random_pairs(n, _STRANGERS, seed=seed, source=source, block=block, apart=apart, avoid=keys)
    else:
        one = other = np.zeros(0, dtype=np.int32)
    del keys
    background = compare_records(fields, one, other)
    mark_swaps(fields, one, other, background)
    weight = np.full(len(background), max(n_pairs - len(a), 0.0) / max(len(background), 1))
    taught = taught_field(fields)
    evidence = Evidence(
        n=n,
        a=a,
        b=b,
        levels=levels,
        log_share=shares_of_values(fields, a, levels),
        n_levels=np.array([len(each.levels) for each in fields]),
        background=background,
        background_weight=weight,
        background_pairs=(one, other),
        n_pairs=max(n_pairs, 1.0),
        names=np.array([each.kind in _NAMES for each in fields]),
        identity=_identity(fields),
        own=_own(fields),
        words=np.array([_mean_words(each) for each in fields]),
        noise=noise_of([each.kind for each in fields], [len(each.levels) for each in fields]),
        taught=taught,
        taught_counts=count_in_part(fields[taught], seed=seed) if taught >= 0 else None,
    )
    if apart == 1 and source is not None and source.max(initial=0) == 1:
        return _between(fields, evidence, source, block, seed)
    return evidence


def _between(
    fields: Sequence[FieldData],
    evidence: Evidence,
    source: NDArray[np.int32],
    block: NDArray[np.int32] | None,
    seed: int,
) -> Evidence:
    """Add what two sources give: the contrast of a pair with its rivals, and the strangers that are nearest.

    The nearest of many strangers is ahead of its rivals *because* it is alike, so what the two say must be known
    together. Two sorts of pairs show it. Of records that have a partner, pairs that are clearly behind: without the
    best (the partner), the next are the nearest strangers, with rivals of their own. What is nearly as good as the best
    is left out, too: it may be the partner's double. Of records that have none, the best is itself a stranger, and the
    next would be the second nearest; their nearest strangers are shown by their own source, which holds no partner, as
    far as its records are not more alike than those of two sources (`_as_between`). How much each sort counts follows
    how many records have a partner (`LevelCounts.heed_partners`).
    """
    a, b = evidence.a, evidence.b
    similarity = pair_similarity(fields, a, b)
    contrast = contrast_levels(evidence.n, a, b, similarity)
    last = len(CONTRAST_LEVELS) - 1
    next_ = np.flatnonzero(margins(evidence.n, a, b, similarity).max(axis=1) < -CLEARLY)
    nearest = contrast_levels(evidence.n, a[next_], b[next_], similarity[next_])
    own, own_contrast, own_weight = _inside(fields, source, block, similarity[next_], seed)
    # Pairs that are no candidates have better rivals than each other.
    behind = np.concatenate([np.full(len(evidence.background), last, dtype=np.int8), nearest, own_contrast])
    background = np.concatenate([evidence.background, evidence.levels[next_], own])
    near = np.repeat(np.array([RANDOM, NEXT, OWN], dtype=np.int8), [len(evidence.background), len(next_), len(own)])
    weight = np.repeat([len(a) / max(len(next_), 1), 0.0], [len(next_), len(own)])
    return replace(
        evidence,
        levels=np.concatenate([evidence.levels, contrast[:, None]], axis=1),
        log_share=np.concatenate([evidence.log_share, np.zeros((len(contrast), 1), dtype=np.float32)], axis=1),
        n_levels=np.append(evidence.n_levels, len(CONTRAST_LEVELS)),
        background=np.concatenate([background, behind[:, None]], axis=1),
        background_weight=np.concatenate([evidence.background_weight, weight]),
        background_pairs=None,
        names=np.append(evidence.names, False),
        identity=np.append(evidence.identity, False),
        own=np.append(evidence.own, False),
        words=np.append(evidence.words, 1.0),
        linking=True,
        near=near,
        near_weight=np.concatenate([np.ones(len(near) - len(own)), own_weight]),
        contrast=len(evidence.n_levels),
        taught=-1,
        taught_counts=None,
    )


def _inside(
    fields: Sequence[FieldData],
    source: NDArray[np.int32],
    block: NDArray[np.int32] | None,
    between: NDArray[np.float64],
    seed: int,
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.float64]]:
    """Return what near pairs inside each source agree on, how they compare with their rivals, and how much they count.

    Parameters
    ----------
    between
        The similarity of pairs between the sources that are clearly behind.
    """
    n, found = len(source), find_candidates(fields, source=source, block=block, apart=-1)
    similarity = pair_similarity(fields, found.a, found.b)
    contrast = contrast_levels(n, found.a, found.b, similarity)
    behind = margins(n, found.a, found.b, similarity).max(axis=1) < -CLEARLY
    weight = _as_between(similarity, similarity[behind], between)
    some = np.arange(len(found.a))
    if len(some) > _STRANGERS:  # as many show what all do
        some = np.sort(stream(seed, "own source").choice(len(some), _STRANGERS, replace=False))
    levels = compare_records(fields, found.a[some], found.b[some])
    mark_swaps(fields, found.a[some], found.b[some], levels)
    return levels, contrast[some], weight[some]


def _as_between(
    similarity: NDArray[np.float64], inside: NDArray[np.float64], between: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return how much pairs inside a source count, by their similarity.

    A shop writes all its offers in one way, and has variants of one thing, so that its rows are more alike than those
    of two shops. How much more, pairs show that are clearly behind, which are neither partners nor doubles: pairs count
    as much as there are such of their similarity or more between the sources, for each inside.

    Parameters
    ----------
    inside, between
        The similarity of pairs that are clearly behind.

    Examples
    --------
    >>> inside, between = np.array([0.2, 0.2, 0.9, 0.9, 0.9]), np.array([0.2, 0.2, 0.2, 0.9])
    >>> _as_between(np.array([0.2, 0.93]), inside, between).tolist()
    [0.8333333333333334, 0.5]
    """
    tails = [np.cumsum(np.histogram(each, _SIMILARITIES)[0][::-1])[::-1] + 1.0 for each in (between, inside)]
    place = np.clip(np.digitize(similarity, _SIMILARITIES) - 1, 0, len(_SIMILARITIES) - 2)
    return np.minimum(tails[0] / tails[1], 1.0)[place]


def contrast_levels(
    n: int, a: NDArray[np.int32], b: NDArray[np.int32], similarity: NDArray[np.float64]
) -> NDArray[np.int8]:
    """Return how each pair compares with the rivals of its records: an index into `CONTRAST_LEVELS`."""
    ahead = margins(n, a, b, similarity)
    contrast = (ahead.min(axis=1)[:, None] < np.array(CONTRAST_CUTS)).sum(axis=1)
    behind = (contrast == len(CONTRAST_CUTS)) & (ahead.max(axis=1) < 0)
    return np.where(behind, len(CONTRAST_CUTS) + 1, contrast).astype(np.int8)


def count_pairs(n: int, source: NDArray[np.int32] | None, block: NDArray[np.int32] | None, apart: int) -> float:
    """Return how many pairs there are that could be the same."""

    def pairs(sizes: NDArray[np.int64]) -> float:
        wide = sizes.astype(np.float64)
        return float((wide * (wide - 1) / 2).sum())

    blocks = np.zeros(n, dtype=np.int64) if block is None else block.astype(np.int64)
    total = pairs(np.bincount(blocks))
    if apart == 1 and source is not None:
        both = blocks * (int(source.max(initial=0)) + 1) + source
        total -= pairs(np.bincount(np.unique(both, return_inverse=True)[1]))
    return total


def _identity(fields: Sequence[FieldData]) -> NDArray[np.bool_]:
    """Return the fields that name the thing: its title, where a text says most, or else names.

    People and organisations beside a title are its authors, its artist, its maker, which other titles share.
    """
    kinds = [each.kind for each in fields]
    naming = ("likeness",) if "likeness" in kinds else _NAMES
    return np.array([kind in naming for kind in kinds])


def _mean_words(field: FieldData) -> float:
    if len(field.values) == 0:
        return 1.0
    words = pc.count_substring(arrow_of(field.values), " ").to_numpy() + 1
    return float(np.average(words, weights=field.counts))


def _own(fields: Sequence[FieldData]) -> NDArray[np.bool_]:
    """Return the fields that no relative shares: full dates, where the things are people.

    Households share a surname and an address. Records that share a date of birth and an address under two names are
    one person under two names. A year is no such thing: colleagues publish in the same one.
    """
    people = any(each.kind == "person" for each in fields)
    return np.array([people and each.kind == "date" and _is_to_the_day(each) for each in fields])


def _is_to_the_day(dates: FieldData) -> bool:
    bare = pc.ends_with(arrow_of(dates.values), "-00").to_numpy(zero_copy_only=False)
    return float(np.average(~bare, weights=dates.counts)) > 0.5
