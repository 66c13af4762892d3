"""`onoma simulate`: a corpus whose truth is known."""

import time
from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import pyarrow as pa
import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet, Seed
from onoma.corpus import simulate as simulators
from onoma.corpus.formats import format_of, write_table
from onoma.corpus.simulate.dials import Dials
from onoma.errors import SettingsError

__all__ = ["Kind", "simulate"]


class Kind(StrEnum):
    """What is simulated."""

    people = "people"
    authors = "authors"
    mentions = "mentions"
    links = "links"


_SIMULATORS: dict[Kind, tuple[Callable[..., pa.Table], type[Dials]]] = {
    Kind.people: (simulators.simulate_people, simulators.PeopleSettings),
    Kind.authors: (simulators.simulate_authors, simulators.AuthorSettings),
    Kind.mentions: (simulators.simulate_mentions, simulators.MentionSettings),
    Kind.links: (simulators.simulate_links, simulators.LinkSettings),
}
_MEASURED: dict[Kind, Literal["people", "authors", "mentions"]] = {
    Kind.people: "people",
    Kind.authors: "authors",
    Kind.mentions: "mentions",
    Kind.links: "mentions",
}
"""As what the table is measured."""


def simulate(
    kind: Annotated[Kind, typer.Argument(help="What the rows are.")],
    n: Annotated[str, typer.Argument(metavar="N", help="How many rows: 5000, 5_800_000.")] = "",
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write: .csv, .tsv, .jsonl, .parquet (.gz, .zst).")
    ] = None,
    dial: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="DIAL=VALUE", help="Turn a dial: --set typos=0.1 (see --dials)."),
    ] = None,
    dials: Annotated[bool, typer.Option("--dials", help="List the dials of KIND instead of simulating.")] = False,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Simulate a table whose truth is known, and print what it is like.

    Rows carry an opaque [bold]id[/] and the true [bold]cluster_id[/]. Name frequencies are those of real name lists.

    [bold]people[/]: names, birth dates, addresses, telephones; with typos, nicknames, moves, households, twins.
    [bold]authors[/]: authorships with initials, titles, co-authors, venues; heavy-tailed, with shared names.
    [bold]mentions[/]: names in context, many entities to one name.
    [bold]links[/]: names in context as links to an encyclopaedia give them, many names to one entity.

    For example:

      [cyan]onoma simulate people 5000 -o people.csv[/]
      [cyan]onoma simulate authors 1_000_000 --seed 3 -o authors.parquet --set initials=0.5[/]
      [cyan]onoma simulate people --dials[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    run, settings = _SIMULATORS[kind]
    if dials:
        known = simulators.dials(settings)
        speaker.table(f"dials of {kind.value}", ("dial", "default", "from", "to", "what"), known)
        if json:
            speaker.answer({"dials": [each._asdict() for each in known]})
        return
    rows = _rows(n)
    if output is None:
        raise SettingsError("where should the rows go?", hint=f"Add -o {kind.value}.csv")
    format_of(output)
    chosen = settings(**_turned(dial or [], settings))
    start = time.perf_counter()
    table = run(rows, seed=seed, settings=chosen, progress=speaker.progress)
    with speaker.progress.task(f"writing {output.name}"):
        write_table(table, output)
    seconds = time.perf_counter() - start
    with speaker.progress.task("measuring what it is like"):
        found = asdict(simulators.statistics(table, _MEASURED[kind]))
    speaker.say(f"{output}: {rows:,} rows in {seconds:.1f} s")
    speaker.table("", ("statistic", "value"), _flat(found))
    if json:
        speaker.answer({"output": str(output), "seconds": seconds, "seed": seed, "settings": asdict(chosen)} | found)


def _rows(text: str) -> int:
    try:
        return int(text.replace(",", ""))
    except ValueError:
        raise SettingsError(f"N is {text!r}; it is a whole number, such as 5000 or 5_800_000") from None


def _turned(pairs: list[str], settings: type[Dials]) -> dict[str, float]:
    known = {each.name: each for each in simulators.dials(settings)}
    turned: dict[str, float] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name not in known:
            raise SettingsError(f"there is no dial {name!r}", hint=f"Dials: {', '.join(known)}.")
        try:
            turned[name] = int(value) if isinstance(known[name].default, int) else float(value)
        except ValueError:
            raise SettingsError(
                f"{name} is set to {value!r}; it is a number from {known[name].low} to {known[name].high}"
            ) from None
    return turned


def _flat(found: dict[str, object]) -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = []
    for name, value in found.items():
        if isinstance(value, dict):
            rows += [(f"{name.replace('_', ' ')}: {field}", share) for field, share in value.items()]
        else:
            rows.append((name.replace("_", " "), value))
    return rows
