"""Write the pages that come from the code: the command-line reference and the results."""

import dataclasses
import html
import json
import re
import subprocess
import sys
from pathlib import Path

from onoma.resolve.config import OF_THE_MODEL

DOCS = Path(__file__).parent
MOST_ROWS = 60
RESULTS = DOCS.parent / "benchmarks" / "results"


def command_line() -> str:
    done = subprocess.run(
        [sys.executable, "-m", "typer", "onoma.cli.app", "utils", "docs", "--name", "onoma", "--title", "Command line"],
        capture_output=True,
        text=True,
        check=True,
    )
    return _readable(done.stdout).rstrip() + "\n"


def _readable(page: str) -> str:
    """Give examples blocks of their own, colours back to the terminal, and summaries their ends."""
    page = html.unescape(re.sub(r"</?span[^>]*>", "", page))
    page = re.sub(r"(?m)(?:^  \S.*\n)+", _block, page)
    summaries, above, lines = _summaries(), "", []
    for line in page.splitlines():
        heading = re.fullmatch(r"##+ `onoma (.+)`", line)
        above = heading[1] if heading else above
        cut = re.fullmatch(r"\* `([\w-]+)`: .*", line)
        name = f"{above} {cut[1]}".strip() if cut else ""
        lines.append(f"* `{cut[1]}`: {summaries[name]}" if cut and name in summaries else line)
    return "\n".join(lines)


def _block(found: "re.Match[str]") -> str:
    examples = "".join(f"$ {line.strip()}\n" for line in found[0].splitlines())
    return f"```console\n{examples}```\n"


def _summaries() -> dict[str, str]:
    """Return the first paragraph of what each command says of itself; those of groups by both names."""
    import typer

    from onoma.cli.app import app

    found: dict[str, str] = {}

    def walk(group: object, above: str) -> None:
        for name, command in group.commands.items():
            told = (command.help or "").strip().split("\n\n")[0]
            found[f"{above} {name}".strip()] = re.sub(r"\[/?\w*\]", "", " ".join(told.split()))
            if hasattr(command, "commands"):
                walk(command, f"{above} {name}".strip())

    walk(typer.main.get_command(app), "")
    return found


def results() -> str:
    lines = [
        "# Results",
        "",
        "Measured on one machine, each line with its peer in the same run where there is one. A ratio above 1 says how",
        "many times better Onoma is. This page is written by `make docs` from `benchmarks/results/`.",
        "",
    ]
    for path in sorted(RESULTS.glob("*.json")):
        kept = json.loads(path.read_text("utf-8"))
        lines += _benchmark(path.stem, kept) if "measurements" in kept else _study(kept)
    return "\n".join(lines).rstrip() + "\n"


def _benchmark(name: str, kept: dict) -> list[str]:
    machine = kept["machine"]
    rows = [
        f"| {m['name']} | {_number(m['onoma'])} | {_number(m['peer'])} | {m['peer_name'] or '–'} "
        f"| {_number(m['ratio'])} | {m['unit']} | {m['data']} |"
        for m in kept["measurements"]
    ]
    return [
        f"## Benchmark: {name}",
        "",
        f"`{kept['measurements'][0]['command']}`, Python {machine['python']}, {machine['cores']} cores.",
        "",
        "| what | Onoma | peer | which | ratio | unit | data |",
        "|---|---:|---:|---|---:|---|---|",
        *rows,
        "",
    ]


def _study(kept: dict) -> list[str]:
    if len(kept["rows"]) > MOST_ROWS:
        return _long_study(kept)
    rows = [
        f"| {row['setting']} | {row['metric']} | {_number(row['paper'])} | {_number(row['ours'])} | {row['unit']} |"
        for row in kept["rows"]
    ]
    return [
        f"## Study: {kept['study']}",
        "",
        f"{kept['title']}. {kept['paper']}. `{kept['command']}`",
        "",
        "| setting | metric | paper | ours | unit |",
        "|---|---|---:|---:|---|",
        *rows,
        "",
        *(f"{note}\n" for note in kept["notes"]),
    ]


def _long_study(kept: dict) -> list[str]:
    name = kept["study"].replace("/", "-")
    return [
        f"## Study: {kept['study']}",
        "",
        f"{kept['title']}. {kept['paper']}. `{kept['command']}`",
        "",
        f"All {len(kept['rows'])} rows are in `benchmarks/results/{name}.json`. In short:",
        "",
        *(f"* {note}" for note in kept["notes"]),
        "",
    ]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.4g}" if isinstance(value, float) else f"{value:,}"


def options() -> str:
    """Return the page of everything that can be said about a resolution, made from `ResolveConfig`."""
    from onoma.resolve.config import config_table
    from onoma.resolve.registry import find_model, model_names

    lines = ["| model | for | honours |", "|---|---|---|"]
    for name in model_names():
        model = find_model(name)
        own = sorted({each.name for each in dataclasses.fields(model.settings)} & set(OF_THE_MODEL))
        honoured = ", ".join([*sorted(model.capabilities), *own])
        lines.append(f"| `{name}` | {model.summary} | {honoured} |")
    return OPTIONS_PAGE.format(options=config_table(", ".join(model_names())), models="\n".join(lines))


OPTIONS_PAGE = """# Everything that can be said about a resolution

One list: the options of `onoma resolve`, the keys of a file of settings (`--settings FILE`, TOML) and the keyword
arguments of `onoma.resolve` are the fields of `onoma.resolve.config.ResolveConfig`. This page is made from it.

{options}
## What each model honours

An option that a model does not honour is refused before any work, with the models that do. `auto` chooses only among
models that honour all that is asked for. `model_settings` (`--set NAME=VALUE`) are the fields of the model's own
settings.

{models}

`also_compare` are pairs to compare besides those that blocking finds, `fold` means that rows which repeat others in
every field are set aside, `incremental`, `judgements` and `explain` are what a knowledge base can do with the result.
"""


def main() -> None:
    (DOCS / "options.md").write_text(options(), "utf-8")
    (DOCS / "cli.md").write_text(command_line(), "utf-8")
    (DOCS / "results.md").write_text(results(), "utf-8")


if __name__ == "__main__":
    main()
