"""Onoma's stages as a component of a spaCy pipeline: `nlp = spacy.blank("en"); nlp.add_pipe("onoma")`.

It sets tags, lemmas, trees, sentences and names on spaCy's documents; spaCy's tokens are taken as they are. spaCy finds
the component through an entry point of the package, and this module is the only one that imports spaCy at once.
"""

import itertools
from typing import Any

import numpy as np
from spacy.language import Language

from onoma.text.documents.annotator import DocumentAnnotator
from onoma.text.names.tagger import NAME_TYPES
from onoma.text.tokens import Tokens

__all__ = ["OnomaComponent", "make_component"]


class OnomaComponent:
    """Sets tags, lemmas, morphology, trees, sentences and names on a spaCy document, from Onoma's models."""

    def __init__(self, model: str | None = None, style: str = "wiki") -> None:
        self.annotator = DocumentAnnotator.load(model, style=style)

    def __call__(self, doc: Any) -> Any:  # noqa: ANN401  (spaCy's Doc)
        """Annotate one document in place and return it."""
        words = [token.text for token in doc]
        if not words:
            return doc
        stages = self.annotator.stages
        cut = stages.tokenise(doc.text)
        begins = np.isin([token.idx for token in doc], cut.starts[cut.sentences[:-1]])
        begins[0] = True
        starts = np.flatnonzero(begins)
        bounds = [*starts.tolist(), len(words)]
        tokens = Tokens.of_words([words[a:b] for a, b in itertools.pairwise(bounds)])
        tags, trees = stages.tag_and_parse(tokens)
        lemmas = stages.lemmas(tokens, tags)
        for i, token in enumerate(doc):
            token.tag_ = stages.tagger.xpos_names[tags.xpos[i]]
            token.pos_ = stages.tagger.upos_names[tags.upos[i]]
            token.lemma_ = lemmas[i]
            token.set_morph(stages.tagger.feats_names[tags.feats[i]])
            token.dep_ = stages.parser.label_names[trees.labels[i]]
            token.head = doc[int(trees.heads[i])] if trees.heads[i] >= 0 else token
        names = self.annotator.names.find(tokens, style=self.annotator.style)
        spans = zip(names.starts.tolist(), names.ends.tolist(), names.types.tolist(), strict=True)
        doc.set_ents(
            [doc.char_span(doc[a].idx, doc[b - 1].idx + len(doc[b - 1]), label=NAME_TYPES[k]) for a, b, k in spans]
        )
        return doc


@Language.factory("onoma", default_config={"model": None, "style": "wiki"})
def make_component(nlp: Any, name: str, model: str | None, style: str) -> OnomaComponent:  # noqa: ANN401, ARG001
    """Make the component; spaCy calls this."""
    return OnomaComponent(model, style)
