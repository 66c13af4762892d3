"""Documents with their chains: from a mention to its chain, its entity and what is said of it."""

import pyarrow as pa
import pytest

from onoma.kb.database import create_knowledge_base
from onoma.kb.texts import add_up_facts, make_text_tables
from onoma.studio.desk import Desk
from onoma.studio.past import _pieces
from studio.visiting import visit

TEXT = "Ada met <b>Grace</b>. She thanked her. محمد came."


@pytest.fixture
def client(tmp_path):
    """A knowledge base as `onoma build` makes them, of one document."""
    path = tmp_path / "text.duckdb"
    with create_knowledge_base(path) as base:
        make_text_tables(base)
        people = [("Ada", "r1"), ("Grace", "r2"), ("محمد", "r3")]
        records = {"onoma_record": [0, 1, 2], "id": ["r1", "r2", "r3"], "name": [name for name, _ in people]}
        records |= {"document": ["d.txt"] * 3, "type": ["person"] * 3, "mentions": [2, 2, 1], "sentence": [TEXT] * 3}
        empty = {"onoma_source": [""] * 3, "onoma_added": [1] * 3, "onoma_retracted": pa.nulls(3, pa.int64())}
        base.replace("records", pa.table(records | empty))
        base.change("INSERT INTO columns VALUES ('id', 'id'), ('name', 'name'), ('document', 'document')")
        for i, (name, key) in enumerate(people):
            base.change("INSERT INTO memberships VALUES (?, '', ?, ?, 0.95)", [i, key, f"e{i}"])
            base.change(
                "INSERT INTO entities (entity, size, probability, name, type) VALUES (?, 1, 0.95, ?, 'person')",
                [f"e{i}", name],
            )
        base.change("INSERT INTO documents VALUES ('d.txt', 'd.txt', ?, 12, NULL, 'x', 1)", [TEXT])
        base.change("INSERT INTO sentences VALUES ('d.txt', 0, 0, 21), ('d.txt', 1, 22, 38)")
        at = [
            ("m1", "Ada", "r1", "name"),
            ("m2", "Grace", "r2", "name"),
            ("m3", "She", "r1", "pronoun"),
            ("m4", "محمد", "r3", "name"),
        ]
        for number, text, chain, kind in at:
            start = TEXT.index(text)
            row = [number, start, start + len(text), text, kind, text if kind == "name" else None, chain]
            base.change("INSERT INTO mentions VALUES (?, 'd.txt', 0, ?, ?, ?, ?, ?, ?, 0.9)", row)
        base.change("INSERT INTO statements VALUES ('d.txt', 0, 'r1', 'met', 'r2', 'm1', 'm2')")
        base.change(
            "INSERT INTO runs (run, kind, made, \"rows\", entities) VALUES (1, 'build', TIMESTAMP '2026-01-01', 3, 3)"
        )
        add_up_facts(base)
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
