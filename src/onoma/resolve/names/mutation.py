"""How a name is changed word by word, learnt without labels.

A name that descends from another keeps its words, shortens them to initials, puts nicknames for them, mis-spells them
(by the transducer of characters), cuts them, joins and splits them, drops and inserts some, and may turn their order
round. What is done to a word depends on its class: first, middle or last word of a name, an initial, a small word or
title, a number. Every choice has a probability that is learnt from the names themselves, by expected counts. Now and
then a name is changed as a whole instead (`whole.py`).

A name that descends from none has a number of words, each drawn from those of other such names (Pitman and Yor 1997),
or spelt afresh: so a rare word that two names share is much evidence, and a common one little.
"""

from bisect import bisect_left
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.logspace import log_sum_exp
from onoma.resolve.fields.names import nickname_pairs
from onoma.resolve.names._mutation_kernels import (
    INITIAL,
    KEEP,
    N_CLASSES,
    N_OPERATIONS,
    NICKNAME,
    NUMBER,
    SLIP,
    SPLIT,
    TRUNCATE,
    Counts,
    Model,
    Names,
    count_names,
    score_names,
)
from onoma.resolve.names.fresh import Patterns, WordPairs, fresh_words, log_lengths, spelling
from onoma.resolve.names.names import Links, WordedNames, link_words
from onoma.resolve.names.transducer import Transducer
from onoma.resolve.names.whole import WholeNames

__all__ = ["MutationSettings", "Mutations"]

_RELATIONS = (INITIAL, NICKNAME, SLIP, TRUNCATE)
_PRIOR = np.array(
    [
        # keep init. nick. slip trunc. ext. join split drop ins. stop
        [0.690, 0.060, 0.020, 0.080, 0.010, 0.010, 0.020, 0.020, 0.040, 0.040, 0.010],
        [0.440, 0.120, 0.010, 0.080, 0.010, 0.010, 0.020, 0.020, 0.240, 0.030, 0.020],
        [0.800, 0.010, 0.005, 0.080, 0.005, 0.005, 0.020, 0.020, 0.030, 0.025, 0.000],
        [0.700, 0.010, 0.010, 0.150, 0.010, 0.010, 0.000, 0.020, 0.020, 0.070, 0.000],
        [0.490, 0.000, 0.000, 0.010, 0.000, 0.150, 0.020, 0.000, 0.270, 0.050, 0.010],
        [0.480, 0.005, 0.005, 0.040, 0.010, 0.010, 0.050, 0.010, 0.310, 0.050, 0.030],
        [0.984, 0.000, 0.000, 0.0002, 0.000, 0.000, 0.0008, 0.000, 0.005, 0.005, 0.005],
        [0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.120, 0.880],
        [0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.500, 0.500],
    ]
)
_KIN = (0.3, 0.5, 0.1, 0.1)
"""How new words are like known ones: nicknames, slips, cut short, drawn out."""
_WHOLES = np.array([0.944, 0.05, 0.006])
"""How names change: word by word, as one string, by their initials."""
_TURNS = np.array([[0.97, 0.01, 0.015, 0.005], [0.30, 0.25, 0.35, 0.10]])


@dataclass(frozen=True, kw_only=True)
class MutationSettings:
    """How firmly the model holds to what it expects of names before it has seen any."""

    strength: float = 400.0
    """Operations of each class that the expectation is worth. With less, a list of things with names after one pattern
    (dioceses, elections) teaches that names change much."""
    patterns: float = 0.5
    """The share of names from nowhere that are made after a pattern of others."""
    kinship: float = 0.1
    """The share of new words that are like words of others: strangers have like names too."""


