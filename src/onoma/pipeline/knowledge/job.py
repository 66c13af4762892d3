"""What a model of facts learns from: facts, types, signatures and rules, read and checked together."""

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onoma.corpus.readers.facts import read_facts
from onoma.corpus.readers.files import check_on_error, make_rejects
from onoma.corpus.readers.nell import nell_types
from onoma.corpus.readers.table import TableRead, read_table
from onoma.corpus.schema import SIGNATURES, TYPES
from onoma.errors import DataError, SettingsError
from onoma.knowledge.facts import Facts, Names
from onoma.knowledge.logic.rules import Rule, read_rules
from onoma.knowledge.rescal_als import Plan
from onoma.knowledge.types import Types
from onoma.pipeline.knowledge.choose import PLENTY

__all__ = ["PAIRS", "PRIOR", "FactsJob", "counted", "default_rank", "read_facts_job"]

NAMES = "names"
"""In place of a file of types: the types stand in the names, as NELL writes them."""
RELATION = "relation:"
"""In place of a file of types: they are the objects of this relation."""
PRIOR, PAIRS = 0.01, 0.1
"""How much a factorisation is backed by counts, by default: better than not at all on each of six knowledge bases."""
_VARIABLE = re.compile(r"[A-Z]\d*")
"""What nobody takes for the name of a thing."""


@dataclass(frozen=True, kw_only=True)
class FactsJob:
    """What a model learns from, and how.

    Parameters
    ----------
    facts, types, signatures, rules
        What was read.
    plan
        How to factorise.
    choose
        Whether the regularisation is chosen on held-out facts where there are few (`pipeline.knowledge.choose`).
    prior, pairs
        How much a factorisation is backed by counts.
    notes, rejects
        What should be said, and the lines that could not be read.
    """

    facts: Facts
    types: Types | None = None
    signatures: pa.Table | None = None
    rules: tuple[Rule, ...] | None = None
    plan: Plan = field(default_factory=Plan)
    choose: bool = False
    prior: float = PRIOR
    pairs: float = PAIRS
    notes: tuple[str, ...] = ()
    rejects: pa.Table | None = None

    @cached_property
    def relations(self) -> Names:
        """The relations of the facts, and those that only rules conclude."""
        heads = dict.fromkeys(rule.head.relation for rule in self.rules or ())
        fresh = [name for name in heads if name not in self.facts.relations]
        return Names([*self.facts.relations, *fresh], "relation") if fresh else self.facts.relations


def read_facts_job(
    triples: Path | pa.Table,
    *,
    types: str | None = None,
    signatures: Path | None = None,
    rules: Path | None = None,
    plan: Callable[[Facts], Plan] | None = None,
    choose: bool = False,
    backing: tuple[float, float] = (PRIOR, PAIRS),
    on_error: str = "stop",
) -> FactsJob:
    """Read facts and what is known about types.

    Parameters
    ----------
    triples
        The facts: a file (`onoma.corpus.readers.facts.read_facts`), or a table (`onoma.corpus.schema.FACTS`).
    types
        A file of lines entity TAB type, or a .csv; or `"names"`: the types stand in the names, as NELL writes them; or
        `"relation:R"`: the facts of the relation R say the types, and are not learnt from.
    signatures
        A file of lines relation TAB domain TAB range; without it every type seen on a side is allowed there.
    rules
        A file of rules, for models that learn from rules.
    plan
        How to factorise, given the facts; by default with λ = 5 and `default_rank`.
    choose
        Whether λ is chosen on held-out facts where there are few.
    backing
        How much a factorisation is backed by what is usual and by other relations of a pair (`knowledge.backing`).
    on_error
        Bad lines of facts, types, signatures and rules: `"stop"` or `"reject"`.
    """
    if signatures is not None and types is None:
        raise SettingsError("signatures need types", hint="Add --types FILE, or --types names.")
    notes: list[str] = []
    bad_rules: list[str] | None = [] if check_on_error(on_error) else None
    firm = None if rules is None else tuple(read_rules(rules, rejected=bad_rules, notes=notes))
    read = _of_table(triples) if isinstance(triples, pa.Table) else _read(triples, on_error, notes)
    kinds, table = None, read.table
    if types is not None:
        kinds, table = _type_table(types, table, on_error, notes), _without_types(types, table)
    facts = Facts.from_table(table)
    if facts.n_repeated:
        said = "fact is said" if facts.n_repeated == 1 else "facts are said"
        notes.append(f"{facts.n_repeated:,} {said} more than once and counted once")
    if firm is not None:
        firm = _usable(firm, facts, bad_rules)
        if bad_rules:
            notes.append(f"{rules}: {counted(len(bad_rules), 'rule')} passed over, the first: {bad_rules[0]}")
    return FactsJob(
        facts=facts,
        types=None if kinds is None else _types(kinds, facts, notes),
        signatures=None if signatures is None else _signatures(signatures, facts, on_error, notes),
        rules=firm,
        plan=Plan(rank=default_rank(facts), regularisation=PLENTY) if plan is None else plan(facts),
        choose=choose,
        prior=backing[0],
        pairs=backing[1],
        notes=tuple(notes),
        rejects=read.rejects if len(read.rejects) else None,
    )


