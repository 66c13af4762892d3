"""How a studio is visited without a browser."""

import pyarrow as pa
from fastapi.testclient import TestClient

from onoma.kb.database import create_knowledge_base
from onoma.kb.texts import add_up_facts, make_text_tables
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig
from onoma.studio.app import make_app

HOME = "http://127.0.0.1:8770"
TOKEN = "sesame"
TEXT = "Ada met <b>Grace</b>. She thanked her. محمد came."


def make_base(table, path):
    config = ResolveConfig(truth="cluster_id", no_check=True)
    store_outcome(run_job(Job(table=table, config=config)), path, command="onoma resolve people.csv")
    return path


def visit(desk):
    """Return a browser, as it were, that has brought the token."""
    client = TestClient(make_app(desk, token=TOKEN), base_url=HOME, headers={"origin": HOME})
    assert client.get("/", params={"token": TOKEN}).status_code == 200
    return client


def make_text_base(path):
    """Make a knowledge base as `onoma build` makes them, of one document."""
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
    return path
