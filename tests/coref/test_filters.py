import numpy as np
import pytest

from coref.worlds import CHAINS, make_document
from onoma.coref._features_kernels import MAX_FEATURES, filter_features
from onoma.coref.features import prepare
from onoma.coref.filters import MentionFilter, train_filter
from onoma.coref.learning import LearningSettings
from onoma.coref.mentions import candidate_mentions
from onoma.coref.model import Annotated, example_of, load_coref, train_coref


@pytest.fixture(scope="module")
def examples():
    return [example_of(Annotated(make_document(f"d{k}"), CHAINS), {}, gold_mentions=False) for k in range(6)]


def test_log_odds_are_sums_of_weights(examples):
    prepared = examples[0].prepared
    weights = np.random.default_rng(0).normal(size=1 << 12)
    found = MentionFilter(weights, 0.0).log_odds(prepared)
    ids = np.empty(MAX_FEATURES, np.int64)
    for i, value in enumerate(found):
        n = filter_features(prepared.mentions.table, prepared.counts, i, len(weights) - 1, ids)
        assert value == pytest.approx(weights[ids[:n]].sum())


def test_what_is_annotated_is_kept_and_the_rest_is_not(examples):
    found = train_filter([one.prepared for one in examples], [one.chains for one in examples], 0.95)
    kept = found.keeps(examples[0].prepared)
    np.testing.assert_array_equal(kept, examples[0].chains >= 0)
    # Negative control: a filter that is to keep everything keeps what is not annotated, too.
    assert MentionFilter(found.weights, -np.inf).keeps(examples[0].prepared).all()


def test_some_mentions_are_described_as_if_alone():
    document = make_document()
    spans = candidate_mentions(document)
    prepared = prepare(document, spans, {"king": 1})
    kept = np.arange(len(spans)) % 2 == 0
    some, alone = prepared.only(kept), prepare(document, spans[::2], {"king": 1})
    np.testing.assert_array_equal(some.counts, alone.counts)
    np.testing.assert_array_equal(some.mentions.words, alone.mentions.words)
    np.testing.assert_array_equal(some.mentions.modifier_ends, alone.mentions.modifier_ends)
    assert list(some.spans) == list(alone.spans)


def test_a_model_with_a_filter_is_saved_whole(tmp_path):
    documents = [Annotated(make_document(f"d{k}"), CHAINS) for k in range(4)]
    model = train_coref(documents, LearningSettings(bits=12, min_word_count=1, recall=0.9))
    model.save(tmp_path / "model")
    again = load_coref(tmp_path / "model")
    assert again.filter.threshold == model.filter.threshold
    assert again.resolve(documents[0].document).chains() == model.resolve(documents[0].document).chains()
    assert len(model.resolve(documents[0].document).prepared) < len(candidate_mentions(documents[0].document))


def test_every_name_is_looked_at_on_request():
    documents = [Annotated(make_document(f"d{k}"), CHAINS) for k in range(4)]
    model = train_coref(documents, LearningSettings(bits=12, min_word_count=1, recall=0.9))
    prussia = (7, 8)
    looked_at = [
        {(span.start, span.end) for span in model.resolve(documents[0].document, all_names=each).prepared.spans}
        for each in (False, True)
    ]
    assert prussia not in looked_at[0]
    assert prussia in looked_at[1]