def _read(triples: Path, on_error: str, notes: list[str]) -> TableRead:
    read = read_facts(triples, on_error=on_error)
    notes += [*read.notes, *_rejected(triples, read)]
    if len(read.table) == 0:
        hint = "A fact is a line: subject TAB relation TAB object." if not len(read.rejects) else notes[-1]
        raise DataError("there are no facts to learn from", file=triples, hint=hint)
    return read


def _of_table(table: pa.Table) -> TableRead:
    """Take a table for facts."""
    missing = [name for name in ("subject", "relation", "object") if name not in table.column_names]
    if missing:
        there = ", ".join(table.column_names)
        raise DataError(f"facts have the columns subject, relation and object; there are {there}")
    facts = table.select(["subject", "relation", "object"])
    facts = pa.table({name: facts[name].cast(pa.string()) for name in facts.column_names})
    if any(facts[name].null_count for name in facts.column_names) or not len(facts):
        raise DataError("there are no facts" if not len(facts) else "a fact lacks its subject, relation or object")
    return TableRead(facts, make_rejects([]), [])


def _without_types(types: str, table: pa.Table) -> pa.Table:
    """Return the facts but for those that say the types."""
    if not types.startswith(RELATION):
        return table
    left = table.filter(pc.not_equal(table["relation"], types.removeprefix(RELATION)))
    if len(left) == 0:
        raise DataError(f"every fact is of {types.removeprefix(RELATION)!r}, which says the types")
    return left


def _signatures(path: Path, facts: Facts, on_error: str, notes: list[str]) -> pa.Table:
    signed = _headless(path, SIGNATURES, on_error, notes)
    if not np.any(facts.relations.codes(signed["relation"]) >= 0):
        raise DataError(
            f"no relation of the facts has a signature; signatures are of {signed['relation'][0].as_py()!r} and "
            f"others, facts of {facts.relations[0]!r} and others",
            file=path,
            hint="Names of relations must be written alike in both.",
        )
    notes += _unused("signatures", path, signed["relation"], facts.relations)
    return signed


