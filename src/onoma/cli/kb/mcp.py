"""`onoma mcp`: a knowledge base as tools for an assistant."""

from pathlib import Path
from typing import Annotated

import typer

from onoma.errors import SettingsError
from onoma.kb.database import read_knowledge_base

__all__ = ["mcp"]


def mcp(kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")]) -> None:
    """Offer a knowledge base to an assistant as tools, over standard input and output (MCP).

    The tools are find, search, entity, explain, explain_pair, count, history and propose_judgement. Nothing that an
    assistant says changes who is who: proposals wait for [cyan]onoma judge KB accept NUMBER[/].

    For example, in the settings of an assistant:

      [cyan]{"command": "onoma", "args": ["mcp", "people.duckdb"]}[/]
    """
    with read_knowledge_base(kb):
        pass  # say now what is wrong with it
    try:
        from onoma.serve.tools import make_server
    except ImportError as error:
        raise SettingsError("tools for assistants need the package mcp", hint="pip install 'onoma[serve]'") from error
    make_server(kb).run("stdio")
