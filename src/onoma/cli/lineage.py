"""`onoma lineage`: the family tree of an entity's names."""

from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.corpus.writers.files import write_text
from onoma.pipeline.names import (
    draw_tree,
    find_tree,
    is_knowledge_base,
    read_lineage,
    tell_tree,
    tree_from_knowledge_base,
)
from onoma.pipeline.output import DATABASE

__all__ = ["lineage"]


def lineage(
    source: Annotated[
        Path,
        typer.Argument(metavar="KB", help="A knowledge base, what onoma names wrote, or a list of names."),
    ],
    entity: Annotated[str, typer.Argument(help="An entity, or any of its names.")],
    *,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="COLUMN", help="Of a knowledge base: what makes up a name; may be repeated."),
    ] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the tree into this file.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show which name of an entity descends from which, and what was done to it on the way.

    For example:

      [cyan]onoma lineage who.csv "Ada Lovelace"[/]
      [cyan]onoma lineage who.csv 17 --svg tree.svg[/]
      [cyan]onoma lineage people.duckdb e17 --name given_name --name surname[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    if is_knowledge_base(source) or source.suffix.lower() in DATABASE:
        tree = tree_from_knowledge_base(source, entity, columns=name or ())
    else:
        tree = find_tree(read_lineage(source, progress=speaker.progress), entity)
    if svg is not None:
        write_text(svg, [draw_tree(tree)])
        speaker.note(f"the tree is drawn in {svg}")
    if json:
        rows = [
            {"name": name, "parent": None if up < 0 else tree.names[up], "edit": tree.edit(i)}
            for i, (name, up) in enumerate(zip(tree.names, tree.parents, strict=True))
        ]
        speaker.answer({"lineage": rows})
        return
    speaker.say(tell_tree(tree))
