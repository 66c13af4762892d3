import datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from onoma.corpus.schema import RECORDS, check
from onoma.corpus.simulate import PeopleSettings, people_batches, simulate_people, statistics
from onoma.corpus.simulate.names import american_given
from onoma.corpus.simulate.people import draw_people, draw_register
from onoma.corpus.simulate.records import LEFT_OUT
from onoma.errors import SettingsError
from onoma.numerics.rng import stream

ERRORS = ("typos", "swaps", "nicknames", "initials", "missing", "dates", "formats")
CHANGES = ("moves", "marriages", "phones", "emails")
STILL = dict.fromkeys((*ERRORS, *CHANGES), 0.0)
N = 6000


def still(**turned):
    """Settings with every error and every change off, but for those turned up."""
    return PeopleSettings(**STILL | turned)


def differing(**turned):
    return statistics(simulate_people(N, seed=1, settings=still(**turned)), "people").differing


@pytest.fixture(scope="module")
def table():
    return simulate_people(20_000, seed=1)


@pytest.fixture(scope="module")
def measured(table):
    return statistics(table, "people")


def test_the_table(table):
    assert table.column_names == ["id", "cluster_id", *LEFT_OUT]
    check(table, RECORDS)
    assert len(pc.unique(table["id"])) == table.num_rows == 20_000
    assert table["cluster_id"].null_count == 0


def test_same_seed_same_table_other_seed_another(table):
    assert simulate_people(20_000, seed=1).equals(table)
    other = simulate_people(20_000, seed=2)
    assert pc.mean(pc.equal(other["surname"], table["surname"])).as_py() < 0.1


def test_batches_are_the_table(monkeypatch):
    monkeypatch.setattr("onoma.corpus.simulate.render.BATCH_ROWS", 400)
    batches = list(people_batches(1000, seed=1))
    assert [batch.num_rows for batch in batches] == [400, 400, 200]
    table = pa.Table.from_batches(batches)
    assert table.equals(simulate_people(1000, seed=1))
    assert len(pc.unique(table["id"])) == 1000
    # Each batch has its own stream: the same row numbers do not meet the same accidents.
    gaps = [batch["phone"].is_null().to_numpy(zero_copy_only=False)[:200] for batch in batches]
    assert (gaps[0] != gaps[1]).any()


def test_threads_do_not_matter(monkeypatch):
    monkeypatch.setattr("onoma.corpus.simulate.render.BATCH_ROWS", 100)
    two = simulate_people(950, seed=1)
    for threads in (1, 3, 20):
        monkeypatch.setattr("onoma.corpus.simulate.render.THREADS", threads)
        assert simulate_people(950, seed=1).equals(two)


def test_progress_counts_every_row():
    class Counter:
        n = 0

        def task(self, name, total=None, unit=""):
            self.total = total
            return self

        def advance(self, n=1, **facts):
            self.n += n

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

    counter = Counter()
    simulate_people(500, seed=1, progress=counter)
    assert counter.n == counter.total == 500


def test_the_order_of_ids_says_nothing(table):
    """Neighbours in the table are of one entity as rarely as in a random order; grouped, they often are."""
    entity = table["cluster_id"].to_numpy()
    together = (entity[1:] == entity[:-1]).sum()
    assert together <= 10  # expected: about one
    assert table["id"].to_pylist() == sorted(table["id"].to_pylist())
    grouped = np.sort(entity)
    assert (grouped[1:] == grouped[:-1]).mean() > 0.3
    numbers = np.char.lstrip(entity.astype(str), "e").astype(int)
    assert abs(np.corrcoef(numbers, np.arange(len(numbers)))[0, 1]) < 0.03


def test_defaults_are_in_the_documented_ranges(measured):
    assert measured.rows == 20_000
    assert measured.entities == 12_000
    assert 0.55 < measured.singletons < 0.65
    assert 8 <= measured.largest <= 20
    assert 0.02 < measured.shared_names < 0.08
    assert 0.2 < measured.shared_initials < 0.4
    assert 1.3 < measured.forms < 1.6
    assert 0.2 < measured.differing["city"] < 0.35
    assert 0.08 < measured.differing["surname"] < 0.16
    assert abs(measured.missing["email"] - 0.12) < 0.02
    assert measured.missing["surname"] < 0.01


def test_with_every_dial_at_zero_records_of_a_person_agree():
    table = simulate_people(N, seed=1, settings=still())
    measured = statistics(table, "people")
    # The middle name is written out or as an initial: a habit, not an error.
    assert all(share == 0 for field, share in measured.differing.items() if field != "middle_name")
    assert all(share == 0 for field, share in measured.missing.items() if field != "middle_name")
    assert 0.2 < measured.missing["middle_name"] < 0.3  # people without one
    assert measured.forms == 1


