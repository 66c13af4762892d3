"""Kinds of words, told by their letters."""

import zlib
from collections import Counter

import numpy as np
import pytest

from onoma.resolve.fields.wording import CLASSES, shipped_wording
from onoma.resolve.fields.wording.model import N_PIECES, _entries, features, pieces


def best(values):
    evidence = shipped_wording().evidence(values)
    return max(evidence, key=evidence.get)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["ada lovelace", "charles babbage", "grace hopper"], "person"),
        (["Lovelace, A.", "Babbage, C. D.", "Hopper, Grace"], "person"),
        (["иван петров", "мария соколова", "пётр иванов"], "person"),
        (["孫如僅", "何遠鑑", "孔繼善", "王珠夀"], "person"),
        (["university of leeds", "institut für physik", "acme holdings ltd"], "organisation"),
        (["12 high street", "4 church road, leeds", "berlin, germany"], "place"),
        (["湖北省 武昌府", "浙江省", "福建省 安溪縣"], "place"),
        (["a method for learning models of data", "the history of time", "wireless usb keyboard black"], "text"),
    ],
)
def test_words_are_told_by_their_letters_in_any_case_order_and_script(values, kind):
    assert best(values) == kind
    assert best([value.upper() for value in values]) == kind


def test_a_slip_changes_little():
    assert best(["adda lovelcae", "chrles babbage", "grace hoper"]) == "person"


def test_evidence_is_bounded_below_and_weighted():
    wording = shipped_wording()
    people, text = ["charles babbage"] * 9, ["a method for learning models of data"]
    mixed = wording.evidence([*people, *text])
    assert all(value >= np.log(0.02) - 1e-9 for value in mixed.values())
    turned = wording.evidence([*people, *text], np.array([0.0] * 9 + [1.0]))
    assert max(mixed, key=mixed.get) == "person"
    assert max(turned, key=turned.get) == "text"
    assert set(wording.evidence([]).values()) == {float(np.log(1 / len(CLASSES)))}


def test_pieces_and_features_have_length_one():
    assert pieces("Ab (editor)") == pieces("ab")
    rows = features(["ada", "12 high street"])
    norms = np.sqrt(np.asarray(rows[:, :-1].multiply(rows[:, :-1]).sum(axis=1)).ravel())
    assert norms == pytest.approx([1.0, 1.0])


def test_pieces_are_counted_by_their_checksums_one_by_one():
    values = ["Li", "12 High St.", "", "Łódź (town)", "Li", "a", "孫 如僅", "x" * 200, "12 High St."]
    row, column, share = _entries(values)
    for i, value in enumerate(values):
        counts = Counter(zlib.crc32(piece.encode()) % N_PIECES for piece in pieces(value))
        length = sum(n * n for n in counts.values()) ** 0.5
        mine = row == i
        assert column[mine].tolist() == sorted(counts)
        assert np.allclose(share[mine], [counts[each] / max(length, 1e-9) for each in sorted(counts)])
