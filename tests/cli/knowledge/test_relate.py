from pathlib import Path

import pytest

from onoma.learning.storage import save_model

PAIRS = "hot\tsyn\twarm\nhot\tant\tcold\ncold\tsyn\tcool\ncold\tant\thot\nparrot\thypernym\tbird\nbird\tsyn\tfowl\n"


@pytest.fixture
def pairs(tmp_path):
    Path(tmp_path / "pairs.tsv").write_text(PAIRS)


@pytest.mark.usefixtures("pairs")
def test_related_words_best_first(onoma):
    ran = onoma("relate antonym warm -t pairs.tsv --json")
    assert ran.code == 0
    assert {item["word"] for item in ran.json["related"][:2]} == {"cold", "cool"}
    assert "6 words" in ran.err or "7 words" in ran.err


@pytest.mark.usefixtures("pairs")
def test_the_degree_of_a_relation(onoma):
    ran = onoma("relate --degree is-a parrot bird -t pairs.tsv --json")
    back = onoma("relate --degree is-a bird parrot -t pairs.tsv --json")
    assert ran.json["degree"] > 0.5 > -0.5 > back.json["degree"]
    assert onoma("relate --degree is-a parrot bird -t pairs.tsv -q").out.strip() == f"{ran.json['degree']:.4f}"


@pytest.mark.usefixtures("pairs")
def test_words_that_have_nothing_to_do_with_it_are_left_out(onoma):
    ran = onoma("relate antonym hot -t pairs.tsv")
    assert "bird" not in ran.out
    assert "words are so related to 'hot'" in ran.err
    none = onoma("relate antonym parrot -t pairs.tsv")
    assert none.out == ""
    assert "no words are so related to 'parrot'" in none.err


@pytest.mark.usefixtures("pairs")
def test_a_degree_says_its_scale(onoma):
    assert "below 0: the other way round" in onoma("relate --degree is-a parrot bird -t pairs.tsv").err
    assert "below 0" not in onoma("relate --degree antonym hot cold -t pairs.tsv").err


@pytest.mark.usefixtures("pairs")
def test_a_model_is_fitted_once_and_asked_often(onoma, tmp_path):
    ran = onoma("relate --fit words.model --rank 3 -t pairs.tsv")
    assert ran.code == 0
    assert (tmp_path / "words.model" / "model.json").exists()
    asked = onoma("relate antonym hot -m words.model -n 1 --json")
    assert asked.json["related"][0]["word"] in {"cold", "cool"}


@pytest.mark.usefixtures("pairs")
@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("relate antonym zebra -t pairs.tsv", 1, "'zebra' is not in the thesaurus"),
        ("relate antonym hot cold -t pairs.tsv", 2, "2 words came; one is wanted"),
        ("relate --degree antonym hot -t pairs.tsv", 2, "--degree wants two"),
        ("relate", 2, "no relation is given"),
        ("relate antonym", 2, "onoma relate antonym hot"),
        ("relate antonym hot --fit a -m b", 2, "give one of them"),
        ("relate hot cold", 2, "hot"),
        ("relate --fit m --rank 50 -t pairs.tsv", 2, "rank is 50"),
        ("relate antonym hot -t nothing", 1, "no such file"),
        ("relate antonym hot -t moby.txt", 1, "'antonym'; there is synonym"),
        ("relate --degree is-a hot cold -t moby.txt", 1, "--thesaurus FOLDER"),
        ("relate antonym hot -m damaged", 1, "is damaged: 'relations' is missing"),
    ],
)
def test_wrong_calls_say_what_is_wrong(onoma, line, code, message):
    Path("moby.txt").write_text("hot,warm\n")
    save_model("damaged", "mrlsa", {}, {})
    ran = onoma(line)
    assert ran.code == code
    assert message in ran.err


def test_without_wordnet_it_says_how_to_get_it(onoma, monkeypatch, tmp_path):
    for name in ("WNHOME", "WNSEARCHDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("onoma.knowledge.thesaurus_wordnet._PLACES", (str(tmp_path),))
    ran = onoma("relate antonym hot")
    assert ran.code == 1
    assert "apt install wordnet-base" in ran.err
    assert "--thesaurus" in ran.err
