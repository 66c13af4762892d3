"""Several processes that answer from one copy of what was read.

The file is read once, before the processes part: each then has the same memory, which the system copies only where
somebody writes, and these write nothing. All listen at one socket, and each takes the next who comes only when it
answers nobody: else one would take all who wait, and they would wait for it while the others have nothing to do. When
the first process ends, however it ends, the others do.
"""

import asyncio
import contextlib
import gc
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from onoma.errors import OnomaError, UnsupportedError
from onoma.kb.lookup.live import Live
from onoma.serve.service import Service

__all__ = ["run_server", "run_workers"]

_AT_ONCE = 1.0
"""Seconds; a process that ends sooner would end again."""
_PATIENCE = 10.0
"""Seconds that processes have to end when the first one does."""
_LONG = 0.25
"""Seconds; who comes while an answer takes longer does not wait for it."""
_MUTE = 0.05
"""Seconds for which one who came and has not asked yet is waited for, before the next may come."""


def run_server(app: FastAPI, listener: socket.socket) -> None:
    """Answer at a socket until somebody ends it."""
    uvicorn.Server(_config(app)).run(sockets=[listener])


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(app, log_level="warning", timeout_keep_alive=15)


class _Turns:
    """An application that knows whether it answers somebody."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._n = app, 0
        self.asked, self.free = asyncio.Event(), asyncio.Event()
        self.free.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # the life of the server itself, which lasts as long as it does
            await self._app(scope, receive, send)
            return
        self._n += 1
        self.free.clear()
        self.asked.set()
        try:
            await self._app(scope, receive, send)
        finally:
            self._n -= 1
            if not self._n:
                self.free.set()


class _OneByOne(uvicorn.Server):  # type: ignore[misc]  # its types are not looked at (see pyproject.toml)
    """A server that lets the next one come when it answers nobody."""

    def __init__(self, app: FastAPI, listener: socket.socket) -> None:
        self._turns, self._listener = _Turns(app), listener
        super().__init__(_config(self._turns))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        del sockets
        await super().startup([])
        self._listener.setblocking(False)  # noqa: FBT003 (the name of the argument cannot be given)
        self._taking = asyncio.create_task(self._take())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let nobody come any more, and end the answers that were begun."""
        self._taking.cancel()
        await super().shutdown(sockets)

    async def _take(self) -> None:
        loop, turns = asyncio.get_running_loop(), self._turns
        while True:
            await _wait(turns.free, _LONG)
            connection, _ = await loop.sock_accept(self._listener)
            turns.asked.clear()
            await loop.connect_accepted_socket(self._protocol, connection)
            await _wait(turns.asked, _MUTE)

    def _protocol(self) -> asyncio.Protocol:
        made = self.config.http_protocol_class
        return made(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Wait until something is so, but no longer than that."""
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)


def _answer(app: FastAPI, listener: socket.socket, until: int) -> None:
    """Answer at a socket that others share until the other end of a pipe is closed."""
    server = _OneByOne(app, listener)

    def end() -> None:
        os.read(until, 1)
        server.should_exit = True

    threading.Thread(target=end, daemon=True).start()
    server.run()


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
        _wait_for(begun)
        os.close(until)


def _wait_for(processes: Iterable[int]) -> None:
    """Wait until processes have ended; one that does not, stuck in its beginning say, is ended: it only read."""
    end = time.monotonic() + _PATIENCE
    for process in processes:
        with contextlib.suppress(ChildProcessError, ProcessLookupError):
            while os.waitpid(process, os.WNOHANG) == (0, 0):
                if time.monotonic() > end:
                    os.kill(process, signal.SIGKILL)
                time.sleep(0.02)


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
        _answer(make(service), listener, until)
        service.close()
        status = 0
    finally:
        os._exit(status)
