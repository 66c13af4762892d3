import pytest

from coref.worlds import CHAINS, make_document, make_volta
from onoma.coref.mentions import candidate_mentions, head_of
from onoma.coref.model import Annotated, example_of


def texts(document, **options):
    return {" ".join(document.words[s.start : s.end]) for s in candidate_mentions(document, **options)}


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


def test_places_and_words_with_a_determiner_of_their_own_are_mentions():
    found = texts(make_volta())
    assert {"there", "her cousin", "the young who love their VM"} <= found
    assert "young" not in found


def test_a_possessive_belongs_to_mentions_or_not_by_the_scheme():
    assert "her cousin Mia 's" in texts(make_volta())
    assert "her cousin Mia" not in texts(make_volta())
    assert "her cousin Mia" in texts(make_volta(), possessive=False)
    assert "her cousin Mia 's" not in texts(make_volta(), possessive=False)


@pytest.mark.parametrize("annotated", [(3, 6), (3, 7)])
@pytest.mark.parametrize("possessive", [True, False, None])
def test_annotated_mentions_are_found_with_a_possessive_or_without(annotated, possessive):
    example = example_of(Annotated(make_volta(), {annotated: "mia"}), {}, gold_mentions=False, possessive=possessive)
    (row,) = (k for k, chain in enumerate(example.chains) if chain >= 0)
    end = {True: 7, False: 6, None: annotated[1]}[possessive]
    assert (example.prepared.spans[row].start, example.prepared.spans[row].end) == (3, end)
