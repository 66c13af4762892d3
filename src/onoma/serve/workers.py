"""Several processes that answer from one copy of what was read.

The file is read once, before the processes part: each then has the same memory, which the system copies only where
somebody writes, and these write nothing. All listen at one socket, so that whoever is free takes who comes. When the
first process ends, however it ends, the others do.
"""

import contextlib
import gc
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from onoma.errors import OnomaError, UnsupportedError
from onoma.kb.lookup.live import Live
from onoma.serve.service import Service

__all__ = ["run_server", "run_workers"]

_AT_ONCE = 1.0
"""Seconds; a process that ends sooner would end again."""


def run_server(app: FastAPI, listener: socket.socket, until: int | None = None) -> None:
    """Answer at a socket until somebody ends it, or the other end of a pipe is closed."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_keep_alive=15))
    if until is not None:

        def end() -> None:
            os.read(until, 1)
            server.should_exit = True

        threading.Thread(target=end, daemon=True).start()
    server.run(sockets=[listener])


def run_workers(n: int, path: Path, listener: socket.socket, make: Callable[[Service], FastAPI]) -> None:
    """Let n processes answer at a socket; one that ends before the others is replaced."""
    if not hasattr(os, "fork"):
        raise UnsupportedError("several processes share what was read by fork, which this system does not have")
    read = Live(path)
    with contextlib.suppress(OnomaError):  # where single records are not found, all else is
        read.snapshot()
    gc.collect()
    gc.freeze()  # what is never looked at again is not copied
    until, alive = os.pipe()
    begun: dict[int, float] = {}
    try:
        while True:
            while len(begun) < n:
                begun[_part(path, read, listener, make, until, alive)] = time.monotonic()
            ended, status = os.wait()
            lasted = time.monotonic() - begun.pop(ended, 0.0)
            if os.WIFEXITED(status) and status and lasted < _AT_ONCE:  # not one that somebody has killed
                raise OnomaError("a process of the service ended as soon as it began", hint="Try --workers 1.")
    except KeyboardInterrupt:
        pass
    finally:
        os.close(alive)
        for process in begun:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process, 0)
        os.close(until)


def _part(
    path: Path, read: Live, listener: socket.socket, make: Callable[[Service], FastAPI], until: int, alive: int
) -> int:
    """Begin one process; return its number to the one that began it."""
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        os.close(alive)
        service = Service(path)
        service.live.share(read)
        run_server(make(service), listener, until)
        service.close()
        status = 0
    finally:
        os._exit(status)
