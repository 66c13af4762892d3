"""Rows that are repeated over and over, set aside before anything is compared.

Two rows "John Smith" with nothing else need not be one person. Two rows with the same name, date of birth, street and
telephone are, and a thousand such rows tell the model no more than a few do. So of a group of rows that are equal in
every field a few are kept, and the others follow the first of them; but only where strangers would not be equal by
chance. With p the product over filled fields of the share of *different* rows with that value, n·p strangers are
expected to be so. Fields repeat each other, so only the root of p is trusted: a group is folded if n·√p ≤ 1/1000, or if
it has ten times as many rows as these strangers would be and things are named (n·p, where one field is all there is).

But a value may also be frequent because its thing is: a list of payments names one firm a thousand times. What tells is
how usual repetition is. Where few rows have an equal, those few may be namesakes; where many have one, far more than
chance explains, rows repeat each other because they are of one thing, and only different rows are compared at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.resolve.comparison.compare import log_shares
from onoma.resolve.contract import PairEvidence, Pairs, Posterior
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.telling.lone import AS_MUCH, bits_of_values
from onoma.resolve.fields.telling.occasions import spells
from onoma.resolve.posterior.copying import Draws
from onoma.resolve.posterior.samples import Roots, Samples

__all__ = ["Folding", "fold_fields", "fold_rows", "unfold"]

KEPT = 10
"""Rows of a group that are compared: enough to learn from, and for the model to say whether they are one."""
_BY_CHANCE = 1e-3
_USUAL = 0.2
"""Different rows that have an equal, as a part of all, from which on repetition is usual. In 15 columns of names and
titles in which the part is .11 or less, two equal rows are one thing in .42 of cases (mean over columns), in 19 in
which it is .23 or more (and chance explains less than a tenth of it) in .94."""
_BEYOND_CHANCE = 10.0
"""And how many times as many equal rows there are as fields that have nothing to do with each other would give, where
people are named: given and family names from short lists (.05 and .35 in two tables) repeat by chance alone. Of a large
group of equal rows it says the same: in 460 random views of development tables in which most rows repeat nothing, three
have one, and their F1 is .03 → .99, .18 → .99 and .01 → .98."""
_NAMING = ("person", "organisation", "place", "text", "set", "likeness")
"""Kinds of which one must be among the fields: rows that share categories and numbers alone are not one thing."""
_SELDOM = 0.05
"""Rows that repeat another of their source, as a part of all, up to which they are taken for different things of one
description, one for each partner; where more do, the sources have duplicates inside."""
_MOST = 0.5
"""Rows that have a value in a column, as a part of all, from which on most do."""
_CLEARLY = float(np.log(20.0))
"""Log odds from which on such rows are duplicates however few they are, by how often the other source has as many."""
_AS_MANY = 0.1
"""The chance that a thing with duplicates has as many in the other source."""


@dataclass(frozen=True, eq=False)
class Folding:
    """Which rows are compared, and which row each other one follows."""

    kept: NDArray[np.int64]
    """The rows that are compared, ascending."""
    leader: NDArray[np.int64]
    """For each row the row it follows, itself if it is kept."""
    n_common: int
    """Rows that repeat others as often, but with values that strangers might share."""

    @property
    def followers(self) -> NDArray[np.int64]:
        """The rows that are not compared."""
        return np.flatnonzero(self.leader != np.arange(len(self.leader)))


def fold_rows(
    fields: Sequence[FieldData], block: NDArray[np.int32] | None = None, source: NDArray[np.int32] | None = None
) -> Folding:
    """Find rows that repeat others in every field and in the block.

    Parameters
    ----------
    source
        The source of each row, where rows of two sources are linked: of rows of one source that say the same one is
        compared, if there are many such rows. They have the same partners, and would else compete for them.
    """
    if source is not None:
        return _fold_within(fields, block, source)
    codes = [field.codes for field in fields] + ([] if block is None else [block])
    _, first, group, sizes = np.unique(_hashes(codes), return_index=True, return_inverse=True, return_counts=True)
    if _is_usual(fields, sizes):
        return _all_folded(codes, first[group], _says(fields))
    if sizes.max(initial=0) <= KEPT:
        every = np.arange(len(group))
        return Folding(every, every, 0)
    leader = first[group]
    repeats = np.ones(len(leader), dtype=np.bool_)
    for column in codes:
        repeats &= column == column[leader]
    large = sizes > KEPT
    surprisal = _surprisal(fields, first)
    telling = surprisal / 2 > np.log(len(leader)) - np.log(_BY_CHANCE)
    if _names_whole(fields):
        trusted = 1 if len(fields) == 1 or _is_name_in_parts(fields) else 2  # one field repeats no other
        telling |= np.log(sizes) > np.log(len(leader)) - surprisal / trusted + np.log(_BEYOND_CHANCE)
    order = np.argsort(group, kind="stable")
    place = np.empty(len(group), dtype=np.int64)
    place[order] = np.arange(len(group)) - (np.cumsum(sizes) - sizes)[group[order]]
    folded = repeats & (large & telling)[group] & (place >= KEPT)
    n_common = int(sizes[large & ~telling].sum())
    return Folding(np.flatnonzero(~folded), np.where(folded, leader, np.arange(len(leader))), n_common)


def _is_usual(fields: Sequence[FieldData], sizes: NDArray[np.int64]) -> bool:
    """Say whether rows repeat each other far more often than chance explains, and name something.

    Parameters
    ----------
    sizes
        How many rows there are of each different row.
    """
    if not any(each.kind in _NAMING for each in fields) or float((sizes > 1).mean()) < _USUAL:
        return False
    if not any(each.people or each.kind == "person" for each in fields):
        return True  # a title or a firm's name is not put together of parts that others have, too
    parts = _name_parts(fields[0]) if len(fields) == 1 else [each.counts for each in fields]
    wide, n = sizes.astype(np.float64), float(sizes.sum())
    by_chance = n * n / 2.0 * float(np.prod([((each / max(each.sum(), 1)) ** 2).sum() for each in parts]))
    return float((wide * (wide - 1.0) / 2.0).sum()) >= _BEYOND_CHANCE * by_chance


def _names_whole(fields: Sequence[FieldData]) -> bool:
    """Say whether a field names things, and not as the only one a person: of one name are many."""
    if len(fields) == 1 and (fields[0].people or fields[0].kind == "person"):
        return False
    return any(each.kind in _NAMING for each in fields)


def _is_name_in_parts(fields: Sequence[FieldData]) -> bool:
    """Say whether the fields are a person's given and family name: they have little to do with each other."""
    people = len(fields) == 2 and all(each.kind == "person" for each in fields)
    return people and not spells(fields[0], fields[1])