class Mutations:
    """The mutation model over pairs of names.

    Parameters
    ----------
    names
        The names.
    parents, children
        The directed pairs to score.
    often
        How many mentions have each name, where words are as common as those; None: one.
    """

    def __init__(
        self,
        names: WordedNames,
        parents: NDArray[np.int32],
        children: NDArray[np.int32],
        *,
        often: NDArray[np.float64] | None = None,
        settings: MutationSettings | None = None,
    ) -> None:
        self.names = names
        self._settings = settings or MutationSettings()
        self._whole = WholeNames(names)
        self.transducer = Transducer(names.alphabet)
        self.operations = _PRIOR / _PRIOR.sum(1, keepdims=True)
        self.turns = _TURNS.copy()
        lengths = np.diff(names.strings.offsets)
        self._splits = 1.0 / np.maximum(lengths - 1, 1)
        self._lengths = lengths
        self._sorted = np.array(sorted(range(len(names.words)), key=names.words.__getitem__), dtype=np.int64)
        self._range = beginnings(names.words, self._sorted)
        self._spelt = spelling(names)
        self._pairs, self._patterns = WordPairs(names), Patterns(names, self._settings.patterns)
        self.wholes = _WHOLES.copy()
        """The shares of descents in which a name was changed word by word, as one string, and by its initials."""
        self._often = np.ones(len(names)) if often is None else often
        self._n_fresh = self._often[names.owner]
        """For each place, how often its word came from nowhere."""
        self._roots = self._often
        self._log_length = log_lengths(names, self._often)
        self._degree = np.bincount(np.concatenate(nickname_pairs(names.words)), minlength=len(names.words))
        self._hold(parents, children)
        self._refresh()

    def _hold(self, parents: NDArray[np.int32], children: NDArray[np.int32]) -> None:
        """Look at how the words of pairs of names are related."""
        self.parents, self.children = parents, children
        self.links: Links = link_words(self.names, parents, children)
        self._comma = (self.names.comma[parents] != self.names.comma[children]).astype(np.int8)
        self._alike = self._whole.pairs(parents, children)

    def over(self, parents: NDArray[np.int32], children: NDArray[np.int32]) -> "Mutations":
        """Return the model as it was learnt, over other pairs of the same names."""
        found = copy(self)
        found._hold(parents, children)
        found._score_words(found._emissions())
        return found

    def _refresh(self) -> None:
        """Bring up to date what follows from the weights."""
        emitted = self._emissions()
        alone = fresh_words(self.names, self._n_fresh, self._spelling(emitted))
        self.fresh = self._pairs.blend(self.names, self._n_fresh, alone)
        self._score_words(emitted)

    def _score_words(self, emitted: NDArray[np.float64]) -> None:
        """Find the probability of each word given each that it may have come from, and of names as wholes."""
        self.__dict__.pop("_log_parts", None)
        self._emitted = emitted
        self._related = np.zeros((N_CLASSES, len(self.links)))
        for row, operation in enumerate(_RELATIONS):
            self._related += self.operations[:, operation][:, None] * emitted[row]
        self._kept = self._keeping()
        pairs = (self._alike, self.parents, self.children)
        self._respelt = self._whole.log_respelt(*pairs, self.transducer, self._log_length)
        self._acronym = self._whole.log_acronyms(self._alike, self.children, self.fresh)

    def _emissions(self) -> NDArray[np.float64]:
        """For each relation and link, the probability of the child's word given the relation."""
        links = self.links
        emitted = np.zeros((len(_RELATIONS), len(links)))
        emitted[0, links.initial] = 1.0
        emitted[1, links.nickname] = 1.0 / self._degree[links.a[links.nickname]]
        slips = np.flatnonzero(links.slip)
        found = self.transducer.log_probabilities(self.names.strings, links.a[slips], links.b[slips])
        emitted[2, slips] = np.exp(found)
        emitted[3, links.truncated] = 1.0 / (self._lengths[links.a[links.truncated]] - 2)
        return emitted

    def _spelling(self, emitted: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each word, the probability of a new word to be this: spelt by letters, or kin of a known one.

        Kin are what words become when names change: nicknames, slips, and words cut short or drawn out.
        """
        n, links = len(self.names.words), self.links
        counts = np.bincount(self.names.ids, self._n_fresh, n) + 0.02
        drawn_out = np.where(links.extended & (self._lengths[links.a] > 2), self._spelt[links.b], 0.0)
        drawn_out /= np.maximum(self._spelt[links.a], 1e-300)
        ways = (emitted[1], emitted[2], emitted[3], np.minimum(drawn_out, 1.0))
        kin = sum(share * way for share, way in zip(_KIN, ways, strict=True))
        cousins = np.bincount(links.b, counts[links.a] / counts.sum() * kin, n)
        kinship = self._settings.kinship
        return (1.0 - kinship) * self._spelt + kinship * cousins

    def _beginning(self) -> NDArray[np.float64]:
        """For each link, one over the share of fresh words that begin with the parent's and go on."""
        counts = np.bincount(self.names.ids, self._n_fresh, len(self.names.words))
        total = np.concatenate([[0.0], np.cumsum(counts[self._sorted])])
        first, end = self._range
        mass = (total[end] - total[first] - counts + 2.0 * 26.0**-self._lengths) / (total[-1] + 2.0)
        found = np.zeros(len(self.links))
        longer = self.links.extended
        found[longer] = 1.0 / np.maximum(mass[self.links.a[longer]], 1e-12)
        return found

    def _possible(self) -> NDArray[np.bool_]:
        """For each relation and word, whether there is anything to put for it."""
        lengths = self._lengths
        return np.stack([lengths > 1, self._degree > 0, lengths > 0, lengths > 2])

    def _keeping(self) -> NDArray[np.float64]:
        """For each class and word, the probability that it stays as it is: also for want of anything else."""
        every = np.arange(len(self.names.words), dtype=np.int32)
        self._own = np.exp(self.transducer.log_probabilities(self.names.strings, every, every))
        kept = np.repeat(self.operations[:, KEEP][:, None], len(every), axis=1)
        possible = self._possible()
        for row, operation in enumerate(_RELATIONS):
            kept += self.operations[:, operation][:, None] * ~possible[row]
        kept += self.operations[:, SLIP][:, None] * (self._own * possible[2])
        kept += self.operations[:, SPLIT][:, None] * (self._lengths < 2)
        return kept

    def _arrays(self) -> tuple[Names, Model]:
        names = self.names
        return (
            (names.offsets, names.ids, names.joined, names.classes, self.fresh),
            (self.operations, self._kept, self._related, self.turns, self._splits, self._beginning()),
        )

    def log_fresh(self) -> NDArray[np.float64]:
        """Return the log probability of each name if it came from nowhere."""
        total = np.bincount(self.names.owner, np.log(self.fresh), len(self.names))
        return self._patterns.blend(total + self._log_length, self.fresh, self._roots)

    def log_ratios(self) -> NDArray[np.float64]:
        """Return for each pair the log of Pr(child | parent) / Pr(child | nothing)."""
        return log_sum_exp(self._log_parts, axis=0) - self.log_fresh()[self.children]

    @cached_property
    def _log_parts(self) -> NDArray[np.float64]:
        """Return the log probability of each child and of its way: word by word, as one string, by initials."""
        names, model = self._arrays()
        worded = score_names(self.parents, self.children, self._comma, self.links.starts, self.links.at, names, model)
        parts: NDArray[np.float64] = np.stack([worded, self._respelt, self._acronym]) + np.log(self.wholes)[:, None]
        return parts

    def learn(self, weights: NDArray[np.float64], roots: NDArray[np.float64]) -> None:
        """Fit the model to how often each pair was parent and child, and each name came from nowhere."""
        worded, respelt, shortened = self._ways(weights)
        n_operations, n_kept, n_related, n_turned, n_inserted = self._count(worded)
        slips = self._share_out(n_operations, n_kept, n_related)
        self._learn_slips(slips, n_kept, respelt)
        strength = self._settings.strength
        # Numbers are not learnt: things that differ by one are different, however many there are.
        n_operations[NUMBER] = 0.0
        self.operations = n_operations + strength * _PRIOR
        self.operations /= self.operations.sum(1, keepdims=True)
        self.turns = n_turned + strength * _TURNS
        self.turns /= self.turns.sum(1, keepdims=True)
        self._n_fresh = np.minimum(n_inserted + roots[self.names.owner], self._often[self.names.owner])
        self._roots = roots
        self._log_length = log_lengths(self.names, roots)
        self.wholes = np.array([float(each.sum()) for each in (worded, respelt, shortened)]) + strength * _WHOLES
        self.wholes /= self.wholes.sum()
        self._refresh()

    def _ways(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Share the weight of each pair out among the ways in which the name may have been changed."""
        parts = self._log_parts
        whole = log_sum_exp(parts, axis=0)
        with np.errstate(invalid="ignore"):
            shares: NDArray[np.float64] = np.where(np.isfinite(whole), np.exp(parts - whole), [[1.0], [0.0], [0.0]])
        return weights * shares

    def _count(self, weights: NDArray[np.float64]) -> Counts:
        """Return the expected operations, kept and related words, turns and inserted words of pairs."""
        names, model = self._arrays()
        counts = (
            np.zeros((N_CLASSES, N_OPERATIONS)),
            np.zeros_like(self._kept),
            np.zeros_like(self._related),
            np.zeros_like(self.turns),
            np.zeros(len(self.names.ids)),
        )
        pairs = (self.parents, self.children, weights, self._comma, self.links.starts, self.links.at)
        count_names(*pairs, names, model, counts)
        return counts

    def _share_out(
        self, n_operations: NDArray[np.float64], n_kept: NDArray[np.float64], n_related: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Add words met to the operations that may have made them; return how often each link was a slip."""
        with np.errstate(invalid="ignore", divide="ignore"):
            per_related = np.where(self._related > 0, n_related / self._related, 0.0)
            per_kept = np.where(self._kept > 0, n_kept / self._kept, 0.0)
        possible = self._possible()
        n_operations[:, KEEP] += self.operations[:, KEEP] * per_kept.sum(1)
        n_operations[:, SPLIT] += self.operations[:, SPLIT] * (per_kept * (self._lengths < 2)).sum(1)
        for row, operation in enumerate(_RELATIONS):
            theta = self.operations[:, operation]
            n_operations[:, operation] += theta * (per_related @ self._emitted[row])
            n_operations[:, operation] += theta * (per_kept @ ~possible[row])
        n_operations[:, SLIP] += self.operations[:, SLIP] * (per_kept @ (self._own * possible[2]))
        slips: NDArray[np.float64] = (self.operations[:, SLIP][:, None] * per_related * self._emitted[2]).sum(0)
        return slips

    def _learn_slips(
        self, slips: NDArray[np.float64], n_kept: NDArray[np.float64], respelt: NDArray[np.float64]
    ) -> None:
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(self._kept > 0, self.operations[:, SLIP][:, None] * self._own / self._kept, 0.0)
        same = (n_kept * share).sum(0)
        words, used = np.flatnonzero(same > 1e-6).astype(np.int32), np.flatnonzero(slips > 1e-6)
        parents = np.concatenate([self.links.a[used], words])
        children = np.concatenate([self.links.b[used], words])
        counts = self.transducer.expected_counts(
            self.names.strings, parents, children, np.concatenate([slips[used], same[words]])
        )
        used = np.flatnonzero(respelt > 1e-6)
        more = self.transducer.expected_counts(
            self._whole.strings, self.parents[used], self.children[used], respelt[used]
        )
        for count, extra in zip(counts, more, strict=True):
            count += extra
        for _ in range(5):
            self.transducer.learn(counts)


def beginnings(words: Sequence[str], order: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each word, where in alphabetical order those that begin with it start and end."""
    ranked = [words[i] for i in order]
    first = np.array([bisect_left(ranked, word) for word in words], dtype=np.int64)
    end = np.array([bisect_left(ranked, word + chr(0x10FFFF)) for word in words], dtype=np.int64)
    return first, end
