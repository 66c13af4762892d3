"""The cross-document model on the fields of a table: mentions grouped by names and by the words around them.

Which field is the name, the context and the document is found by what they are called and by their kinds
(`records.py`). The rounds are the same in one process and on an execution backend, and so are the answers: they depend
on the number of partitions, not on who carries them.
"""

from dataclasses import dataclass
from typing import ClassVar

from onoma.progress import Heard
from onoma.resolve.contract import Capability, Posterior, Problem, RunContext, pairs_with_first
from onoma.resolve.models.cross_document.records import resolve_fields

__all__ = ["CROSS_DOCUMENT", "CrossDocument", "CrossDocumentModelSettings"]


@dataclass(frozen=True, kw_only=True)
class CrossDocumentModelSettings:
    """How long it is sampled, and how many entities are looked for."""

    entities: int | None = None
    """Search the bias that gives so many; None: the bias that the data suggest."""
    rounds: int = 20


class CrossDocument:
    """Mentions in context."""

    name: ClassVar = "cross-document"
    summary: ClassVar = "mentions in context"
    settings: ClassVar = CrossDocumentModelSettings
    capabilities: ClassVar = frozenset({Capability.RESUME, Capability.PARTITIONS})
    conflicts: ClassVar = (
        frozenset({"entities", "partitions"}),
        frozenset({"entities", "resume"}),
    )

    def fit(self, problem: Problem, settings: CrossDocumentModelSettings, run: RunContext) -> Posterior:
        """Group mentions; the pairs that are told are each mention with the first of its entity."""
        heard = Heard(run.stop)
        found = resolve_fields(
            problem.fields, problem.source, n_entities=settings.entities, n_rounds=settings.rounds, run=run, stop=heard
        )
        run.clock.lap("sampling")
        clustering, probability = found.consensus.clustering, found.consensus.probability
        return Posterior(
            clustering=clustering,
            probability=probability,
            pairs=pairs_with_first(clustering, probability),
            state=found.state,
            is_cut_short=heard.is_asked and settings.entities is not None,
            so_far="the answer of the rounds so far",
            notes=found.notes,
            seconds=run.clock.laps,
        )


CROSS_DOCUMENT = CrossDocument()
