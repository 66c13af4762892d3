import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.resolve.names.romanise import name_words, romanise


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Владимир Путин", "vladimir putin"),
        ("Γιώργος Παπανδρέου", "giorgos papandreu"),
        ("בנימין", "bnymyn"),
        ("محمد", "mhmd"),
        ("トニー・ブレア", "toni burea"),
        ("김대중", "gim dae jung"),
        ("Սերժ Սարգսյան", "serzh sargsyan"),
        ("राम मोहन", "ram mohan"),
        ("张伟", "张 伟"),
        ("Łódź", "lodz"),
        ("", ""),
    ],
)
def test_scripts_are_read_by_their_sound(text, right):
    assert romanise(text) == right


@given(st.text(max_size=40))
def test_any_text_becomes_words_without_spaces(text):
    words = name_words(text)
    assert all(word and not any(letter.isspace() for letter in word) for word in words)
    assert bool(words) == bool(text.split())
