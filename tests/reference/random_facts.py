"""Small knowledge bases: random ones, and one that makes sense."""

import pyarrow as pa

from onoma.knowledge.facts import Facts, Names, Triples
from onoma.knowledge.types import Fit, Signatures, Types
from onoma.numerics.rng import stream


def random_facts(seed, n_entities=12, n_relations=3, n_facts=40):
    rng = stream(seed, "facts")
    triples = Triples(*(rng.integers(0, size, n_facts) for size in (n_entities, n_relations, n_entities)))
    entities = Names([f"e{i}" for i in range(n_entities)], "entity")
    relations = Names([f"r{k}" for k in range(n_relations)], "relation")
    return Facts.from_codes(triples, rng.uniform(0.3, 1.0, n_facts), entities, relations)


def random_types(seed, facts, n_types=4):
    """Types at random, some entities with two, some with none; signatures induced, then thinned out."""
    rng = stream(seed, "types")
    rows = [(name, f"t{t}") for name in facts.entities for t in rng.permutation(n_types)[: rng.integers(0, 3)]]
    types = Types.from_table(typed(rows), facts.entities)
    induced = Signatures.induced(facts, types)
    signatures = Signatures(*(side & (rng.random(side.shape) < 0.7) for side in (induced.subjects, induced.objects)))
    return types, signatures, Fit.of(types, signatures)


def everything(facts):
    return Fit.everything(len(facts.entities), len(facts.relations))


def typed(rows):
    return pa.table({"entity": [row[0] for row in rows], "type": [row[1] for row in rows]})


def said(*rows):
    """A table of facts from (subject, relation, object)."""
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    return pa.table(
        {
            name: pa.array(column, pa.string())
            for name, column in zip(("subject", "relation", "object"), columns, strict=True)
        }
    )


def world():
    """Two cities in each country, four people in each city, citizens of the country; one citizenship is left out."""
    rows = []
    for c, country in enumerate(["france", "italy", "spain"]):
        for i in range(2):
            rows.append((f"city{c}{i}", "in", country))
            for j in range(4):
                rows += [(f"person{c}{i}{j}", "lives in", f"city{c}{i}"), (f"person{c}{i}{j}", "citizen of", country)]
    rows.remove(MISSING)
    return Facts.from_table(said(*rows))


MISSING = ("person112", "citizen of", "italy")


def world_types(facts):
    kinds = {"c": "city", "p": "person"}
    rows = [(name, kinds.get(name[0], "country") if name[-1].isdigit() else "country") for name in facts.entities]
    return Types.from_table(typed(rows), facts.entities)


def write_world(folder):
    """Write the world into a folder: facts.tsv, types.tsv, signatures.tsv; return the folder."""
    facts = world()
    rows = [list(row.values())[:3] for row in facts.table().to_pylist()]
    (folder / "facts.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    types = world_types(facts)
    kinds = [types.names[t] for t in types.member.indices]
    lines = [f"{name}\t{kind}\n" for name, kind in zip(facts.entities, kinds, strict=True)]
    (folder / "types.tsv").write_text("entity\ttype\n" + "".join(lines))
    (folder / "signatures.tsv").write_text("in\tcity\tcountry\nlives in\tperson\tcity\ncitizen of\tperson\tcountry\n")
    return folder
