"""The network of tags and trees while it is learnt: its losses on a batch of sentences, and their gradients.

Words, layers and what is read off them are those of `reader`, `tagger` and `syntax.parser`. All of it is learnt
together: the loss is the sum of the mean log losses of joint tags, morphology, heads and labels (given right heads).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.learning.neural._tables_kernels import gather_rows, scatter_rows
from onoma.learning.neural.gated import GatedPass, run_gated
from onoma.text.reader import N_WORD_FEATURES, bent, leaky
from onoma.text.syntax.parser import N_STEPS, steps_apart, steps_between

__all__ = ["Batch", "Dropout", "Weights", "gradients_of", "reaches_of"]

Weights = dict[str, NDArray[Any]]
_Mask = Callable[[int, float], NDArray[Any]]


@dataclass(frozen=True)
class Dropout:
    """How often what is left out while learning."""

    words: float = 0.25
    """The word itself, so that what else is known of it is learnt from, too."""
    features: float = 0.1
    units: float = 0.25
    """Of the recurrent layers."""
    pairs: float = 0.3
    """Of the layers of heads, dependents and labels."""


NO_DROPOUT = Dropout(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Batch:
    """Sentences that one step learns from."""

    sentences: NDArray[np.int32]
    rows: NDArray[np.int32]
    """Tokens × features: rows of the table of features."""
    vectors: NDArray[np.float32]
    """Of words."""
    joint: NDArray[np.int32]
    """Joint tags; -1: too rare to be learnt."""
    feats: NDArray[np.int32]
    """Morphology; -1: too rare to be learnt."""
    heads: NDArray[np.int32]
    """0 for the root, 1 + the place in the sentence otherwise."""
    labels: NDArray[np.int32]


def gradients_of(
    weights: Weights,
    batch: Batch,
    table_gradient: NDArray[Any],
    dropout: Dropout = NO_DROPOUT,
    rng: np.random.Generator | None = None,
) -> tuple[NDArray[np.float64], Weights, NDArray[np.int64]]:
    """Return the mean losses (tags, morphology, heads, labels), the gradients of their sum, and the features touched.

    The gradient of the table of features is added to `table_gradient`.

    Parameters
    ----------
    weights
        All that is learnt, by name.
    batch
        What is learnt from.
    table_gradient
        Of the table of features; written to.
    dropout
        What is left out; one draw for all tokens of a sentence.
    rng
        Draws what is left out.
    """
    w, g, losses = weights, dict[str, NDArray[Any]](), np.zeros(4)
    mask = _masks(batch, rng, w["into"].dtype)
    given, kept = _inputs(w, batch, dropout, rng)
    words = bent(given @ w["into"] + w["into_bias"])
    passes: list[GatedPass] = []
    masks = []
    for k in range(3):
        masks.append(mask(words.shape[1], dropout.units))
        x = (passes[-1].h if k else words) * masks[k]
        passes.append(run_gated(batch.sentences, x, x @ w[f"layer{k}"], w[f"bias{k}"], w[f"peep{k}"]))
    tagged = _tags(w, g, batch, passes[1].h, mask(words.shape[1], dropout.units), losses)
    above = _trees(w, g, batch, passes[2].h, mask, dropout.pairs, losses)
    for k in (2, 1, 0):
        above = above + tagged if k == 1 else above
        dx, g[f"layer{k}"], g[f"bias{k}"], g[f"peep{k}"] = passes[k].backward(w[f"layer{k}"], w[f"peep{k}"], above)
        above = dx * masks[k]
    dpre = above * (1 - words * words) ** 1.5
    g["into"], g["into_bias"] = given.T @ dpre, dpre.sum(axis=0)
    seen = np.zeros(len(table_gradient), np.bool_)
    width = w["features"].shape[1]
    scatter_rows(batch.rows, kept, dpre @ np.ascontiguousarray(w["into"][:width].T), table_gradient, seen)
    return losses, g, np.flatnonzero(seen)


def _masks(batch: Batch, rng: np.random.Generator | None, dtype: Any) -> _Mask:  # noqa: ANN401
    """Return what gives masks of some width: 1 / (1 - share) or 0, the same for all tokens of a sentence."""
    lengths = np.diff(batch.sentences)
    sentence = np.repeat(np.arange(len(lengths)), lengths)

    def mask(width: int, share: float) -> NDArray[Any]:
        if rng is None or share <= 0:
            return np.ones((1, width), dtype)
        return _drawn(rng, (len(lengths), width), share).astype(dtype)[sentence]

    return mask


def _drawn(rng: np.random.Generator, shape: tuple[int, int], share: float) -> NDArray[np.float32]:
    return np.asarray((rng.random(shape, np.float32) >= share) / np.float32(1 - share), np.float32)


def _inputs(
    w: Weights, batch: Batch, dropout: Dropout, rng: np.random.Generator | None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return each token's input, and how much of each feature was kept."""
    n, n_features = batch.rows.shape
    width, dtype = w["features"].shape[1], w["into"].dtype
    kept, vectors = np.ones((n, n_features), dtype), batch.vectors
    if rng is not None:
        kept[:] = _drawn(rng, (n, n_features), dropout.features)
        kept[:, :N_WORD_FEATURES] = _drawn(rng, (n, 1), dropout.words)
        vectors = vectors * _drawn(rng, (n, 1), dropout.features)
    given = np.zeros((n, len(w["into"])), dtype)
    gather_rows(batch.rows, kept, w["features"], given[:, :width])
    given[:, width:] = vectors
    return given, kept


