"""Penn tags as numbers, and the sets of them that candidates and contexts ask for."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["TAGS", "TAG_NUMBER", "tag_numbers", "tag_set"]

TAGS = (
    "$", "''", ",", "-LRB-", "-RRB-", ".", ":", "ADD", "AFX", "CC", "CD", "DT", "EX", "FW", "GW", "HYPH", "IN", "JJ",
    "JJR", "JJS", "LS", "MD", "NFP", "NN", "NNP", "NNPS", "NNS", "PDT", "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP",
    "SYM", "TO", "UH", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "WDT", "WP", "WP$", "WRB", "``",
)  # fmt: skip
"""Penn tags; their places are their numbers in kernels and stored models."""
TAG_NUMBER = {tag: number for number, tag in enumerate(TAGS)}


def tag_numbers(tags: list[str]) -> NDArray[np.uint8]:
    """Return the number of each tag; an unknown tag is a foreign word's."""
    other = TAG_NUMBER["FW"]
    return np.fromiter((TAG_NUMBER.get(tag, other) for tag in tags), np.uint8, len(tags))


def tag_set(tags: str) -> frozenset[str]:
    """Return tags named in one string."""
    return frozenset(tags.split())