def _name_parts(names: FieldData) -> list[NDArray[np.int64]]:
    """Return how many rows there are of each first word of whole names, and of each last one."""
    found = []
    for place in (0, -1):
        words = [value.split(" ")[place] for value in names.values]
        code = np.unique(np.array(words, dtype=np.str_), return_inverse=True)[1]
        found.append(np.bincount(code, names.counts).astype(np.int64))
    return found


def _says(fields: Sequence[FieldData]) -> NDArray[np.bool_]:
    """Return which rows say anything, and leave out nothing that most rows say and that tells.

    Offers of one make without a model number do not say the same thing.
    """
    filled = [field.codes >= 0 for field in fields]
    shares = [float(each.mean()) for each in filled]
    bits = [bits_of_values(field) for field in fields]
    least = AS_MUCH * max(bits)
    telling = [each for each, share, said in zip(filled, shares, bits, strict=True) if share > _MOST and said >= least]
    return np.asarray(np.all(telling, axis=0) if telling else np.any(filled, axis=0))


def _all_folded(codes: Sequence[NDArray[np.int32]], leader: NDArray[np.int64], says: NDArray[np.bool_]) -> Folding:
    """Let every row that says what an earlier one does follow it; rows that say nothing follow nobody."""
    repeats = says.copy()
    for column in codes:
        repeats &= column == column[leader]
    every = np.arange(len(leader))
    leader = np.where(repeats, leader, every)
    return Folding(np.flatnonzero(leader == every), leader, 0)


