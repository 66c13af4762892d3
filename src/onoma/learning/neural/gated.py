"""Gated recurrent layers in both directions, with their gradients.

All matrix products are over the tokens of many sentences at once; what is left of the recurrence is work unit by unit
(Lei, Zhang, Wang, Dai and Artzi, 2018; Bradbury, Merity, Xiong and Socher, 2017).

Cost: 12 × units² multiplications a token and layer, units being those of one direction; three times that to learn.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.learning.neural._gated_kernels import run_backward, run_forward

__all__ = ["GatedPass", "run_gated"]


@dataclass(frozen=True, eq=False)
class GatedPass:
    """One layer over one batch: what was computed, for the gradient."""

    sentences: NDArray[np.int32]
    x: NDArray[np.float32]
    u: NDArray[np.float32]
    c: NDArray[np.float32]
    h: NDArray[np.float32]

    def backward(
        self, weights: NDArray[np.float32], peep: NDArray[np.float32], dh: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Return the gradients of x, weights, bias and peep, given that of h; may be called once."""
        dx = np.zeros_like(self.x)
        dbias, dpeep = np.zeros_like(peep), np.zeros_like(peep)
        run_backward(self.sentences, self.u, self.x, peep, self.c, dh, dx, dbias, dpeep)
        dweights = self.x.T @ self.u
        dx += self.u @ weights.T
        return dx, dweights, dbias, dpeep


def run_gated(
    sentences: NDArray[np.int32],
    x: NDArray[np.float32],
    u: NDArray[np.float32],
    bias: NDArray[np.float32],
    peep: NDArray[np.float32],
) -> GatedPass:
    """Run a layer over sentences (where each begins, and the end of the last).

    Parameters
    ----------
    sentences
        Bounds.
    x
        Tokens × units of both directions.
    u
        The product of x and weights, 6 × units of one direction wide: z, f, r of the forward direction, then of the
        backward one. It is overwritten.
    bias, peep
        4 × units of one direction: f, r of the forward, then of the backward direction.
    """
    c, h = np.empty_like(x), np.empty_like(x)
    run_forward(sentences, u, x, bias, peep, c, h)
    return GatedPass(sentences, x, u, c, h)
