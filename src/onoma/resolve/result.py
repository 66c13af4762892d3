"""The result of a resolution: who is who in a table, with a probability for every statement."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.errors import SettingsError
from onoma.resolve.comparison.weights import log_bayes_factors
from onoma.resolve.config import ResolveConfig
from onoma.resolve.contract import Lineage, PairEvidence, Posterior, Trees
from onoma.resolve.fields.canonical import canonical_table, fullest_records
from onoma.resolve.fields.prepare import Fields
from onoma.resolve.posterior.checkpoint import Checkpoint

if TYPE_CHECKING:
    from onoma.resolve.check.abstain import Review
    from onoma.resolve.check.quality import Quality
    from onoma.resolve.quality.recall import CanopyRecall
    from onoma.resolve.report.charts import Charts
    from onoma.resolve.report.entity_tree import EntityTree
    from onoma.resolve.report.explanation import Explanation, Record

__all__ = ["Resolution"]


@dataclass(frozen=True, eq=False)
class Resolution:
    """Who is who in a table, and how sure.

    Made by `onoma.resolve`. Everything is a table or an array: `memberships`, `pairs`, `entities`, `clustering`.
    """

    table: pa.Table
    """The records, with their ids in the column `id`."""
    fields: Fields
    posterior: Posterior | None
    """What the model found out; None if there was nothing to compare."""
    source: pa.ChunkedArray | None
    config: ResolveConfig
    """As it was used: the model is named."""
    notes: tuple[str, ...]
    identical: bool = False
    """All rows say the same, so nothing was compared."""
    block: NDArray[np.int32] | None = None
    """The block of each record, where only records of one block can be the same."""
    checked: "Quality | None" = None
    """What the checks said, where probabilities are recalibrated by them."""
    review: "Review | None" = None
    """What was left out as doubtful, where that was asked for."""

    @property
    def is_stopped(self) -> bool:
        """Whether it was stopped before its end; with a `checkpoint`, it can go on."""
        return self.checkpoint is not None or (self.posterior is not None and self.posterior.is_cut_short)

    @property
    def checkpoint(self) -> Checkpoint | None:
        """All that is needed to go on, if sampling was stopped before its end."""
        return None if self.posterior is None else self.posterior.state

    @property
    def so_far(self) -> str:
        """What the answer of a run is that was stopped before its end."""
        return "" if self.posterior is None else self.posterior.so_far

    @property
    def weighed(self) -> PairEvidence | None:
        """What pairs share and what that weighs, if the model has it."""
        return None if self.posterior is None else self.posterior.weighed

    @property
    def clustering(self) -> Clustering:
        """The clustering with the least expected loss."""
        if self.posterior is not None:
            return self.posterior.clustering
        n = len(self.table)
        return Clustering.from_labels(np.zeros(n, dtype=np.int64)) if self.identical else Clustering.singletons(n)

    @property
    def probability(self) -> NDArray[np.float64]:
        """For each record, that it belongs where it is."""
        return np.ones(len(self.table)) if self.posterior is None else self.posterior.probability

    @cached_property
    def memberships(self) -> pa.Table:
        """One row for each record: (source,) id, entity, probability."""
        columns = {} if self.source is None else {"source": self.source}
        columns |= {"id": self.table["id"], "entity": self.clustering.relabel(), "probability": self.probability}
        return pa.table(columns if self.review is None else columns | {"left_out": self.review.left_out})

    @cached_property
    def entities(self) -> pa.Table:
        """One row for each entity: its size, the least probability of its records, and a canonical record.

        `record` is the id of its fullest record; the columns have the values that most of its records agree on.
        """
        clustering = self.clustering
        least = np.ones(clustering.n_entities)
        np.minimum.at(least, clustering.labels, self.probability)
        fullest = fullest_records(self.fields.fields, clustering)
        names = [name for name in self.table.column_names if name != "id"]
        table, config = self.table.select(names), self.config
        canonical = canonical_table(
            table, self.fields.fields, clustering, fullest, golden=config.golden, source=config.source
        )
        columns = {"entity": clustering.relabel().take(pa.array(fullest)), "size": pa.array(clustering.sizes)}
        columns |= {"probability": pa.array(least), "record": self.table["id"].take(pa.array(fullest))}
        taken = set(columns)
        for name in names:
            columns[name if name not in taken else f"{name}_of_record"] = canonical[name]
        return pa.table(columns)

    @cached_property
    def nodes(self) -> pa.Table | None:
        """The trees of the hierarchical model, one row for each node; None for other models."""
        details = None if self.posterior is None else self.posterior.details
        return details.nodes(self.table["id"]) if isinstance(details, Trees) else None

    def tree(self, record: "Record") -> "EntityTree":
        """Return the tree of a record's entity (hierarchical model): see `EntityTree`."""
        from onoma.resolve.report.explanation import find_record

        details = None if self.posterior is None else self.posterior.details
        found = details.tree(find_record(self, record), self.table["id"]) if isinstance(details, Trees) else None
        if found is None:
            raise SettingsError("there are no trees here", hint='They are grown by the model "hierarchical".')
        return found

    def tables(self) -> dict[str, pa.Table]:
        """Return all that was found out as tables: what a folder of results holds."""
        found = {"memberships": self.memberships, "entities": self.entities, "pairs": self.pairs()}
        details = None if self.posterior is None else self.posterior.details
        if self.weighed is not None:
            found["weights"] = self.weights()
        if self.nodes is not None:
            found["nodes"] = self.nodes
        if self.review is not None:
            found["review"] = self.review.table(self)
        if isinstance(details, Lineage):
            found["lineage"] = details.table(self.table["id"])
        return found

    def pairs(self, floor: float = 0.01) -> pa.Table:
        """Return the pairs of records that may be the same with at least this probability: a, b, probability."""
        if self.posterior is None:
            return pa.table(
                {"a": pa.array([], pa.string()), "b": pa.array([], pa.string()), "probability": np.zeros(0)}
            )
        stated = self.posterior.pairs
        shown = np.flatnonzero(stated.probability >= floor)
        ids = self.table["id"].combine_chunks()
        a, b = (ids.take(pa.array(side[shown])) for side in (stated.a, stated.b))
        columns: dict[str, object] = {}
        if self.source is not None:
            source = self.source.combine_chunks()
            columns["a_source"] = source.take(pa.array(stated.a[shown]))
            columns["b_source"] = source.take(pa.array(stated.b[shown]))
        return pa.table(columns | {"a": a, "b": b, "probability": stated.probability[shown]})

    def entity_count(self, level: float = 0.95) -> tuple[int, int, int]:
        """Return the number of entities reported, and an interval that holds their number with this probability.

        Where the answer was checked, the interval at 95 % is that of the checks: it counts what decoys say is wrong and
        planted copies say is missed. Else it is that of the samples. The clustering reported is one of many, and its
        number of entities may lie outside.
        """
        reported = self.clustering.n_entities
        if self.checked is not None and self.checked.entities is not None and level == 0.95:
            return reported, *self.checked.entities
        drawn = None if self.posterior is None else self.posterior.n_entities
        if drawn is None or not len(drawn):
            return reported, reported, reported
        low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
        return reported, int(low), int(np.ceil(high))

    @property
    def n_samples(self) -> int:
        """How many samples the answer rests on."""
        return 0 if self.posterior is None else self.posterior.n_samples

    @cached_property
    def quality(self) -> "Quality":
        """How good the answer is, told without labels: see `onoma.resolve.check`."""
        from onoma.resolve.check.checking import check_resolution

        return check_resolution(self) if self.checked is None else self.checked

    def noting(self, said: str) -> "Resolution":
        """Return it with one more note; what was checked is not checked again."""
        found = replace(self, notes=(*self.notes, said))
        if "quality" in self.__dict__:
            found.__dict__["quality"] = self.quality
        return found

    def recalibrated(self) -> "Resolution":
        """Return it with probabilities, and a number of entities, that the checks bear out.

        Entities are the same, but for links that the checks give up: those of whose kind most are wrong by the decoys.
        """
        quality, found = self.quality, self.posterior
        if found is not None:
            rows = found.probability if quality.probability is None else quality.probability
            pairs = found.pairs.probability if quality.pair_probability is None else quality.pair_probability
            stated = found.pairs._replace(probability=quality.stated_of_pairs(pairs))
            entities = found.clustering if quality.clustering is None else quality.clustering
            found = replace(found, clustering=entities, probability=quality.stated(rows), pairs=stated)
        return replace(self, posterior=found, checked=quality)

    def abstaining(self, budget: int) -> "Resolution":
        """Return it with doubtful links given up; `review` lists the answers, so many, that help most."""
        from onoma.resolve.check.abstain import abstain

        review = abstain(self, budget)
        found = self.posterior
        if found is not None:
            found = replace(found, clustering=review.clustering)
        return replace(self, posterior=found, review=review)

    @cached_property
    def canopy_recall(self) -> "CanopyRecall | None":
        """Estimated blocking recall: what part of the matches was compared, by the model's own judgement.

        None where no match is expected, and for a model that does not find its entities by weights of pairs.
        """
        from onoma.resolve.quality.recall import estimate_recall

        return estimate_recall(self) if self.weighed is not None and self.weighed.is_used else None

    @cached_property
    def chart(self) -> "Charts":
        """Pictures: `chart.weights()`, `.sizes()`, `.entity_count()`, `.certainty()`, `.waterfall(a, b)`."""
        from onoma.resolve.report.charts import Charts

        return Charts(self)

    def explain(self, a: "Record", b: "Record") -> "Explanation":
        """Say step by step why two records are, or are not, the same.

        A record is named by its id, by its row number, or by (source, id). The bits of the steps add up to what the
        model uses; above 0 speaks for the same entity.
        """
        from onoma.resolve.report.explanation import explain_pair

        return explain_pair(self, a, b)

    def weights(self) -> pa.Table:
        """Return what agreement means: by field and level, how often copies and strangers are at it, and the bits."""
        from onoma.resolve.report.explanation import weight_table

        return pa.Table.from_pylist([each._asdict() for each in weight_table(self)])

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log Bayes factor of every candidate pair."""
        found = self.weighed
        return np.zeros(0) if found is None else log_bayes_factors(found.evidence, found.weights)[0]