def _fold_within(fields: Sequence[FieldData], block: NDArray[np.int32] | None, source: NDArray[np.int32]) -> Folding:
    """Let rows of one source that say the same follow the first of them; rows that say nothing follow nobody."""
    said = [field.codes for field in fields] + ([] if block is None else [block])
    codes = [*said, source]
    _, first, group = np.unique(_hashes(codes), return_index=True, return_inverse=True)
    says = _says(fields)
    found = _all_folded(codes, first[group], says)
    if len(found.followers) > _SELDOM * len(group):
        return found
    place = np.cumsum(says) - 1
    odds = _log_odds_of_duplicates([column[says] for column in said], place[found.leader[says]], source[says])
    every = np.arange(len(group))
    return found if odds >= _CLEARLY else Folding(every, every, 0)


def _log_odds_of_duplicates(
    codes: Sequence[NDArray[np.int32]], leader: NDArray[np.int64], source: NDArray[np.int32]
) -> float:
    """Return what groups of k rows of one source that say the same speak for duplicates, by the rows in other sources.

    If each of the k is another thing with a partner of its own, which is written as it is with the chance q, all k
    partners are found where any is with the chance q^k / (1 - (1 - q)^k). If they are one thing, one partner is found;
    that it has as many duplicates is taken for one chance in ten. q is that of rows that say what no other row of their
    source does. Rows that match nobody have no partner, and so no say.
    """
    _, same = np.unique(_hashes(codes), return_inverse=True)
    leads = leader == np.arange(len(leader))
    size = np.bincount(leader, minlength=len(leader))[leads]
    there = (np.bincount(same, minlength=int(same.max(initial=-1)) + 1)[same])[leads] - size
    single = size == 1
    total = 0.0
    for each in np.unique(source[leads]).tolist():
        mine = source[leads] == each
        q = (float((there[mine & single] > 0).sum()) + 1.0) / (float((mine & single).sum()) + 2.0)
        seen = mine & ~single & (there > 0)
        k, even = size[seen], there[seen] >= size[seen]
        all_found = q**k / (1.0 - (1.0 - q) ** k)
        total += float(np.log(np.where(even, _AS_MANY / all_found, (1.0 - _AS_MANY) / (1.0 - all_found))).sum())
    return total


