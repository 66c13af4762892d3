"""`onoma serve`: a knowledge base over HTTP."""

import contextlib
import secrets
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.kb.listening import LOOPBACK, listening
from onoma.cli.options import Quiet
from onoma.errors import SettingsError

__all__ = ["serve"]


def serve(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")],
    *,
    host: Annotated[str, typer.Option("--host", help="Where to listen; others than this machine need the token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", help="The port; 0: any that is free.", min=0, max=65535)] = 8765,
    write: Annotated[
        bool, typer.Option("--write", help="Take records and judgements; the file is then its alone.")
    ] = False,
    workers: Annotated[
        int, typer.Option("--workers", help="Processes that answer, from one copy in memory; to read only.", min=1)
    ] = 1,
    token: Annotated[
        str, typer.Option("--token", envvar="ONOMA_TOKEN", help="What whoever asks must bring; made up if needed.")
    ] = "",
    quiet: Quiet = False,
) -> None:
    """Serve a knowledge base over HTTP: find, entities, explanations, counts, history, review.

    The service listens on this machine only and reads only. With [cyan]--write[/] it takes records and judgements, and
    whoever asks needs its token. OpenRefine matches a column against it: add the service http://127.0.0.1:8765/reconcile.
    What it answers is described at http://127.0.0.1:8765/docs.

    For example:

      [cyan]onoma serve people.duckdb[/]
      [cyan]onoma serve people.duckdb --write --port 9000[/]
      [cyan]onoma serve people.duckdb --workers 4[/]
    """
    speaker = Speaker(json=False, quiet=quiet)
    if write and workers > 1:
        raise SettingsError("--workers is for reading: with --write the file is one process's alone")
    try:
        from onoma.serve.app import make_app
        from onoma.serve.workers import run_server, run_workers
    except ImportError as error:
        raise SettingsError("a service needs FastAPI and uvicorn", hint="pip install 'onoma[serve]'") from error
    from onoma.serve.service import open_service

    local, made_up = host in LOOPBACK, False
    if not token and (write or not local):
        token = secrets.token_urlsafe(18)
        made_up = True
    hosts = () if local else (host, "*")
    how = "to read and to write" if write else "to read"
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(open_service(kb, write=write))
        listener = stack.enter_context(listening(host, port))
        if made_up:
            speaker.say(f"token: {token}")
        speaker.say(f"http://{host}:{listener.getsockname()[1]} serves {kb}, {how}; Ctrl-C ends it")
        if workers == 1:
            run_server(make_app(service, token=token, hosts=hosts), listener)
        else:
            service.close()  # each process opens the file for itself
            run_workers(workers, kb, listener, lambda each: make_app(each, token=token, hosts=hosts))
