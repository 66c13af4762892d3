"""The word lists of `words.toml`: nouns for people, titles, verbs of speech, words that greet and close."""

import tomllib
from functools import cache
from importlib import resources

__all__ = ["PEOPLE", "listed"]

PEOPLE = ("nouns for people", "masculine nouns", "feminine nouns")
"""Lists of nouns for people."""


@cache
def listed(section: str) -> frozenset[str]:
    """Return one list."""
    text = resources.files("onoma.coref").joinpath("words.toml").read_text("utf-8")
    return frozenset(str(tomllib.loads(text)[section]).split())
