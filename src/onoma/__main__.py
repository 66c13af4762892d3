"""The first lines of the command, also `python -m onoma`: Ctrl-C is quiet before anything heavy is loaded."""

import atexit
import os
import signal
import sys

__all__ = ["main"]

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def main() -> None:
    """Run the command line, and end the process."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # who starts us with it ignored means it
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    from onoma.cli.app import main as run

    code: object = 0
    try:
        run()
    except SystemExit as stop:
        code = stop.code or 0
    if not isinstance(code, int):
        raise SystemExit(code)
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except OSError:  # whoever was to read it has gone
        sys.exit(code)
    atexit._run_exitfuncs()  # working folders go, engines end
    # All is written and put in order. What threads still compute after Ctrl-C is of no use to anybody, and to take
    # everything apart that was loaded and compiled takes as long as loading half of it.
    os._exit(code)


if __name__ == "__main__":
    main()
