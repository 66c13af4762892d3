"""Adam (Kingma and Ba, 2015) for named arrays, and for tables of which a batch touches few rows."""

import numpy as np
from numpy.typing import NDArray

from onoma.learning.neural._adam_kernels import step_all, step_rows

__all__ = ["Adam"]


class Adam:
    """Steps of named arrays, in place.

    Parameters
    ----------
    arrays
        What is learnt.
    tables
        Those of `arrays` of which only touched rows are moved (their moments rest meanwhile).
    decay, decay_square
        Of the means of gradients and of their squares.
    clip
        Gradients of greater length, all arrays taken together, are shortened to it.
    """

    def __init__(
        self,
        arrays: dict[str, NDArray[np.float32]],
        tables: frozenset[str] = frozenset(),
        *,
        decay: float = 0.9,
        decay_square: float = 0.99,
        clip: float = 5.0,
    ) -> None:
        self.arrays, self.tables, self.clip = arrays, tables, clip
        self.decays = (np.float32(decay), np.float32(decay_square))
        self.means = {name: np.zeros_like(array) for name, array in arrays.items()}
        self.squares = {name: np.zeros_like(array) for name, array in arrays.items()}
        self.n_steps = 0

    def step(
        self, rate: float, gradients: dict[str, NDArray[np.float32]], touched: dict[str, NDArray[np.int64]]
    ) -> None:
        """Take one step; gradients of tables are cleared where they were touched."""
        self.n_steps += 1
        length = 0.0
        for name, gradient in gradients.items():
            part = gradient[touched[name]] if name in self.tables else gradient
            length += float(np.vdot(part, part))
        scale = min(1.0, self.clip / max(length**0.5, 1e-12))
        decay, decay_square = self.decays
        rate *= (1.0 - float(decay_square) ** self.n_steps) ** 0.5 / (1.0 - float(decay) ** self.n_steps)
        common = (np.float32(rate), decay, decay_square, np.float32(1e-8))
        for name, gradient in gradients.items():
            weights, mean, square = self.arrays[name], self.means[name], self.squares[name]
            if name in self.tables:
                step_rows(touched[name], weights, gradient, mean, square, np.float32(scale), *common)
            else:
                gradient *= np.float32(scale)
                flat = [each.reshape(-1) for each in (weights, gradient, mean, square)]
                step_all(flat[0], flat[1], flat[2], flat[3], *common)
