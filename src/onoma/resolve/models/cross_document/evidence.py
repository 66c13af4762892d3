"""From mentions in context to a table to sample and the weights to sample it with; no labels.

*Names tell entities apart* (the usual case). Names score as `cross_document_names` says, around a bias of 0.75.
Contexts add or take away as much as they deserve: mentions of one name in different stories (mostly one entity) are
held against mentions of different names (hardly ever one). If their cosines have means m₁ and m₀ and a common variance
σ², a cosine c is worth log odds of (m₁ - m₀)/σ² · (c - (m₁ + m₀)/2), at nine to one unit of score (an equal name is
then 9 : 1), with a ceiling for contexts that tell everything.

*Names tell nothing* (nearly all pairs of mentions have one name): only contexts score, and the bias is the mean cosine
of all pairs: two mentions are alike if they are more so than any two.

*Stories* are documents so alike that they tell of the same things, found by the same model on documents.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.numerics.rng import kernel_state, stream
from onoma.resolve.models.cross_document.grouping import CrossDocumentSettings, start
from onoma.resolve.models.cross_document.levels import Features, Level, Moves
from onoma.resolve.models.cross_document.names import NameEvidence, compare_names
from onoma.resolve.models.cross_document.text import Bags, bags_of

__all__ = ["Prepared", "find_stories", "mean_cosine", "prepare_mentions", "tell_apart", "weigh_evidence"]

BIAS = 0.75
NATS = 9.0
"""Log odds that one unit of score is worth."""
_MOST = 0.8
"""What contexts can score at most, from the most unlike to the typical one of an entity."""
_STORY = 0.12
"""Bias between documents of one story."""
_ONE_NAME = 0.8
"""Share of the pairs of mentions with one name above which names tell nothing."""
_PATIENT, _PROPOSALS = 20.0, 2_000_000
"""Where contexts alone tell: proposals for each mention of a round, up to so many in all."""
_N_PAIRS = 20_000
_FEW = 30
"""Pairs of one name from which something is learnt."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table of mentions to sample, and how."""

    table: pa.Table
    settings: CrossDocumentSettings
    notes: tuple[str, ...]
    telling: bool
    """Whether names tell entities apart."""


def prepare_mentions(
    names: Sequence[str],
    contexts: pa.Array | pa.ChunkedArray | Sequence[str],
    documents: Sequence[str] | None = None,
    *,
    settings: CrossDocumentSettings | None = None,
    from_names: bool | None = None,
    seed: int = 0,
) -> Prepared:
    """Prepare mentions.

    Parameters
    ----------
    names
        As written.
    contexts
        The words around each.
    documents
        Where each stands; None: each in its own.
    settings
        Effort; weights and biases are set here.
    from_names
        Start from equal names, not from single mentions; None: if names tell entities apart.
    """
    if len(names) != len(contexts) or (documents is not None and len(documents) != len(names)):
        raise DataError(f"there are {len(names):,} names and {len(contexts):,} contexts; each mention has one of both")
    settings = settings or CrossDocumentSettings()
    bags = bags_of(contexts)
    evidence = compare_names(names)
    telling = tell_apart(np.bincount(evidence.of))
    columns = dict(bags.columns())
    document = None
    if documents is not None:
        document = np.unique(np.array(documents), return_inverse=True)[1].astype(np.int64)
    story = None if document is None or not telling else find_stories(bags, document, seed=seed)
    settings, note = weigh_evidence(settings, bags, evidence, story, telling=telling, seed=seed)
    columns |= evidence.columns() if telling else {"name": pa.array(evidence.of)}
    if story is not None:
        columns["document"] = pa.array(story)
    begun = start(evidence.of, from_names=telling if from_names is None else from_names)
    return Prepared(pa.table({**begun, **columns}), settings, (note,), telling)


def weigh_evidence(
    settings: CrossDocumentSettings,
    bags: Bags,
    evidence: NameEvidence,
    story: NDArray[np.int64] | None,
    *,
    telling: bool,
    seed: int,
) -> tuple[CrossDocumentSettings, str]:
    """Return settings with weights and biases for these mentions, whose names tell entities apart or not; and why."""
    if telling:
        return _weigh(settings, bags, evidence, story, seed)
    mean, spread = mean_cosine(bags), _spread(bags, seed)
    found = replace(settings, bias=mean, sub_bias=mean + 2.0 * spread, super_bias=0.0, context=1.0, same=0.0)
    # Cosines are smaller than what names score, and so must temperatures be.
    heat = max(mean, 1e-6)
    effort = max(settings.per_mention, min(_PATIENT, _PROPOSALS / max(len(bags), 1)))
    found = replace(found, heat=heat, cold=heat / 60.0, per_mention=effort)
    note = f"names tell nothing: contexts alone are compared, to their mean cosine of {mean:.4f}"
    return found, note


