"""Mentions of names, and the nodes that descend."""

import numpy as np
import pytest

from onoma.errors import DataError
from onoma.resolve.models.phylogeny.mentions import Mentions, Nodes


def test_mentions_of_one_name_are_one_node():
    nodes = Nodes.of(Mentions(["Ann", "Bob", "Ann"]))
    assert len(nodes) == 2 and nodes.place.tolist() == [0, 1, 0] and nodes.often.tolist() == [2.0, 1.0]


@pytest.mark.parametrize(
    ("more", "n"),
    [
        ({"kinds": ["person", "place", "place"]}, 2),
        ({"topics": np.array([0, 1, 0], dtype=np.int32)}, 2),
        ({"is_apart": True}, 3),
        ({"topic_shares": np.ones((3, 2)) / 2}, 3),
        ({"languages": ["en", "de", "en"]}, 1),
    ],
)
def test_what_tells_mentions_apart(more, n):
    assert len(Nodes.of(Mentions(["Ann", "Ann", "Ann"], **more))) == n


def test_an_empty_name_is_nobodys():
    assert len(Nodes.of(Mentions(["", " ", "Ann"]))) == 3


def test_columns_are_as_long_as_the_names():
    with pytest.raises(DataError, match="there are 2 names and 1 kinds"):
        Mentions(["a", "b"], kinds=["x"])


def test_a_node_has_the_commonest_language_and_the_mean_year_of_its_mentions():
    mentions = Mentions(
        ["Ann"] * 3 + ["Bob"], languages=["en", "en", "de", ""], years=np.array([1990, 1992, np.nan, np.nan])
    )
    nodes = Nodes.of(mentions)
    languages = nodes._commonest(mentions.languages)
    assert languages[0] >= 0 and languages[1] == -1
    years = nodes._mean(mentions.years)
    assert years[0] == 1991 and np.isnan(years[1])
