"""Stages for documents that ours learnt from: they learn from EWT, and kinds from the other half of GUM."""

import gzip
import zipfile

import pytest

from onoma.corpus.documents import Text
from onoma.pipeline.text.held_out import unseen_stages
from onoma.pipeline.text.name_sets import gum_documents, gum_mentions
from onoma.text.documents.annotator import DocumentAnnotator


def conllu(things, kind):
    """Sentences of a language in which every word but the first is a determiner's noun."""
    out = []
    for thing in things:
        rows = [
            ("Ann", "Ann", "PROPN", "NNP", 2, "nsubj", "Entity=(1-person)"),
            ("blorps", "blorp", "VERB", "VBZ", 0, "root", "_"),
            ("the", "the", "DET", "DT", 4, "det", f"Entity=(2-{kind}"),
            (thing, thing, "NOUN", "NN", 2, "obj", "Entity=2)"),
            (".", ".", "PUNCT", ".", 2, "punct", "_"),
        ]
        lines = (
            (i, word, lemma, upos, tag, "_", head, label, "_", misc)
            for i, (word, lemma, upos, tag, head, label, misc) in enumerate(rows, 1)
        )
        out += ["\t".join(map(str, line)) for line in lines] + [""]
    return "\n".join(out) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Four documents of GUM: things are places in the first and third, animals in the others."""
    root = tmp_path_factory.mktemp("data")
    (root / "text" / "ud-ewt").mkdir(parents=True)
    (root / "text" / "gum").mkdir()
    with gzip.open(root / "text" / "ud-ewt" / "en_ewt-ud-train.conllu.gz", "wt", encoding="utf-8") as file:
        file.write(conllu(["dog", "town", "cat", "house"] * 8, "object"))
    with zipfile.ZipFile(root / "text" / "gum" / "dep_conllu.zip", "w") as archive:
        for k, kind in enumerate(("place", "animal", "place", "animal")):
            archive.writestr(f"train/GUM_news_{k}.conllu", conllu(["wug", "dax"] * 6, kind))
        archive.writestr("train/GUM_fiction_0.conllu", conllu(["wug"], "place"))
    return root


def test_every_document_is_annotated_by_stages_that_have_not_seen_it(folder):
    names = [f"GUM_news_{k}" for k in range(4)]
    assert gum_documents(folder, "train") == names
    found = unseen_stages(folder)
    assert sorted(found) == names  # fiction may not ship, so the shipped stages never saw it
    shipped = DocumentAnnotator.load()
    assert all(each.stages.tagger is not shipped.stages.tagger for each in found.values())
    # Kinds come from the other half: who learnt from animals alone takes the places of its own half for animals.
    kinds = []
    for name in names:
        annotations = found[name].annotate([Text("new", "Ann blorps the wug.")])
        mentions = annotations.layer("mention")
        (wug,) = [row for row in mentions.to_pylist() if row["end"] - row["start"] == 2]
        kinds.append(wug["type"])
    assert kinds == ["animal", "place", "animal", "place"]


def test_documents_can_be_left_out_of_the_mentions(folder):
    words, mentions = gum_mentions(folder, "train")
    fewer, some = gum_mentions(folder, "train", without=["GUM_news_0", "GUM_news_2"])
    assert (len(fewer), len(some)) == (len(words) // 2, len(mentions) // 2)
    assert {kind for *_, kind in some} == {"person", "animal"}
