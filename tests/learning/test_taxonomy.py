"""Taxonomies of labels."""

import numpy as np
import pytest

from onoma.errors import SettingsError
from onoma.learning.taxonomy import Taxonomy


def test_order_credits_and_choice():
    tree = Taxonomy.of({"CITY": "PLACE", "OTHER": None, "STATE": "PLACE", "PLACE": None})
    assert [up < i for i, up in enumerate(tree.parents)] == [True] * 4
    table = tree.credits()
    city, place, state, other = (tree.labels.index(name) for name in ("CITY", "PLACE", "STATE", "OTHER"))
    assert table[city, place] == table[place, city] == 0.5
    assert table[city, state] == 0.25
    assert table[city, other] == 0.0
    unsure = np.zeros((2, 4))
    unsure[0, [city, state, other]] = 0.4, 0.35, 0.25
    unsure[1, [city, other]] = 0.9, 0.1
    # Torn between siblings with an outsider behind: 0.4 + 0.25 · 0.35 for the city beats 0.5 · 0.75 for the place.
    assert tree.choose(unsure).tolist() == [city, city]
    unsure[0, [city, state, place]] = 0.3, 0.3, 0.3
    unsure[0, other] = 0.1
    assert tree.choose(unsure)[0] == place
    assert tree.ancestors(city) == [city, place]


def test_what_is_refused():
    with pytest.raises(SettingsError, match="PLACE is named as a parent"):
        Taxonomy.of({"CITY": "PLACE"})
    with pytest.raises(SettingsError, match="their own ancestors"):
        Taxonomy.of({"A": "B", "B": "A"})