def _tags(
    w: Weights, g: Weights, batch: Batch, states: NDArray[Any], kept: NDArray[Any], losses: NDArray[np.float64]
) -> NDArray[Any]:
    """Tags and morphology: return the gradient of the second layer's states."""
    states = states * kept
    dstates = np.zeros_like(states)
    for k, (name, gold) in enumerate((("tags", batch.joint), ("feats", batch.feats))):
        given = _softmax(states @ w[name] + w[f"{name}_bias"])
        losses[k] = _log_loss(given, gold) / len(states)
        given /= len(states)
        g[name], g[f"{name}_bias"] = states.T @ given, given.sum(axis=0)
        dstates += given @ w[name].T
    return np.asarray(dstates * kept)


def _trees(
    w: Weights,
    g: Weights,
    batch: Batch,
    top: NDArray[Any],
    mask: _Mask,
    share: float,
    losses: NDArray[np.float64],
) -> NDArray[Any]:
    """Heads and labels: return the gradient of the third layer's states."""
    n = len(top)
    n_arc, n_label = w["arcs"].shape[0], w["labels"].shape[0]
    pair_mask = mask(w["pairs"].shape[1], share)
    top_mask = mask(top.shape[1], share)
    given = top * top_mask
    raw = given @ w["pairs"] + w["pairs_bias"]
    made = leaky(raw) * pair_mask
    cuts = (n_arc, 2 * n_arc, 2 * n_arc + n_label)
    head, dependent, label_head, label_dependent = np.split(made, cuts, axis=1)
    asked = dependent @ w["arcs"] + w["arcs_bias"]
    aside = asked @ w["steps"].T
    dasked, dhead, daside, droot = (np.zeros_like(each) for each in (asked, head, aside, w["root"]))
    loss = 0.0
    for a, b in pairwise(batch.sentences.tolist()):
        m = b - a
        options = np.concatenate([w["root"][None], head[a:b]])
        scores, steps = asked[a:b] @ options.T, steps_between(m)
        scores[:, 1:] += np.take_along_axis(aside[a:b], steps, axis=1)
        scores[np.arange(m), np.arange(m) + 1] = -1e9
        p = _softmax(scores)
        loss += _log_loss(p, batch.heads[a:b])
        p /= n
        dasked[a:b] = p @ options
        doptions = p.T @ asked[a:b]
        droot += doptions[0]
        dhead[a:b] = doptions[1:]
        at = (steps + N_STEPS * np.arange(m)[:, None]).reshape(-1)
        daside[a:b] = np.bincount(at, p[:, 1:].reshape(-1), m * N_STEPS).reshape(m, N_STEPS)
    losses[2] = loss / n
    g["steps"] = daside.T @ asked
    dasked += daside @ w["steps"]
    g["arcs"], g["arcs_bias"], g["root"] = dependent.T @ dasked, dasked.sum(axis=0), droot
    dlabel_head, dlabel_dependent = _labels(w, g, batch, (label_head, label_dependent), mask(n_label, share), losses)
    dmade = np.concatenate([dhead, dasked @ w["arcs"].T, dlabel_head, dlabel_dependent], axis=1)
    draw = dmade * pair_mask * _slope(raw)
    g["pairs"], g["pairs_bias"] = given.T @ draw, draw.sum(axis=0)
    return np.asarray((draw @ w["pairs"].T) * top_mask)


