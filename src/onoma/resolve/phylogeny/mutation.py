"""How a name is changed word by word, learnt without labels.

A name that descends from another keeps its words, shortens them to initials, puts nicknames for them, mis-spells them
(by the transducer of characters), cuts them, joins and splits them, drops and inserts some, and may turn their order
round. What is done to a word depends on its class: first, middle or last word of a name, an initial, a small word or
title, a number. Every choice has a probability that is learnt from the names themselves, by expected counts.

A name that descends from none has a number of words, each drawn from those of other such names (Pitman and Yor 1997),
or spelt afresh: so a rare word that two names share is much evidence, and a common one little.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein
from scipy.special import gammaln

from onoma.resolve.phylogeny._mutation_kernels import (
    INITIAL,
    KEEP,
    N_CLASSES,
    N_OPERATIONS,
    NICKNAME,
    SLIP,
    SPLIT,
    TRUNCATE,
    Model,
    Names,
    count_names,
    score_names,
)
from onoma.resolve.phylogeny.fresh import WordPairs, fresh_words, log_lengths, spelling
from onoma.resolve.phylogeny.names import Links, WordedNames, link_words
from onoma.resolve.phylogeny.transducer import Strings, Transducer

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
        [0.880, 0.000, 0.000, 0.020, 0.000, 0.000, 0.010, 0.000, 0.050, 0.020, 0.020],
        [0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.120, 0.880],
        [0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.500, 0.500],
    ]
)
_KIN = (0.3, 0.5, 0.1, 0.1)
"""How new words are like known ones: nicknames, slips, cut short, drawn out."""
_TURNS = np.array([[0.97, 0.01, 0.015, 0.005], [0.30, 0.25, 0.35, 0.10]])


@dataclass(frozen=True, kw_only=True)
class MutationSettings:
    """How firmly the model holds to what it expects of names before it has seen any."""

    strength: float = 40.0
    """Operations of each class that the expectation is worth."""
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
    """

    def __init__(
        self,
        names: WordedNames,
        parents: NDArray[np.int32],
        children: NDArray[np.int32],
        *,
        settings: MutationSettings | None = None,
    ) -> None:
        self.names, self.parents, self.children = names, parents, children
        self._settings = settings or MutationSettings()
        self.links: Links = link_words(names, parents, children)
        self.transducer = Transducer(names.alphabet)
        self.operations = _PRIOR / _PRIOR.sum(1, keepdims=True)
        self.turns = _TURNS.copy()
        self._comma = (names.comma[parents] != names.comma[children]).astype(np.int8)
        lengths = np.diff(names.strings.offsets)
        self._splits = 1.0 / np.maximum(lengths - 1, 1)
        self._lengths = lengths
        self._sorted = np.array(sorted(range(len(names.words)), key=names.words.__getitem__), dtype=np.int64)
        self._range = beginnings(names.words, self._sorted)
        self._degree = np.bincount(self.links.a[self.links.nickname], minlength=len(names.words))
        self._spelt = spelling(names)
        self._pairs = WordPairs(names)
        self.respelling = 0.05
        """The share of descents in which the name was changed as one string, without regard to its words."""
        self._whole, self._similar, self._log_cuts = _whole_strings(names, parents, children)
        self._n_fresh = np.ones(len(names.ids))
        """For each place, how likely its word came from nowhere."""
        self._log_length = log_lengths(names, np.ones(len(names)))
        self._refresh()

    def _refresh(self) -> None:
        names, links = self.names, self.links
        self.__dict__.pop("_log_parts", None)
        emitted = self._emissions()
        alone = fresh_words(names, self._n_fresh, self._spelling(emitted))
        self.fresh = self._pairs.blend(names, self._n_fresh, alone)
        related = np.zeros((N_CLASSES, len(links)))
        for row, operation in enumerate(_RELATIONS):
            related += self.operations[:, operation][:, None] * emitted[row]
        self._emitted, self._related = emitted, related
        self._kept = self._keeping()
        self._respelt = np.full(len(self.parents), -np.inf)
        one, other = self.parents[self._similar], self.children[self._similar]
        spelt = self.transducer.log_probabilities(self._whole, one, other)
        self._respelt[self._similar] = spelt + self._log_cuts[other] + self._log_length[other]

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
        return total + self._log_length

    def log_ratios(self) -> NDArray[np.float64]:
        """Return for each pair the log of Pr(child | parent) / Pr(child | nothing)."""
        return np.logaddexp(*self._log_parts) - self.log_fresh()[self.children]

    @cached_property
    def _log_parts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the log probability of each child and of its way: word by word, or as one string."""
        names, model = self._arrays()
        worded = score_names(self.parents, self.children, self._comma, self.links.starts, self.links.at, names, model)
        return worded + np.log1p(-self.respelling), self._respelt + np.log(self.respelling)

    def learn(self, weights: NDArray[np.float64], roots: NDArray[np.float64]) -> None:
        """Fit the model to how often each pair was parent and child, and each name came from nowhere."""
        names, model = self._arrays()
        links = self.links
        worded, respelt = self._log_parts
        whole = np.logaddexp(worded, respelt)
        with np.errstate(invalid="ignore"):
            share = np.where(np.isfinite(whole), np.exp(respelt - whole), 0.0)
        respelt, weights = weights * share, weights * (1.0 - share)
        n_operations = np.zeros((N_CLASSES, N_OPERATIONS))
        n_kept, n_related = np.zeros_like(self._kept), np.zeros_like(self._related)
        n_turned, n_inserted = np.zeros_like(self.turns), np.zeros(len(self.names.ids))
        count_names(
            self.parents, self.children, weights, self._comma, links.starts, links.at, names, model,
            n_operations, n_kept, n_related, n_turned, n_inserted,
        )  # fmt: skip
        slips = self._share_out(n_operations, n_kept, n_related)
        self._learn_slips(slips, n_kept, respelt)
        expected = self._settings.strength * _PRIOR
        self.operations = n_operations + expected
        self.operations /= self.operations.sum(1, keepdims=True)
        self.turns = n_turned + self._settings.strength * _TURNS
        self.turns /= self.turns.sum(1, keepdims=True)
        self._n_fresh = np.minimum(n_inserted + roots[self.names.owner], 1.0)
        self._log_length = log_lengths(self.names, roots)
        total = float(weights.sum() + respelt.sum())
        self.respelling = float(respelt.sum() + 2.0) / (total + self._settings.strength)
        self._refresh()

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
        return (self.operations[:, SLIP][:, None] * per_related * self._emitted[2]).sum(0)

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
        more = self.transducer.expected_counts(self._whole, self.parents[used], self.children[used], respelt[used])
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


def _whole_strings(
    names: WordedNames, parents: NDArray[np.int32], children: NDArray[np.int32]
) -> tuple[Strings, NDArray[np.int64], NDArray[np.float64]]:
    """Return names without spaces, the pairs that are alike, and for each name the log share of its cuts into words."""
    texts = ["".join(names.words[w] for w in names.ids[i:j]) for i, j in pairwise(names.offsets.tolist())]
    array = np.array(texts, dtype=object)
    similarity = process.cpdist(
        array[parents].tolist(), array[children].tolist(), scorer=Levenshtein.normalized_similarity, dtype=np.float32
    )
    letters = np.array([len(text) for text in texts])
    n, k = np.maximum(letters - 1, 0), np.maximum(names.lengths - 1, 0)
    log_cuts = gammaln(k + 1) + gammaln(n - k + 1) - gammaln(n + 1)
    return Strings.of(texts, names.alphabet), np.flatnonzero(similarity >= 0.5), log_cuts
