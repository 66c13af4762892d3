"""Documents with their chains: from a mention to its chain, its entity and what is said of it."""

import pytest

from onoma.studio.desk import Desk
from onoma.studio.past import _pieces
from studio.visiting import make_text_base, visit


@pytest.fixture
def client(tmp_path):
    path = make_text_base(tmp_path / "text.duckdb")
    desk = Desk(path, write=True)
    yield visit(desk)
    desk.close()


def test_from_a_document_to_a_chain_to_facts(client):
    assert "d.txt" in client.get("/texts").text
    plain = client.get("/text", params={"document": "d.txt"}).text
    assert "&lt;b&gt;" in plain and "<b>Grace" not in plain
    assert plain.count('class="mention') == 4
    chosen = client.get("/text", params={"document": "d.txt", "chain": "r1"}).text
    assert chosen.count(" chosen") == 2 and "2 mentions here" in chosen and "met" in chosen
    entity = client.get("/entity", params={"id": "e0"}).text
    assert "Said of it" in entity and "Ada" in entity
    assert "Kind" in client.get("/search").text
    assert client.get("/text", params={"document": "../etc/passwd"}).status_code == 404


def test_of_mentions_in_each_other_the_outer_is_marked():
    mentions = [
        {"start": 0, "end": 8, "chain": "a"},
        {"start": 4, "end": 8, "chain": "b"},
        {"start": 9, "end": 99, "chain": "a"},
    ]
    pieces = _pieces("the king left", mentions, {"a": "c0", "b": "c1"})
    assert [piece["text"] for piece in pieces] == ["the king", " left"]
    assert "".join(piece["text"] for piece in pieces) == "the king left"
