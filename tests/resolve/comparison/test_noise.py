"""The prior that any domain shares, and the households it is there for."""

import numpy as np
import pyarrow.compute as pc
import pytest

from onoma.corpus.simulate import PeopleSettings, simulate_people
from onoma.resolve.api import resolve
from onoma.resolve.comparison.noise import UNRELATED, noise_of


def test_shares_of_every_kind_sum_to_one():
    kinds = ["person", "organisation", "place", "code", "category", "date", "date", "number", "text", "set", "geo"]
    kinds.append("likeness")
    n_levels = [11, 13, 9, 5, 2, 11, 5, 7, 17, 17, 6, 21]
    noise = noise_of(kinds, n_levels)
    assert noise.shares.sum(axis=1) == pytest.approx(np.ones(len(kinds)))
    assert noise.firm.tolist() == [kind in ("person", "date") for kind in kinds]


@pytest.mark.parametrize("seed", [3, 4])
def test_housemates_are_not_joined_where_nobody_is_twice(seed):
    people = simulate_people(1000, seed=seed, settings=PeopleSettings(duplicates=0.0, households=0.75))
    few = people.select(["id", "given_name", "surname", "birth_date", "street", "city", "postcode"])
    assert resolve(few).clustering.n_entities >= 995


def test_housemates_of_one_surname_are_not_joined_though_no_birth_date_tells_them_apart():
    people = simulate_people(1000, seed=6, settings=PeopleSettings(duplicates=0.0, households=0.75))
    assert resolve(people.select(["id", "given_name", "surname", "street", "city"])).clustering.n_entities >= 998


def test_few_duplicates_are_found_among_many_housemates():
    people = simulate_people(1000, seed=5, settings=PeopleSettings(duplicates=0.1, households=0.75, clumping=0.3))
    found = resolve(people.drop_columns(["cluster_id", "email"]))
    truth = pc.count_distinct(people["cluster_id"]).as_py()
    assert found.clustering.n_entities == pytest.approx(truth, abs=25)


def test_unrelated_names_are_bounded_among_copies_and_other_levels_take_the_rest():
    noise = noise_of(["person", "place"], [11, 9])
    learnt = np.full(11, 0.3 / 9)
    learnt[-2:] = 0.35
    found = noise.bounded(0, learnt)
    assert found.sum() == pytest.approx(1.0)
    assert found[-2:].sum() == pytest.approx(UNRELATED)
    usual = np.append(np.full(9, 0.11), [0.005, 0.005])
    assert noise.bounded(0, usual) == pytest.approx(usual)
    assert noise.bounded(1, learnt[:9]) == pytest.approx(learnt[:9])  # places do change
    titles = noise_of(["likeness"], [21]).bounded(0, np.full(21, 1 / 21))
    assert titles[-2:].sum() == pytest.approx(UNRELATED)
