"""Write the pages that come from the code: the command-line reference and the results."""

import json
import subprocess
import sys
from pathlib import Path

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
    return done.stdout.rstrip() + "\n"


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


def main() -> None:
    (DOCS / "cli.md").write_text(command_line(), "utf-8")
    (DOCS / "results.md").write_text(results(), "utf-8")


if __name__ == "__main__":
    main()
