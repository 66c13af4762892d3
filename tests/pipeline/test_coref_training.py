from dataclasses import replace

import numpy as np
import pytest

from coref.worlds import CHAINS, make_document
from onoma.coref.document import joined
from onoma.coref.learning import LearningSettings
from onoma.coref.mentions import candidate_mentions
from onoma.coref.model import Annotated
from onoma.pipeline import coref_training
from onoma.pipeline.coref_training import longer, train_model


def _spoken(name):
    """A document in which the first person, party 1, speaks the second sentence to party 2."""
    document = make_document(name)
    voices = np.zeros((len(document), 3), np.int64)
    voices[0:2, 0], voices[9:, 1], voices[9:, 2] = 1, 1, 2
    return replace(document, voices=voices, speakers=[""] * 9 + ["Ben"] * (len(document) - 9))


def test_documents_are_joined_and_stay_apart():
    first, second = _spoken("a"), _spoken("b")
    both = joined([first, second])
    n = len(first)
    assert both.words == [*first.words, *second.words]
    assert both.names == [*first.names, *((start + n, end + n, kind) for start, end, kind in second.names)]
    assert both.heads[n:].tolist() == (second.heads + n).tolist()
    assert both.sentences.tolist() == [0] * 9 + [1] * 8 + [2] * 9 + [3] * 8
    assert both.voices[n:].max() == 4
    assert set(both.voices[:n, 0]) & set(both.voices[n:, 0]) == {0}
    assert both.speakers[9] and both.speakers[n + 9] and both.speakers[9] != both.speakers[n + 9]
    spans = [(span.start, span.end, span.head) for span in candidate_mentions(both)]
    own = [(span.start, span.end, span.head) for span in candidate_mentions(first)]
    assert spans == own + [(start + n, end + n, head + n) for start, end, head in own]


def test_chains_of_joined_documents_stay_apart(monkeypatch):
    monkeypatch.setattr(coref_training, "_LONG", 35)
    documents = [Annotated(make_document(str(k)), CHAINS) for k in range(4)]
    found = longer(documents)
    assert [one.document.name for one in found] == ["0 + 2", "1 + 3"]
    assert len(set(found[0].chains.values())) == 4
    assert found[0].chains[17, 19] == found[0].chains[26, 27] != found[0].chains[0, 2]
    assert len(longer(documents[:1])) == 1


def test_a_decoder_for_any_length_is_chosen_on_longer_documents_too(monkeypatch):
    seen = []
    quality = coref_training.Tuning.quality
    monkeypatch.setattr(
        coref_training.Tuning,
        "quality",
        lambda self, *args: seen.append(len(self.documents)) or quality(self, *args),
    )
    documents = [Annotated(make_document(str(k)), CHAINS) for k in range(3)]
    settings = LearningSettings(bits=12, epochs=2)
    for any_length, looked_at in ((False, {3}), (True, {1, 3})):
        seen.clear()
        _, scores = train_model(documents, documents, settings, gold_mentions=True, any_length=any_length)
        assert set(seen) == looked_at
        assert scores.mean == pytest.approx(100)
