"""What all tests share: the door to real data."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

HOW = "needs real labelled data: set ONOMA_DATA to a folder laid out as docs/data.md says"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real labelled data; the test skips where there is none."""
    value = os.environ.get("ONOMA_DATA")
    if not value:
        pytest.skip(HOW)
    root = Path(value)
    if not root.is_dir():
        pytest.fail(f"ONOMA_DATA is {value}, which is no folder")
    return root


# A kernel's first call compiles it, which is no slowness of the test.
settings.register_profile("onoma", deadline=None)
settings.load_profile("onoma")

# What runs in the background inherits not to hear interrupts, and so would the commands that tests begin and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
