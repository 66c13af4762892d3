"""Kernels of gated recurrent layers whose matrix products lie outside the recurrence.

Per direction and unit, with z, a and b from one matrix product over all tokens at once:

    f = s(a + v c'),  r = s(b + w c'),  c = f c' + (1 - f) z,  h = r c + (1 - r) x

where c' is the state of the token before (after, for the backward direction; 0 where a sentence begins), x the layer's
input, and s(t) = (1 + t / sqrt(1 + t²)) / 2, a gate that processors work out without an exponential.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["run_backward", "run_forward"]

_HALF, _ONE, _FOUR = np.float32(0.5), np.float32(1.0), np.float32(4.0)


@nb.njit(cache=True, nogil=True)
def run_forward(
    sentences: NDArray[np.int32],
    u: NDArray[np.float32],
    x: NDArray[np.float32],
    bias: NDArray[np.float32],
    peep: NDArray[np.float32],
    c: NDArray[np.float32],
    h: NDArray[np.float32],
) -> None:
    """Run both directions over all sentences.

    `u` holds z, a, b of the forward and of the backward direction side by side; a and b are overwritten by the gates.
    `bias` and `peep` (v and w) are in the order forward f, r, backward f, r.
    """
    size = x.shape[1] // 2
    zero = np.zeros(size, x.dtype)
    for s in range(len(sentences) - 1):
        begin, end = sentences[s], sentences[s + 1]
        for d in range(2):
            for k in range(end - begin):
                t = begin + k if d == 0 else end - 1 - k
                before = zero
                if k > 0:
                    before = c[t - 1, :size] if d == 0 else c[t + 1, size:]
                z = u[t, 3 * d * size : (3 * d + 1) * size]
                f = u[t, (3 * d + 1) * size : (3 * d + 2) * size]
                r = u[t, (3 * d + 2) * size : (3 * d + 3) * size]
                bf, br = bias[2 * d], bias[2 * d + 1]
                vf, vr = peep[2 * d], peep[2 * d + 1]
                now, into, out = (
                    c[t, d * size : (d + 1) * size],
                    x[t, d * size : (d + 1) * size],
                    h[t, d * size : (d + 1) * size],
                )
                for j in range(size):
                    a = f[j] + bf[j] + vf[j] * before[j]
                    b = r[j] + br[j] + vr[j] * before[j]
                    a = _HALF + _HALF * a / np.sqrt(_ONE + a * a)
                    b = _HALF + _HALF * b / np.sqrt(_ONE + b * b)
                    state = a * before[j] + (_ONE - a) * z[j]
                    f[j], r[j], now[j] = a, b, state
                    out[j] = b * state + (_ONE - b) * into[j]


@nb.njit(cache=True, nogil=True)
def run_backward(
    sentences: NDArray[np.int32],
    u: NDArray[np.float32],
    x: NDArray[np.float32],
    peep: NDArray[np.float32],
    c: NDArray[np.float32],
    dh: NDArray[np.float32],
    dx: NDArray[np.float32],
    dbias: NDArray[np.float32],
    dpeep: NDArray[np.float32],
) -> None:
    """Overwrite `u`, as `run_forward` left it, by the gradient of what it was; add those of x, bias and peep."""
    size = x.shape[1] // 2
    carry, zero = np.zeros(size, x.dtype), np.zeros(size, x.dtype)
    for s in range(len(sentences) - 1):
        begin, end = sentences[s], sentences[s + 1]
        for d in range(2):
            carry[:] = 0
            for k in range(end - begin - 1, -1, -1):
                t = begin + k if d == 0 else end - 1 - k
                before = zero
                if k > 0:
                    before = c[t - 1, :size] if d == 0 else c[t + 1, size:]
                z = u[t, 3 * d * size : (3 * d + 1) * size]
                f = u[t, (3 * d + 1) * size : (3 * d + 2) * size]
                r = u[t, (3 * d + 2) * size : (3 * d + 3) * size]
                vf, vr = peep[2 * d], peep[2 * d + 1]
                now, into = c[t, d * size : (d + 1) * size], x[t, d * size : (d + 1) * size]
                g, gx = dh[t, d * size : (d + 1) * size], dx[t, d * size : (d + 1) * size]
                gbf, gbr, gvf, gvr = dbias[2 * d], dbias[2 * d + 1], dpeep[2 * d], dpeep[2 * d + 1]
                for j in range(size):
                    slope_f, slope_r = f[j] * (_ONE - f[j]), r[j] * (_ONE - r[j])
                    slope_f, slope_r = _FOUR * slope_f * np.sqrt(slope_f), _FOUR * slope_r * np.sqrt(slope_r)
                    dc = g[j] * r[j] + carry[j]
                    db = g[j] * (now[j] - into[j]) * slope_r
                    da = dc * (before[j] - z[j]) * slope_f
                    gx[j] += g[j] * (_ONE - r[j])
                    carry[j] = dc * f[j] + da * vf[j] + db * vr[j]
                    z[j] = dc * (_ONE - f[j])
                    f[j], r[j] = da, db
                    gbf[j] += da
                    gbr[j] += db
                    gvf[j] += da * before[j]
                    gvr[j] += db * before[j]