def _hashes(codes: Sequence[NDArray[np.int32]]) -> NDArray[np.uint64]:
    """Return a hash of each row; equal rows have equal ones."""
    found = np.zeros(len(codes[0]), dtype=np.uint64)
    for column in codes:
        found = (found ^ column.astype(np.int64).view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(29)
    return found


def _surprisal(fields: Sequence[FieldData], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each of some different rows the sum over fields of -log of the share of them with its value."""
    total = np.zeros(len(rows))
    for field in fields:
        code = field.codes[rows]
        filled = code >= 0
        counts = np.bincount(code[filled], minlength=len(field.values))
        total[filled] -= np.log(counts[code[filled]] / max(int(filled.sum()), 1))
    return total


def fold_fields(fields: Sequence[FieldData], folding: Folding) -> list[FieldData]:
    """Return the fields of the rows that are compared; how frequent a value is, is counted among them."""
    found = []
    for field in fields:
        codes = field.codes[folding.kept]
        counts = np.bincount(codes[codes >= 0], minlength=len(field.values)).astype(np.int64)
        found.append(replace(field, codes=codes, counts=counts))
    return found


def unfold(found: Posterior, folding: Folding, fields: Sequence[FieldData], n_pairs: float) -> Posterior:
    """Return what was found out, told of all rows: each follower is with its leader, always."""
    labels = np.empty(len(folding.leader), dtype=np.int64)
    labels[folding.kept] = found.clustering.labels
    probability = np.empty(len(folding.leader))
    probability[folding.kept] = found.probability
    pairs, order = _unfold_pairs(found.pairs, folding)
    details = found.details
    samples = None if found.samples is None else _unfold_roots(found.samples, folding)
    if isinstance(details, PairEvidence):
        # Samples are large: there is room for them once.
        shared = samples if details.draws.roots is found.samples else None
        roots = _unfold_roots(details.draws.roots, folding) if shared is None else shared
        details = _unfold_evidence(details, folding, fields, n_pairs, order)
        details = replace(details, draws=replace(details.draws, roots=roots))
    return replace(
        found,
        clustering=Clustering.from_labels(labels[folding.leader]),
        probability=probability[folding.leader],
        pairs=pairs,
        samples=samples,
        details=details,
    )


def _unfold_pairs(pairs: Pairs, folding: Folding) -> tuple[Pairs, NDArray[np.int64]]:
    """Return the pairs with those of followers and their leaders, and where each comes from."""
    kept, followers = folding.kept, folding.followers
    a = np.concatenate([kept[pairs.a], folding.leader[followers]]).astype(np.int32)
    b = np.concatenate([kept[pairs.b], followers]).astype(np.int32)
    order = np.lexsort((b, a))
    probability = np.concatenate([pairs.probability, np.ones(len(followers))])
    return Pairs(a[order], b[order], probability[order]), order


def _unfold_evidence(
    found: PairEvidence, folding: Folding, fields: Sequence[FieldData], n_pairs: float, order: NDArray[np.int64]
) -> PairEvidence:
    kept, followers = folding.kept, folding.followers
    leaders = folding.leader[followers]
    n_new = len(followers)
    a = np.concatenate([kept[found.evidence.a], leaders]).astype(np.int32)
    b = np.concatenate([kept[found.evidence.b], followers]).astype(np.int32)
    levels = np.full((n_new, found.evidence.levels.shape[1]), -1, dtype=np.int8)
    for f, field in enumerate(fields):
        levels[field.codes[followers] >= 0, f] = 0
    shares = np.zeros(levels.shape, dtype=np.float32)
    shares[:, : len(fields)] = log_shares(fields, leaders.astype(np.int32), levels[:, : len(fields)])
    evidence = replace(
        found.evidence,
        n=len(folding.leader),
        a=a[order],
        b=b[order],
        levels=np.concatenate([found.evidence.levels, levels])[order],
        log_share=np.concatenate([found.evidence.log_share, shares])[order],
        n_pairs=n_pairs,
    )
    candidates = replace(found.candidates, a=evidence.a, b=evidence.b)
    draws = _unfold_draws(found.draws, order)
    return replace(found, evidence=evidence, candidates=candidates, draws=draws, leader=folding.leader)


def _unfold_roots(samples: Roots, folding: Folding) -> Roots:
    kept = folding.kept.astype(np.int32)
    place = np.zeros(len(folding.leader), dtype=np.int32)
    place[kept] = np.arange(len(kept), dtype=np.int32)
    place = place[folding.leader]
    if isinstance(samples, Samples):
        return samples.spread(place, kept)
    roots = np.empty((len(samples), len(folding.leader)), dtype=np.int32)
    for sample, folded in zip(roots, samples, strict=True):
        sample[:] = kept[folded][place]
    return roots


def _unfold_draws(draws: Draws, order: NDArray[np.int64]) -> Draws:
    n_new = len(order) - len(draws.together)

    def more(shares: NDArray[np.float64], value: float) -> NDArray[np.float64]:
        return np.concatenate([shares, np.full(n_new, value)])[order]

    return replace(
        draws,
        copied=more(draws.copied, 1.0),
        related=more(draws.related, 0.0),
        together=more(draws.together, 1.0),
        akin=more(draws.akin, 1.0),
    )
