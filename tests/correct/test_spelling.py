from onoma.correct.spelling import Speller, load_speller, make_speller, save_speller


def test_words_are_kept_in_the_order_of_text_and_dictionary():
    # A set's order would change with Python's hash seed, and with it the stored bytes.
    dictionary = ["zebra", "apple", "Mango", "kiwi", "lemon", "cherry", "plum", "grape", "fig", "melon"]
    speller = make_speller([["The", "apple", "is", "red"]], dictionary)
    assert list(speller.counts) == [
        "apple",
        "zebra",
        "mango",
        "kiwi",
        "lemon",
        "cherry",
        "plum",
        "grape",
        "fig",
        "melon",
    ]


def test_words_made_of_known_ones_are_no_misspellings():
    speller = Speller(
        {"cognitive": 40, "specific": 40, "view": 90, "labelled": 90, "till": 90, "true": 90, "able": 90}, {}
    )
    for word in ("cognitively", "specifically", "viewable", "relabelled", "unlabelled"):
        assert speller.knows(word), word
    for word in ("untill", "truely", "specificly", "viewible"):
        assert not speller.knows(word), word
    assert "view able" not in [put for put, _ in speller.corrections("viewsable")]


def test_what_only_native_text_has_is_known_and_not_offered(tmp_path):
    sentences = [["the", "terroir"]] * 6 + [["of", "wiine"]] * 4
    speller = make_speller(sentences, ["the", "of", "wine", "terror"])
    save_speller(speller, tmp_path / "words.npz")
    for each in (speller, load_speller(tmp_path / "words.npz")):
        assert each.knows("terroir")
        assert not each.knows("wiine")
        assert [put for put, _ in each.corrections("terroirr")] == ["terror"]
        assert each.rare == {"terroir"}


def test_what_learners_do_comes_before_other_strokes():
    words = {"careful": 900, "carefully": 1000, "really": 900, "real": 2000, "because": 900, "became": 4000}
    speller = Speller(words, {})
    first = {word: speller.corrections(word)[0][0] for word in ("carefull", "realy", "becase")}
    assert first == {"carefull": "careful", "realy": "really", "becase": "because"}
