"""Threads that answer beside one that computes."""

import sys
import threading
import time

import numpy as np
import pytest

from onoma.serve.turns import short_turns


def test_turns_are_short_meanwhile():
    before = sys.getswitchinterval()
    with pytest.raises(ZeroDivisionError), short_turns():
        assert sys.getswitchinterval() < before
        raise ZeroDivisionError
    assert sys.getswitchinterval() == before


def test_who_answers_waits_less_for_who_computes():
    """Someone who needs many turns, each a moment after the last, gets them sooner."""
    done = threading.Event()

    def compute():
        while not done.is_set():
            sum(range(1_000))

    def answered():
        begun = time.perf_counter()
        for _ in range(20):
            time.sleep(0)  # gives the turn away, as a query does
        return time.perf_counter() - begun

    thread = threading.Thread(target=compute, daemon=True)
    thread.start()
    try:
        long = np.median([answered() for _ in range(5)])
        with short_turns():
            short = np.median([answered() for _ in range(5)])
    finally:
        done.set()
        thread.join()
    assert short < long