def _weigh(
    settings: CrossDocumentSettings, bags: Bags, evidence: NameEvidence, story: NDArray[np.int64] | None, seed: int
) -> tuple[CrossDocumentSettings, str]:
    """Set the weight of contexts by how much more alike they are for one name than for different ones."""
    rng = stream(seed, "cross-document", "pairs")
    place = np.arange(len(bags)) if story is None else story
    apart, alike = _cosines(bags, evidence.of, place, rng)
    weight, middle = 0.0, 0.0
    if min(len(apart), len(alike)) >= _FEW and alike.mean() > apart.mean():
        gap = float(alike.mean() - apart.mean())
        worth = min(gap**2 / max(float(alike.var() + apart.var()) / 2.0, 1e-12) / NATS, _MOST)
        weight, middle = worth / gap, float(alike.mean() + apart.mean()) / 2.0
    bias = BIAS + weight * middle
    found = replace(settings, bias=bias, context=weight, here=weight * middle, sub_bias=bias + 0.3, super_bias=0.3)
    return found, f"a context scores {weight:.2f} · (cosine - {middle:.4f}); names are the rest of the evidence"


def _cosines(
    bags: Bags, name: NDArray[np.int64], place: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return cosines of mentions of different names, and of one name, that stand in different places."""
    n = len(bags)
    i, j = rng.integers(0, n, (2, 2 * _N_PAIRS))
    use = (name[i] != name[j]) & (place[i] != place[j])
    apart = _products(bags, i[use][:_N_PAIRS], j[use][:_N_PAIRS])
    order = np.argsort(name, kind="stable")
    first = np.searchsorted(name[order], np.arange(int(name.max(initial=0)) + 2))
    i = rng.integers(0, n, 6 * _N_PAIRS)
    many = np.diff(first)[name[i]]
    j = order[first[name[i]] + (rng.random(len(i)) * many).astype(np.int64)]
    use = (i != j) & (place[i] != place[j])
    return apart, _products(bags, i[use][:_N_PAIRS], j[use][:_N_PAIRS])


def _products(bags: Bags, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.float64]:
    import scipy.sparse as sp

    shape = (len(bags), max(len(bags.vocabulary), 1))
    rows = sp.csr_matrix((bags.weights.astype(np.float64), bags.words, bags.offsets), shape=shape)
    return np.asarray(rows[i].multiply(rows[j]).sum(1)).ravel()


def mean_cosine(bags: Bags) -> float:
    """Return the mean cosine of all pairs of bags, exactly: from the sum of all bags."""
    n = len(bags)
    total = np.bincount(bags.words, bags.weights, minlength=1)
    own = float(np.sum(bags.weights.astype(np.float64) ** 2))
    return max(float(total @ total) - own, 0.0) / max(n * (n - 1), 1)


def _spread(bags: Bags, seed: int) -> float:
    i, j = stream(seed, "cross-document", "spread").integers(0, len(bags), (2, _N_PAIRS))
    return float(_products(bags, i[i != j], j[i != j]).std()) if len(bags) > 1 else 0.0


def tell_apart(counts: NDArray[np.int64]) -> bool:
    """Say whether names tell entities apart, by the mentions of each: not if nearly all pairs have one name.

    Examples
    --------
    >>> tell_apart(np.array([3, 2, 1])), tell_apart(np.array([100, 1]))
    (True, False)
    """
    n = float(counts.sum())
    sizes = counts.astype(np.float64)
    return float((sizes @ sizes - n) / max(n * (n - 1.0), 1.0)) <= _ONE_NAME


def find_stories(bags: Bags, document: NDArray[np.int64], *, seed: int = 0, n_sweeps: int = 20) -> NDArray[np.int64]:
    """Return the story of each mention: documents, each the sum of its contexts, grouped by the same model."""
    rows = Features(bags.offsets, bags.words, bags.weights, bags.weights).summed(document).unit()
    level = Level(rows, np.arange(len(rows)), informed=True)
    state = kernel_state(seed, "cross-document", "stories")
    for temperature in np.geomspace(0.05, 0.001, n_sweeps).tolist():
        level.run(state, Moves(_STORY, temperature, new=0.05, shared=0.9), 10 * len(rows))
    return np.unique(level.group[document], return_inverse=True)[1].astype(np.int64)
