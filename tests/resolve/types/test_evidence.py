import numpy as np
import pyarrow as pa

from onoma.corpus.simulate import simulate_people
from onoma.resolve.fields import prepare_fields
from onoma.resolve.types.evidence import common_words, shared_evidence


def halves():
    people = simulate_people(800, seed=5).select(["given_name", "surname", "phone", "birth_date"])
    first = np.random.default_rng(0).random(800) < 0.5
    return [prepare_fields(people.filter(pa.array(side))).fields for side in (first, ~first)]


def test_rows_of_one_sort_share_their_words():
    one, other = halves()
    assert common_words(one[1], other[1]) > 0.7
    assert shared_evidence(one, other) in ("given_name", "surname")


def test_rows_of_another_sort_share_none():
    one, _ = halves()
    rng = np.random.default_rng(1)
    shops = [f"{a} {b} shop" for a, b in rng.choice(["red", "old", "blue", "iron", "mill", "corn"], (300, 2)).tolist()]
    other = prepare_fields(pa.table({"surname": shops, "size": rng.integers(0, 900, 300)})).fields
    assert shared_evidence(one, other) == ""


def test_without_names_a_telling_value_is_asked():
    one, other = ([each for each in side if each.name == "phone"] for side in halves())
    assert shared_evidence(one, other) == "phone"
    assert shared_evidence(one, []) == ""
