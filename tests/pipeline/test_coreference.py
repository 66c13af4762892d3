import json

import numpy as np
import pytest

from onoma.corpus.formats import read_corpus
from onoma.errors import DataError, SettingsError
from onoma.pipeline.coref_adapting import JudgedLink, adapt_coref
from onoma.pipeline.coreference import CorefJob, coref, coref_files, coref_model

TEXT = "Ada Lovelace wrote the first program. She was a mathematician, and her notes are famous."


@pytest.fixture(scope="module")
def found():
    (one,) = coref(TEXT)
    return one


def test_chains_from_raw_text(found):
    texts = [[m.text for m in chain.mentions] for chain in found.chains]
    assert ["Ada Lovelace", "She", "her"] in texts
    assert all(0 <= m.probability <= 1 for chain in found.chains for m in chain.mentions)
    expected, low, high = found.entities
    assert low <= expected <= high


def test_pronouns_are_replaced_and_nothing_else(found):
    assert found.substituted() == TEXT.replace("She", "Ada Lovelace").replace("her ", "Ada Lovelace’s ")


def test_explanations_add_up(found):
    prepared = found.resolved.prepared
    she = next(k for k, span in enumerate(prepared.spans) if span.start == 7 and span.end == 8)
    said = found.explain(she)
    parts = sum(v for _, v in said["for the antecedent"]) - sum(v for _, v in said["for a new entity"])
    scores = prepared.scores(found.model.weights, found.model.window)
    assert said["score"] == pytest.approx(parts)
    assert said["score"] == pytest.approx(scores[she, said["antecedent"]] - scores[she, she])
    with pytest.raises(SettingsError, match="mention 999"):
        found.explain(999)


@pytest.mark.parametrize("text", ["", "Hm", "it it it it", "No end no stop " * 50, "שלום עולם. היא כאן."])
def test_odd_texts_are_defined(text):
    (one,) = coref(text)
    assert np.isfinite(one.entities[0])
    assert one.as_json()["text"] == text


@pytest.mark.parametrize("ending", ["jsonl", "conll", "html", "duckdb", "txt"])
def test_every_output(tmp_path, ending):
    (tmp_path / "a.txt").write_text(TEXT)
    target = tmp_path / f"out.{ending}"
    counts = coref_files(CorefJob((str(tmp_path / "a.txt"),), target))
    assert counts["documents"] == 1
    assert counts["mentions"] >= 3
    assert target.stat().st_size > 50
    if ending == "jsonl":
        row = json.loads(target.read_text())
        mention = row["chains"][0]["mentions"][1]
        assert TEXT[mention["start"] : mention["end"]] == mention["text"]
    if ending == "conll":
        assert len(read_corpus(target).mentions) == counts["mentions"]
    if ending == "html":
        assert "<script" not in target.read_text()


def test_values_are_escaped_on_the_page(tmp_path):
    (tmp_path / "a.txt").write_text("<b>Ada</b> & Bob met. She liked <script>alert(1)</script> him.")
    coref_files(CorefJob((str(tmp_path / "a.txt"),), tmp_path / "out.html"))
    page = (tmp_path / "out.html").read_text()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_what_cannot_be_written(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    with pytest.raises(DataError, match="cannot be written as"):
        coref_files(CorefJob((str(tmp_path / "a.txt"),), tmp_path / "out.pdf"))


def test_given_mentions_are_linked_and_nothing_else(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    coref_files(CorefJob((str(tmp_path / "a.txt"),), tmp_path / "key.conll"))
    given = read_corpus(tmp_path / "key.conll")
    counts = coref_files(
        CorefJob((str(tmp_path / "key.conll"),), tmp_path / "again.conll", gold_mentions=True, singletons=True)
    )
    again = read_corpus(tmp_path / "again.conll")
    assert counts["mentions"] == len(given.mentions)
    assert again.mentions["start"].to_pylist() == given.mentions["start"].to_pylist()


def test_text_without_pronouns_beside_the_chains(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    coref_files(CorefJob((str(tmp_path / "a.txt"),), tmp_path / "out.jsonl", substitute=True))
    row = json.loads((tmp_path / "out.jsonl").read_text())
    assert row["substituted"].count("Ada Lovelace") == 3
    with pytest.raises(SettingsError, match="has no place for it"):
        CorefJob((str(tmp_path / "a.txt"),), tmp_path / "out.html", substitute=True)


def test_schemes():
    (fiction,) = coref("The captain walked to the house. He was old.", scheme="litbank")
    texts = [[m.text for m in chain.mentions] for chain in fiction.chains]
    assert ["The captain", "He"] in texts
    assert any(len(chain) == 1 for chain in texts), "LitBank annotates mentions that are alone"
    with pytest.raises(SettingsError, match="no scheme 'magic'"):
        coref("Hm.", scheme="magic")


def test_judged_links_move_a_model():
    text = "The Falcon left the yard at noon. The old ship was slow."
    first, second = (0, 10), (34, 46)
    judged = [JudgedLink(text, first, second, same) for same in (True, False)]
    together, apart = (adapt_coref(coref_model(), [one], rate=0.2, epochs=12) for one in judged)

    def probability(model):
        (found,) = coref(text, model=model)
        spans = [(span.start, span.end) for span in found.resolved.prepared.spans]
        if (0, 2) not in spans or (8, 11) not in spans:
            return 0.0
        return found.resolved.posterior.coreference(spans.index((0, 2)), spans.index((8, 11)))

    assert probability(together) > probability(apart)
    with pytest.raises(DataError, match="hold no word"):
        adapt_coref(coref_model(), [JudgedLink(text, (0, 10), (900, 910), True)])
    with pytest.raises(DataError, match="no judged link"):
        adapt_coref(coref_model(), [])


def test_chains_on_a_document_of_spacy():
    spacy = pytest.importorskip("spacy")
    from onoma.pipeline import coref_spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("onoma_coref")
    doc = nlp(TEXT.replace(". ", ".\n\n"))
    assert isinstance(nlp.get_pipe("onoma_coref"), coref_spacy.CorefComponent)
    chains = [[span.text for span in doc.spans[name]] for name in doc.spans]
    assert ["Ada Lovelace", "She", "her"] in chains
    sure = doc.spans["coref_1"].attrs["probability"]
    assert len(sure) == len(doc.spans["coref_1"])
    assert not nlp("   ").spans
