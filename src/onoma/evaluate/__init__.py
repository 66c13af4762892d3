"""How good is it? Measures of clusterings, their uncertainty, and where the errors are."""

from onoma.door import open_door
from onoma.evaluate.align import align, clusterings_from_corpora
from onoma.evaluate.report import Evaluation, by_group, evaluate, largest_errors
from onoma.evaluate.score import Score
from onoma.evaluate.significance import bootstrap, compare

__all__ = [
    "Evaluation",
    "Score",
    "align",
    "bootstrap",
    "by_group",
    "clusterings_from_corpora",
    "compare",
    "evaluate",
    "largest_errors",
]

open_door(__name__)  # onoma.evaluate(gold, found)
