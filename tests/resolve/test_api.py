import itertools
import math

import numpy as np
import pyarrow as pa
import pytest

import onoma.resolve
from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import PeopleSettings, simulate_people
from onoma.errors import DataError, SettingsError
from onoma.evaluate import evaluate
from onoma.resolve.api import resolve
from onoma.resolve.blocking.canopies import CanopySettings
from onoma.resolve.config import ResolveConfig

N = 500


def with_column(table, name, values):
    return table.append_column(name, pa.array(values, pa.string()))


def b_cubed(one, other):
    return evaluate(one, other, metrics="b3").as_dict()["b3"]["f1"]


@pytest.fixture(scope="module")
def people():
    return simulate_people(N, seed=1)


@pytest.fixture(scope="module")
def found(people):
    return resolve(people)


# The answer.


def test_people_are_found(people, found):
    assert b_cubed(Clustering.from_labels(people["cluster_id"]), found.clustering) > 0.95
    entities, low, high = found.entity_count()
    assert low <= entities <= high
    assert abs(entities - (low + high) / 2) < 0.05 * N
    assert found.entity_count(0.5)[1] >= low
    assert found.entity_count(0.5)[2] <= high


def test_memberships(people, found):
    table = found.memberships
    assert table.column_names == ["id", "entity", "probability"]
    assert table["id"].to_pylist() == people["id"].to_pylist()
    assert Clustering.from_labels(table["entity"]) == found.clustering
    probability = table["probability"].to_numpy()
    assert probability.min() >= 0.0
    assert probability.max() <= 1.0
    # One record in an entity that everybody agrees on is as sure as can be.
    assert (probability == 1.0).mean() > 0.3


def test_entities_have_one_row_each(people, found):
    table = found.entities
    assert len(table) == found.clustering.n_entities
    assert table["size"].to_numpy().sum() == N
    members = found.memberships.group_by("entity").aggregate([("probability", "min"), ("id", "count")])
    expected = {row["entity"]: (row["probability_min"], row["id_count"]) for row in members.to_pylist()}
    entity_of = dict(zip(people["id"].to_pylist(), found.memberships["entity"].to_pylist(), strict=True))
    surnames = {}
    for record, surname in zip(people["id"].to_pylist(), people["surname"].to_pylist(), strict=True):
        surnames.setdefault(entity_of[record], set()).add(surname)
    for row in table.to_pylist():
        assert expected.pop(row["entity"]) == (row["probability"], row["size"])
        assert entity_of[row["record"]] == row["entity"]
        assert row["surname"] in surnames[row["entity"]]
    assert not expected


def test_the_record_that_stands_for_an_entity_is_the_fullest():
    table = pa.table(
        {"name": ["Ann Smith", "Ann Smith", "Bob Jones"], "city": [None, "York", "Ely"], "size": ["1"] * 3}
    )
    found = resolve(table, kinds={"name": "person", "city": "category", "size": "ignore"})
    filled = np.array([1, 2, 2])
    for row in found.entities.to_pylist():
        members = np.flatnonzero(found.clustering.labels == found.clustering.labels[int(row["record"]) - 1])
        assert filled[int(row["record"]) - 1] == filled[members].max()
    assert "size_of_record" in found.entities.column_names


def test_pairs_have_a_floor(found):
    for floor in (0.01, 0.5, 1.0):
        pairs = found.pairs(floor)
        assert pairs.column_names == ["a", "b", "probability"]
        assert len(pairs) == (found.weighed.draws.together >= floor).sum() > 0
        assert pairs["probability"].to_numpy().min() >= floor
    assert set(found.pairs()["a"].to_pylist()) <= set(found.table["id"].to_pylist())


