import pytest

from onoma.resolve.fields.elements import JOINT, split_elements, splitter_of, strong_delimiters


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("Yossi Lichtenstein,Bob Welham,Ajay Gupta", ["yossi lichtenstein", "bob welham", "ajay gupta"]),
        (
            "a. blum, m. furst, m. j. kearns, and richard j. lipton.",
            ["a blum", "m furst", "m j kearns", "richard j lipton"],
        ),
        ("Auer, P., Cesa-Bianchi, N., Freund, Y.", ["p auer", "n cesa bianchi", "y freund"]),
        ("D. Scott Mackay", ["d scott mackay"]),
        ("Kearns, Michael and Blum, Avrim", ["michael kearns", "avrim blum"]),
        ("Sandy Anderson", ["sandy anderson"]),
        ("x, x, X.", ["x"]),
        (" , ;", []),
    ],
)
def test_people_are_told_apart(text, elements):
    assert split_elements(text) == elements


def test_strong_delimiters_part_before_commas():
    raw = ["Lee, Ann; Wu, Bo", "Wu, Bo", "Gupta, A; Lee, Ann"]
    splitter = splitter_of(strong_delimiters(raw))
    assert [split_elements(text, splitter) for text in raw[:2]] == [["ann lee", "bo wu"], ["bo wu"]]


def test_a_list_column_knows_no_other_delimiter():
    assert strong_delimiters([f"a;b{JOINT}c", "d;e", "f;g"]) == (JOINT,)
    assert strong_delimiters(["a|b"] + ["c"] * 20) == ()
    assert splitter_of(()) is None