def default_rank(facts: Facts) -> int:
    """Return 100, or half the number of entities where they are few."""
    return max(1, min(100, len(facts.entities) // 2))


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return a number and what is counted.

    Examples
    --------
    >>> counted(1, "fact"), counted(1200, "fact"), counted(2, "entity", "entities")
    ('1 fact', '1,200 facts', '2 entities')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def _rejected(path: Path, read: TableRead) -> list[str]:
    """Return how many lines were rejected, and the first reason."""
    if not len(read.rejects):
        return []
    first = read.rejects.slice(0, 1).to_pylist()[0]
    where = "the first" if first["row"] is None else f"the first in row {first['row']:,}"
    return [f"{path}: {counted(len(read.rejects), 'line')} could not be read, {where}: {first['reason']}"]


def _usable(rules: Iterable[Rule], facts: Facts, rejected: list[str] | None) -> tuple[Rule, ...]:
    """Return the rules that can be used; what is wrong with the others is raised, or added to `rejected`."""
    rules = tuple(rules)
    heads = {rule.head.relation for rule in rules}
    known = []
    for rule in rules:
        wrong = _wrong(rule, facts, heads)
        if wrong is None:
            known.append(rule)
        elif rejected is None:
            raise wrong
        else:
            rejected.append(wrong.message)
    if not known:
        raise DataError("no rule speaks of the relations of these facts", hint=rejected[0] if rejected else None)
    return tuple(known)


def _wrong(rule: Rule, facts: Facts, heads: Container[str]) -> DataError | None:
    """Return what forbids a rule: a body of unknown relations, or the name of an entity in place of a variable."""
    for name in dict.fromkeys(name for each in rule.literals for name in (each.subject, each.object)):
        if name in facts.entities and not _VARIABLE.fullmatch(name):
            return DataError(
                f"in the rule {rule} stands {name}, the name of an entity; rules speak of variables only",
                hint="A variable of that name? Call it X, Y or Z.",
            )
    for each in rule.body:
        if each.relation not in facts.relations and each.relation not in heads:
            similar = facts.relations.similar(each.relation)
            return DataError(
                f"no fact has the relation {each.relation!r} of the rule {rule}",
                hint=f"{similar} To go on without such rules, choose on_error='reject'.",
            )
    return None


def _type_table(types: str, facts: pa.Table, on_error: str, notes: list[str]) -> pa.Table:
    """Return the table of types that the setting names."""
    if types == NAMES:
        table = nell_types(pc.unique(pa.chunked_array([*facts["subject"].chunks, *facts["object"].chunks])).to_pylist())
        if len(table) == 0:
            hint = "NELL writes concept:city:lyon or concept_city_lyon; otherwise give a file of entity TAB type."
            raise DataError("no name of an entity says its type", hint=hint)
        return table
    if types.startswith(RELATION):
        name = types.removeprefix(RELATION)
        saying = facts.filter(pc.equal(facts["relation"], name))
        if len(saying) == 0:
            relations = Names(pc.unique(facts["relation"]), "relation")
            raise DataError(
                f"no fact has the relation {name!r}, which should say the types", hint=relations.similar(name)
            )
        return saying.select(["subject", "object"]).rename_columns(TYPES.names)
    return _headless(Path(types), TYPES, on_error, notes)


def _types(table: pa.Table, facts: Facts, notes: list[str]) -> Types:
    found = Types.from_table(table, facts.entities)
    untyped = int((np.diff(found.member.indptr) == 0).sum())
    if untyped == len(facts.entities):
        raise DataError(
            f"none of the entities of the facts has a type; types are of {table['entity'][0].as_py()!r} and others, "
            f"facts of {facts.entities[0]!r} and others",
            hint="Names of entities must be written alike in both.",
        )
    notes += _unused("types", None, table["entity"], facts.entities)
    if untyped:
        verb = "has" if untyped == 1 else "have"
        notes.append(f"{untyped:,} of {len(facts.entities):,} entities {verb} no type and may stand anywhere")
    return found


def _unused(what: str, path: Path | None, names: pa.ChunkedArray, known: Names) -> list[str]:
    """Return a note on names that the facts do not have."""
    others = pc.unique(names.filter(pa.array(known.codes(names) < 0)))
    if not len(others):
        return []
    where = f"{path}: " if path is not None else ""
    many = {"entity": "entities"}.get(known.what)
    shown = ", ".join(repr(name) for name in others.slice(0, 3).to_pylist())
    more = "…" if len(others) > 3 else ""
    return [f"{where}{what} of {counted(len(others), known.what, many)} without facts were not used: {shown}{more}"]


def _headless(path: Path, schema: pa.Schema, on_error: str, notes: list[str]) -> pa.Table:
    """Read a table with or without a header that names its columns; further columns are left out."""
    kind = "csv" if ".csv" in (suffix.lower() for suffix in path.suffixes) else "tsv"
    read = read_table(path, on_error=on_error, header=False, types="text", format=kind)
    notes += [*read.notes, *_rejected(path, read)]
    table = read.table
    wanted = f"{len(schema)} columns {', '.join(schema.names)}"
    if table.num_columns < len(schema):
        raise DataError(f"has {table.num_columns} of the {wanted}", file=path, hint="Columns are separated by tabs.")
    table = table.select(table.column_names[: len(schema)]).rename_columns(schema.names)
    first = [str(column[0].as_py()).lower() for column in table.columns] if len(table) else []
    table = table.slice(1) if first == schema.names else table
    empty = np.any([np.asarray(pc.is_null(column)) for column in table.columns], axis=0)
    if empty.any():
        row = int(np.argmax(empty))
        if on_error == "stop":
            stands = table.slice(row, 1).to_pylist()[0]
            hint = f"There stands {stands}. To go on without such rows, choose on_error='reject'."
            raise DataError(
                f"a row lacks one of the {wanted}", file=path, row=row + 1 + (first == schema.names), hint=hint
            )
        notes.append(f"{path}: {counted(int(empty.sum()), 'row')} without all of the {wanted} passed over")
        table = table.filter(pa.array(~empty))
    return table