def test_an_explanation_sums_up(found):
    ids = found.table["id"].to_pylist()
    evidence, weights = found.weighed.evidence, found.log_weights()
    for e in range(0, len(weights), len(weights) // 20):
        a, b = ids[evidence.a[e]], ids[evidence.b[e]]
        why = found.explain(a, b)
        assert why == found.explain(b, a)
        assert why.bits == pytest.approx(math.fsum(step.bits for step in why.steps))
        told = {"slips", *(field.name for field in found.fields.fields)}
        fields = [step.bits for step in why.steps if step.field in told]
        assert math.fsum(fields) == pytest.approx(weights[e] / math.log(2), abs=1e-4)
    with pytest.raises(DataError, match="no record with the id 'nobody'"):
        found.explain("nobody", ids[0])


def test_weights_are_shown(found):
    table = found.weights().to_pylist()
    for field in found.fields.fields:
        rows = [row for row in table if row["field"] == field.name]
        assert [row["level"] for row in rows] == list(field.levels)
        assert sum(row["copied"] for row in rows) == pytest.approx(1.0)
        assert all(0.0 < row["strangers"] <= 1.0 for row in rows)
        for row in rows[1:]:  # the first is that of a typical value
            assert row["bits"] == pytest.approx(math.log2(row["copied"] / row["strangers"]))


# What changes the answer, and what does not.


def test_the_same_seed_gives_the_same_bytes(people, found):
    again = resolve(people)
    assert again.memberships.equals(found.memberships)
    assert again.pairs().equals(found.pairs())
    other = resolve(people, config=ResolveConfig(seed=1))
    assert not other.pairs().equals(found.pairs())
    assert b_cubed(other.clustering, found.clustering) > 0.97


def test_the_order_of_the_rows_changes_nothing_but_noise(people, found):
    order = np.random.default_rng(0).permutation(N)
    shuffled = resolve(people.take(order))
    back = Clustering.from_labels(shuffled.clustering.labels[np.argsort(order)])
    assert b_cubed(back, found.clustering) >= 0.98


def pair_posteriors(found):
    """The stated pairs by their ids, whichever row comes first."""
    rows = found.pairs(0.0).to_pylist()
    return {frozenset((row["a"], row["b"])): row["probability"] for row in rows}


def posterior_gap(one, other):
    """The mean difference of the pair posteriors, over pairs that either states at 5 % or more."""
    one, other = pair_posteriors(one), pair_posteriors(other)
    pairs = [pair for pair in {*one, *other} if max(one.get(pair, 0.0), other.get(pair, 0.0)) >= 0.05]
    return float(np.mean([abs(one.get(pair, 0.0) - other.get(pair, 0.0)) for pair in pairs]))


def test_the_order_of_the_rows_does_not_move_the_posterior(people, found):
    """Beyond Monte-Carlo error: no further than another seed moves it."""
    order = np.random.default_rng(1).permutation(N)
    shuffled = resolve(people.take(order))
    seeds = [resolve(people, config=ResolveConfig(seed=seed)) for seed in (1, 2)]
    noise = max(posterior_gap(seed, found) for seed in seeds)
    assert posterior_gap(shuffled, found) <= 2.0 * noise + 0.01
    counts = [each.weighed.draws.n_entities.mean() for each in (shuffled, found)]
    assert abs(counts[0] - counts[1]) <= 0.01 * N


@pytest.mark.parametrize("how", [str, str.upper, lambda text: f"{text}, UK"])
def test_a_column_twice_changes_little(people, found, how):
    """The same again, in other letters, or with something added: no new evidence."""
    city = [None if value is None else how(value) for value in people["city"].to_pylist()]
    twice = resolve(with_column(people, "town", city))
    assert posterior_gap(twice, found) < 0.05
    assert abs(twice.clustering.n_entities - found.clustering.n_entities) <= 0.01 * N
    assert b_cubed(twice.clustering, found.clustering) > 0.99


def test_the_truth_is_never_evidence(people, found):
    short = ResolveConfig(samples=20, burn_in=0)
    few = people.slice(0, 150)
    labels = few["cluster_id"].to_pylist()
    without = few.drop_columns(["cluster_id"])
    expected = resolve(without, config=short).pairs()
    assert len(expected) > 0
    shuffled = np.random.default_rng(0).permutation(labels).tolist()
    towns = [f"Town of {few['city'][labels.index(label)]}" for label in labels]  # as evidence, they would be strong
    for name, values in (("cluster_id", labels), ("cluster_id", shuffled), ("Entity_ID", towns), ("gold", towns)):
        assert resolve(with_column(without, name, values), config=short).pairs().equals(expected)
    assert not resolve(with_column(without, "town", towns), config=short).pairs().equals(expected)
    named = with_column(without, "answer", labels)
    assert resolve(named, exclude=["answer"], config=short).pairs().equals(expected)


def test_ids_are_no_evidence(people, found):
    """Ids that tell the truth, as those of some published tables do."""
    ids = pa.array([f"person-{label}-{i}" for i, label in enumerate(people["cluster_id"].to_pylist())])
    leaking = people.set_column(0, "id", ids)
    assert resolve(leaking).clustering == found.clustering


def test_an_empty_column_changes_nothing(people, found):
    for values in ([None] * N, [""] * N):
        got = resolve(with_column(people, "void", values))
        assert got.clustering == found.clustering
        assert "void" in [each.name for each in got.fields.ignored]


# Odd tables.


def test_one_row(people):
    found = resolve(people.slice(0, 1))
    assert found.posterior is None
    assert found.memberships["probability"].to_pylist() == [1.0]
    assert found.entity_count() == (1, 1, 1)
    assert len(found.entities) == 1
    assert len(found.pairs()) == len(found.log_weights()) == 0
    assert "one row is one entity" in found.notes


@pytest.mark.parametrize("table", [{"id": ["1", "2", "3"]}, {"id": ["1", "2", "3"], "name": [None, "", "n/a"]}])
def test_nothing_to_compare(table):
    found = resolve(pa.table(table))
    assert found.posterior is None
    assert found.clustering == Clustering.singletons(3)
    assert "there is nothing to compare, so every row is an entity" in found.notes
    assert found.explain("1", "2").bits == 0.0


def test_rows_that_share_nothing():
    found = resolve(pa.table({"name": ["Ann", "Bob", "Cyd"]}))
    assert found.clustering == Clustering.singletons(3)
    assert found.probability.tolist() == [1.0, 1.0, 1.0]


def test_one_person_written_often_with_slips_is_one_entity():
    rng = np.random.default_rng(1)
    person = {"first": "Katherine", "last": "Montgomery", "street": "17 Larch Street", "city": "Springfield"}

    def slip(value):
        at = int(rng.integers(len(value)))
        return value[:at] + value[at + 1 :] if rng.random() < 0.3 else value

    rows = [{name: slip(value) for name, value in person.items()} for _ in range(500)]
    found = resolve(pa.Table.from_pylist(rows))
    assert found.entity_count() == (1, 1, 1)


def test_a_million_identical_rows():
    """Nothing could tell them apart: one entity, and that is said."""
    n = 1_000_000
    found = resolve(pa.table({"name": pa.repeat("Ada Lovelace", n), "city": pa.repeat("London", n)}))
    assert found.entity_count() == (1, 1, 1)
    assert found.identical
    assert any("all rows say the same" in note for note in found.notes)
    assert {each.name for each in found.fields.ignored} == {"name", "city"}
    assert found.entities.to_pylist()[0] | {"entity": ""} == {
        "entity": "",
        "size": n,
        "probability": 1.0,
        "record": "1",
        "name": "Ada Lovelace",
        "city": "London",
    }


@pytest.mark.parametrize(
    "columns", [{"name": ["Ada", None]}, {"name": ["n/a", "n/a"]}, {"name": [None, None]}, {"id": ["1", "2"]}]
)
def test_rows_that_say_nothing_alike_are_not_joined(columns):
    assert resolve(pa.table(columns)).clustering == Clustering.singletons(2)


def test_rows_of_two_sources_are_not_linked_for_saying_the_same():
    """Nothing was compared, so which row is whose partner is not known."""
    table = pa.table({"name": ["Ada"] * 4, "from": ["x", "x", "y", "y"]})
    assert resolve(table, source="from", link=True).clustering == Clustering.singletons(4)


def test_no_rows():
    found = resolve(pa.table({"name": pa.array([], pa.string())}))
    assert found.entity_count() == (0, 0, 0)
    assert "there are no rows" in found.notes
    assert len(found.entities) == len(found.memberships) == 0


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(DataError, match="two columns are called 'name'"):
        resolve(pa.table([["Ann"], ["Bob"]], names=["name", "name"]))


def test_columns_with_odd_names(people):
    names = {"surname": 'sur"name; DROP', "city": "été ☃", "given_name": "a.b[c]", "phone": " "}
    odd = people.rename_columns([names.get(name, name) for name in people.column_names]).slice(0, 100)
    found = resolve(odd, kinds={'sur"name; DROP': "person"})
    assert {'sur"name; DROP', "a.b[c]"} <= {field.name for field in found.fields.fields}
    assert set(names.values()) <= set(found.entities.column_names)


def test_texts_of_ten_thousand_characters():
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(5000)])
    texts = [" ".join(words[rng.integers(0, 5000, 2000)]) for _ in range(40)]
    found = resolve(pa.table({"body": texts + [text + " more" for text in texts], "n": [str(i) for i in range(80)]}))
    assert [field.kind for field in found.fields.fields if field.name == "body"] == ["likeness"]
    assert len(texts[0]) > 9000


