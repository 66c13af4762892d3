import numpy as np
import pytest

from onoma.resolve.fields.wording import CLASSES, shipped_wording
from onoma.resolve.fields.wording.model import Wording, features, pieces
from onoma.resolve.fields.wording.simulate import simulate_values
from onoma.resolve.fields.wording.train import learn_wording, write_wording


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


def test_simulated_values_are_the_same_for_the_same_seed_and_differ_by_seed():
    one = simulate_values(20, seed=1, known=["en_GB", "de_DE"])
    assert one == simulate_values(20, seed=1, known=["en_GB", "de_DE"])
    assert one[0] != simulate_values(20, seed=2, known=["en_GB", "de_DE"])[0]


def test_learning_anew_tells_unseen_values_apart_and_is_written(tmp_path):
    learnt = learn_wording(300, known=["en_US", "en_GB"], n_iterations=15)
    values, classes = simulate_values(100, seed=9, known=["en_US", "en_GB"])
    right = (learnt.log_shares(values).argmax(axis=1) == np.array(classes)).mean()
    assert right > 0.6  # by chance: a quarter
    write_wording(tmp_path / "w.npz", learnt)
    with np.load(tmp_path / "w.npz", allow_pickle=False) as kept:
        again = Wording(kept["weights"].astype(np.float32))
    assert np.abs(again.log_shares(values) - learnt.log_shares(values)).max() < 0.1
