"""What a text says of who is who: letters, quotations, names of people, roles."""

import numpy as np
import pytest

from onoma.api import coref


def _chains(text):
    return [[mention.text for mention in chain.mentions] for chain in coref(text).chains]


def _chain_of(text, mention):
    return next((chain for chain in _chains(text) if mention in chain), [mention])


LETTER = """Dear Mr Lindgren,

I have read your book, and I liked it. My wife thinks that you and Mrs Lindgren should visit us.

Yours sincerely,
Oscar Hale
"""

MAIL = """From: Petra Novak <petra@example.org>
To: Samuel Ortiz
Subject: Lunch

Hi Samuel,

I can meet you at one. Could you bring me the plans?

Best,
Petra
"""


def test_the_writer_of_a_letter_is_who_signs_it():
    writer = _chain_of(LETTER, "Oscar Hale")
    assert {"I", "My"} <= set(writer)
    assert not {"you", "your", "Mr Lindgren"} & set(writer)


def test_a_writer_may_close_by_what_she_is():
    text = LETTER.replace("Yours sincerely,\nOscar Hale", "Your loving niece,\nClara")
    assert {"I", "My", "Clara"} <= set(_chain_of(text, "Clara"))


def test_who_is_written_to_is_greeted_without_the_greeting():
    reader = _chain_of(LETTER, "Mr Lindgren")
    assert {"you", "your"} <= set(reader)
    assert not {"I", "Mrs Lindgren", "Oscar Hale"} & set(reader)
    assert not any("Dear" in text for chain in _chains(LETTER) for text in chain)


def test_heads_of_mails_name_both_parties():
    assert {"Petra Novak", "I", "me", "Petra"} <= set(_chain_of(MAIL, "Petra Novak"))
    assert {"Samuel Ortiz", "Samuel", "you"} <= set(_chain_of(MAIL, "Samuel Ortiz"))


@pytest.mark.parametrize("text", ["Dear oh dear, it rained.", "Hi, Anna left. She was tired.", "Hello"])
def test_what_is_no_greeting_changes_nothing(text):
    from onoma.coref.discourse.letters import with_letters
    from onoma.pipeline.coref_documents import coref_documents
    from onoma.pipeline.text.annotation import pipeline_named
    from onoma.text.documents.annotator import as_texts

    (document,) = coref_documents(pipeline_named(None).annotate(list(as_texts(text))))
    assert with_letters(document) is document


SAID = """“I saw them at the bridge,” said Martha. “They gave me a letter.”

“You never told me that,” Edward answered.
"""


def test_who_speaks_a_quotation_is_its_i():
    martha = _chain_of(SAID, "Martha")
    assert {"I", "me"} <= set(martha)
    assert "Edward" not in martha
    assert "You" not in _chain_of(SAID, "Edward")


FAMILY = (
    """Anna Keller, who is a lawyer, met Peter Keller in Bonn. Mr Keller is not related to her. Later Ms Keller left."""
)


def test_people_of_one_surname_are_told_apart_by_given_names_and_titles():
    chains = _chains(FAMILY)
    for chain in chains:
        people = {("Anna" in text or "Ms " in text) for text in chain if "Keller" in text}
        assert len(people) <= 1, chain
    assert "Mr Keller" in _chain_of(FAMILY, "Peter Keller")


ROLES = """Present: Dr Sarah Holt (chair), Mr James Okafor (treasurer).

Mr Okafor reported that the library had spent the money. Dr Holt thanked him. The treasurer said that he would ask.
"""


def test_a_role_said_beside_a_name_is_that_person():
    assert "The treasurer" in _chain_of(ROLES, "Mr Okafor")


def test_titles_are_parts_of_names():
    assert not any(text in {"Mr", "Dr"} for chain in _chains(ROLES) for text in chain)


def test_brackets_of_a_mention_are_closed():
    texts = [text for chain in _chains("Ada Holt (1815-1852) was born in Kent. She wrote.") for text in chain]
    assert all(text.count("(") == text.count(")") for text in texts)


def test_a_chain_is_called_by_its_name_alone():
    (first, *_) = coref("Ada Holt, a lawyer from Kent, won. She smiled. Holt left.").chains
    assert first.called == "Ada Holt"


def test_phrases_around_one_head_are_one_mention_of_one_entity():
    from onoma.coref.attributes import Column
    from onoma.coref.features import _one_of_a_head

    table = np.zeros((5, len(Column)), np.int64)
    table[:, Column.START] = [0, 0, 5, 9, 9]
    table[:, Column.END] = [4, 2, 6, 12, 10]
    table[:, Column.HEAD] = [1, 1, 5, 9, 9]
    table[3, Column.NUMBER] = 2  # you and Mrs Brandt
    # "the mayor, Ada Holt" and "the mayor" began two entities; the last is "you".
    labels = np.array([0, 1, 1, 0, 1])
    assert _one_of_a_head(labels, table).tolist() == [0, 1, 0, 0, 0]
    assert _one_of_a_head(np.arange(5), table).tolist() == [0, 1, 2, 3, 4]
