"""The first lines of the command, also `python -m onoma`: Ctrl-C is quiet before anything heavy is loaded."""

import os
import signal
import sys

__all__ = ["main"]

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def main() -> None:
    """Run the command line."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # who starts us with it ignored means it
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    from onoma.cli.app import main as run

    try:
        run()
    except SystemExit as stop:
        if stop.code != INTERRUPTED:
            raise
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        # All is written and put in order; what threads still compute is of no use to anybody.
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
