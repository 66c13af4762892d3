"""Somebody who asks long work to end, at a moment that a test knows."""

import contextlib


class StopAfter:
    """Asks to stop after so many sweeps; it is looked at after each, and before each of the two runs."""

    def __init__(self, n):
        self.left = n + 2

    @contextlib.contextmanager
    def heeded(self):
        yield self.asked

    def asked(self):
        self.left -= 1
        return self.left <= 0
