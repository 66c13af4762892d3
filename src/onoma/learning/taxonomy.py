"""Labels as a tree: PLACE above CITY and STATE. A feature of a label fires for its descendants.

A prediction may stop at any level. The credit of predicting label a where b is true is 1 if they are the same, 0.5 if
one is the other's parent, 0.25 if they are siblings below a common parent, else 0 (Singh, Hillard and Leggetter, 2010);
given the probabilities of labels, the label of the highest expected credit is the one to say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError

__all__ = ["Taxonomy"]


@dataclass(frozen=True)
class Taxonomy:
    """Labels in an order where parents come before their children.

    Examples
    --------
    >>> tree = Taxonomy.of({"OTHER": None, "CITY": "PLACE", "STATE": "PLACE", "PLACE": None})
    >>> tree.labels, tree.parents
    (('OTHER', 'PLACE', 'CITY', 'STATE'), (-1, -1, 1, 1))
    >>> tree.credits()[tree.labels.index("CITY")].tolist()
    [0.0, 0.5, 1.0, 0.25]
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]

    @classmethod
    def flat(cls, labels: Sequence[str]) -> "Taxonomy":
        """Return labels without a tree over them."""
        return cls.of(dict.fromkeys(labels))

    @classmethod
    def of(cls, parents: Mapping[str, str | None]) -> "Taxonomy":
        """Return the tree given by the parent of each label, None at the top."""
        unknown = sorted({parent for parent in parents.values() if parent is not None and parent not in parents})
        if unknown:
            raise SettingsError(f"{', '.join(unknown)} is named as a parent but is no label", hint="Declare it too.")
        order: list[str] = []
        while len(order) < len(parents):
            ready = [name for name, up in parents.items() if name not in order and (up is None or up in order)]
            if not ready:
                circle = [name for name in parents if name not in order]
                raise SettingsError(f"the labels {', '.join(circle)} are their own ancestors; a taxonomy is a tree")
            order += ready
        at = {name: i for i, name in enumerate(order)}
        return cls(tuple(order), tuple(-1 if parents[name] is None else at[str(parents[name])] for name in order))

    def __len__(self) -> int:
        return len(self.labels)

    def ancestors(self, label: int) -> list[int]:
        """Return a label and everything above it, nearest first."""
        found = []
        while label >= 0:
            found.append(label)
            label = self.parents[label]
        return found

    def credits(self, *, parent: float = 0.5, sibling: float = 0.25) -> NDArray[np.float64]:
        """Return the credit of predicting each label (row) where another (column) is true."""
        up = np.array(self.parents, np.int64)
        ids = np.arange(len(up))
        related = up[:, None] == ids[None, :]
        table = np.where(related | related.T, parent, 0.0)
        table[(up[:, None] == up[None, :]) & (up[:, None] >= 0)] = sibling
        np.fill_diagonal(table, 1.0)
        return table

    def choose(self, chances: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return, for each row of probabilities of labels, the label of the highest expected credit."""
        return np.argmax(chances @ self.credits().T, axis=1)
