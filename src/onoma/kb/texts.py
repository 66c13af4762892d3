"""A knowledge base that was built from documents: its further tables, and what is asked of them.

A record is a named chain of a document. Besides what every knowledge base holds there are

* `documents`, `sentences`: what was read, sentences by their places in the text;
* `mentions`: every mention of a chain; `chain` is the id of the record, where the chain has a name;
* `contexts`: the words around the names of each record, by which later ones are compared;
* `links`: for each record the entries of the entity list that it may be, and the probability of each; `NIL`: of none;
* `statements`: two records in one sentence and the path between them, from which the `facts` are added up;
* `fact_sentences` (a view): the sentences of each fact.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from onoma.correct.forms import SLOTS, english_forms
from onoma.errors import DataError
from onoma.kb.database import KnowledgeBase
from onoma.kb.world import find_entity

__all__ = [
    "TextEntity",
    "add_up_facts",
    "common_folder",
    "explain_text_entity",
    "in_words",
    "is_from_text",
    "make_text_tables",
    "named_entity",
]

_TABLES = """
CREATE TABLE entities (
    entity VARCHAR NOT NULL, size BIGINT NOT NULL, probability DOUBLE, record BIGINT, name VARCHAR, type VARCHAR,
    names VARCHAR, document VARCHAR, mentions BIGINT, sentence VARCHAR, entry VARCHAR);
CREATE TABLE documents (
    document VARCHAR NOT NULL, source VARCHAR, text VARCHAR, n_tokens BIGINT, problem VARCHAR, fingerprint VARCHAR,
    run BIGINT NOT NULL);
CREATE TABLE sentences (document VARCHAR NOT NULL, sentence BIGINT NOT NULL, start BIGINT, "end" BIGINT);
CREATE TABLE mentions (
    id VARCHAR NOT NULL, document VARCHAR NOT NULL, sentence BIGINT, start BIGINT, "end" BIGINT, text VARCHAR,
    kind VARCHAR, name VARCHAR, chain VARCHAR NOT NULL, probability DOUBLE);
CREATE TABLE contexts (id VARCHAR NOT NULL, context VARCHAR);
CREATE TABLE links (id VARCHAR NOT NULL, entry VARCHAR NOT NULL, probability DOUBLE NOT NULL, rank INTEGER NOT NULL);
CREATE TABLE statements (
    document VARCHAR NOT NULL, sentence BIGINT NOT NULL, subject VARCHAR NOT NULL, relation VARCHAR NOT NULL,
    object VARCHAR NOT NULL, subject_mention VARCHAR, object_mention VARCHAR);
CREATE TABLE facts (
    subject VARCHAR NOT NULL, relation VARCHAR NOT NULL, object VARCHAR NOT NULL, probability DOUBLE NOT NULL,
    source VARCHAR, n_sentences BIGINT);
CREATE TABLE known_facts (subject VARCHAR, relation VARCHAR, object VARCHAR, probability DOUBLE, source VARCHAR);
CREATE VIEW stated AS
    SELECT s.*, a.entity AS subject_entity, b.entity AS object_entity,
        a.probability * b.probability
        * if(am.kind = 'name', 1.0, am.probability) * if(bm.kind = 'name', 1.0, bm.probability) AS probability
    FROM statements s JOIN memberships a ON a.id = s.subject JOIN memberships b ON b.id = s.object
    JOIN mentions am ON am.id = s.subject_mention JOIN mentions bm ON bm.id = s.object_mention
    WHERE a.entity <> b.entity;
CREATE VIEW fact_sentences AS
    SELECT subject_entity AS subject, relation, object_entity AS object, s.document, s.sentence,
        substr(d.text, (n.start + 1)::BIGINT, (n."end" - n.start)::BIGINT) AS text, s.probability
    FROM stated s JOIN sentences n USING (document, sentence) JOIN documents d USING (document);
