"""Packed texts say what objects say, and kinds make the same of either."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.resolve.fields.kinds import KINDS
from onoma.resolve.fields.packed.texts import ArrowTexts, Texts, bytes_of, from_bytes, split_words

signs = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.lists(signs, max_size=8), st.data())
def test_packed_texts_are_the_texts(texts, data):
    packed = ArrowTexts(texts)
    assert list(packed) == texts and packed == texts and packed == ArrowTexts(texts) and len(packed) == len(texts)
    places = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=4) if texts else st.just([]))
    assert list(packed.take(np.array(places, np.int64))) == [texts[i] for i in places]
    first = data.draw(st.integers(0, len(texts)))
    part = ArrowTexts(packed.array[first:])  # begins somewhere in the buffers
    assert from_bytes(*bytes_of(part)).to_pylist() == texts[first:]
    assert bytes_of(part)[0].tobytes() == "".join(texts[first:]).encode()
    assert packed != [*texts, "more"]


@given(st.lists(signs, max_size=8))
def test_letters_are_those_of_the_texts(texts):
    packed = Texts(texts)
    assert packed.lengths.tolist() == [len(text) for text in texts]
    written = [packed.sign(letter) for letter in packed.letters.tolist()]
    assert "".join(written) == "".join(texts)
    assert packed.longest == max([1, *map(len, texts)])


def test_words_are_the_same_for_few_and_for_many():
    texts = [f"{i % 7} main {'road' if i % 3 else 'ßtraße'}" for i in range(600)]
    few, many = split_words(texts[:200]), split_words(ArrowTexts(texts))
    end = few[0][-1]
    assert many[0][:201].tolist() == few[0].tolist() and many[1][:end].tolist() == few[1].tolist()
    assert [many[2][i] for i in range(len(few[2]))] == list(few[2])


RAW = {
    "person": [
        "Smith, Dr. John",
        "JOHN  SMITH",
        "O'Neil Mary",
        "Müller, K.",
        "Sir Ian",
        "Lee,",
        ", Lee",
        "Dr.",
        "李 小龍",
    ],
    "place": ["12 Main St.", "12 MAIN STREET", "Łódź, Rue d'Or 4", "St. Ives", "--", "5th Ave #3"],
    "code": ["310/246-1501", "(310) 2461501", "a.b@c.org", "é-1", "''", "X" * 60],
    "date": [
        "1990-02-03",
        "03/02/1990",
        "1990-13-01",
        "1990-00-00",
        "Feb 3, 1990",
        "36526",
        "never",
        "2001-02-30",
        "1990",
    ],
    "text": ["A title: of things", "a TITLE of things", "Ünïcode — text"],
    "likeness": ["Some Thing (2nd)", "some thing 2nd"],
    "category": ["m", "F", "?"],
    "number": ["$1,200", "1200", "3.5 kg"],
}


@pytest.mark.parametrize("name", sorted(RAW))
def test_kinds_make_the_same_of_packed_texts(name):
    kind = KINDS[name]
    raw = [*RAW[name], *(f"{text} {i}" for i, text in enumerate(RAW[name] * 40))]
    one_by_one = [each for text in raw for each in kind.normalise([text])] if name != "date" else kind.normalise(raw)
    written = list(kind.normalise(ArrowTexts(raw)))
    assert written == list(one_by_one)
    values = [text for text in dict.fromkeys(written) if text]
    counts = np.arange(1, len(values) + 1)
    listed, packed = kind.prepare(values, counts), kind.prepare(ArrowTexts(values), counts)
    a, b = (each.astype(np.int32) for each in np.triu_indices(len(values), 1))
    assert listed.compare(a, b).tolist() == packed.compare(a, b).tolist()
    mine, theirs = listed.features(), packed.features()
    assert mine.ids.tolist() == theirs.ids.tolist() and mine.offsets.tolist() == theirs.offsets.tolist()
    assert list(mine.texts) == list(theirs.texts)


@settings(max_examples=50)
@given(st.lists(st.text(alphabet="aB', .-0é\tDr", max_size=10), min_size=1, max_size=40))
def test_names_are_written_alike_one_by_one_and_packed(texts):
    kind = KINDS["person"]
    assert list(kind.normalise(ArrowTexts(pa.array(texts, pa.string())))) == kind.normalise(texts)
