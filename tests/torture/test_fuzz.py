"""Damaged files of every kind: no traceback, no lost row, no edited model taken for a whole one.

A thousand cases here; `make torture` (ONOMA_TORTURE in the environment) runs five thousand. The number of a case that
failed, with the seed, makes it again: `attack(dict(cases(folder, n, seed))[name])`.
"""

import os
import signal
from pathlib import Path
from types import FrameType

import pytest

from torture.readers import attack, cases

N_CASES = 5_000 if os.environ.get("ONOMA_TORTURE") else 1_000
SEED = int(os.environ.get("ONOMA_TORTURE_SEED", "0"))
PARTS = 4
SECONDS, WAITED = 10, 60
"""Processor time of a case that is a hang, and time on the wall, which others may be using."""


@pytest.mark.parametrize("part", range(PARTS))
def test_damaged_files_are_kept_rejected_or_refused(part: int, tmp_path: Path):
    failures = []
    clocks = ((signal.ITIMER_PROF, signal.SIGPROF, SECONDS), (signal.ITIMER_REAL, signal.SIGALRM, WAITED))
    before = [signal.signal(number, _too_long) for _, number, _ in clocks]
    try:
        for name, run in cases(tmp_path, N_CASES // PARTS, SEED * PARTS + part):
            for clock, _, seconds in clocks:
                signal.setitimer(clock, seconds)
            wrong = attack(run)
            for clock, _, _ in clocks:
                signal.setitimer(clock, 0)
            if wrong:
                failures.append(f"{name}: {wrong}")
    finally:
        for (clock, number, _), old in zip(clocks, before, strict=True):
            signal.setitimer(clock, 0)
            signal.signal(number, old)
    assert not failures, "\n".join(failures[:20])


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(
        f"more than {SECONDS} s of processor time" if number == signal.SIGPROF else f"{WAITED} s went by"
    )
