"""Tools for assistants: they ask, and what they propose waits for a person."""

import asyncio
import json

import pytest

pytest.importorskip("mcp", reason="the extra serve is not installed")

from onoma.kb.database import read_knowledge_base
from onoma.kb.judge import list_judgements
from onoma.kb.proposals import list_proposals
from onoma.serve.tools import make_server


def call(server, tool, **given):
    found = asyncio.run(server.call_tool(tool, given))
    if getattr(found, "structured_content", None):
        return found.structured_content.get("result", found.structured_content)
    content = found.content if hasattr(found, "content") else found
    return json.loads(content[0].text)


def test_the_tools(kb, rows, people):
    server = make_server(kb)
    names = {each.name for each in asyncio.run(server.list_tools())}
    assert names == {
        "find", "search", "entity", "explain", "explain_pair", "count", "history", "propose_judgement",
    }  # fmt: skip
    found = call(server, "find", record=rows[4])
    entity = found["candidates"][0]["entity"]
    assert people["id"][4].as_py() in [each["id"] for each in call(server, "entity", name=entity)["records"]]
    assert call(server, "count")["entities"] > 0
    assert call(server, "history", name=entity)["events"]


def test_what_is_asked_wrongly_is_told(kb):
    server = make_server(kb)
    assert "no entity" in call(server, "entity", name="nobody")["error"]
    assert "columns" in call(server, "find", record={"colour": "red"})["error"]


def test_a_proposal_changes_nothing_until_it_is_accepted(kb, people):
    server = make_server(kb)
    a, b = people["id"][0].as_py(), people["id"][7].as_py()
    made = call(server, "propose_judgement", kind="same", a=a, b=b, why="one address")
    with read_knowledge_base(kb) as base:
        assert list_judgements(base) == []
        assert [each.number for each in list_proposals(base)] == [made["proposal"]]