def test_many_identical_rows_among_others(people):
    """Thirty copies of one person are one person, and do not break the rest."""
    copies = people.slice(0, 1).take(np.zeros(30, dtype=np.int64))
    table = pa.concat_tables([people, copies]).drop_columns(["id"])
    found = resolve(table)
    copies = found.clustering.labels[N:]
    assert (copies == found.clustering.labels[0]).all()
    rest = Clustering.from_labels(found.clustering.labels[1:N])
    assert b_cubed(Clustering.from_labels(people["cluster_id"][1:]), rest) > 0.9


def test_letters_that_all_rows_share(people):
    """Every record has the same domain in its address of mail: features of all records, which weigh nothing."""
    names = [f"{surname}{i % 7}@example.org" for i, surname in enumerate(people["surname"].to_pylist())]
    found = resolve(with_column(people.slice(0, 200), "mail", names[:200]))
    assert found.clustering.n_entities > 50


# Ids, sources, blocks.


@pytest.mark.parametrize("block", [None, "state"])
def test_what_other_tables_teach_is_tried_where_nobody_says_what_is_compared(people, monkeypatch, block):
    """Within blocks of authors' names titles are not what tells people apart, however well they would be found."""
    tried = []
    monkeypatch.setattr("onoma.resolve.api._taught_instead", lambda *given: tried.append(given))
    resolve(people.slice(0, 60), model="copying", block=block)
    assert len(tried) == (block is None)


