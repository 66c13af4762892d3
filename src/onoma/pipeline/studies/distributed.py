"""What partitions cost in quality: the same simulated tables resolved in one piece, and in more and more partitions.

Each figure is a mean over seeds, each with a table of its own; notes say how far the tables lie apart in one setting,
and by how much settings change what is found in one table.
"""

import statistics
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.corpus.simulate.authors import simulate_authors
from onoma.corpus.simulate.links import simulate_links
from onoma.engines.local import LocalEngine
from onoma.errors import DataError
from onoma.pipeline.distributed_mentions import MentionColumns, resolve_mentions
from onoma.pipeline.evaluation import gold_labels
from onoma.pipeline.reproduce import Context, Findings, Row, Study
from onoma.pipeline.studies.cross_document import PAPER
from onoma.pipeline.studies.hierarchical import score_on_labelled
from onoma.resolve.api import resolve
from onoma.resolve.contract import RunContext
from onoma.resolve.partitions.carrier import Carrier
from onoma.resolve.partitions.rounds import RoundSettings

__all__ = ["STUDIES"]

Values: TypeAlias = Mapping[str, float]
"""What one run gave, by metric."""
_SCORES = ("B³ F1", "pairwise F1")
_CUT = "faint pairs cut"


def _records(
    context: Context, *, model: str, simulate: Callable[..., pa.Table], partitions: Sequence[int | None]
) -> Findings:
    """Resolve one table of records in one piece (None), and in partitions."""
    n = 400 if context.quick else 10_000
    found: dict[str, list[Values]] = defaultdict(list)
    for seed in _seeds(context, 3):
        table = simulate(n, seed=seed)
        for parts in (None, 2) if context.quick else partitions:
            found[_setting(n, parts, "records")].append(_one_table(table, model, parts, seed, context))
    return _findings(found)


def _one_table(table: pa.Table, model: str, parts: int | None, seed: int, context: Context) -> Values:
    with LocalEngine() as engine:
        carry = None if parts is None else Carrier(engine, parts, seed, context.progress)
        answer = resolve(table, model=model, seed=seed, progress=context.progress, carry=carry)
    gold = Clustering.from_labels(gold_labels(table["cluster_id"]))
    found = dict(zip(_SCORES, score_on_labelled(gold, answer.clustering), strict=True))
    return found | ({} if answer.weighed is None or not answer.weighed.is_used else {_CUT: float(answer.weighed.n_cut)})


def _mentions(context: Context) -> Findings:
    """Resolve one table of mentions in partitions, in few and many rounds."""
    n = 1_000 if context.quick else 10_000
    found: dict[str, list[Values]] = defaultdict(list)
    for seed in _seeds(context, 2):
        table = simulate_links(n, seed=seed)
        for parts in (1, 2) if context.quick else (1, 2, 4, 8, 16, 32):
            for n_rounds in (4, 2) if context.quick else (20, 10, 5):
                rounds = RoundSettings(n_partitions=parts, n_rounds=n_rounds)
                found[f"{_setting(n, parts, 'mentions')}, {n_rounds} rounds"].append(
                    _rounds(table, rounds, seed, context)
                )
    return _findings(found)


def _rounds(table: pa.Table, rounds: RoundSettings, seed: int, context: Context) -> Values:
    columns = MentionColumns.of_schema(table.schema, truth="cluster_id")
    with tempfile.TemporaryDirectory(prefix="onoma-study-") as name, LocalEngine() as engine:
        file = Path(name) / "mentions.parquet"
        pq.write_table(table, file)
        run = RunContext(seed=seed, progress=context.progress)
        answer = resolve_mentions(engine, [file], columns, folder=Path(name) / "run", rounds=rounds, run=run)
    if answer.gold is None:
        raise DataError("the simulated mentions have no truth")
    return dict(zip(_SCORES, score_on_labelled(answer.gold, answer.clustering), strict=True))


def _seeds(context: Context, n: int) -> Iterable[int]:
    return range(context.seed, context.seed + (1 if context.quick else n))


def _setting(n: int, parts: int | None, what: str) -> str:
    if parts is None:
        return f"{n:,} {what}, one piece"
    return f"{n:,} {what}, {parts} partition{'s' * (parts > 1)} of {n // parts:,}"


def _findings(found: Mapping[str, Sequence[Values]]) -> Findings:
    """Return means over seeds, and how far the seeds of a setting and settings of a seed lie apart."""
    rows, notes = [], []
    for setting, runs in found.items():
        rows += [Row(setting, metric, None, statistics.fmean(run[metric] for run in runs)) for metric in runs[0]]
    first, *others = found
    for metric in _SCORES:
        seeds = [max(run[metric] for run in runs) - min(run[metric] for run in runs) for runs in found.values()]
        change = [
            run[metric] - base[metric] for each in others for run, base in zip(found[each], found[first], strict=True)
        ]
        notes.append(
            f"{metric} is a mean over tables ({len(found[first])}), up to {max(seeds):.4f} apart in one setting."
            f" Against the first setting, on one table, others change it by {min(change):+.4f} to {max(change):+.4f}."
        )
    return Findings(rows, notes)


STUDIES = (
    Study(
        "distributed/copying",
        "People in partitions: what the copying model loses",
        PAPER,
        partial(_records, model="copying", simulate=simulate_people, partitions=(None, 2, 4, 8, 16, 32)),
    ),
    Study("distributed/cross-document", "Mentions in partitions: how many rounds they need", PAPER, _mentions),
    Study(
        "distributed/hierarchical",
        "Authors in partitions: what the hierarchical model loses",
        PAPER,
        partial(_records, model="hierarchical", simulate=simulate_authors, partitions=(None, 2, 4, 8, 16, 32)),
    ),
)
