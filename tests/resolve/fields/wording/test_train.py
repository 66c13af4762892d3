"""Learning kinds of words anew."""

import numpy as np

from onoma.resolve.fields.wording.model import Wording
from onoma.resolve.fields.wording.simulate import simulate_values
from onoma.resolve.fields.wording.train import learn_wording, write_wording


def test_learning_anew_tells_unseen_values_apart_and_is_written(tmp_path):
    learnt = learn_wording(300, known=["en_US", "en_GB"], n_iterations=15)
    values, classes = simulate_values(100, seed=9, known=["en_US", "en_GB"])
    right = (learnt.log_shares(values).argmax(axis=1) == np.array(classes)).mean()
    assert right > 0.6  # by chance: a quarter
    write_wording(tmp_path / "w.npz", learnt)
    with np.load(tmp_path / "w.npz", allow_pickle=False) as kept:
        again = Wording(kept["weights"].astype(np.float32))
    assert np.abs(again.log_shares(values) - learnt.log_shares(values)).max() < 0.1
