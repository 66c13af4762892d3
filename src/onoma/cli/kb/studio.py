"""`onoma studio`: a knowledge base in the browser."""

import getpass
import secrets
import threading
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.interrupt import Interrupt
from onoma.cli.kb.listening import LOOPBACK, listening
from onoma.cli.options import Quiet
from onoma.errors import SettingsError

__all__ = ["studio"]

_EVERYBODY = ("0.0.0.0", "::", "")  # noqa: S104 (they are refused)


def studio(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")],
    *,
    host: Annotated[str, typer.Option("--host", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port; 0: any that is free.", min=0, max=65535)] = 0,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Decide nothing; others may write the file meanwhile.")
    ] = False,
    by: Annotated[str, typer.Option("--by", help="Who decides; kept with each judgement.")] = "",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the browser.")] = True,
    i_know: Annotated[
        bool, typer.Option("--i-know", help="Listen to other machines, over a network that reads along.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Look at a knowledge base in the browser: who is who, how sure, why, and what to decide next.

    It runs on this machine, needs no network, and answers only to the address that it prints. Ctrl-C ends it; what was
    decided is in the file. While it runs, the file is its alone, unless it is begun with [cyan]--read-only[/].

    For example:

      [cyan]onoma studio people.duckdb[/]
      [cyan]onoma studio people.duckdb --by ada --no-browser --port 8770[/]
    """
    speaker = Speaker(json=False, quiet=quiet)
    try:
        import uvicorn

        from onoma.studio.app import make_app
    except ImportError as error:
        raise SettingsError(
            f"the studio needs FastAPI, Jinja and uvicorn ({error.name} is not there)",
            hint="pip install 'onoma[studio]'",
        ) from error
    from onoma.studio.desk import open_desk

    if host not in LOOPBACK and not i_know:
        raise SettingsError(
            f"--host {host} lets other machines in, and what is sent can be read on the way",
            hint="Leave it out, or add --i-know. Safer: ssh -L 8770:127.0.0.1:8770 and a browser here.",
        )
    token = secrets.token_urlsafe(18)
    # The first Ctrl-C lets it end in order, with what waits to be written; another one ends it at once.
    heeding = Interrupt(lambda _: None)
    with (
        heeding,
        heeding.heeded(),
        open_desk(kb, write=not read_only, by=by or _user()) as desk,
        listening(host, port) as listener,
    ):
        hosts = () if host in LOOPBACK else ("*",) if host in _EVERYBODY else (host,)
        app = make_app(desk, token=token, hosts=hosts)
        shown = "127.0.0.1" if host in _EVERYBODY else f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{listener.getsockname()[1]}/?token={token}"
        speaker.say(url)
        speaker.note(f"{kb} is open{' to be read' if read_only else ''}; Ctrl-C ends it")
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_keep_alive=30, server_header=False))
        threading.Timer(0.5, desk.start).start()  # the first page comes before what is made ready beside
        if browser:
            threading.Timer(0.3, webbrowser.open, [url]).start()
        server.run(sockets=[listener])
    speaker.note("ended; everything that was decided is kept")


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no such user, as in some containers
        return ""
