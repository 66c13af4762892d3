"""New records in the knowledge base of a model that draws for itself: the model resolves what they touch again.

What a model learns (how names change, what words weigh, how many entities there are) it learns from many records, and
not from the few that are new. So what is touched is resolved among some thousand others, whole entities at random,
that stand for the rest; these keep what they have unless the model joins them with what is touched. Where nearly all
would be resolved anyway, all are.
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.kb.incremental import Edges, OutgrownError
from onoma.kb.memory import SEVERAL_TYPES, TAKEN_APART
from onoma.kb.own.answer import answer_of, own_pairs, store_own
from onoma.kb.world import World, record_table
from onoma.numerics.rng import stream
from onoma.numerics.union_find import components
from onoma.progress import SILENT, Progress
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig
from onoma.resolve.contract import Trees
from onoma.resolve.fields.kinds import VECTOR
from onoma.resolve.result import Resolution

__all__ = ["fit_part", "refit", "why_whole", "with_others"]

ENOUGH = 5_000
"""Other records that a part is resolved among: as many as weights are learnt well from."""


def why_whole(world: World) -> str:
    """Say why a part of the records cannot be resolved for itself; empty if it can."""
    config = world.memory.config
    if world.memory.why_not in (SEVERAL_TYPES, TAKEN_APART):
        return world.memory.why_not
    for spec in world.memory.fields:
        if spec.kind == VECTOR or len(spec.columns) > 1 or "left out of it" in spec.reason:
            return f"the field {spec.name} is made of vectors or of several columns"
    if config.labels is not None:
        return "the model learns from labels of all records"
    if config.entities is not None:
        return "so many entities of all records were asked for"
    return ""


def with_others(world: World, inside: NDArray[np.bool_], most: int, *, seed: int = 0) -> NDArray[np.bool_]:
    """Return some records with whole entities of others, so many records of them at random."""
    entity = world.entity()
    outside = np.flatnonzero(~inside & (entity >= 0))
    company = Clustering.from_labels(entity[outside])
    order = stream(seed, "others").permutation(company.n_entities)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    upto = int(np.searchsorted(np.cumsum(company.sizes[order]), most))
    chosen = inside.copy()
    chosen[outside[rank[company.labels] <= upto]] = True
    return chosen


def part_config(world: World) -> ResolveConfig:
    """Return how a part is resolved: columns are what they were taken for, and nothing is checked again."""
    config = world.memory.config
    kinds = {spec.columns[0]: spec.kind if spec.own is None else dict(spec.own) for spec in world.memory.fields}
    return replace(
        config,
        id="id",
        kinds=kinds,
        truth=None,
        partitions=None,
        documents=None,
        no_check=True,
        review_budget=None,
        golden={},
    )


def fit_part(
    world: World,
    inside: NDArray[np.bool_],
    *,
    without: str | None = None,
    more: pa.Table | None = None,
    progress: Progress = SILENT,
) -> Resolution:
    """Let the model resolve some records.

    Parameters
    ----------
    without
        A column to do without.
    more
        A record that is not there, to be resolved with them: the last.
    """
    config = part_config(world)
    table = record_table(world.base, world.records[inside])
    if more is not None:
        named = {name: more[name] for name in more.column_names if name in table.column_names}
        rows = {name: named.get(name, pa.chunked_array([pa.nulls(1, pa.string())])) for name in table.column_names}
        last = pa.table({name: each.cast(table.schema.field(name).type, safe=False) for name, each in rows.items()})
        table = pa.concat_tables([table, last])
    kinds = {name: kind for name, kind in config.kinds.items() if name != without}
    known = {*kinds, "id", config.source, config.block}
    others = tuple(name for name in table.column_names if name not in known)
    return resolve(table, replace(config, kinds=kinds, exclude=others), progress=progress)


def refit(world: World, inside: NDArray[np.bool_], *, progress: Progress = SILENT) -> NDArray[np.bool_]:
    """Let the model resolve what is touched, keep what it says, and return what is touched after all."""
    why = why_whole(world)
    if why:
        raise OutgrownError(why)
    seed = world.memory.config.seed
    chosen = with_others(world, inside, ENOUGH, seed=seed)
    if 5 * int(chosen.sum()) >= 4 * world.n:
        raise OutgrownError(
            f"what is touched is resolved among {ENOUGH:,} others, and there are {world.n:,} records in all"
        )
    found = fit_part(world, chosen, progress=progress)
    if found.posterior is None:
        raise OutgrownError("what is touched has nothing to compare")
    places = np.flatnonzero(chosen)
    numbers = world.records[places]
    answer = answer_of(found.posterior, numbers)
    # Whoever the model joins with what is touched is touched, with all of their entities.
    joined = np.isin(answer.first, answer.first[inside[places]])
    touched = inside.copy()
    touched[places[joined]] = True
    entity = world.entity()
    touched |= chosen & np.isin(entity, entity[touched][entity[touched] >= 0])
    store_own(world.base, answer.take(touched[places]))
    if isinstance(found.posterior.details, Trees):
        _write_nodes(world, touched, found.posterior.details.nodes(pa.array(numbers)))
    _write_pairs(world, touched, own_pairs(found.posterior, numbers).table())
    return touched


def _write_nodes(world: World, touched: NDArray[np.bool_], nodes: pa.Table | None) -> None:
    """Put the trees of what is touched in the place of those that were, under shards of their own."""
    if nodes is None:
        return
    old = world.base.query("FROM nodes")
    first = 1 + (pc.max(_shard_and_rest(old["node"])[0]).as_py() or 0)
    moved = nodes.drop_columns(["entity"])
    for name in ("node", "parent"):
        shard, rest = _shard_and_rest(moved[name])
        called = pc.binary_join_element_wise(pc.add(shard, first).cast(pa.string()), rest, ".")
        moved = moved.set_column(moved.column_names.index(name), name, called)
    here = world.records[touched]
    world.base.replace("nodes", pa.concat_tables([_trees(old, here, keep=False), _trees(moved, here, keep=True)]))


def _shard_and_rest(called: pa.ChunkedArray) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Return what nodes are called by: the number of a shard, and what follows it."""
    parts = pc.split_pattern(called, ".", max_splits=1)
    return pc.list_element(parts, 0).cast(pa.int64()), pc.list_element(parts, 1)


