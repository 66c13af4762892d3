import numpy as np

from onoma.resolve.names._mutation_kernels import FIRST, LAST, LETTER, MIDDLE, NUMBER, ONLY, SMALL
from onoma.resolve.names.names import WordedNames, link_words


def test_words_have_classes():
    names = WordedNames.of(["Dr. Ada M. King Lovelace", "Plato", "Apollo 11", "Anna Lee"])
    assert names.classes.tolist() == [SMALL, MIDDLE, LETTER, MIDDLE, LAST, ONLY, FIRST, NUMBER, FIRST, LAST]
    assert names.lengths.tolist() == [5, 1, 2, 2]


def test_joined_words_are_known_if_a_name_has_them():
    names = WordedNames.of(["Ya-Ling Zhang", "Yaling Zhang"])
    assert names.words[names.joined[0]] == "yaling"
    assert names.joined[1:].tolist() == [-1, -1, -1, -1]


def test_links_say_how_words_are_related():
    names = WordedNames.of(["William Smith", "W Smyth", "Will Jones", "Bill Xu"])
    one, other = np.array([0, 0, 0, 1], np.int32), np.array([1, 2, 3, 0], np.int32)
    links = link_words(names, one, other)
    found = {(names.words[a], names.words[b]): i for i, (a, b) in enumerate(zip(links.a, links.b, strict=True))}
    assert links.initial[found["william", "w"]]
    assert links.truncated[found["william", "will"]]
    assert links.nickname[found["william", "bill"]]
    assert links.slip[found["smith", "smyth"]]
    assert links.extended[found["w", "william"]]
    assert ("smith", "xu") not in found
    first = links.at[links.starts[0] : links.starts[1]]
    assert first.tolist() == [found["william", "w"], -1, -1, found["smith", "smyth"]]
