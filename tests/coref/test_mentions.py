import pytest

from coref.worlds import CHAINS, make_document, make_volta
from onoma.coref.learning import LearningSettings
from onoma.coref.mentions import Conventions, candidate_mentions, head_of
from onoma.coref.model import Annotated, material_of


def texts(document, *conventions):
    return {" ".join(document.words[s.start : s.end]) for s in candidate_mentions(document, *conventions)}


def test_phrases_pronouns_and_names_are_mentions():
    found = texts(make_document())
    assert {"Ada Lovelace", "the old king of Prussia", "the old king", "Prussia", "She", "his"} <= found
    assert {"the king and his daughters", "the king", "his daughters"} <= found


def test_what_stands_around_a_phrase_is_no_part_of_it():
    found = texts(make_document())
    assert not found & {"of Prussia", "and his daughters", "Ada Lovelace met", "."}


def test_every_annotated_mention_is_found_with_its_head():
    document = make_document()
    spans = {(s.start, s.end): s.head for s in candidate_mentions(document)}
    assert set(CHAINS) <= set(spans)
    for span in CHAINS:
        assert spans[span] == head_of(document, *span)


def test_longer_mentions_come_first_where_they_begin_together():
    spans = candidate_mentions(make_document())
    assert spans == sorted(spans, key=lambda s: (s.start, -s.end))


def test_places_are_mentions_by_the_scheme():
    assert "there" not in texts(make_volta())
    assert "there" in texts(make_volta(), Conventions(places=True))


def test_a_possessive_belongs_to_mentions_or_not_by_the_scheme():
    held, left = texts(make_volta()), texts(make_volta(), Conventions(possessive=False))
    assert "her cousin Mia 's" in held
    assert "her cousin Mia" in left
    assert "her cousin Mia 's" not in left


@pytest.mark.parametrize("end", [6, 7])
@pytest.mark.parametrize("place", [{(8, 9): "there"}, {}])
def test_conventions_are_those_of_the_annotated_documents(end, place):
    documents = [Annotated(make_volta(), {(3, end): "mia", (7, 8): "friend", **place})] * 2
    found = material_of(documents, LearningSettings(min_word_count=1, recall=1.0))
    assert found.conventions == Conventions(possessive=end == 7, places=bool(place))
    assert all((example.chains >= 0).sum() == len(documents[0].chains) for example in found.examples)
