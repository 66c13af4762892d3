"""How good an answer is, told without labels: what `checking.py` finds out, in numbers and in sentences."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.resolve.check.calibrate import Bin

__all__ = ["ALIKE", "DOUBTED", "FEWEST_LINKS", "NAMED_ALIKE", "Quality", "Share", "ceiling_of_pairs", "unchecked"]

SAFE = 0.95
"""Links at least as likely are called safe."""
FEWEST_LINKS = 10
"""Links from which on there is something to check."""
ALIKE = "all rows are alike in every column, so that nothing tells two rows of one thing from others"
NAMED_ALIKE = "all rows have one name, and nothing beside it tells two things of that name apart"
"""Why a table that is taken for one thing is not called calibrated."""
DOUBTED = 0.9
"""The most that is stated of a row where the checks cannot be relied on: nothing is called sure there."""


_ARRAYS = ("clustering", "probability", "pair_probability", "entity_draws", "link_draws")
"""What has an entry for each row, pair or draw, and stays out of JSON."""


class Share(NamedTuple):
    """An estimated share, and an interval that holds it with 95 %."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Quality:
    """What the checks say of an answer."""

    calibrated: bool
    """Whether the stated probabilities can be relied on."""
    because: tuple[str, ...] = ()
    """Why they cannot."""
    n_links: int = 0
    """Links that hold the reported entities together: rows less entities."""
    n_given_up: int = 0
    """Links that were given up, because by the decoys most of their kind are wrong, or because of the next."""
    all_different: bool = False
    """Rows of a list are no nearer to each other than those of lists without duplicates."""
    all_one: bool = False
    """All rows are alike in every column, so that they are taken for one thing (`single.py`)."""
    clustering: Clustering | None = None
    """The entities without the links given up, or one of all rows; None: those of the model."""
    precision: Share | None = None
    """Of the pairs that are reported as one entity, the share that is."""
    recall: Share | None = None
    """Of the matches there are, the share that is reported."""
    harsher_recall: Share | None = None
    """The share of copies found, were they changed twice as much."""
    together: float = 1.0
    """Of what is stated of pairs in sum, the part of those that are reported as one entity, by which recall is less
    than the share of copies found; 1 where that alone tells it."""
    entities: tuple[int, int] | None = None
    """An interval for the number of entities, at 95 %."""
    entity_draws: NDArray[np.float64] | None = None
    """Draws of that number, from which the interval is taken."""
    link_draws: NDArray[np.float64] | None = None
    """What these draws are made of, three rows: the share of links that is right, the share of links that was found,
    and by how many entities a sample differs from the others."""
    n_safe: int = 0
    """Links that decoys bear out at `SAFE` or more."""
    reliability: tuple[Bin, ...] = ()
    """Stated against decoy-based shares."""
    decoys: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    """Of each kind of decoy: how many were planted, and the share that was joined."""
    recall_by_field: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    """Of copies whose value in a field was changed: how many there were, and the share found."""
    recall_by_change: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    """The same by what was done to a value."""
    probability: NDArray[np.float64] | None = None
    """For each record, that it belongs where it is, recalibrated."""
    pair_probability: NDArray[np.float64] | None = None
    """For each stated pair, that both are one entity, recalibrated."""
    seconds: float = 0.0
    ceiling: float = 1.0
    """The most that is stated of a row: less than 1 where probabilities cannot be relied on."""
    pair_ceiling: float = 1.0
    """The most that is stated of a pair. It follows what is expected of precision (`ceiling_of_pairs`)."""
    by: str = "the decoys"
    """Whose word the expected precision is."""

    def stated(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what is stated of the probabilities of rows: none above the ceiling, in the same order."""
        return _below(self.ceiling, rows)

    def stated_of_pairs(self, pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what is stated of the probabilities of pairs: none above their ceiling, in the same order."""
        return _below(self.pair_ceiling, pairs)

    @property
    def has_links(self) -> bool:
        """Whether there are links enough to be checked."""
        return self.n_links >= FEWEST_LINKS

    @property
    def expected_f1(self) -> float | None:
        """The harmonic mean of expected precision and the share of copies found; None where one is not known."""
        if self.precision is None or self.recall is None:
            return None
        precision, recall = self.precision.estimate, self.recall.estimate / self.together
        return 2.0 * precision * recall / max(precision + recall, 1e-9)

    def sentences(self) -> list[str]:
        """Return what the figures mean."""
        said = []
        if self.all_one:
            alike = "they have one name" if NAMED_ALIKE in self.because else "they are alike in every column"
            said.append(f"all rows are taken for one entity: {alike}")
        if self.n_given_up:
            links = "1 link was" if self.n_given_up == 1 else f"{self.n_given_up:,} links were"
            why = "by the decoys most links of their kind are wrong"
            if self.all_different:
                why = "rows are no nearer to each other than in lists without duplicates"
            said.append(f"{links} given up: {why}")
        if self.precision is not None:
            wrong = 1.0 - self.precision.estimate
            said.append(
                f"expected precision {_percent(self.precision)}: of the {self.n_links:,} links about {wrong:.0%} are "
                f"wrong; {self.n_safe:,} are safe ({SAFE:.0%} or more by {self.by})"
            )
        if self.recall is not None:
            harsh = (
                "" if self.harsher_recall is None else f"; with twice the changes {self.harsher_recall.estimate:.0%}"
            )
            apart = (
                "" if self.together == 1.0 else f", times that of stated pairs that are together ({self.together:.0%})"
            )
            said.append(
                f"expected recall {_percent(self.recall)}: the share of planted copies that was found{apart}{harsh}"
            )
        if not self.calibrated:
            said.append(f"not calibrated here, because {'; and '.join(self.because)}{self._bound()}")
        return said

    def _bound(self) -> str:
        """Return the most that is stated, where it is less than 1."""
        if self.ceiling == 1.0:
            return ""
        if self.pair_ceiling == self.ceiling:
            return f": no probability is stated above {self.ceiling:.0%}"
        pairs = "" if self.pair_ceiling == 1.0 else f", and no pair above {self.pair_ceiling:.0%}"
        return f": no row is said to be more than {self.ceiling:.0%} sure of its place{pairs}"

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON holds of it: all but the probabilities of single rows."""
        found = {name: value for name, value in self.__dict__.items() if name not in _ARRAYS}
        for name in ("precision", "recall", "harsher_recall"):
            share: Share | None = getattr(self, name)
            found[name] = None if share is None else {k: round(v, 6) for k, v in share._asdict().items()}
        found["because"], found["seconds"] = list(self.because), round(self.seconds, 3)
        found["entities"] = None if self.entities is None else list(self.entities)
        found["reliability"] = [asdict(each) for each in self.reliability]
        for name in ("decoys", "recall_by_field", "recall_by_change"):
            found[name] = {
                kind: {"rows": n, "share": round(share, 6)} for kind, (n, share) in getattr(self, name).items()
            }
        return found


def unchecked(*because: str) -> Quality:
    """Return what is known where nothing could be checked."""
    return Quality(calibrated=False, because=because)


def _below(ceiling: float, probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities of which none is above a ceiling, in the same order.

    Those within twice the distance of the ceiling from 1 are drawn halfway down to where that begins; others stay,
    since what is doubted is that something is sure, not that something is even.

    Examples
    --------
    >>> _below(0.9, np.array([0.3, 0.8, 0.9, 1.0])).round(2).tolist()
    [0.3, 0.8, 0.85, 0.9]
    """
    knee = 2.0 * ceiling - 1.0
    return np.where(probability > knee, (probability + knee) / 2.0, probability) if knee < 1.0 else probability


def ceiling_of_pairs(precision: Share | None) -> float:
    """Return the most that is stated of a pair where the checks cannot be relied on.

    What decoys expect of precision is the best guess there is, and the surest pairs are wrong no more than half as
    often as all: halfway from it to 1, and not below `DOUBTED`.

    Examples
    --------
    >>> ceiling_of_pairs(None), ceiling_of_pairs(Share(0.6, 0.1, 0.9)), round(ceiling_of_pairs(Share(0.96, 0, 1)), 2)
    (0.9, 0.9, 0.98)
    """
    return DOUBTED if precision is None else max(DOUBTED, (1.0 + precision.estimate) / 2.0)


def _percent(share: Share) -> str:
    return f"{share.estimate:.0%} (95 %: {share.low:.0%} – {share.high:.0%})"