def test_ids_are_made_or_found():
    table = pa.table({"name": ["Ann Smith", "Ann Smith"], "passport_id": ["7", "8"]})
    assert resolve(table).table["id"].to_pylist() == ["7", "8"]
    made = resolve(table.drop_columns(["passport_id"]))
    assert made.table["id"].to_pylist() == ["1", "2"]
    assert any("were made" in note for note in made.notes)
    assert [field.name for field in resolve(table, id="passport_id").fields.fields] == []
    assert resolve(table.drop_columns(["name"])).posterior is None
    with pytest.raises(DataError, match="no column 'nope'"):
        resolve(table, id="nope")


def test_duplicate_ids_are_refused():
    table = pa.table({"id": ["1", "1"], "name": ["Ann", "Bob"], "from": ["x", "y"]})
    with pytest.raises(DataError, match="which record 1 has already"):
        resolve(table)
    assert resolve(table, source="from").memberships["id"].to_pylist() == ["1", "1"]
    with pytest.raises(DataError, match="twice within one source"):
        resolve(table.set_column(2, "from", pa.array(["x", "x"])), source="from")


def test_ids_within_sources_are_found_by_name():
    table = pa.table({"rec_id": ["1", "1", "2"], "name": ["Ann", "Bob", "Cyd"], "from": ["x", "y", "y"]})
    found = resolve(table, source="from")
    assert found.memberships["id"].to_pylist() == ["1", "1", "2"]
    assert "ids are taken from the column 'rec_id', within each source" in found.notes
    with pytest.raises(DataError, match="a record has no id"):
        resolve(table.set_column(0, "rec_id", pa.array(["1", None, "2"])), source="from")


