"""`onoma explain`: why records are one entity, or two records are not."""

from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker, Strong
from onoma.cli.options import Json, Quiet
from onoma.errors import SettingsError
from onoma.kb.ask.golden import golden_values
from onoma.kb.database import KnowledgeBase, read_knowledge_base
from onoma.kb.explain import EntityExplanation, PairExplanation, explain_entity, explain_records
from onoma.kb.picture import draw_entity, draw_pair, save_tree
from onoma.kb.texts import TextEntity, common_folder, explain_text_entity, is_from_text
from onoma.kb.trees import entity_tree, has_trees
from onoma.resolve.report.entity_tree import tree_text

__all__ = ["explain"]


def explain(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")],
    names: Annotated[list[str], typer.Argument(metavar="ENTITY | A B", help="An entity; or two records.")],
    *,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE.svg", help="Draw it into this file.")
    ] = None,
    values: Annotated[
        bool, typer.Option("--values", help="Say where the values of an entity come from: record and rule.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say why the records of an entity are together, and what it hangs on; or why two records are the same or not.

    What would part an entity is found by taking each record, and each field, away and drawing the rest again. Where the
    model is hierarchical, the tree of the entity is shown.

    For example:

      [cyan]onoma explain people.duckdb e17 --picture e17.svg[/]
      [cyan]onoma explain people.duckdb r17 r203[/]
      [cyan]onoma explain people.duckdb e17 --values[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    if not 1 <= len(names) <= 2:
        raise SettingsError(f"{len(names)} names came; it is one entity, or two records")
    with read_knowledge_base(kb) as base:
        if values:
            _explain_values(speaker, base, names, json=json, picture=picture)
            return
        if len(names) == 1 and is_from_text(base):
            if picture is not None:
                raise SettingsError("there is no picture of an entity that was built from documents")
            told = explain_text_entity(base, names[0])
            answer: dict[str, object] = told.as_dict()
            _show_text_entity(speaker, told, common_folder(base))
        elif len(names) == 1 and has_trees(base):
            tree = entity_tree(base, names[0])
            answer = {"entity": names[0], "tree": tree.as_dict()}
            if picture is not None:
                save_tree(tree, picture, title=names[0])
            speaker.say(Strong(names[0]))
            speaker.say(tree_text(tree))
        elif len(names) == 1:
            entity = explain_entity(base, names[0])
            answer = entity.as_dict()
            if picture is not None:
                draw_entity(entity, picture)
            _show_entity(speaker, entity)
        else:
            pair = explain_records(base, names[0], names[1])
            answer = pair.as_dict()
            if picture is not None:
                draw_pair(pair, picture)
            _show_pair(speaker, pair)
    if json:
        speaker.answer(answer | ({} if picture is None else {"picture": str(picture)}))
    elif picture is not None:
        speaker.say(f"written: {picture}")


def _explain_values(
    speaker: Speaker, base: KnowledgeBase, names: list[str], *, json: bool, picture: Path | None
) -> None:
    """Show the golden record of an entity, value by value."""
    if len(names) != 1 or picture is not None:
        raise SettingsError("--values is about one entity, and draws no picture")
    found = golden_values(base, names[0])
    if json:
        speaker.answer({"entity": names[0], "values": [each.as_dict() for each in found]})
        return
    rows = (
        [each.column, each.value, each.record, each.rule, ", ".join(f"{v} ({n})" for v, n in each.others.items())]
        for each in found
    )
    speaker.table(names[0], ("column", "value", "of record", "rule", "others say"), rows)


def _show_entity(speaker: Speaker, found: EntityExplanation) -> None:
    n = len(found.records)
    speaker.say(Strong(found.entity), f": {n:,} {'record' if n == 1 else 'records'}")
    if n == 1:
        return
    speaker.say(f"all one with probability {found.together:.2f}")
    links = ([link.a, link.b, f"{link.bits:+.1f}", f"{link.probability:.2f}"] for link in found.tree)
    speaker.table("what holds it, strongest first", ("record", "record", "bits", "together"), links)
    speaker.say("")
    if found.why_not:
        speaker.say(f"what would part it is not told: {found.why_not}")
        return
    rows = ([f"{each.what} {each.name}", f"{each.split:.2f}"] for each in found.removals[:8])
    speaker.table("what it hangs on", ("without", "parted with probability"), rows)
    if found.critical is None:
        speaker.say("no single record or field holds it together")
    else:
        speaker.say(f"without the {found.critical.what} {found.critical.name} it would be parted")


def _show_text_entity(speaker: Speaker, found: TextEntity, folder: str) -> None:
    speaker.say(Strong(found.entity), f": {found.name}")
    speaker.say("called " + ", ".join(f"{name} ({n:,})" for name, n in found.names))
    if found.links:
        speaker.say("entries: " + ", ".join(f"{entry} {p:.2f}" for entry, p in found.links))
    rows = (
        [str(each["id"]).removeprefix(folder), f"{each['probability']:.2f}", each["name"], each["sentence"]]
        for each in found.records
    )
    speaker.table("chains that are one", ("chain", "probability", "name", "first sentence"), rows)
    if found.facts:
        speaker.say("")
        facts = (
            [
                each["subject_name"],
                each["said"],
                each["object_name"],
                f"{each['probability']:.2f}",
                each["sentence"],
            ]
            for each in found.facts
        )
        speaker.table("what is said", ("subject", "said", "object", "probability", "sentence"), facts)


def _show_pair(speaker: Speaker, found: PairExplanation) -> None:
    rows = ([step.field, step.level, step.a, step.b, f"{step.bits:+.1f}"] for step in found.pair.steps)
    speaker.table(f"{found.a} and {found.b}", ("field", "level", found.a, found.b, "bits"), rows)
    speaker.say("")
    speaker.say(f"by themselves: {found.pair.bits:+.1f} bits, probability {found.pair.probability:.2f}")
    speaker.say("among all records: probability ", Strong(f"{found.posterior:.2f}"))
    for told in found.judgements:
        speaker.say(told)
    if len(found.path) > 1:
        way = " – ".join([found.path[0].a, *(link.b for link in found.path)])
        weakest = min(link.bits for link in found.path)
        speaker.say(f"best way: {way} (weakest link {weakest:+.1f} bits)")
