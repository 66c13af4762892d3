import os

import numpy as np
import pytest

from onoma.errors import SettingsError
from onoma.numerics.parts import in_parts, n_threads


@pytest.mark.parametrize("n", [0, 1, 7, 100])
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("least", [1, 10, 1000])
def test_every_item_is_in_one_part(n, threads, least):
    met = np.zeros(n, dtype=np.int64)

    def meet(first, end):
        met[first:end] += 1

    in_parts(n, meet, threads=threads, least=least)
    assert (met == 1).all()


def test_parts_are_not_too_small():
    parts = []
    in_parts(100, lambda first, end: parts.append(end - first), threads=4, least=30)
    assert sum(parts) == 100
    assert min(parts) >= 30


def test_what_goes_wrong_in_a_part_is_told():
    def fail(first, end):
        if first > 0:
            raise ValueError(f"{first} to {end}")

    with pytest.raises(ValueError, match="5 to 10"):
        in_parts(10, fail, threads=1, least=5)
        in_parts(10, fail, threads=2, least=5)


def test_threads_are_as_many_as_cores_unless_it_is_said(monkeypatch):
    monkeypatch.delenv("ONOMA_THREADS", raising=False)
    assert 1 <= n_threads() <= (os.cpu_count() or 1)
    monkeypatch.setenv("ONOMA_THREADS", "3")
    assert n_threads() == 3
    for wrong in ("0", "two", "-1"):
        monkeypatch.setenv("ONOMA_THREADS", wrong)
        with pytest.raises(SettingsError, match="ONOMA_THREADS"):
            n_threads()
