"""A knowledge base as tools for an assistant, over the Model Context Protocol: it asks, and it may propose.

Nothing an assistant says changes who is who. What it proposes is kept apart until a person accepts it
(`onoma judge KB accept NUMBER`).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from mcp.server.mcpserver import MCPServer

import onoma
from onoma.errors import OnomaError
from onoma.kb.database import read_knowledge_base, write_in_place
from onoma.kb.explain import explain_entity, explain_records
from onoma.kb.judge import Said
from onoma.kb.lookup.live import Live
from onoma.kb.proposals import propose
from onoma.kb.query import count_entities, history, record_rows, show
from onoma.kb.world import find_entity
from onoma.serve.service import Json, plain

__all__ = ["make_server"]

_ABOUT = """A knowledge base of entities: records that are the same thing, with probabilities. Ask it who a record is
(find), what is known of an entity (entity), why records are together (explain, explain_pair), how many there are
(count) and what happened (history). Probabilities are of the model; NIL is that a record is none of those there. You
cannot change who is who: propose_judgement keeps a suggestion that a person accepts or not."""


def make_server(path: Path) -> MCPServer:
    """Return the server of a knowledge base; it speaks over standard input and output when run."""
    server = MCPServer(name=f"onoma: {path.name}", instructions=_ABOUT, version=onoma.__version__)
    live = Live(path)

    def tool(function: Callable[..., Json]) -> None:
        server.add_tool(_told(function), name=function.__name__, description=function.__doc__)

    def find(record: dict[str, Any], most: int = 5) -> Json:
        """Say which entities a record (columns and values) may be, with probabilities and reasons; nothing is added."""
        return live.find(record, most=max(1, min(most, 50))).as_dict()

    def search(name: str, most: int = 10) -> Json:
        """Find entities by name, spelt roughly right."""
        with read_knowledge_base(path) as base:
            return {"entities": [plain(each._asdict()) for each in show(base, name, most=max(1, min(most, 50)))]}

    def entity(name: str) -> Json:
        """Return the records of an entity, named by its id, an alias, or the id of one of its records."""
        with read_knowledge_base(path) as base:
            found = find_entity(base, name)
            return {"entity": found, "records": plain(record_rows(base, found))}

    def explain(name: str) -> Json:
        """Say what holds an entity together, and without which record or field it would be parted."""
        with read_knowledge_base(path) as base:
            return explain_entity(base, name).as_dict()

    def explain_pair(a: str, b: str) -> Json:
        """Say field by field why two records are, or are not, the same."""
        with read_knowledge_base(path) as base:
            return explain_records(base, a, b).as_dict()

    def count(where: str = "") -> Json:
        """Count entities with a 95 % interval; `where` is an SQL condition on the columns of a record, or empty."""
        with read_knowledge_base(path) as base:
            return count_entities(base, where=where or None).as_dict()

    def life(name: str) -> Json:
        """Tell the life of an entity: created, joined, merged, split, and why."""
        with read_knowledge_base(path) as base:
            return {"events": [each._asdict() for each in history(base, name)]}

    def propose_judgement(kind: Literal["same", "different"], a: str, b: str, why: str) -> Json:
        """Suggest that two records are the same or different; a person decides (onoma judge KB accept NUMBER)."""
        with write_in_place(path) as base:
            return propose(base, Said(kind, a, b), by="assistant", why=why).as_dict()

    life.__name__ = "history"
    for each in (find, search, entity, explain, explain_pair, count, life, propose_judgement):
        tool(each)
    return server


def _told(function: Callable[..., Json]) -> Callable[..., Json]:
    """Return a function that says what is wrong instead of failing: an assistant can then ask otherwise."""
    import functools

    @functools.wraps(function)
    def asked(*given: object, **named: object) -> Json:
        try:
            return function(*given, **named)
        except OnomaError as error:
            hint = getattr(error, "hint", None)
            return {"error": str(error)} | ({"hint": hint} if hint else {})

    return asked
