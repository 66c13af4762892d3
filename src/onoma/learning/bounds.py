"""The four upper bounds A_t(z) ≥ L(w + z e_t) − L(w) that make one family of iterative scaling and coordinate descent.

With Q_t(z) = (2 w_t z + z²) / (2σ²) − z P̃(f_t), and all features ≥ 0,

    cd       Σ_x c(x) log Σ_y P_w(y|x) e^{z f_t(x,y)}                       + Q_t(z)    exact
    scgis    Σ c(x) P_w(y|x) f_t(x,y) (e^{z f#_t} − 1) / f#_t               + Q_t(z)    f#_t = max_{x,y} f_t
    iis      Σ c(x) P_w(y|x) f_t(x,y) (e^{z f#(x,y)} − 1) / f#(x,y)         + Q_t(z)    f#(x,y) = Σ_t f_t(x,y)
    gis      Σ c(x) P_w(y|x) f_t(x,y) (e^{z f#} − 1) / f#                   + Q_t(z)    f# = max_{x,y} f#(x,y)

They obey cd ≤ scgis ≤ gis and cd ≤ iis ≤ gis: the tighter the bound, the more a step gains and the more it costs.
Written for reading and for checking, on dense arrays; the kernels never form these sums.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError

__all__ = ["BOUNDS", "bound", "log_probabilities"]

Bound = Literal["cd", "scgis", "iis", "gis"]
BOUNDS: tuple[Bound, ...] = ("cd", "scgis", "iis", "gis")


def log_probabilities(features: NDArray[np.float64], w: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log P_w(y|x) from features of shape contexts × classes × weights."""
    scores = features @ w
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def bound(
    kind: Bound,
    z: float,
    t: int,
    features: NDArray[np.float64],
    chosen: NDArray[np.float64],
    w: NDArray[np.float64],
    *,
    variance: float,
) -> float:
    """Return A_t(z).

    Parameters
    ----------
    kind
        ``cd``, ``scgis``, ``iis`` or ``gis``.
    z
        The change of weight t.
    t
        Which weight.
    features
        f_t(x, y) ≥ 0, contexts × classes × weights.
    chosen
        c(x, y), how often each class was observed in each context.
    w
        The weights.
    variance
        σ².

    Examples
    --------
    >>> features, chosen = np.ones((1, 2, 1)), np.array([[1.0, 0.0]])
    >>> features[0, 1, 0] = 0.0
    >>> [round(bound(kind, 0.5, 0, features, chosen, np.zeros(1), variance=10.0), 4) for kind in ("cd", "gis")]
    [-0.2066, -0.1631]
    """
    if kind not in BOUNDS:
        raise SettingsError(f"there is no bound {kind!r}", hint=f"Bounds: {', '.join(BOUNDS)}")
    f, counts = features[:, :, t], chosen.sum(axis=1, keepdims=True)
    log_p = log_probabilities(features, w)
    quadratic = float((2.0 * w[t] * z + z * z) / (2.0 * variance) - z * (chosen * f).sum())
    if kind == "cd":
        return float((counts[:, 0] * np.log(np.exp(log_p + z * f).sum(axis=1))).sum()) + quadratic
    totals = features.sum(axis=2)
    sharp = {"scgis": np.full_like(f, f.max()), "iis": totals, "gis": np.full_like(f, totals.max())}[kind]
    growth = np.where(f > 0.0, np.expm1(z * sharp) / np.where(sharp > 0.0, sharp, 1.0), 0.0)
    return float((counts * np.exp(log_p) * f * growth).sum()) + quadratic
