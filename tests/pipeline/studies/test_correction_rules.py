"""What the study of rules counts as asked for, and its quick form on real data where it is present."""

import os
from pathlib import Path

import pytest

from onoma.corpus.edits import Edit
from onoma.correct.rules import SHARES
from onoma.pipeline.reproduce import Context, reproduce
from onoma.pipeline.studies.correction_rules import _is_asked_for


@pytest.mark.parametrize(
    ("sentence", "version", "edit", "asked"),
    [
        ("He go home .", "He goes home .", Edit(1, 2, ("goes",)), True),
        ("He go home .", "He went home .", Edit(1, 2, ("goes",)), False),
        ("He go home .", "He go home .", Edit(1, 2, ("goes",)), False),
        ("See the the sea .", "See the sea , too .", Edit(1, 3, ("the",)), True),
        ("We dont see .", "We do n't look .", Edit(1, 2, ("don't",)), True),
        ("recieve it .", "Receive it .", Edit(0, 1, ("receive",)), True),
    ],
)
def test_an_edit_is_asked_for_where_it_brings_a_sentence_nearer(sentence, version, edit, asked):
    assert _is_asked_for(sentence.split(), [version.split()], edit) == asked


@pytest.mark.skipif("ONOMA_DATA" not in os.environ, reason="ONOMA_DATA names no folder of labelled data")
@pytest.mark.data
def test_quick(tmp_path: Path) -> None:
    found = reproduce("gec/rules", Context(data=Path(os.environ["ONOMA_DATA"]), quick=True), out=tmp_path)
    made = {row.setting: row.ours for row in found.rows if row.metric == "edits"}
    asked = {row.setting: row.ours for row in found.rows if row.metric == "asked for"}
    assert set(made) == {
        f"{rule}, {who}" for rule in [*SHARES, "all rules"] for who in ("learners", "practised writers")
    }
    assert all(asked[setting] <= n for setting, n in made.items())
    assert made["all rules, learners"] > 20
    assert asked["all rules, learners"] > 0.7 * made["all rules, learners"]
