import numpy as np
import pytest

from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.kinds import KINDS
from onoma.resolve.names._mutation_kernels import SMALL, words_apart
from onoma.resolve.names.fields import learn_mutations
from onoma.resolve.names.mutation import Mutations
from onoma.resolve.names.names import WordedNames

FIRST = ("anna", "berta", "carla", "dora", "emilie", "frieda", "gerta", "hanna")
LAST = ("smith", "smith", "smith", "yilmaz", "kowalczyk", "quisenberry", "smith", "zorn")
NAMES = [f"{first} {last}" for first, last in zip(FIRST, LAST, strict=True)]
SHORT = [f"{name[0]} {name.split()[1]}" for name in NAMES]


def field(values, codes=None):
    codes = np.arange(len(values)) if codes is None else codes
    counts = np.bincount(codes, minlength=len(values)).astype(np.int64)
    comparison = KINDS["person"].prepare(list(values), counts)
    return FieldData(
        "name", "person", "", ("name",), list(values), list(values), codes.astype(np.int32), counts, comparison
    )


@pytest.fixture(scope="module")
def learnt():
    values = [*NAMES, *SHORT, "smith anna", "kowalczyk emilie"]
    n = len(NAMES)
    a, b = np.arange(n, dtype=np.int32), np.arange(n, 2 * n, dtype=np.int32)
    return values, learn_mutations(field(values), a, b, np.ones(n))


def level(learnt, one, other):
    values, comparison = learnt
    code = comparison.compare(np.array([values.index(one)], np.int32), np.array([values.index(other)], np.int32))
    return int(code[0]), comparison.levels[int(code[0])]


def test_the_same_words_in_another_order_are_a_level_of_their_own(learnt):
    assert level(learnt, "anna smith", "smith anna") == (1, "same words")
    assert level(learnt, "anna smith", "kowalczyk emilie")[1] == "different"


def test_what_rare_words_have_in_common_is_nearer(learnt):
    assert level(learnt, "emilie kowalczyk", "e kowalczyk")[0] < level(learnt, "anna smith", "a smith")[0]


def test_a_comparison_does_not_depend_on_direction_or_company(learnt):
    values, comparison = learnt
    one, other = (each.ravel().astype(np.int32) for each in np.triu_indices(len(values), 1))
    together = comparison.compare(one, other)
    np.testing.assert_array_equal(comparison.compare(other, one), together)
    apart = [int(comparison.compare(one[[e]], other[[e]])[0]) for e in range(0, len(one), 7)]
    assert apart == together[::7].tolist()


def test_learning_makes_likelier_what_copies_show(learnt):
    values, comparison = learnt
    n = len(NAMES)
    one, other = np.arange(n, dtype=np.int32), np.arange(n, 2 * n, dtype=np.int32)
    unlearnt = Mutations(WordedNames.of(values), one, other).log_ratios() / np.log(2)
    assert (comparison.bits(one, other) - unlearnt).min() > 0.3


def test_a_value_of_many_records_is_expected_of_strangers():
    values = [*NAMES, *SHORT]
    often = np.concatenate([np.arange(len(values)), np.full(40, 0)])
    n = len(NAMES)
    a, b = np.arange(n, dtype=np.int32), np.arange(n, 2 * n, dtype=np.int32)
    common, rare = (learn_mutations(field(values, codes), a, b, np.ones(n)) for codes in (often, None))
    pair = np.array([0], np.int32), np.array([n], np.int32)
    assert common.bits(*pair)[0] < rare.bits(*pair)[0] - 0.5


def test_words_apart_are_those_without_one_in_common():
    names = WordedNames.of(["red green blue of", "pink black white of", "blue pink white", "red green", "a of the b"])
    one, other = (each.ravel().astype(np.int32) for each in np.indices((5, 5)))
    found = words_apart(one, other, names.offsets, names.ids, names.classes, 3).reshape(5, 5)
    for i in range(5):
        for j in range(5):
            telling = [
                {names.words[w] for w, c in zip(names.ids[p:q], names.classes[p:q], strict=True) if c != SMALL}
                for p, q in ((names.offsets[k], names.offsets[k + 1]) for k in (i, j))
            ]
            assert found[i, j] == (min(map(len, telling)) >= 3 and not telling[0] & telling[1])
