from coref.worlds import CHAINS, make_document
from onoma.coref.mentions import candidate_mentions, head_of


def texts(document):
    return {" ".join(document.words[s.start : s.end]) for s in candidate_mentions(document)}


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
