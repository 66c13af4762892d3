"""New values: how often they are old ones, and what becomes of words."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.numerics.rng import stream
from onoma.resolve.check.values import Values, _changed_like, _twins
from onoma.resolve.fields.prepare import prepare_fields

NAMES = ["Smith"] * 60 + [f"Qu{a}{b}er" for a in "abcdefghij" for b in "klmnopqrst"][:40]


def values_of(columns, labels=None, field=0, seed=1):
    fields = prepare_fields(pa.table(columns)).fields
    labels = np.arange(len(fields[0].codes)) if labels is None else labels
    return Values(fields[field], labels, stream(seed, "values"))


def test_values_are_new_as_often_as_leaving_one_out_says():
    values = values_of({"surname": NAMES})
    drawn = np.array([values.of_another() for _ in range(4000)])
    smith = values.field.values.index("smith")
    # 60 of 100 rows have a name of 60 entities, kept 59 times of 60; the others have one of their own: always new.
    assert abs((drawn == smith).mean() - 0.59) < 0.03
    assert abs((drawn >= len(values.field.values)).mean() - 0.40) < 0.03


def test_rows_of_one_entity_do_not_make_its_value_common():
    values = values_of({"surname": NAMES}, labels=np.concatenate([np.zeros(60, dtype=np.int64), np.arange(1, 41)]))
    assert all(values.text(values.of_another()) != "smith" for _ in range(100))


def test_siblings_keep_the_words_they_share():
    titles = [f"sony bravia {size} inch television {code}" for size in (32, 40, 46) for code in ("kdl32a", "kdl40b")]
    values = values_of({"title": titles * 3, "n": list(range(18))})
    one, other = (int(values.field.codes[row]) for row in (0, 3))
    kept = set(values.field.values[one].split()) & set(values.field.values[other].split())
    made = values.text(values.of_sibling(one, other)).split()
    assert kept and kept <= set(made)


def test_new_values_can_be_compared():
    values = values_of({"surname": NAMES})
    codes = np.array([values.of_another() for _ in range(50)])
    field = values.extended(codes)
    assert len(field.codes) == 150
    assert len(field.counts) == len(field.values) and field.levels == values.field.levels
    assert field.compare(field.codes[:1], field.codes[:1]).tolist() == [0]


@pytest.mark.parametrize(
    ("word", "before", "after", "made"),
    [("johnson", "smith", "smyth", "johyson"), ("maria", "anna", "ana", "maia"), ("robert", "william", "w", "r")],
)
def test_a_word_is_changed_as_another_was(word, before, after, made):
    assert _changed_like(word, before, after) == made


def test_words_written_otherwise_are_found():
    gone, come = _twins(["jon", "smith", "jr"], ["john", "smith"])
    assert (gone, come) == (["jon", "jr"], {"jon": "john"})


def test_changes_are_made_to_other_values():
    values = values_of({"name": ["william henry smith", "w henry smith", "robert james taylor"] * 4})
    before, after, mine = (values.field.values.index(each) for each in values.field.values[:3])
    words, made = values.text(mine).split(), values.text(values.changed(before, after, mine)).split()
    changed = [(old, new) for old, new in zip(words, made, strict=True) if old != new]
    assert len(changed) == 1 and changed[0][0].startswith(changed[0][1]) and len(changed[0][1]) == 1
