import numpy as np
import pytest

from coref.worlds import CHAINS, make_document
from onoma.coref.learning import LearningSettings
from onoma.coref.model import Annotated
from onoma.pipeline.reproduce import Context
from onoma.pipeline.studies.l3m import _findings, _Setting, _Split

_ONE = Annotated(make_document(), CHAINS)
_OTHER = Annotated(make_document("other"), dict.fromkeys(CHAINS, "all"))


@pytest.fixture(scope="module")
def found():
    setting = _Setting(LearningSettings(bits=12), gold_mentions=True, singletons=True)
    splits = [_Split([_ONE] * 3, [_ONE], [_ONE] * 2), _Split([_OTHER] * 3, [_OTHER], [_ONE])]
    return _findings(Context(quick=True), splits, setting, {"PL3M": 76.0}, ["On two splits."])


def test_each_row_is_of_the_documents_of_all_splits(found):
    rows = {(row.setting, row.metric): row for row in found.rows}
    assert [name for name, metric in rows if metric == "average F1"] == ["Best-Link", "L3M", "PL3M", "CL3M", "CPL3M"]
    # Learnt by heart: two documents wholly right, of the third all five mentions in one entity, which are two.
    # B³: precision (2 * 2/5 + 3 * 3/5) / 5 there; MUC: of four links one too many.
    right = {"muc": 2 / (1 + 10 / 9), "b3": 2 / (1 + 3 / (2 + 13 / 25)), "ceafe": None}
    for name in ("L3M", "PL3M", "CPL3M"):
        assert rows[name, "average F1, development"].ours == 100
        for metric in ("muc", "b3"):
            assert rows[name, metric].ours == pytest.approx(100 * right[metric], abs=0.01)
        parts = [rows[name, metric].ours for metric in right]
        assert rows[name, "average F1"].ours == pytest.approx(np.mean(parts), abs=0.01)
    assert rows["PL3M", "average F1"].paper == 76.0


def test_the_order_is_said_with_significance(found):
    said = [note for note in found.notes if "hold" in note]
    assert len(said) == 4
    assert said[1].startswith("L3M < PL3M does not hold: MUC +0.0 (p = 1.000)")
