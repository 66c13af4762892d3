"""Short turns: threads that answer are not kept waiting by one that computes.

Python lets one thread run at a time, and whoever wants a turn waits for up to five milliseconds. An answer is made of
dozens of short queries and needs a turn after each, so beside a thread that weighs, draws or writes it would wait a
tenth of a second in all.
"""

import contextlib
import sys
from collections.abc import Iterator

__all__ = ["short_turns"]

_TURN = 0.0005
"""Seconds: long beside what a change of turns costs (some microseconds), short beside an answer."""


@contextlib.contextmanager
def short_turns() -> Iterator[None]:
    """Let the threads of this process take short turns meanwhile."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
