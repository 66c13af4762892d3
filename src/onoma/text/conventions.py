"""What needs no learning of where tokens end: abbreviations, negations, addresses of the web.

A treebank shows few of the abbreviations that there are, and a model that has not seen *tbsp.* or *Figs.* cuts off the
full stop and ends the sentence. These are known by heart, in three groups: some go with any word after them, some with
a number, some with what is written in small letters. Nothing beyond the block is looked at.
"""

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cuts", "known_cuts"]

_TITLES = frozenset((
    "Mr", "Mrs", "Ms", "Mx", "Messrs", "Dr", "Drs", "Prof", "Profs", "Rev", "Hon", "Gen", "Maj", "Capt", "Lt", "Sgt",
    "Cpl", "Adm", "Cmdr", "Sen", "Sens", "Rep", "Reps", "Gov", "Pres", "Supt", "Insp", "vs", "v", "cf", "ca", "viz",
    "approx",
))  # fmt: skip
"""Go with whatever follows."""
_NUMBERED = frozenset((
    "Fig", "Figs", "Eq", "Eqs", "Sec", "Secs", "Sect", "Ch", "Vol", "Vols", "No", "Nos", "Art", "Arts", "Tab", "Ref",
    "Refs", "App", "Thm", "fig", "figs", "eq", "eqs", "sec", "secs", "sect", "ch", "vol", "vols", "no", "nos", "art",
    "arts", "p", "pp", "para", "paras", "tab", "ref", "refs", "ext", "app", "nr", "Cir", "Ct", "Supp", "Jan", "Feb",
    "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec",
))  # fmt: skip
"""Go with a number, or what stands in brackets."""
_MEASURES = frozenset((
    "tbsp", "tbsps", "tsp", "tsps", "lb", "lbs", "oz", "min", "mins", "hr", "hrs", "sec", "secs", "gal", "qt", "pt",
    "fl", "wt", "temp", "max", "dept", "incl", "excl", "resp", "est", "avg", "cont", "misc", "Tbsp", "Tsp",
    "Dept", "Univ", "Inst", "Assn",
))  # fmt: skip
"""Go with what follows in small letters or figures, or after a comma."""
_LONGEST = max(map(len, _TITLES | _NUMBERED | _MEASURES))
_WEB = re.compile(r"(?<!\S)[(<\[\"'“‘]*((?:https?://|www\.)\S+)")
_LONGEST_ADDRESS = 2000
_AFTER = ".,;:!?'\"’”»)]}>*"
_STOP = re.compile(r"\.(?=[\s,;])")
_NOT = re.compile(r"(?<=[^\W\d_][nN])['’](?=[tT](?!\w))")
"""The apostrophe of *do|n't*, however it is written."""


@dataclass
class Cuts:
    """What is known of where tokens and sentences end, by characters of the text."""

    inside: list[int] = field(default_factory=list)
    """No token ends after these."""
    ends: list[int] = field(default_factory=list)
    """A token ends after these."""
    go_on: list[int] = field(default_factory=list)
    """No sentence ends with a token that ends before these."""

    def apply(self, split: NDArray[np.int32], base: int) -> None:
        """Write what is known over what a model said of the characters from `base` on."""
        for places, value in ((self.inside, 0), (self.ends, 1)):
            at = np.array(places, np.int64) - base
            split[at[(at >= 0) & (at < len(split))]] = value


def known_cuts(text: str, starts: NDArray[np.int32], blocks: NDArray[np.int32]) -> Cuts:
    """Return what is known of a text.

    Parameters
    ----------
    text
        The text.
    starts
        Where its runs without blanks begin.
    blocks
        The first of these of each block, in order (and the end).
    """
    cuts = Cuts()
    for match in _STOP.finditer(text):
        _abbreviation(text, match.start(), starts, blocks, cuts)
    for match in _NOT.finditer(text):
        cuts.inside += [match.start() - 1, match.start()]
        cuts.ends.append(match.start() - 2)
    if "://" in text or "www." in text:
        for match in _WEB.finditer(text):
            _address(match, cuts)
    return cuts


def _abbreviation(text: str, dot: int, starts: NDArray[np.int32], blocks: NDArray[np.int32], cuts: Cuts) -> None:
    begin = dot
    while begin > 0 and dot - begin <= _LONGEST and text[begin - 1].isalpha():
        begin -= 1
    word = text[begin:dot]
    if not (word in _TITLES or word in _NUMBERED or word in _MEASURES):
        return
    if begin > 0 and text[begin - 1] in ".'’-_@/":
        return
    after = text[dot + 1 : dot + 2]
    if after and not after.isspace():
        goes_on = word in _MEASURES
    else:
        k = int(np.searchsorted(starts, dot, "right"))
        if k == len(starts) or blocks[np.searchsorted(blocks, k)] == k:
            return
        following = text[starts[k]]
        number = following.isdigit() or following in "([#"
        goes_on = (
            word in _TITLES or (number and word in _NUMBERED) or (word in _MEASURES and (number or following.islower()))
        )
    if goes_on:
        cuts.inside.append(dot - 1)
        cuts.go_on.append(dot + 1)


def _address(match: re.Match[str], cuts: Cuts) -> None:
    """An address is one token, but for signs at its end; a bracket that it opened belongs to it."""
    start, found = match.start(1), match.group(1)
    end = len(found)
    if end > _LONGEST_ADDRESS:
        return
    while end > 1 and found[end - 1] in _AFTER:
        if found[end - 1] == ")" and found.count("(", 0, end) >= found.count(")", 0, end):
            break
        end -= 1
    cuts.inside += range(start, start + end - 1)
    cuts.ends.append(start + end - 1)
