"""A table of known facts beside documents: which paths say the same, and what they say of others.

The table is kept as it was given, so that documents which come later are read by it, too. Its names are looked up among
the entities: by their entry in the entity list, else by what they are called; where several are called so, the one with
the most mentions.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from onoma.corpus.readers.facts import read_facts
from onoma.kb.database import KnowledgeBase
from onoma.kb.texts import STATED
from onoma.knowledge.distant import learn_paths
from onoma.linking.candidates import fold

__all__ = ["ReadFacts", "known_facts", "read_by_facts", "take_facts"]

_LEAST = 0.5
"""Facts that are less probable are not written."""
_TABLES = """
CREATE TABLE IF NOT EXISTS given_facts (subject VARCHAR, relation VARCHAR, object VARCHAR);
CREATE TABLE IF NOT EXISTS fact_paths (relation VARCHAR, path VARCHAR, weight DOUBLE);
CREATE OR REPLACE VIEW fact_sentences AS
    WITH told AS (
        SELECT subject_entity AS subject, relation, object_entity AS object, document, sentence, probability FROM stated
        UNION ALL
        SELECT f.subject, f.relation, f.object, s.document, s.sentence, s.probability
        FROM known_facts f JOIN fact_paths p ON p.relation = f.relation JOIN stated s ON
            (s.relation = p.path AND s.subject_entity = f.subject AND s.object_entity = f.object)
            OR ('^' || s.relation = p.path AND s.subject_entity = f.object AND s.object_entity = f.subject))
    SELECT t.subject, t.relation, t.object, t.document, t.sentence,
        substr(d.text, (n.start + 1)::BIGINT, (n."end" - n.start)::BIGINT) AS text, t.probability
    FROM told t JOIN sentences n USING (document, sentence) JOIN documents d USING (document);
"""


@dataclass(frozen=True)
class ReadFacts:
    """What a table of facts gave."""

    given: int = 0
    """Facts of the table."""
    found: int = 0
    """Of these, with both ends among the entities."""
    learnt: int = 0
    """Facts that are not in the table and that paths speak for."""
    note: str = ""


def known_facts(path: Path) -> pa.Table:
    """Return the table of known facts in a file."""
    return read_facts(path).table.select(["subject", "relation", "object"])


def take_facts(base: KnowledgeBase, facts: pa.Table) -> None:
    """Keep known facts in a knowledge base."""
    base.change(_TABLES)
    base.append("given_facts", facts)


def read_by_facts(base: KnowledgeBase) -> ReadFacts | None:
    """Learn from the given facts and read others; None where no table was given. Facts are to be added up after it."""
    if not base.value("SELECT count(*) FROM information_schema.tables WHERE table_name = 'given_facts'"):
        return None
    given = base.rows("SELECT DISTINCT subject, relation, object FROM given_facts ORDER BY ALL")
    place = _entities(base)
    known = {
        (place[fold(subject)], relation, place[fold(object_)])
        for subject, relation, object_ in given
        if fold(subject) in place and fold(object_) in place
    }
    pairs: dict[tuple[str, str], set[str]] = defaultdict(set)
    chance: dict[tuple[str, str, str], float] = {}
    sql = "SELECT subject_entity, relation, object_entity, max(probability) FROM now GROUP BY ALL ORDER BY ALL"
    for subject, path, object_, p in base.rows(STATED + sql):
        for pair, name in (((subject, object_), path), ((object_, subject), f"^{path}")):
            pairs[pair].add(name)
            chance[*pair, name] = p
    reader = learn_paths(known, pairs)
    learnt = [
        (each, p)
        for each in reader.readings
        if (each.subject, each.relation, each.object) not in known
        and (p := each.probability * chance[each.subject, each.object, each.path]) >= _LEAST
    ]
    rows = [(*fact, 1.0, "given") for fact in sorted(known)]
    rows += [(each.subject, each.relation, each.object, p, "learnt") for each, p in learnt]
    _write(base, "known_facts", ("subject", "relation", "object", "probability", "source"), rows)
    paths = [(*key, weight) for key, weight in sorted(reader.weights.items())]
    _write(base, "fact_paths", ("relation", "path", "weight"), paths)
    return ReadFacts(len(given), len(known), len(learnt), _note(reader.left_out()))


def _note(left_out: list[tuple[float, bool]]) -> str:
    sure = [is_known for p, is_known in left_out if p >= _LEAST]
    if not sure:
        return "no pair of the table could be left out and read again: probabilities of learnt facts are not calibrated"
    stated = sum(p for p, _ in left_out if p >= _LEAST) / len(sure)
    return (
        f"{len(sure):,} pairs of the table's subjects, left out one by one, are read as facts, with a mean probability "
        f"of {stated:.2f}; {sum(sure) / len(sure):.2f} of them are in the table (others may be true and missing there)"
    )


def _entities(base: KnowledgeBase) -> dict[str, str]:
    """Return the entity of each name and entry, folded."""
    rows = base.rows(
        """SELECT s.entity, m.name, count(*) AS n FROM memberships s JOIN mentions m ON m.chain = s.id
        WHERE m.name IS NOT NULL GROUP BY ALL ORDER BY n, s.entity DESC, m.name"""
    )
    place = {fold(name): entity for entity, name, _ in rows}  # the one with most mentions comes last
    for entity, entry in base.rows("SELECT entity, entry FROM entities WHERE entry IS NOT NULL ORDER BY entity"):
        place[fold(entry)] = entity
        place[fold(entry.replace("_", " "))] = entity
    place.pop("", None)
    return place


def _write(base: KnowledgeBase, table: str, names: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> None:
    base.change(f"DELETE FROM {table}")  # noqa: S608 (names of our own)
    if rows:
        base.append(table, pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))))
