"""`onoma cluster`: scores of pairs in, clusters out."""

import shlex
import sys
import time
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from onoma.cli.console import Speaker, Strong
from onoma.cli.options import Json, Quiet
from onoma.corpus.formats import write_table
from onoma.corpus.readers.table import read_table
from onoma.errors import DataError, SettingsError
from onoma.kb.scored.clusters import Clustered, ScoredPairs, cluster_pairs, label_pairs, read_pairs
from onoma.kb.scored.storing import store_clusters, with_columns

__all__ = ["cluster"]


def cluster(
    pairs: Annotated[Path, typer.Argument(metavar="PAIRS", help="Two columns of ids and one of scores.")],
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A table (id, entity, probability), or a knowledge base (.duckdb)."),
    ] = None,
    score: Annotated[str | None, typer.Option("--score", metavar="COLUMN", help="The column of scores.")] = None,
    score_is: Annotated[
        str | None, typer.Option("--score-is", metavar="KIND", help="probability, bits (log2 odds) or log-odds.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", help="What is known: a, b, same (1 or 0); or id, entity."),
    ] = None,
    must: Annotated[
        Path | None, typer.Option("--must", help="Pairs a, b that are one entity, whatever the scores.")
    ] = None,
    cannot: Annotated[Path | None, typer.Option("--cannot", help="Pairs a, b that are not.")] = None,
    records: Annotated[Path | None, typer.Option("--records", help="The records, for their columns.")] = None,
    id: Annotated[str | None, typer.Option("--id", help="Their column of ids.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Turn scores of pairs, whoever made them, into clusters with probabilities.

    Scores may be Splink's (match_probability, match_weight), dedupe's, of a cross-encoder or a language model. No
    threshold is chosen: the clustering has the least expected errors over samples from the posterior that the scores
    give. Into a knowledge base the clusters are reversible: judge, undo, explain, review.

    For example:

      [cyan]onoma cluster pairs.parquet -o who.csv[/]
      [cyan]onoma cluster pairs.csv --labels known.csv --cannot apart.csv -o who.duckdb[/]
      [cyan]onoma judge who.duckdb different 17 203[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    begun = time.perf_counter()
    scored = read_pairs(read_table(pairs).table, score=score, kind=score_is)
    if not scored.ids:
        raise DataError("there are no pairs with scores", file=pairs)
    said = {"same": _said(must), "different": _said(cannot)}
    known = None if labels is None else label_pairs(scored, read_table(labels).table)
    found = cluster_pairs(scored, same=said["same"], different=said["different"], labels=known)
    table = with_columns(scored, None if records is None else read_table(records).table, id)
    if output is not None and output.suffix in (".duckdb", ".ddb"):
        command, seconds = shlex.join(["onoma", *sys.argv[1:]]), time.perf_counter() - begun
        store_clusters(output, scored, found, table, **said, command=command, seconds=seconds)
    elif output is not None:
        write_table(_clusters(found, table), output)
    _tell(speaker, scored, found, output)


def _said(path: Path | None) -> list[tuple[str, str]]:
    if path is None:
        return []
    table = read_table(path).table
    if table.num_columns < 2:
        raise SettingsError(f"{path} has one column; pairs have two", hint="a,b")
    first, second = (table.column(i).to_pylist() for i in (0, 1))
    return [(str(a), str(b)) for a, b in zip(first, second, strict=True)]


def _clusters(found: Clustered, table: pa.Table) -> pa.Table:
    names = pa.array([f"e{label}" for label in found.clustering.labels.tolist()], pa.string())
    taken = {name for name in ("entity", "probability") if name in table.column_names}
    if taken:
        table = table.rename_columns([f"{name}_of_record" if name in taken else name for name in table.column_names])
    table = table.add_column(1, "entity", names)
    return table.add_column(2, "probability", pa.array(found.probability))


def _tell(speaker: Speaker, scored: ScoredPairs, found: Clustered, output: Path | None) -> None:
    fit = found.calibration
    told: dict[str, object] = {
        "things": len(scored.ids),
        "pairs": len(scored.a),
        "entities": found.clustering.n_entities,
        "calibrated": fit is not None,
        "score": scored.kind,
        "notes": list(scored.notes),
    }
    if fit is not None:
        told["calibration"] = {
            "intercept": fit.intercept, "slope": fit.slope, "labels": fit.n_labels,
            "log_loss_before": fit.log_loss_before, "log_loss": fit.log_loss,
        }  # fmt: skip
    if speaker.json:
        speaker.answer(told | ({} if output is None else {"output": str(output)}))
        return
    for note in scored.notes:
        speaker.say(note)
    speaker.say(
        Strong(f"{found.clustering.n_entities:,}"),
        f" entities of {len(scored.ids):,} things in {len(scored.a):,} pairs",
    )
    if fit is None:
        speaker.say(
            f"scores were taken at their word ({scored.kind}): probabilities are not calibrated; --labels does that"
        )
    else:
        speaker.say(
            f"calibrated by {fit.n_labels:,} labelled pairs: log odds = {fit.intercept:+.2f} {fit.slope:+.2f} × the "
            f"score's; log loss {fit.log_loss_before:.3f} before, {fit.log_loss:.3f} after (held out)"
        )
    if output is not None:
        speaker.say(f"written: {output}")
