import numpy as np

from onoma.resolve.names.letters import LetterMutations
from onoma.resolve.names.names import WordedNames


def test_letters_learn_from_expected_counts():
    names = WordedNames.of(["carl", "karl", "clara", "klara"])
    mutations = LetterMutations(names, np.array([0, 2], np.int32), np.array([1, 3], np.int32))
    before = mutations.log_ratios()
    for _ in range(8):
        mutations.learn(np.ones(2), np.array([1.0, 0.0, 1.0, 0.0]))
    assert (mutations.log_ratios() > before).all()


def test_a_name_is_likelier_from_a_like_one_than_from_nowhere():
    names = WordedNames.of(["catherine", "katherine", "zoe"])
    mutations = LetterMutations(names, np.array([0, 2], np.int32), np.array([1, 1], np.int32))
    like, unlike = mutations.log_ratios()
    assert like > 0.0 > unlike
