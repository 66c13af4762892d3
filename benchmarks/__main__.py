"""Run benchmarks: `python -m benchmarks [NAME…] [--quick] [--save]`.

A benchmark is a module `benchmarks/bench_NAME.py` with `run(quick: bool) -> Iterator[Measurement]`. Without names, all
run. `--save` keeps the lines under `benchmarks/results/NAME.json`.
"""

import argparse
import importlib
import json
import os
import platform
from dataclasses import replace
from pathlib import Path

import onoma
from benchmarks.measure import RESULTS


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    known = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run?")
    parser.add_argument("--save", action="store_true", help="keep the lines under benchmarks/results/")
    parser.add_argument("--note", default="", help="what to know of this run, kept with the lines: a busy machine, say")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(known))
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; known: {', '.join(known)}")
    for name in arguments.names or known:
        command = f"python -m benchmarks {name}" + " --quick" * arguments.quick
        lines = []
        for measurement in importlib.import_module(f"benchmarks.bench_{name}").run(quick=arguments.quick):
            line = replace(measurement, command=command).json()
            print(line, flush=True)
            lines.append(json.loads(line))
        if arguments.save:
            kept = {"machine": _machine(), "onoma": onoma.__version__, "measurements": lines}
            if arguments.note:
                kept["note"] = arguments.note
            (RESULTS / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def _machine() -> dict[str, object]:
    return {"python": platform.python_version(), "system": platform.system(), "cores": os.cpu_count()}


if __name__ == "__main__":
    main()