MOVED_BY = [
    ("typos", {"given_name", "middle_name", "surname", "street", "city", "postcode", "phone", "email"}),
    ("swaps", {"given_name", "surname"}),
    ("nicknames", {"given_name"}),
    ("initials", {"given_name"}),
    ("dates", {"birth_date"}),
    ("formats", {"street", "phone"}),
    ("moves", {"street", "city", "state", "postcode"}),
    ("marriages", {"surname"}),
    ("phones", {"phone"}),
    ("emails", {"email"}),
]


@pytest.mark.parametrize(("name", "fields"), MOVED_BY)
def test_a_dial_moves_what_it_says_and_nothing_else(name, fields):
    base, little, much = differing(), differing(**{name: 0.05}), differing(**{name: 0.4})
    for field, share in much.items():
        if field in fields:
            assert share > little[field] > base[field] - 0.01
        elif field != "middle_name":
            assert share == 0


def test_missing_moves_missing():
    little, much = (
        statistics(simulate_people(N, seed=1, settings=still(missing=m)), "people").missing for m in (0.05, 0.2)
    )
    for field, factor in LEFT_OUT.items():
        if field != "middle_name":
            assert abs(little[field] - 0.05 * factor) < 0.02
            assert much[field] > little[field]
    assert abs(np.mean(list(LEFT_OUT.values())) - 1) < 0.01


def test_sloppy_records_have_more_errors_at_once():
    def missing_together(variation):
        table = simulate_people(N, seed=1, settings=still(missing=0.1, sloppiness=variation))
        a, b = (np.asarray(table[field].is_null()) for field in ("phone", "email"))
        return b[a].mean() / b.mean()

    assert abs(missing_together(0.0) - 1) < 0.15
    assert missing_together(1.5) > 1.4


def test_duplicates_and_clumping():
    few, many = (
        statistics(simulate_people(N, seed=1, settings=PeopleSettings(duplicates=d)), "people") for d in (0.0, 0.8)
    )
    assert few.entities == N
    assert few.singletons == 1
    assert many.entities == N // 5
    even, uneven = (
        statistics(simulate_people(N, seed=1, settings=PeopleSettings(clumping=c)), "people") for c in (0.0, 3.0)
    )
    assert uneven.largest > even.largest


def test_ambiguity_moves_shared_names():
    shares = [
        statistics(simulate_people(N, seed=1, settings=still(ambiguity=a, duplicates=0.0)), "people").shared_initials
        for a in (0.0, 1.0, 1.5)
    ]
    assert shares[0] < shares[1] < shares[2]
    assert shares[0] < 0.1


def test_households_share_address_and_surname():
    def of(share):
        table = simulate_people(N, seed=1, settings=still(households=share, duplicates=0.0))
        together = table.group_by(["street", "city"]).aggregate([("id", "count")])["id_count"].to_numpy()
        return (together > 1).mean(), table

    alone, _ = of(0.0)
    shared, table = of(0.5)
    assert alone < 0.02
    assert shared > 0.4
    homes = table.group_by(["street", "city"]).aggregate([("surname", "count_distinct"), ("id", "count")])
    homes = homes.filter(pc.equal(homes["id_count"], 2))
    assert pc.mean(pc.equal(homes["surname_count_distinct"], 1)).as_py() > 0.8


def test_twins_share_all_but_the_given_name():
    names = american_given()[0].values.to_pylist()
    people = draw_people(stream(0), 40_000, PeopleSettings(twins=0.3, households=0.6))
    same_day = (np.diff(people.birth) == 0) & (np.diff(people.household) == 0)
    twin = np.flatnonzero(same_day) + 1
    assert len(twin) > 1000
    assert (people.surname[twin] == people.surname[twin - 1]).mean() > 0.99  # but for a couple born on one day
    pairs = [(names[people.given[i]], names[people.given[i - 1]]) for i in twin[:500]]
    assert all(a[0] == b[0] for a, b in pairs)
    assert np.mean([a != b for a, b in pairs]) > 0.98
    none = draw_people(stream(0), 40_000, PeopleSettings(twins=0.0, households=0.6))
    assert ((np.diff(none.birth) == 0) & (np.diff(none.household) == 0)).sum() < 10


def test_a_marriage_is_a_woman_s_and_lasts():
    register = draw_register(N, 1, still(marriages=0.5))
    changed = register.surname != register.people.surname[register.person]
    assert changed.sum() > 100
    assert register.people.is_woman[register.person[changed]].all()
    assert (register.maiden >= 0).any()


@pytest.mark.parametrize("dates", [0.0, 0.5])
def test_dates_are_dates(dates):
    table = simulate_people(2000, seed=1, settings=still(dates=dates))
    for value in table["birth_date"].to_pylist():
        datetime.date.fromisoformat(value)


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_small_corpora(n):
    table = simulate_people(n, seed=n)
    assert table.num_rows == n
    assert statistics(table, "people").rows == n


def test_no_rows_is_refused_before_any_work():
    with pytest.raises(SettingsError, match="0 rows"):
        people_batches(0)
