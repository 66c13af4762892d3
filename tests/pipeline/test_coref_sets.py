import numpy as np

from coref.worlds import CHAINS, make_document
from onoma.coref.filters import MentionFilter
from onoma.coref.model import Annotated
from onoma.pipeline import coref_sets
from onoma.pipeline.coref_sets import Further


def test_annotated_mentions_of_further_documents_teach_whatever_their_kind_and_no_others_do(monkeypatch):
    monkeypatch.setattr(coref_sets, "train_filter", lambda *_, **__: MentionFilter(np.zeros(1 << 10), -1.0))
    chains = {**CHAINS, (7, 8): "Prussia"}  # alone
    (one,) = Further((), [Annotated(make_document(), chains)]).examples({})
    taught = {(span.start, span.end) for span, yes in zip(one.prepared.spans, one.taught, strict=True) if yes}
    assert taught == set(chains)  # names, phrases, pronouns, in chains or alone
    assert not one.taught.all()  # "his daughters" is a candidate, and nothing is known of it