def _labels(
    w: Weights,
    g: Weights,
    batch: Batch,
    made: tuple[NDArray[Any], NDArray[Any]],
    kept: NDArray[Any],
    losses: NDArray[np.float64],
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Labels, given the right heads: return the gradients of tokens as heads and as dependents."""
    n = len(made[0])
    both, at, steps = _label_inputs(w, batch, *made)
    hidden = leaky(both) * kept
    given = _softmax(hidden @ w["labels"] + w["labels_bias"])
    losses[3] = _log_loss(given, batch.labels) / n
    given /= n
    g["labels"], g["labels_bias"] = hidden.T @ given, given.sum(axis=0)
    dboth = (given @ w["labels"].T) * kept * _slope(both)
    dheads = np.zeros((n + 1, dboth.shape[1]), dboth.dtype)
    order = np.argsort(at, kind="stable")
    first = np.flatnonzero(np.diff(at[order], prepend=-1))
    dheads[at[order][first]] = np.add.reduceat(dboth[order], first, axis=0)
    g["root_label"] = dheads[n]
    g["label_steps"] = np.stack([dboth[steps == k].sum(axis=0) for k in range(N_STEPS)])
    return dheads[:n], dboth


def _label_inputs(
    w: Weights, batch: Batch, heads: NDArray[Any], dependents: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Return each token with its right head, the row of that head (the last stands for the root) and how far it is."""
    n = len(heads)
    begins = np.repeat(batch.sentences[:-1], np.diff(batch.sentences))
    at = np.where(batch.heads > 0, begins + batch.heads - 1, n)
    steps = np.where(batch.heads > 0, steps_apart(batch.heads - 1 - (np.arange(n) - begins)), 0)
    return np.concatenate([heads, w["root_label"][None]])[at] + dependents + w["label_steps"][steps], at, steps


def _slope(x: NDArray[Any]) -> NDArray[Any]:
    """Return the slope of `leaky`."""
    return np.where(x > 0, x.dtype.type(1), x.dtype.type(0.1))


def _softmax(scores: NDArray[Any]) -> NDArray[Any]:
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def _log_loss(p: NDArray[Any], gold: NDArray[np.int32]) -> float:
    """Turn probabilities into the gradient of their log loss, in place; return the loss. Gold below 0: passed over."""
    known = np.flatnonzero(gold >= 0)
    loss = -np.log(np.maximum(p[known, gold[known]], 1e-30)).sum()
    p[known, gold[known]] -= 1
    p[gold < 0] = 0
    return float(loss)


def reaches_of(weights: Weights, batch: Batch) -> Weights:
    """Return, for each matrix, the largest size of each of its inputs on a batch of a treebank."""
    w = weights
    given, _ = _inputs(w, batch, NO_DROPOUT, None)
    states = [bent(given @ w["into"] + w["into_bias"])]
    for k in range(3):
        x = states[-1]
        states.append(run_gated(batch.sentences, x, x @ w[f"layer{k}"], w[f"bias{k}"], w[f"peep{k}"]).h)
    made = leaky(states[3] @ w["pairs"] + w["pairs_bias"])
    n_arc, n_label = len(w["arcs"]), len(w["labels"])
    dependent, label_head, label_dependent = (
        made[:, a:b] for a, b in pairwise((n_arc, 2 * n_arc, 2 * n_arc + n_label, 2 * n_arc + 2 * n_label))
    )
    asked = dependent @ w["arcs"] + w["arcs_bias"]
    hidden = leaky(_label_inputs(w, batch, label_head, label_dependent)[0])
    inputs = {
        "into": given, "layer0": states[0], "layer1": states[1], "layer2": states[2], "tags": states[2],
        "pairs": states[3], "arcs": dependent, "steps": asked, "labels": hidden,
    }  # fmt: skip
    return {name: np.abs(rows).max(axis=0) for name, rows in inputs.items()}
