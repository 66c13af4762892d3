"""Copies or trees: what rows of one rare name are like, and which model finds more (`onoma.resolve.auto`)."""

from collections.abc import Iterator

import pyarrow as pa

from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.corpus.simulate import simulate_people
from onoma.corpus.simulate.authors import simulate_authors
from onoma.pipeline.evaluation import gold_labels
from onoma.pipeline.reproduce import Context, Findings, Row, Study
from onoma.pipeline.studies.hierarchical import PAPER, score_on_labelled
from onoma.resolve.api import resolve
from onoma.resolve.auto import pick_model
from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.prepare import prepare_fields

__all__ = ["STUDIES"]

_FILES = {
    "FEBRL 3": "linkage/febrl3",
    "fake_1000": "linkage/fake_1000",
    "historical_50k": "linkage/historical_50k",
    "AMiner": "aminer110/mentions",
    "PatentsView": "patentsview/mentions",
}
_NO_EVIDENCE = ("mention_id", "patent_id", "inventor_sequence", "pv20220630_id", "block", "paper_id")
"""Ids, and others' answers."""
_MODELS: tuple[str, ...] = ("copying", "hierarchical")


def _tables(context: Context) -> Iterator[tuple[str, pa.Table]]:
    n = 900 if context.quick else 5000
    authors = simulate_authors(n, seed=context.seed)
    yield "simulated people", simulate_people(n, seed=context.seed)
    yield "simulated authors", authors
    yield "the same without co-authors", authors.drop_columns(["coauthors"])
    if not context.quick:
        for name, path in _FILES.items():
            yield name, read_table(context.file(f"resolution/{path}.csv.gz")).table


def _choice(context: Context) -> Findings:
    rows, notes = [], []
    for name, table in _tables(context):
        exclude = [column for column in _NO_EVIDENCE if column in table.column_names]
        gold = Clustering.from_labels(gold_labels(table["cluster_id"]))
        found = {}
        for model in _MODELS:
            config = ResolveConfig(model=model, seed=context.seed, exclude=tuple(exclude))
            answer = resolve(table, config, progress=context.progress)
            found[model] = score_on_labelled(gold, answer.clustering)[0]
            rows.append(Row(name, f"{model}: B³ F1", None, found[model]))
        notes.append(f"{name}: {_picked(table, exclude)}; more is found by {max(found, key=found.__getitem__)}.")
    return Findings(rows, notes, {})


def _picked(table: pa.Table, exclude: list[str]) -> str:
    left_out = [name for name in ("id", "cluster_id", *exclude) if name in table.column_names]
    model, why = pick_model(prepare_fields(table, exclude=left_out).fields)
    return f"picked is {model}, because {why}"


STUDIES = (Study("hierarchical/choice", "Which model is picked for a table, and which finds more", PAPER, _choice),)
