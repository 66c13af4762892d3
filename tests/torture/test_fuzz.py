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
SECONDS = 10


@pytest.mark.parametrize("part", range(PARTS))
def test_damaged_files_are_kept_rejected_or_refused(part: int, tmp_path: Path):
    failures = []
    before = signal.signal(signal.SIGALRM, _too_long)
    try:
        for name, run in cases(tmp_path, N_CASES // PARTS, SEED * PARTS + part):
            signal.setitimer(signal.ITIMER_REAL, SECONDS * 6)  # of a clock on the wall, which others may be using
            wrong = attack(run)
            signal.setitimer(signal.ITIMER_REAL, 0)
            if wrong:
                failures.append(f"{name}: {wrong}")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not failures, "\n".join(failures[:20])


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"more than {SECONDS * 6} s")
