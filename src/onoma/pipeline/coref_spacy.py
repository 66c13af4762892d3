"""Chains as a component of a spaCy pipeline: `nlp.add_pipe("onoma_coref")`, then `doc.spans["coref_1"]`, ….

spaCy's tokens are taken as they are, and its sentences where it has them; tags, trees and names that coreference needs
are by Onoma's own stages, so the component works in a blank pipeline too. Each group of spans is a chain, by its first
mention; `group.attrs["probability"]` says how sure each mention is. Besides the component for annotation, this module
is the only one that imports spaCy at once.
"""

import itertools
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import SpanGroup

from onoma.pipeline.coref_documents import coref_documents
from onoma.pipeline.coreference import chains_in, coref_model
from onoma.text.documents.annotator import DocumentAnnotator

__all__ = ["CorefComponent", "make_coref_component"]


class CorefComponent:
    """Sets `doc.spans["coref_1"]`, `["coref_2"]`, … on a spaCy document."""

    def __init__(self, model: str | None = None, scheme: str = "ontogum", *, singletons: bool | None = None) -> None:
        self.model = coref_model(model, scheme)
        self.singletons = singletons
        self.stages = DocumentAnnotator.load()

    def __call__(self, doc: Any) -> Any:  # noqa: ANN401  (spaCy's Doc)
        """Find the chains of one document and return it."""
        places = [token.i for token in doc if not token.is_space]
        if not places:
            return doc
        annotations = self.stages.annotate_words([("doc", self._sentences(doc, places))])
        (document,) = coref_documents(annotations)
        found = chains_in(annotations, self.model, self.model.resolve(document), singletons=self.singletons)
        for number, chain in enumerate(found.chains, start=1):
            spans = [doc[places[m.start] : places[m.end - 1] + 1] for m in chain.mentions]
            sure = [m.probability for m in chain.mentions]
            name = f"coref_{number}"
            doc.spans[name] = SpanGroup(doc, name=name, spans=spans, attrs={"probability": sure})
        return doc

    def _sentences(self, doc: Any, places: list[int]) -> list[list[str]]:  # noqa: ANN401  (spaCy's Doc)
        if doc.has_annotation("SENT_START"):
            number = {token.i: n for n, sentence in enumerate(doc.sents) for token in sentence}
            begins = np.diff([number[k] for k in places], prepend=-1) != 0
        else:
            cut = self.stages.stages.tokenise(doc.text)
            begins = np.isin([doc[k].idx for k in places], cut.starts[cut.sentences[:-1]])
        begins[0] = True
        bounds = [*np.flatnonzero(begins).tolist(), len(places)]
        return [[doc[k].text for k in places[a:b]] for a, b in itertools.pairwise(bounds)]


@Language.factory("onoma_coref", default_config={"model": None, "scheme": "ontogum", "singletons": None})
def make_coref_component(
    nlp: Any,  # noqa: ANN401, ARG001  (spaCy's Language)
    name: str,  # noqa: ARG001
    model: str | None,
    scheme: str,
    singletons: bool | None,  # noqa: FBT001
) -> CorefComponent:
    """Make the component; spaCy calls this."""
    return CorefComponent(model, scheme, singletons=singletons)
