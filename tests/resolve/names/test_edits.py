import pytest

from onoma.resolve.names.edits import name_edit


@pytest.mark.parametrize(
    ("parent", "child", "right"),
    [
        ("William Smith", "William Smith", "copy"),
        ("William Smith", "W. Smith", "initial of William"),
        ("W. Smith", "William Smith", "spell out W"),
        ("William Smith", "Bill Smith", "nickname for William"),
        ("William Smith", "Smith, William", "family name first"),
        ("William J. Smith", "William Smith", "drop J"),
        ("William Smith", "Sir William Smith", "add Sir"),
        ("Ya-Ling Zhang", "Yaling Zhang", "join ya-ling"),
        ("Yaling Zhang", "Ya-Ling Zhang", "split ya-ling"),
        ("Catherine Lee", "Katherine Lee", "respell Catherine"),
        ("Alexander Bell", "Alex Bell", "abbreviate Alexander"),
        ("José", "Jose", "drop accents"),
        ("Jose", "José", "add accents"),
        ("JOSE", "Jose", "change case"),
        ("Jean-Paul", "Jean Paul", "change punctuation"),
        ("Ivan Petrov", "Иван Петров", "change script"),
        ("Central Intelligence Agency", "CIA", "acronym"),
        ("CIA", "Central Intelligence Agency", "spell out the acronym"),
        ("H. Hidayat Wahid", "هدايت واحد", "change script, drop H"),
        ("John Johnston, Jr.", "Johnston, John", "drop Jr, family name first"),
        ("Helle Schmidt", "Helle Schmidtová", "respell Schmidt"),
        ("Xan Smith", "Xanthopoulos Smith", "spell out Xan"),
    ],
)
def test_edits_are_named(parent, child, right):
    if right in ("nickname for William", "abbreviate Alexander"):
        assert name_edit(parent, child).split()[-1] == right.split()[-1]
    else:
        assert name_edit(parent, child) == right
