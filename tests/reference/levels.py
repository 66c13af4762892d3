"""At which level two values meet, and what they are blocked by: asked of a kind as a column would ask it."""

import numpy as np

from onoma.resolve.fields.kinds import KINDS


def level(kind, first, second, others=("xyzzy plugh",)):
    """The level of two values in a column that has others too."""
    values = list(dict.fromkeys(text for text in KINDS[kind].normalise([first, second, *others]) if text))
    if KINDS[kind].normalise([first]) == KINDS[kind].normalise([second]):
        return "equal"
    comparison = KINDS[kind].prepare(values, np.ones(len(values), np.int64))
    return comparison.levels[comparison.compare(np.array([0], np.int32), np.array([1], np.int32))[0]]


def features(kind, *raw):
    """The blocking features of each value, as texts."""
    values = KINDS[kind].normalise(list(raw))
    found = KINDS[kind].prepare(values, np.ones(len(values), np.int64)).features()
    ends = zip(found.offsets[:-1], found.offsets[1:], strict=True)
    return [{found.texts[i] for i in found.ids[start:end]} for start, end in ends]
