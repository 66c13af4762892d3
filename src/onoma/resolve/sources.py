"""Do sources have duplicates inside? Where rows come from several and nobody says, the table is asked.

Of the surest pairs of rows, those that are each other's nearest, chance puts a part within one source. Catalogues and
registers that are kept free of duplicates have next to none there. Where there are more, they may be duplicates or
families (two shops write in two ways, and their own offers are nearest): then only the answers of both readings tell
(`api.py`).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.blocking.canopies import CanopySettings, find_candidates, pair_similarity
from onoma.resolve.blocking.conditions import has_constraints
from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.field import FieldData
from onoma.resolve.registry import AUTO

__all__ = ["DEDUPE_TOO", "own_source_share", "pick_link"]

_CLEAN = 0.25
"""Surest pairs within a source, as a part of what chance puts there, up to which sources have no duplicates inside. By
meaning: of what there would be if sources had nothing to do with it, three quarters are not there. In four labelled
tables of clean sources it is 0 to .16, with sources drawn at random 1."""
_UNSEEN = 3.0
"""Pairs added to those seen within a source, so that few do not say much: none seen may be three (at 95 %)."""
_MOST_MET = 50_000
"""Rows of the largest table that is asked whether its sources have duplicates inside."""
DEDUPE_TOO = "--link-and-dedupe: they may be the same"


def pick_link(fields: Sequence[FieldData], config: ResolveConfig, source: NDArray[np.int32]) -> tuple[bool | None, str]:
    """Return whether rows of different sources only are joined, and why; None: only the answers of both tell.

    Parameters
    ----------
    fields
        The prepared fields.
    config
        What is asked for.
    source
        The source of each row.
    """
    told = config.link or config.link_and_dedupe or config.model != AUTO or config.labels is not None
    told |= config.partitions is not None
    ruled = has_constraints(config) or config.block is not None or config.also_compare or config.block_on
    weighed = config.weights is not None or config.comparison not in (None, "kinds")
    n_sources = int(source.max(initial=0)) + 1
    if told or ruled or weighed or n_sources < 2 or not fields or len(source) > _MOST_MET:
        return config.link, ""
    share = own_source_share(fields, source)
    if share <= _CLEAN:
        why = f"among the surest pairs at most {share:.0%} of what chance would put within one are there"
        return True, f"rows of one source are taken for different things: {why} ({DEDUPE_TOO})"
    return (None, "") if n_sources == 2 and not config.no_check else (False, "")


def own_source_share(fields: Sequence[FieldData], source: NDArray[np.int32]) -> float:
    """Return how many of the surest pairs lie within a source at most, as a part of what chance would put there.

    Surest are those of the nearest pairs (each row the other's nearest) that are nearer than the middle one.

    Parameters
    ----------
    fields
        The prepared fields.
    source
        The source of each row.
    """
    n = len(source)
    near = find_candidates(fields, settings=CanopySettings(neighbours=1))
    similarity, nearest = pair_similarity(fields, near.a, near.b), np.zeros(n)
    for end in (near.a, near.b):
        np.maximum.at(nearest, end, similarity)
    mutual = np.flatnonzero((similarity >= nearest[near.a]) & (similarity >= nearest[near.b]))
    surest = mutual[similarity[mutual] >= np.median(similarity[mutual])] if len(mutual) else mutual
    one, other = source[near.a[surest]], source[near.b[surest]]
    others = (np.bincount(source) - 1.0) / max(n - 1.0, 1.0)
    chance = (others[one] + others[other]).sum() / 2.0
    return float(((one == other).sum() + _UNSEEN) / max(chance, 1e-9))
