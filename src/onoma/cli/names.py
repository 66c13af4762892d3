"""`onoma names`: which names are one thing's?"""

from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Out, Quiet, Seed
from onoma.corpus.formats import write_table
from onoma.pipeline.names import NamesOutcome, PhylogenySettings, cluster_names, link_to_references, read_mentions
from onoma.pipeline.targets import check_table

__all__ = ["names"]

_SHOWN = 12
"""Entities to show."""


def names(
    file: Annotated[Path, typer.Argument(help="Names, one a line (.txt), or a table with a column of names.")],
    *,
    output: Out = None,
    name: Annotated[str | None, typer.Option("--name", metavar="COLUMN", help="Of a table: the names.")] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="COLUMN", help="Of a table: names of different kinds are never one.")
    ] = None,
    document: Annotated[
        str | None, typer.Option("--document", metavar="COLUMN", help="Of a table: where each name was written.")
    ] = None,
    context: Annotated[
        str | None, typer.Option("--context", metavar="COLUMN", help="Of a table: the text around each name.")
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="COLUMN", help="Of a table: the language of the text.")
    ] = None,
    date: Annotated[
        str | None, typer.Option("--date", metavar="COLUMN", help="Of a table: when the text was written.")
    ] = None,
    apart: Annotated[
        bool, typer.Option("--apart", help="One name may be of several things: each mention descends for itself.")
    ] = False,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against", metavar="FILE", help="References, each a thing of its own: find the one of each name."
        ),
    ] = None,
    root_weight: Annotated[float, typer.Option("--root-weight", help="Above 0: more entities, below 0: fewer.")] = 0.0,
    pragmatics: Annotated[
        float,
        typer.Option(
            "--pragmatics",
            help="With --apart: how much writers avoid a name that is in use for another thing.",
            min=0.0,
        ),
    ] = 0.0,
    samples: Annotated[int, typer.Option("--samples", help="How many family trees to sample.", min=10)] = 300,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Cluster a bare list of names, without labels: which were copied from which?

    How names change (initials, nicknames, slips, dropped words, other scripts) is learnt from the list itself. The
    table written with -o says for every name its entity, how sure that is, the name it descends from and the edit.

    For example:

      [cyan]onoma names authors.txt -o who.csv[/]
      [cyan]onoma names mentions.csv --name mention --kind type -o who.csv[/]
      [cyan]onoma names titles.txt --against catalogue.txt -o links.csv[/]
      [cyan]onoma lineage who.csv "Ada Lovelace"[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    if output is not None:
        check_table(output)
    settings = PhylogenySettings(seed=seed, root_weight=root_weight, pragmatics=pragmatics, n_samples=samples)
    mentions = read_mentions(
        file,
        name=name,
        kind=kind,
        document=document,
        context=context,
        language=language,
        date=date,
        is_apart=apart,
        seed=seed,
    )
    if against is not None:
        _link(speaker, link_to_references(mentions, read_mentions(against), progress=speaker.progress), output)
        return
    outcome = cluster_names(mentions, settings=settings, progress=speaker.progress)
    if output is not None:
        write_table(outcome.table, output)
        speaker.note(f"names, entities and parents are in {output}")
    _show(speaker, outcome)


def _link(speaker: Speaker, links: pa.Table, output: Path | None) -> None:
    if output is not None:
        write_table(links, output)
        speaker.note(f"names and their references are in {output}")
    rows = links.to_pylist()
    if speaker.json:
        speaker.answer({"links": rows})
        return
    found = [row for row in rows if row["reference"] is not None]
    speaker.say(f"{len(found):,} of {len(rows):,} names have a reference")
    shown = [(row["name"], row["reference"], row["probability"], row["edit"]) for row in found[:_SHOWN]]
    speaker.table("", ("name", "reference", "probability", "edit"), shown)


def _show(speaker: Speaker, outcome: NamesOutcome) -> None:
    groups: dict[int, list[str]] = {}
    rows = zip(outcome.table.column("entity").to_pylist(), outcome.mentions.names, strict=True)
    for entity, name in rows:
        groups.setdefault(entity, []).append(name)
    if speaker.json:
        speaker.answer(
            {
                "names": len(outcome.mentions.names),
                "entities": outcome.n_entities,
                "clusters": [list(dict.fromkeys(names)) for names in groups.values()],
            }
        )
        return
    speaker.say(f"{len(outcome.mentions.names):,} names of {outcome.n_entities:,} things")
    largest = sorted(groups.items(), key=lambda each: -len(set(each[1])))[:_SHOWN]
    shown = [(entity, len(names), "; ".join(list(dict.fromkeys(names))[:6])) for entity, names in largest]
    speaker.table("", ("entity", "names", "some of them"), shown)