def test_the_id_may_be_excluded_by_name(people):
    few = people.slice(0, 60).rename_columns(["rec_id", *people.column_names[1:]])
    assert resolve(few, exclude=["rec_id"]).memberships.equals(resolve(few).memberships)


def test_a_source_may_be_missing():
    table = pa.table({"id": ["1", "1", "2"], "name": ["Ann", "Bob", "Cyd"], "from": ["x", None, None]})
    assert len(resolve(table, source="from").memberships) == 3


def test_linking(people):
    table = with_column(people, "from", ["old" if i % 2 else "new" for i in range(N)])
    found = resolve(table, source="from", link=True)
    assert found.memberships.column_names == ["source", "id", "entity", "probability"]
    source = np.array(table["from"].to_pylist())
    chains = [chain for chain in found.clustering.chains() if len(chain) > 1]
    assert len(chains) > 20
    assert all(len(chain) == 2 and len(set(source[chain])) == 2 for chain in chains)
    pairs = found.pairs().to_pylist()
    assert pairs and all({row["a_source"], row["b_source"]} == {"old", "new"} for row in pairs)
    assert "contrast" in found.weights()["field"].to_pylist()
    assert "from" not in [field.name for field in found.fields.fields]


def test_sources_that_overlap_little_are_not_linked_by_their_nearest_strangers():
    """The best of many strangers shares a name and is ahead of all others: that is no evidence twice."""
    rows = simulate_people(700, seed=3, settings=PeopleSettings(duplicates=0.6)).to_pylist()
    of_person = {}
    for row in rows:
        of_person.setdefault(row["cluster_id"], []).append(row)
    sides = [], []
    for k, mine in enumerate(of_person.values()):
        sides[k % 2].append(mine[0])
        if k % 4 == 0:
            sides[1].extend(mine[1:2])
    every = [*sides[0], *sides[1]]
    table = pa.table(
        {
            "name": [f"{row['given_name']} {row['surname']}" for row in every],
            "birth_date": [row["birth_date"] for row in every],
            "from": ["a"] * len(sides[0]) + ["b"] * len(sides[1]),
        }
    )
    person = np.array([row["cluster_id"] for row in every])
    links = [chain for chain in resolve(table, source="from", link=True).clustering.chains() if len(chain) > 1]
    right = sum(len(set(person[chain])) == 1 for chain in links)
    true = len(every) - len(set(person))
    assert right >= 0.9 * true and len(links) <= 1.15 * true


def three_sources(people):
    return with_column(people, "from", ["abc"[i % 3] for i in range(len(people))])


def test_three_sources_one_to_one(people):
    table = three_sources(people)
    source = np.array(table["from"].to_pylist())
    for cost in (0.5, 0.05):
        found = resolve(table, source="from", link=True, one_to_one=True, config=ResolveConfig(merge_cost=cost))
        chains = [chain for chain in found.clustering.chains() if len(chain) > 1]
        assert all(len(set(source[chain])) == len(chain) for chain in chains)
        assert max(map(len, chains)) == 3
    for sample in found.weighed.draws.roots:
        assert len(set(zip(sample.tolist(), source.tolist(), strict=True))) == N


