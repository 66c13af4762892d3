"""A change: which variables take which new values. The only writer of a world."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Change", "World"]

World = NDArray[np.int32]
"""One value, as a position in the variable's domain, for each variable of a graph."""


@dataclass(frozen=True)
class Change:
    """Variables (by position), the values they leave and the values they take.

    Build one with `Change.of`, which reads the old values off the world and drops variables that stay as they are.

    Examples
    --------
    >>> world = np.array([0, 1, 0], dtype=np.int32)
    >>> change = Change.of(world, {0: 1, 1: 1})
    >>> change
    Change(variables=(0,), old=(0,), new=(1,))
    >>> change.apply_inplace(world)
    >>> world.tolist()
    [1, 1, 0]
    """

    variables: tuple[int, ...]
    old: tuple[int, ...]
    new: tuple[int, ...]

    @classmethod
    def of(cls, world: World, values: dict[int, int]) -> "Change":
        """Return the change that gives some variables new values."""
        moved = [(variable, int(world[variable]), value) for variable, value in values.items()]
        moved = [move for move in moved if move[1] != move[2]]
        return cls(tuple(move[0] for move in moved), tuple(move[1] for move in moved), tuple(move[2] for move in moved))

    def __bool__(self) -> bool:
        return bool(self.variables)

    def apply_inplace(self, world: World) -> None:
        """Give the variables their new values."""
        for variable, value in zip(self.variables, self.new, strict=True):
            world[variable] = value

    def undo_inplace(self, world: World) -> None:
        """Give the variables their old values back."""
        for variable, value in zip(self.variables, self.old, strict=True):
            world[variable] = value