def _trees(nodes: pa.Table, records: NDArray[np.int64], *, keep: bool) -> pa.Table:
    """Return the trees that some records stand in, or the others."""
    parent = pc.index_in(nodes["parent"], nodes["node"].combine_chunks()).fill_null(-1).to_numpy()
    here = np.flatnonzero(parent >= 0)
    tree = components(len(nodes), here.astype(np.int64), parent[here].astype(np.int64))
    mine = np.isin(nodes["record"].fill_null(-1).to_numpy(), records)
    chosen = np.isin(tree, tree[mine])
    return nodes.filter(pa.array(chosen if keep else ~chosen))


def _write_pairs(world: World, touched: NDArray[np.bool_], pairs: pa.Table) -> None:
    """Put the pairs of what is touched in the place of those that were."""
    here = {"touched": pa.table({"record": world.records[touched]})}
    some = "SELECT record FROM touched"
    world.base.change(f"DELETE FROM edges WHERE a IN ({some}) AND b IN ({some})", None, here)  # noqa: S608
    a, b = (np.searchsorted(world.records, pairs[side].to_numpy()) for side in ("a", "b"))
    mine = touched[a] & touched[b]
    kept = pairs.filter(pa.array(mine))
    world.base.append("edges", kept)
    old = world.edges.take(~(touched[world.edges.a] & touched[world.edges.b]))
    parts = (kept[name].to_numpy().astype(np.float64) for name in ("log_copy", "log_relative", "probability"))
    new = Edges(a[mine], b[mine], *parts)
    world.edges = Edges(*(np.concatenate(both) for both in zip(old, new, strict=True)))
