"""What every model of facts can do, whatever it learns.

The commands and the measures know a model only by this. A factorisation (`rescal.py`) is one, typed answers included.
"""

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.knowledge.facts import Codes, Facts, Names

__all__ = ["SUPPORT", "FactModel"]

Scores = NDArray[np.floating[Any]]

SUPPORT = pa.schema(
    [
        pa.field("subject", pa.string(), nullable=False),
        pa.field("relation", pa.string(), nullable=False),
        pa.field("object", pa.string(), nullable=False),
        pa.field("contribution", pa.float64(), nullable=False, metadata={"doc": "what the score owes to the fact"}),
        pa.field("through", pa.string(), nullable=False, metadata={"doc": "which part of the prediction it speaks of"}),
    ]
)
"""Why a fact is predicted: the known facts that carry it, the strongest first."""


class FactModel(Protocol):
    """A model that has learnt from facts and answers about facts."""

    @property
    def entities(self) -> Names:
        """The entities it knows."""

    @property
    def relations(self) -> Names:
        """The relations it knows."""

    @property
    def notes(self) -> list[str]:
        """What whoever reads the results should know."""

    def score(self, subjects: Codes, relations: Codes, objects: Codes) -> Scores:
        """Score facts given by codes; higher is more likely, -inf impossible."""

    def score_objects(self, subjects: Codes, relations: Codes) -> Scores:
        """Score every entity as object of each (subject, relation): one row a pair."""

    def score_subjects(self, relations: Codes, objects: Codes) -> Scores:
        """Score every entity as subject of each (relation, object): one row a pair."""

    def best_missing(self, facts: Facts, n: int) -> pa.Table:
        """Return the n best-scored facts that are not known, as a table of `FACTS` with a column `score`."""

    def explain(self, facts: Facts, subject: str, relation: str, object: str) -> pa.Table:
        """Return the known facts that carry one fact: a table of `SUPPORT`."""

    def save(self, folder: str | Path) -> None:
        """Write the model to a folder, as arrays and JSON."""
