"""Rules in SQL find the pairs that DuckDB alone finds; what must, or cannot, be linked is, or is not, whatever else."""

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.errors import SettingsError, UnsupportedError
from onoma.kb.database import read_knowledge_base
from onoma.kb.update import update_knowledge_base
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.api import resolve
from onoma.resolve.blocking.conditions import check_rules, has_constraints, rule_judgements, ruled_pairs
from onoma.resolve.config import ResolveConfig

SYMMETRIC = "l.zip = r.zip AND left(l.surname, 3) = left(r.surname, 3)"
ONE_WAY = "l.surname < r.surname AND l.zip = r.zip"
MISSING = "l.zip IS NULL AND r.zip IS NULL"
SPACED = 'l."the age" = r."the age" - 3'


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    surnames = np.array(["Smith", "Smyth", "Smithers", "Jones", "Johns", None], dtype=object)
    return pa.table(
        {
            "id": [str(i) for i in range(120)],
            "surname": surnames[rng.integers(0, 6, 120)].tolist(),
            "zip": [None if z == 0 else f"{z:05d}" for z in rng.integers(0, 12, 120).tolist()],
            "the age": rng.integers(20, 24, 120),
        }
    )


def by_duckdb(table, condition):
    """Every pair of rows, tried by DuckDB on its own."""
    rows = table.append_column("n", pa.array(range(len(table))))
    with duckdb.connect() as connection:
        connection.register("t", rows)
        pairs = "SELECT DISTINCT least(l.n, r.n), greatest(l.n, r.n) FROM t l, t r"
        return sorted(connection.execute(f"{pairs} WHERE l.n <> r.n AND ({condition})").fetchall())


@pytest.mark.parametrize("condition", [SYMMETRIC, ONE_WAY, SPACED, MISSING, "false"])
def test_rules_find_the_pairs_that_duckdb_alone_finds(table, condition):
    (pairs,) = ruled_pairs(table, [condition + " -- and a comment"])
    assert [tuple(pair) for pair in pairs.tolist()] == by_duckdb(table, condition)


def test_sources_and_blocks_narrow_the_pairs(table):
    side = (np.arange(120) % 2).astype(np.int32)
    whole = ruled_pairs(table, [SYMMETRIC])[0]
    across, within = ruled_pairs(table, [SYMMETRIC], source=side)[0], ruled_pairs(table, [SYMMETRIC], block=side)[0]
    assert len(across) and len(within) and len(across) + len(within) == len(whole)
    assert (side[across[:, 0]] != side[across[:, 1]]).all() and (side[within[:, 0]] == side[within[:, 1]]).all()


def test_blocking_rules_are_compared():
    people = simulate_people(60, seed=2)
    rule = "l.state = r.state AND left(l.given_name, 1) = left(r.given_name, 1)"
    found = resolve(people, block_on=rule, model_settings={"canopies": {"neighbours": 1}}, seed=1)
    seen = set(zip(found.weighed.candidates.a.tolist(), found.weighed.candidates.b.tolist(), strict=True))
    asked = by_duckdb(people, rule)
    assert asked and set(asked) <= seen
    assert any(note == f"rows for which {rule} are compared: {len(asked):,} pairs" for note in found.notes)


@pytest.fixture(scope="module")
def people():
    return pa.table(
        {
            "id": list("abcdefgh"),
            "given_name": ["Ann", "Ann", "Ann", "Bob", "Bob", "Cyd", "Dan", "Eve"],
            "surname": ["Smith", "Smith", "Smith", "Jones", "Jones", "Brown", "Moore", "Clark"],
            "born": ["1950", "1950", "1950", "1960", "1960", "1970", "1980", "1990"],
            "card": ["1", "2", "2", "3", "4", "5", "5", "6"],
        }
    )


def labels(found):
    return dict(zip(found.memberships["id"].to_pylist(), found.clustering.labels.tolist(), strict=True))