"""
TEXT_TABLES = ("documents", "sentences", "mentions", "contexts", "links", "statements")
"""Those whose rows are of single documents or records."""
STATED = """WITH
    begun AS MATERIALIZED (
        SELECT s.*, a.entity AS subject_entity, a.probability AS p
        FROM statements s JOIN memberships a ON a.id = s.subject),
    said AS MATERIALIZED (
        SELECT s.* EXCLUDE p, p * if(m.kind = 'name', 1.0, m.probability) AS p
        FROM begun s JOIN mentions m ON m.id = s.subject_mention),
    ended AS MATERIALIZED (
        SELECT s.* EXCLUDE p, b.entity AS object_entity, p * b.probability AS p
        FROM said s JOIN memberships b ON b.id = s.object),
    whole AS MATERIALIZED (
        SELECT s.* EXCLUDE p, p * if(m.kind = 'name', 1.0, m.probability) AS p
        FROM ended s JOIN mentions m ON m.id = s.object_mention),
    now AS (SELECT * EXCLUDE p, p AS probability FROM whole WHERE subject_entity <> object_entity)
"""
"""`now` is the view `stated`, one join after the other, to be asked while a knowledge base is being written.

Rows that are not committed have no statistics, and the joins of the view were then planned as a product of tables:
20 GB for 1,000 documents.
"""
_ADDED = """
SELECT subject_entity, relation, object_entity, 1 - exp(sum(ln(greatest(1 - probability, 1e-12)))), 'text', count(*)
FROM now GROUP BY ALL ORDER BY ALL
"""
"""A fact is true unless each of its sentences is about others: they are taken as independent."""


def make_text_tables(base: KnowledgeBase) -> None:
    """Make the tables of a knowledge base that is built from documents."""
    base.change(_TABLES)
    base.set_meta("kind", "text")
    base.set_meta("model", "cross-document")


def is_from_text(base: KnowledgeBase) -> bool:
    """Say whether a knowledge base was built from documents."""
    return base.meta("kind") == "text"


def common_folder(base: KnowledgeBase) -> str:
    """Return the folder that all documents lie in, with its last stroke: what need not be repeated of each name."""
    if not is_from_text(base):
        return ""
    names = [str(name) for (name,) in base.rows("SELECT document FROM documents")]
    folders = {name.rpartition("/")[0] for name in names}
    if not folders or "" in folders:
        return ""
    parts = [folder.split("/") for folder in folders]
    shared = [each[0] for each in itertools.takewhile(lambda each: len(set(each)) == 1, zip(*parts, strict=False))]
    return "/".join(shared) + "/" if shared and any(shared) else ""


def add_up_facts(base: KnowledgeBase) -> int:
    """Make the facts anew from what the sentences state; return how many there are."""
    base.change("DELETE FROM facts")
    base.change(" ".join(("INSERT INTO facts", STATED, _ADDED)))
    base.change("INSERT INTO facts SELECT subject, relation, object, probability, source, 0 FROM known_facts")
    return int(base.value("SELECT count(*) FROM facts"))


@dataclass(frozen=True)
class TextEntity:
    """What the documents say of an entity, and why its records are together."""

    entity: str
    name: str
    names: tuple[tuple[str, int], ...]
    """What it is called, and how often."""
    records: tuple[dict[str, Any], ...]
    """Its chains: document, name, mentions, the probability to belong here, the first sentence."""
    links: tuple[tuple[str, float], ...]
    """Entries it may be, with their mean probability over the records; NIL is none."""
    facts: tuple[dict[str, Any], ...]
    """What is said of it, most probable first, each with a sentence."""

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        return asdict(self)


def explain_text_entity(base: KnowledgeBase, name: str, *, most: int = 20) -> TextEntity:
    """Tell of an entity by its id, by that of a record, or by the very name."""
    entity = named_entity(base, name)
    names = base.rows(
        """SELECT m.name, count(*) FROM memberships s JOIN mentions m ON m.chain = s.id
        WHERE s.entity = ? AND m.name IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1""",
        [entity],
    )
    records = base.query(
        """SELECT r.id, r.document, r.name, r.type, r.mentions, m.probability, r.sentence
        FROM record_current r JOIN memberships m ON m.id = r.id WHERE m.entity = ? ORDER BY m.probability DESC, r.id""",
        [entity],
    ).to_pylist()
    links = base.rows(
        """SELECT l.entry, sum(l.probability) / (SELECT count(*) FROM memberships WHERE entity = $1 AND id IN
            (SELECT id FROM links)) AS p
        FROM links l JOIN memberships s USING (id) WHERE s.entity = $1 GROUP BY 1 ORDER BY p DESC, 1 LIMIT 5""",
        [entity],
    )
    facts = _facts_of(base, entity, most)
    shown = str(base.value("SELECT name FROM entities WHERE entity = ?", [entity]))
    return TextEntity(entity, shown, tuple(names), tuple(records), tuple(links), tuple(facts))


_STEP = re.compile(r"(?:(?P<up>[\w:]+)<(?P<over>[^\s<>]*)|>(?P<down>[\w:]+)(?: (?P<under>[^\s<>]+)(?![^\s]*<))?)\s*")
"""A step of a path: up to the word that follows, or down from the word before."""


def in_words(relation: str) -> str:
    """Write a path between two names as words to read between them; what is no path is left as it is.

    Examples
    --------
    >>> in_words("nsubj<work>obl:with"), in_words("nsubj<fund>obj survey>nmod:of"), in_words(">appos head>nmod:poss")
    ('work with', 'fund survey of', 'head of')
    >>> in_words("nmod:poss<sister>appos"), in_words("nsubj:pass<bear>obl:in"), in_words("born in")
    ("'s sister", 'be born in', 'born in')
    """
    steps = list(_STEP.finditer(relation))
    if not steps or "".join(step[0] for step in steps) != relation:
        return relation
    words = []
    for step in steps:
        kind, _, detail = (step["up"] or step["down"]).partition(":")
        if step["up"]:
            acted_on = kind in ("obj", "iobj") or detail == "pass"
            word = _participle(step["over"]) if acted_on else step["over"]
            words += ["'s" if detail == "poss" else "be" if acted_on else "", word]
        else:
            joint = "of" if detail == "poss" else detail.replace("_", " ") if kind in ("nmod", "obl") else ""
            words += [joint, step["under"] or ""]
    return " ".join(word for word in words if word) or relation


def _participle(verb: str) -> str:
    forms = english_forms().verbs.get(verb)
    return verb if forms is None else forms[SLOTS.index("VBN")]


def named_entity(base: KnowledgeBase, name: str) -> str:
    """Return the entity of that id, of a record, or of a name: a part of it will do where only one has it."""
    try:
        return find_entity(base, name)
    except DataError:
        within = base.rows("SELECT entity FROM memberships WHERE id = ?", [common_folder(base) + name])
        if within:  # a record as tables show it, without the folder
            return str(within[0][0])
        found = base.rows("SELECT entity, name FROM entities WHERE lower(name) = lower(?)", [name])
        if not found:
            pattern = "(^|\\W)" + re.escape(name.lower()) + "(\\W|$)"
            found = base.rows(
                """SELECT entity, name FROM entities WHERE regexp_matches(lower(names), ?)
                ORDER BY mentions DESC, entity""",
                [pattern],
            )
        if len(found) == 1:
            return str(found[0][0])
        if found:
            told = ", ".join(f"{entity} ({called})" for entity, called in found[:5])
            more = "" if len(found) <= 5 else f" and {len(found) - 5:,} more"
            raise DataError(
                f"{name!r} may be {told}{more}", hint=f"Give the id of one of them: onoma explain KB {found[0][0]}."
            ) from None
        raise


def _facts_of(base: KnowledgeBase, entity: str, most: int) -> Sequence[dict[str, Any]]:
    found: list[dict[str, Any]] = base.query(
        """SELECT f.subject, s.name AS subject_name, f.relation, f.object, o.name AS object_name, f.probability,
            f.source, f.n_sentences, (SELECT arg_max(x.text, x.probability) FROM fact_sentences x
            WHERE x.subject = f.subject AND x.relation = f.relation AND x.object = f.object) AS sentence
        FROM facts f JOIN entities s ON s.entity = f.subject JOIN entities o ON o.entity = f.object
        WHERE f.subject = $1 OR f.object = $1
        ORDER BY f.n_sentences DESC, f.probability DESC, f.relation, f.subject, f.object LIMIT $2""",
        [entity, most],
    ).to_pylist()
    return [each | {"said": in_words(str(each["relation"]))} for each in found]
