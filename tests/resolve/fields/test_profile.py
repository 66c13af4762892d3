"""What a column looks like, in figures."""

import numpy as np
import pytest

from onoma.resolve.fields.packed.texts import ArrowTexts
from onoma.resolve.fields.profile import Profile, name_words


def profile(raw, counts=None):
    counts = np.ones(len(raw), dtype=np.int64) if counts is None else np.array(counts)
    return Profile(raw, counts, int(counts.sum()) + 1)


def test_counts_and_shares():
    found = profile(["a", "b", "c c"], [3, 1, 1])
    assert (found.n_records, found.n_filled, found.n_distinct) == (6, 5, 3)
    assert found.top_share == pytest.approx(0.6) and found.once == pytest.approx(2 / 3)
    assert found.spaced == pytest.approx(1 / (3**0.5 + 2), abs=0.01)  # by the root of how often each occurs


@pytest.mark.parametrize(
    ("raw", "figure"),
    [
        (["12", "7", "$1,200.00"], "number"),
        (["1990", "2001"], "year"),
        (["1990-02-01", "3 May 1999"], "date"),
        (["51.5, -0.12", "48.8 2.3"], "point"),
        (["a@b.org", "c@d.com"], "email"),
        (["https://x.org/a", "www.y.com"], "web"),
        (["(310) 246-1501", "+44 20 7946 0958"], "phone"),
        (["3f2504e0-4f89-11d3-9a0c-0305e82c3301", "3f2504e0-4f89-11d3-9a0c-0305e82c3302"], "opaque"),
        (["Acme Ltd", "Widget GmbH"], "legal"),
        (["12 Main Street", "4 Church Road"], "street"),
    ],
)
def test_forms(raw, figure):
    assert getattr(profile(raw), figure) == 1.0
    assert getattr(profile(["red apple", "green pear"]), figure) == 0.0


def test_a_counter_fills_its_range_and_measurements_do_not():
    assert profile([str(i) for i in range(1, 2001)]).counter
    assert not profile([str(7 * i) for i in range(1, 2001)]).counter


def test_lists_have_elements_and_their_delimiter():
    found = profile(["a; b; c", "d; e"])
    assert ";" in found.strong and found.elements == pytest.approx(2.5) and found.listed == 0.5


def test_words_of_a_name_of_a_column():
    assert {"first", "name"} <= set(name_words("First_Name"))
    assert "name" in name_words("givenName")


def test_figures_among_names_do_not_make_them_less_of_names():
    names = ["Peter Schmidt", "Maria Garcia", "John O'Neill", "Anna Kowalska", "Luis Fernandez", "Emma Johansson"]
    alone, mixed = profile(names).wording, profile([*names, "17", "204"]).wording
    assert mixed == pytest.approx(alone)
    half = [*names, *(str(i) for i in range(6))]
    assert profile(half).wording["person"] < alone["person"] - 0.5  # so many figures do not stray: all are read


def test_digits_are_those_of_any_script_and_raised_ones():
    assert [profile([text] * 2).digits for text in ("x2", "x²", "x٣", "x", "é")] == [1.0, 1.0, 1.0, 0.0, 0.0]


def test_a_sample_of_packed_texts_is_that_of_texts():
    texts, counts = [f"name {i}" for i in range(1_500)], np.arange(1_500) % 7 + 1
    assert Profile(ArrowTexts(texts), counts, 9).sample == Profile(texts, counts, 9).sample
