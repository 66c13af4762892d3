"""The contract of knowledge bases: every model, every verb, each as the table in docs/living.md says."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.errors import UnsupportedError
from onoma.evaluate.report import evaluate
from onoma.kb.audit.erase import erase
from onoma.kb.database import read_knowledge_base
from onoma.kb.explain import explain_entity, explain_records
from onoma.kb.judge import Said, judge, retract_judgements
from onoma.kb.lookup.live import Live
from onoma.kb.own import refit
from onoma.kb.query import count_entities, history
from onoma.kb.review import doubts
from onoma.kb.update import update_knowledge_base
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig
from onoma.resolve.registry import model_names

DOCS = Path(__file__).parents[2] / "docs" / "living.md"


def people(n):
    columns = ["id", "cluster_id", "given_name", "surname", "birth_date", "city", "phone"]
    return simulate_people(n, seed=5).select(columns)


def linked(n):
    """Two sources; the second has other spellings of some of the first."""
    table = people(n)
    return table.append_column("origin", pa.array(["left", "right"] * (n // 2)))


def mentions(n):
    rng = np.random.default_rng(4)
    topics = ("bread cake oven flour pie", "boat sail sea raft tide", "wall paint roof brush stone", "law court judge")
    rows = []
    for k in range(n):
        person = k % (n // 6)
        words = [*topics[person % 4].split(), *(f"w{person}x{i}" for i in range(4))]
        context = " ".join(rng.choice(words, 6)) + f" on {rng.integers(99)}"
        name = f"{'ABCDEF'[person % 6]}{'nod'[person % 3]} Smith{person % 5}"
        rows.append({"id": f"m{k}", "name": name, "context": context, "cluster_id": f"c{person}"})
    return pa.Table.from_pylist(rows)


@dataclass(frozen=True)
class Way:
    """A model with a table that it is for."""

    table: object
    options: dict = field(default_factory=dict)
    n: int = 140
    is_sampled: bool = True


WAYS = {
    "copying": Way(people),
    "copying, linking": Way(linked, {"source": "origin", "link": True}),
    "copying, one to one": Way(linked, {"source": "origin", "link": True, "one_to_one": True}),
    "pairwise": Way(people),
    "hierarchical": Way(people),
    "phylogeny": Way(people),
    "cross-document": Way(mentions, {"rounds": 5}, is_sampled=False),
    "correlation": Way(people, is_sampled=False),
    "exact-match": Way(people, is_sampled=False),
}


def test_the_table_of_the_docs_has_every_model():
    rows = re.findall(r"^\| `?([\w, -]+?)`? \|", DOCS.read_text("utf-8").split("## Every model, every verb")[1], re.M)
    assert {*WAYS} <= {*rows}
    assert {name.split(",")[0] for name in WAYS} == {*model_names()} - {"toy"}


@pytest.fixture(scope="module", params=list(WAYS))
def made(request, tmp_path_factory):
    """A knowledge base of all but the last 1 %, with what it was made of."""
    way = WAYS[request.param]
    table = way.table(way.n)
    config = ResolveConfig(model=request.param.split(",")[0], truth="cluster_id", no_check=True, **way.options)
    path = tmp_path_factory.mktemp("kb") / "kb.duckdb"
    n_new = max(2, way.n // 100)
    store_outcome(run_job(Job(table=table.slice(0, way.n - n_new), config=config)), path)
    return way, table, config, path, n_new


@pytest.fixture(scope="module")
def at_once(made):
    """The entity of each record where all come at once."""
    _, table, config, _, _ = made
    whole = run_job(Job(table=table, config=config)).resolution.memberships
    return dict(zip(whole["id"].to_pylist(), whole["entity"].to_pylist(), strict=True))


@pytest.fixture
def kb(made, tmp_path):
    path = tmp_path / "kb.duckdb"
    path.write_bytes(made[3].read_bytes())
    return path


def entities(path):
    with read_knowledge_base(path) as base:
        return dict(base.rows("SELECT id, entity FROM memberships"))


def company(who, key):
    return {other for other, entity in who.items() if entity == who[key]}


def probabilities(path):
    with read_knowledge_base(path) as base:
        return {(a, b): p for a, b, p in base.rows("SELECT a, b, probability FROM pairs WHERE probability >= 0.05")}


def b_cubed(one, other):
    keys = sorted(one)
    both = (Clustering.from_labels([found[key] for key in keys]) for found in (one, other))
    return evaluate(*both, metrics=("b3",)).as_dict()["b3"]["f1"]


@pytest.mark.parametrize("touched", [False, True])
def test_a_part_added_later_gives_what_all_at_once_gives(made, at_once, kb, touched, monkeypatch):
    way, table, _, _, n_new = made
    if touched:  # so few others that only a part is resolved again
        monkeypatch.setattr(refit, "ENOUGH", way.n // 2)
    before = entities(kb)
    update = update_knowledge_base(kb, tables=[table.slice(way.n - n_new)])
    assert update.n_added == n_new
    now = entities(kb)
    truth = dict(zip(table["id"].to_pylist(), table["cluster_id"].to_pylist(), strict=True))
    assert abs(b_cubed(truth, now) - b_cubed(truth, at_once)) <= (0.02 if touched else 0.01)
    assert b_cubed(before, {key: now[key] for key in before}) > 0.95
    untouched = [key for key in before if company(before, key) == company(now, key)]
    assert len(untouched) > 0.8 * len(before) and all(now[key] == before[key] for key in untouched)
    again = update_knowledge_base(kb, tables=[table.slice(way.n - n_new)])
    assert again.n_added == 0


def pair_to_judge(path):
    """Return two records of one entity, and two of different ones that share no source."""
    with read_knowledge_base(path) as base:
        rows = base.rows("SELECT source, id, entity FROM memberships ORDER BY record")
        groups = {}
        for source, key, entity in rows:
            groups.setdefault(entity, []).append((source, key))
    together = next(members for members in groups.values() if len(members) > 1)[:2]
    first, here = together[0], entities(path)[together[0][1]]
    other = next((s, key) for s, key, entity in rows if entity != here and (not s or s != first[0]))
    return [key for _, key in together], [first[1], other[1]]


def test_judgements_hold_and_leave_no_trace_when_taken_back(made, kb):
    together, apart = pair_to_judge(kb)
    before, stated = entities(kb), probabilities(kb)
    kept, _ = judge(kb, [Said("different", *together)], by="ada")
    now = entities(kb)
    assert now[together[0]] != now[together[1]]
    with read_knowledge_base(kb) as base:
        samples = dict(base.rows("SELECT m.id, s.roots FROM samples s JOIN memberships m USING (record)"))
    if all(key in samples for key in together):
        assert all(a != b for a, b in zip(samples[together[0]], samples[together[1]], strict=True))
    more, _ = judge(kb, [Said("same", *apart)])
    now = entities(kb)
    assert now[apart[0]] == now[apart[1]] and now[together[0]] != now[together[1]]
    untouched = [key for key in before if before[key] not in {before[k] for k in (*together, *apart)}]
    assert np.mean([now[key] == before[key] for key in untouched]) > 0.99
    retract_judgements(kb, [kept[0].number, more[0].number])
    assert b_cubed(before, entities(kb)) > 0.99
    again = probabilities(kb)
    gaps = [abs(stated.get(pair, 0.0) - again.get(pair, 0.0)) for pair in {*stated, *again}]
    assert np.mean(gaps) < 0.01 and max(gaps) < 0.25  # 100 samples: a share moves by 0.05 at most probably
    with read_knowledge_base(kb) as base:
        events = [each.kind for each in history(base, before[together[0]])]
    assert "created" in events and len(events) > 1


def test_judgements_hold_when_records_come(made, kb):
    way, table, _, _, n_new = made
    together, _ = pair_to_judge(kb)
    judge(kb, [Said("different", *together)])
    update_knowledge_base(kb, tables=[table.slice(way.n - n_new)])
    now = entities(kb)
    assert now[together[0]] != now[together[1]]
    gone = pa.table({"id": [together[0]], "source": pa.nulls(1, pa.string())})
    assert update_knowledge_base(kb, retract=gone).n_retracted == 1
    assert together[0] not in entities(kb)


def test_an_entity_and_a_pair_are_explained(made, kb):
    together, _ = pair_to_judge(kb)
    with read_knowledge_base(kb) as base:
        found = explain_entity(base, together[0])
        assert {*together} <= {each.rpartition(":")[2] for each in found.records}
        assert 0.0 <= found.together <= 1.0 and found.tree
        assert any(each.what == "field" for each in found.removals)
        pair = explain_records(base, *together)
        assert pair.pair.steps and 0.0 <= pair.posterior <= 1.0
        assert count_entities(base).low <= count_entities(base).high


def test_a_weight_makes_what_is_said_likelier_or_is_refused(made, kb):
    way = made[0]
    together, _ = pair_to_judge(kb)
    if way.is_sampled:
        judge(kb, [Said("different", *together, 3.0)])
    else:
        before = kb.read_bytes()
        with pytest.raises(UnsupportedError, match="one answer"):
            judge(kb, [Said("different", *together, 3.0)])
        assert kb.read_bytes() == before


def test_doubtful_pairs_are_found(made, kb):
    with read_knowledge_base(kb) as base:
        found = doubts(base, most=5)
        open_ = base.value("SELECT count(*) FROM pairs WHERE probability BETWEEN 0.02 AND 0.98")
    assert bool(found) == bool(open_)
    assert all(each.worth >= 0 for each in found)


def test_a_record_is_found_and_added_alone(made, kb):
    _, table, _, _, _ = made
    live = Live(kb)
    row = {name: value for name, value in table.slice(len(table) - 1).to_pylist()[0].items() if value is not None}
    found = live.find(row)
    total = found.nil + sum(each.probability for each in found.candidates)
    assert 0.9 < total <= 1.0 + 1e-9
    before = len(entities(kb))
    added = live.add(row)
    assert len(entities(kb)) == before + 1 and added.entity == entities(kb)[str(row["id"])]


SECRETS = {
    "given_name": "Zyxwvutia",
    "surname": "Qqarbleforth",
    "name": "Zyxwvutia Qqarbleforth",
    "city": "Xylophonium",
    "phone": "8675309123987",
    "birth_date": "1907-11-23",
    "context": "vexillology snorkel quokka",
}
"""What nobody else has, by column."""


def traces(path, values):
    """Return which values some byte of the file, or of what lies beside it, still holds."""
    there = [path, *path.parent.glob(f".{path.name}*"), *path.parent.glob(f"{path.name}.*")]
    data = [each.read_bytes().lower() for each in there]
    return [value for value in values if any(value.lower().encode() in each for each in data)]


def test_no_byte_of_an_erased_record_is_left(made, kb):
    table = made[1]
    row = table.slice(0, 1).to_pylist()[0]
    row |= {name: value for name, value in SECRETS.items() if name in row} | {"id": "zq-secret-77"}
    update_knowledge_base(kb, tables=[pa.Table.from_pylist([row], schema=table.schema)])
    words = [word for name, value in SECRETS.items() if name in row for word in value.split()]
    values = ["zq-secret-77", *words]
    assert len(traces(kb, values)) > len(values) // 2  # they can be found
    before = entities(kb)
    erase(kb, ["zq-secret-77"])
    assert traces(kb, values) == []
    assert set(before) - set(entities(kb)) == {"zq-secret-77"}


def test_a_record_is_erased(made, kb):
    together, _ = pair_to_judge(kb)
    erase(kb, [together[0]])
    with read_knowledge_base(kb) as base:
        assert base.value("SELECT count(*) FROM records WHERE id = ?", [together[0]]) == 0
