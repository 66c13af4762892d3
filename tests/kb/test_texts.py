"""Facts are added up from sentences."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import DataError
from onoma.kb.database import create_knowledge_base, read_knowledge_base
from onoma.kb.store import append_records
from onoma.kb.texts import STATED, add_up_facts, common_folder, explain_text_entity, is_from_text, make_text_tables

TEXT = "Ada met Bob. She wrote to Bob."
CHAINS = {"d:ada": ("e0", 0.9, "Ada"), "d:bob": ("e1", 0.8, "Bob")}


@pytest.fixture
def built(tmp_path):
    """One document, two chains, two sentences that state the same; one says "she"."""
    path = tmp_path / "kb.duckdb"
    with create_knowledge_base(path) as base:
        make_text_tables(base)
        base.change("INSERT INTO documents VALUES (?, '', ?, 8, NULL, 'x', 1)", ["d", TEXT])
        base.change("INSERT INTO sentences VALUES ('d', 0, 0, 12), ('d', 1, 13, 30)")
        mentions = [("m0", 0, "name", "Ada", "d:ada", 1.0), ("m1", 0, "name", "Bob", "d:bob", 1.0)]
        mentions += [("m2", 1, "pronoun", None, "d:ada", 0.5), ("m3", 1, "name", "Bob", "d:bob", 1.0)]
        for id, sentence, kind, name, chain, p in mentions:
            base.change(
                "INSERT INTO mentions VALUES (?, 'd', ?, 0, 3, '', ?, ?, ?, ?)", [id, sentence, kind, name, chain, p]
            )
        base.change(
            "INSERT INTO statements VALUES ('d', 0, 'd:ada', 'met', 'd:bob', 'm0', 'm1'),"
            " ('d', 1, 'd:ada', 'met', 'd:bob', 'm2', 'm3')"
        )
        rows = [(n, "", key, e, p) for n, (key, (e, p, _)) in enumerate(CHAINS.items())]
        names = ("record", "source", "id", "entity", "probability")
        base.append("memberships", pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))))
        for key, (entity, p, name) in CHAINS.items():
            base.change("INSERT INTO entities (entity, size, probability, name) VALUES (?, 1, ?, ?)", [entity, p, name])
            base.change("INSERT INTO links VALUES (?, 'Q1', 0.25, 1), (?, 'NIL', 0.75, 2)", [key, key])
        documents = pa.table({"id": [*CHAINS], "document": ["d", "d"], "name": ["Ada", "Bob"]})
        sentences = documents.append_column("type", [["PER", "PER"]]).append_column("mentions", [[2, 2]])
        append_records(base, sentences.append_column("sentence", [["Ada met Bob.", ""]]), np.arange(2), ["", ""], run=1)
        assert add_up_facts(base) == 1
    return path


def test_a_fact_is_true_unless_every_sentence_is_about_others(built):
    with read_knowledge_base(built) as base:
        assert is_from_text(base)
        stated = base.rows("SELECT sentence, probability FROM stated ORDER BY sentence")
        facts = base.rows("SELECT subject, relation, object, n_sentences, probability FROM facts")
    # Both memberships, and how sure the pronoun is; names are sure.
    assert [p for _, p in stated] == pytest.approx([0.72, 0.36])
    assert facts == [("e0", "met", "e1", 2, pytest.approx(1 - (1 - 0.72) * (1 - 0.36)))]


@pytest.mark.parametrize("name", ["e0", "d:ada", "ada"])
def test_an_entity_is_told_by_its_id_a_record_or_its_name(built, name):
    with read_knowledge_base(built) as base:
        told = explain_text_entity(base, name)
    assert (told.entity, told.name, told.names) == ("e0", "Ada", (("Ada", 1),))
    assert told.links == (("NIL", 0.75), ("Q1", 0.25))
    assert [(each["object_name"], each["sentence"]) for each in told.facts] == [("Bob", "Ada met Bob.")]
    assert [each["id"] for each in told.records] == ["d:ada"]


def test_nobody_is_told_of(built):
    with read_knowledge_base(built) as base, pytest.raises(DataError, match="carol"):
        explain_text_entity(base, "carol")


def test_the_folder_of_all_documents_need_not_be_repeated(tmp_path):
    path = tmp_path / "text.duckdb"
    with create_knowledge_base(path) as base:
        make_text_tables(base)
        append_records(base, pa.table({"id": ["x:ada"], "name": ["Ada"]}), np.arange(1), [""], run=1)
        base.change("INSERT INTO documents VALUES ('/a/b/c/x.txt', 'x', 't', 1, NULL, 'x', 1)")
        base.change("INSERT INTO documents VALUES ('/a/b/d/y.txt', 'y', 't', 1, NULL, 'x', 1)")
        assert common_folder(base) == "/a/b/"
        base.change("INSERT INTO documents VALUES ('z.txt', 'z', 't', 1, NULL, 'x', 1)")
        assert common_folder(base) == ""


def test_what_is_stated_is_the_same_in_steps(built):
    columns = "subject_entity, relation, object_entity, document, sentence, probability"
    with read_knowledge_base(built) as base:
        whole = base.rows(f"SELECT {columns} FROM stated ORDER BY ALL")
        assert base.rows(f"{STATED} SELECT {columns} FROM now ORDER BY ALL") == whole
