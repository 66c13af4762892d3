from onoma.correct.spelling import make_speller


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