def test_three_sources_with_duplicates_inside(people):
    """Rows of one source are never compared, but may be joined through another."""
    table = three_sources(people)
    found = resolve(table, source="from", link=True)
    source = np.array(table["from"].to_pylist())
    assert (source[found.weighed.evidence.a] != source[found.weighed.evidence.b]).all()
    chains = [chain for chain in found.clustering.chains() if len(chain) > 1]
    assert all(len(set(source[chain])) > 1 for chain in chains)
    assert any(len(set(source[chain])) < len(chain) for chain in chains)


def test_two_sources_have_one_partner_whatever_joining_costs(people):
    table = with_column(people, "from", ["old" if i % 2 else "new" for i in range(N)])
    found = resolve(table, source="from", link=True, config=ResolveConfig(merge_cost=0.05))
    assert max(map(len, found.clustering.chains())) == 2


def test_rows_can_be_compared_by_rule(people):
    few = people.slice(0, 200)
    narrow = ResolveConfig(model_settings={"canopies": CanopySettings(neighbours=1)})
    without = resolve(few, config=narrow)
    found = resolve(few, also_compare=[["surname"], ["city", "gender"]], config=narrow)
    pairs = {(a, b) for a, b in zip(found.weighed.evidence.a.tolist(), found.weighed.evidence.b.tolist(), strict=True)}
    before = {
        (a, b) for a, b in zip(without.weighed.evidence.a.tolist(), without.weighed.evidence.b.tolist(), strict=True)
    }
    assert before < pairs
    names = few["surname"].to_pylist()
    for i, j in itertools.combinations(range(200), 2):
        if names[i] is not None and names[i] == names[j]:
            assert (i, j) in pairs
    assert sum("are compared: " in note for note in found.notes) == 2
    sexes = resolve(
        few, also_compare=[["gender"]], config=ResolveConfig(model_settings={"canopies": CanopySettings(hot=20)})
    )
    assert any("2 groups of more than 20 rows are left out" in note for note in sexes.notes)


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"link": True}, SettingsError, "linking needs to know where rows come from"),
        ({"source": "from"}, SettingsError, "there is no column 'from'"),
        ({"source": "state_of_all", "link": True}, DataError, "nothing to link"),
        ({"block": "from"}, SettingsError, "there is no column 'from'"),
        ({"one_to_one": True}, SettingsError, "one-to-one is for linking"),
        ({"exclude": ["from"]}, SettingsError, "no column 'from' to exclude"),
        ({"also_compare": [["from"]]}, SettingsError, "no column 'from' to compare by"),
        ({"kinds": {"nope": "text"}}, SettingsError, "no column 'nope'"),
        ({"kinds": {"surname": "animal"}}, SettingsError, "animal"),
    ],
)
def test_wrong_settings(people, settings, error, said):
    table = with_column(people, "state_of_all", ["x"] * N)
    with pytest.raises(error, match=said):
        resolve(table, **settings)


def test_only_rows_of_one_block_are_joined(people):
    block = [str(i % 3) for i in range(N)]
    found = resolve(with_column(people, "part", block), block="part")
    assert all(len({block[i] for i in chain}) == 1 for chain in found.clustering.chains())
    assert "part" in [field.name for field in found.fields.fields]


def test_what_is_no_table():
    with pytest.raises(DataError, match="speaks Arrow"):
        resolve([{"name": "Ann"}])


def test_the_package_can_be_called(people):
    few = people.slice(0, 50)
    found, same = onoma.resolve(few, exclude=["email"], no_check=True), resolve(few, exclude=["email"])
    assert found.to_arrow().select(["id", "entity", "probability"]).equals(same.memberships)
