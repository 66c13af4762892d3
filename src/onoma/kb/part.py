"""A part of a knowledge base as a resolution of its own: so that what explains one explains the other."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.kb.incremental import compare_pairs, evidence_of
from onoma.kb.world import World, record_table
from onoma.resolve.blocking.canopies import Candidates
from onoma.resolve.contract import PairEvidence, Pairs, Posterior
from onoma.resolve.fields.prepare import Fields
from onoma.resolve.posterior.copying import Draws
from onoma.resolve.result import Resolution

__all__ = ["part_resolution"]


def part_resolution(world: World, places: NDArray[np.int64]) -> Resolution:
    """Return some records (ascending places) with all pairs among them that are known, as they are held now."""
    fields = world.fields(places)
    here = np.full(world.n, -1, dtype=np.int64)
    here[places] = np.arange(len(places))
    inside = np.flatnonzero((here[world.edges.a] >= 0) & (here[world.edges.b] >= 0))
    ends = np.sort(np.stack([here[world.edges.a[inside]], here[world.edges.b[inside]]]), axis=0).astype(np.int32)
    order = np.lexsort((ends[1], ends[0]))
    a, b = (np.ascontiguousarray(side[order]) for side in ends)
    levels, shares = compare_pairs(fields, a, b)
    weights = world.memory.weights_for(world.total)
    if not len(weights.n_levels):  # the model weighs no pairs
        levels, shares = levels[:, :0], shares[:, :0]
    evidence = evidence_of(len(places), a, b, levels, shares, weights)
    if 0 < levels.shape[1] < len(weights.n_levels):  # between sources, how a pair beats its rivals: not known of a part
        silent = np.full((len(a), len(weights.n_levels) - levels.shape[1]), -1, dtype=np.int8)
        shares = np.concatenate([shares, np.zeros(silent.shape, dtype=np.float32)], axis=1)
        evidence = evidence_of(len(places), a, b, np.concatenate([levels, silent], axis=1), shares, weights)
        evidence = replace(evidence, contrast=levels.shape[1])
    together = world.edges.probability[inside[order]]
    none = np.zeros(len(a))
    roots = np.zeros((0, len(places)), dtype=np.int32)
    draws = Draws(1, none, none, together, together, np.zeros(0, dtype=np.int64), roots)
    table = record_table(world.base, world.records[places])
    rows = world.base.query(
        "SELECT entity, probability FROM memberships JOIN wanted USING (record) ORDER BY record",
        None,
        {"wanted": pa.table({"record": world.records[places]})},
    )
    posterior = Posterior(
        clustering=Clustering.from_labels(rows["entity"]),
        probability=rows["probability"].to_numpy(),
        pairs=Pairs(a, b, together),
        details=PairEvidence(evidence, weights, draws, Candidates(a, b, 0, 0)),
    )
    return Resolution(table, Fields(fields, [], []), posterior, None, world.memory.config, ())
