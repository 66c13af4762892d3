"""The studies of extraction in their quick form, on real data where it is present."""

import os
from pathlib import Path

import pytest

from onoma.extract.constraints import LabelSet, read_constraints
from onoma.pipeline.reproduce import Context, reproduce
from onoma.pipeline.studies._sets.extraction import _joined, _labelled
from onoma.pipeline.studies.extraction import ads_extraction, constraint_samplerank

data = pytest.mark.skipif("ONOMA_DATA" not in os.environ, reason="ONOMA_DATA names no folder of labelled data")


def test_hand_written_constraints_are_understood():
    folder = constraint_samplerank.constraints_folder()
    for name, labels in ads_extraction.LABELS.items():
        rules = read_constraints(folder / f"{name}.toml", LabelSet.of(labels))
        words = [len(rule.words) for rule in rules if rule.kind == "dictionary"]
        assert words == [10] * len(labels)
    cora = LabelSet.of(constraint_samplerank.LABELS, other=None)
    assert {rule.kind for rule in read_constraints(folder / "cora.toml", cora)} == {
        "start",
        "border",
        "once",
        "order",
        "token",
    }


def test_files_become_spans():
    item = _labelled(["a", "b", "c", "d"], ["B-X", "I-X", "B-X", "O"])
    assert item.spans == ((0, 2, "X"), (2, 3, "X"))
    joined = _joined([("author", "A. Cau."), ("author", "B. C."), ("title", ""), ("date", "1992.")], "words")
    assert joined.spans == ((0, 4, "author"), (4, 5, "date"))


@data
@pytest.mark.data
@pytest.mark.parametrize("name", ["constraint-samplerank/table-1"])
def test_constraints_help_where_labels_are_few(name):
    found = reproduce(name, Context(quick=True, data=Path(os.environ["ONOMA_DATA"])))
    ours = {row.metric: row.ours for row in found.rows}
    assert ours["self+cons"] > ours["CRF"]