def test_what_must_be_linked_is_and_what_cannot_is_not(people):
    options = {"exclude": ["card"], "model": "copying", "samples": 20}
    plain = labels(resolve(people, **options))
    assert plain["a"] == plain["b"] and plain["f"] != plain["g"]
    found = resolve(people, must_link_on="l.card = r.card", cannot_link_on=("l.id = 'a' AND r.id = 'b'",), **options)
    said = labels(found)
    assert said["f"] == said["g"] and said["b"] == said["c"] and len({said["a"], said["b"]}) == 2
    assert found.probability[5] == pytest.approx(1.0)
    assert any("of 2 pairs that they are one, of 1 not" in note for note in found.notes)
    assert all(len({row[0], row[1]}) == 2 for row in found.posterior.samples)


def test_cannot_link_holds_between_sources_too(people):
    table = people.append_column("side", pa.array(list("pqpqpqpq")))
    options = {"source": "side", "link": True, "exclude": ["card"], "model": "copying", "samples": 20}
    before = labels(resolve(table, **options))
    assert before["d"] == before["e"]
    after = labels(resolve(table, cannot_link_on="l.id = 'd' AND r.id = 'e'", **options))
    assert after["d"] != after["e"]


def test_rules_that_contradict_each_other_are_refused_with_the_rows(people):
    config = ResolveConfig(must_link_on=("l.card = r.card",), cannot_link_on=("l.born <> r.born",))
    with pytest.raises(SettingsError, match="the rows 'f' and 'g' must be linked, and cannot be"):
        rule_judgements(people, config)
    assert has_constraints(config) and not has_constraints(ResolveConfig(block_on=("true",)))


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("l.cart = r.card", '"l" does not have a column named "cart"'),
        ("l.card =", "is not understood"),
        ("card = 1", "is not understood"),
        ("l.card", "is no condition: it gives VARCHAR"),
        ("true; DROP TABLE x", "is not understood"),
        ("(SELECT count(*) FROM '/etc/passwd') > 1", "is not understood"),
        ("count(*) > 1", "is not understood"),
    ],
)
@pytest.mark.parametrize("option", ["block_on", "must_link_on", "cannot_link_on"])
def test_a_bad_rule_is_refused_before_the_work(people, option, condition, message):
    config = ResolveConfig.of({option: [condition]})
    with pytest.raises(SettingsError) as error:
        check_rules(people, config)
    assert message in str(error.value) and f"--{option.replace('_', '-')}" in str(error.value)
    assert "l.given_name" in str(error.value)


def test_too_many_pairs_are_refused(people):
    with pytest.raises(SettingsError, match="holds for more than 3 pairs"):
        ruled_pairs(people, ["true"], most=3)


@pytest.mark.parametrize("model", ["pairwise", "exact-match"])
def test_a_model_that_heeds_no_rules_refuses_them(people, model):
    with pytest.raises(UnsupportedError, match="takes no --must-link-on"):
        resolve(people, must_link_on="l.card = r.card", model=model)


def test_a_knowledge_base_with_rules_resolves_all_anew_and_keeps_to_them(people, tmp_path):
    config = ResolveConfig(must_link_on=("l.card = r.card",), exclude=("card",), model="copying", samples=10)
    store_outcome(run_job(Job(table=people, config=config)), tmp_path / "kb.duckdb")
    new = pa.table({"id": ["z"], "given_name": ["Zoe"], "surname": ["Hill"], "born": ["1999"], "card": ["3"]})
    update = update_knowledge_base(tmp_path / "kb.duckdb", tables=[new])
    assert update.is_refreshed and any("all records are resolved anew" in note for note in update.notes)
    with read_knowledge_base(tmp_path / "kb.duckdb") as base:
        one = "SELECT count(DISTINCT entity) FROM memberships WHERE id IN ('d', 'z')"
        assert base.value(one) == 1


def test_rules_find_the_same_pairs_whatever_the_order_of_the_rows(table):
    turned = table.take(pa.array(np.arange(119, -1, -1)))
    forward, backward = ruled_pairs(table, [ONE_WAY])[0], ruled_pairs(turned, [ONE_WAY])[0]
    assert sorted(map(tuple, np.sort(119 - backward, axis=1).tolist())) == [tuple(pair) for pair in forward.tolist()]
