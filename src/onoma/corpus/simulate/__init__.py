"""Simulated corpora whose truth is known: people, authors, mentions of names in text.

For tests, demonstrations and benchmarks. Every table has an opaque `id`, the gold `cluster_id`, and fields; rows come
in random order. The settings are *dials*: each is one thing that makes real data hard, with a range and a default.
"""

from onoma.corpus.simulate.authors import AuthorSettings, author_batches, simulate_authors
from onoma.corpus.simulate.dials import Dial, dials
from onoma.corpus.simulate.links import LinkSettings, link_batches, simulate_links
from onoma.corpus.simulate.mentions import MentionSettings, mention_batches, simulate_mentions
from onoma.corpus.simulate.people import PeopleSettings, people_batches, simulate_people
from onoma.corpus.simulate.statistics import Statistics, statistics

__all__ = [
    "AuthorSettings",
    "Dial",
    "LinkSettings",
    "MentionSettings",
    "PeopleSettings",
    "Statistics",
    "author_batches",
    "dials",
    "link_batches",
    "mention_batches",
    "people_batches",
    "simulate_authors",
    "simulate_links",
    "simulate_mentions",
    "simulate_people",
    "statistics",
]
