"""What partitions cost, in small: every study runs and says what it measured."""

import pytest

from onoma.pipeline.reproduce import Context, find
from onoma.pipeline.studies.distributed import _findings


@pytest.mark.parametrize(
    ("name", "n_settings", "least"),
    [("copying", 2, 0.97), ("hierarchical", 2, 0.9), ("cross-document", 4, 0.6)],
)
def test_partitions_lose_little(name, n_settings, least):
    found = find(f"distributed/{name}").run(Context(quick=True))
    scores = [row.ours for row in found.rows if row.metric == "B³ F1"]
    assert len(scores) == n_settings
    assert min(scores) > least
    cut = [row.ours for row in found.rows if row.metric == "faint pairs cut"]
    assert cut == [] if name != "copying" else cut[0] == 0 < cut[1]
    assert all("mean over tables (1)" in note for note in found.notes)


def test_notes_compare_settings_on_one_table():
    def run(score):
        return {"B³ F1": score, "pairwise F1": score}

    found = _findings({"one piece": [run(0.8), run(0.9)], "2 partitions": [run(0.7), run(0.95)]})
    assert [row.ours for row in found.rows] == pytest.approx([0.85, 0.85, 0.825, 0.825])
    assert "up to 0.2500 apart in one setting" in found.notes[0]
    assert "others change it by -0.1000 to +0.0500" in found.notes[0]
