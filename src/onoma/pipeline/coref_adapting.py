"""A model moved to a new domain by a handful of judged links: "these two are the same", "these two are not".

Each judgement is a small example in which one mention teaches. Same: the earlier mention is the right antecedent, and
what the model takes for other things are wrong ones. Not the same: the earlier mention is wrong, and beginning anew is
right. Learning starts from the model's weights and steps lightly, so what no judgement speaks of stays nearly as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from onoma.coref._learning_kernels import HIDDEN
from onoma.coref.features import prepare
from onoma.coref.learning import Example, LearningSettings, learn
from onoma.coref.mentions import Span, candidate_mentions, head_of
from onoma.coref.model import CorefModel
from onoma.corpus.documents import Text
from onoma.errors import DataError
from onoma.pipeline.coref_documents import coref_documents
from onoma.text.documents.annotator import DocumentAnnotator

__all__ = ["JudgedLink", "adapt_coref"]


@dataclass(frozen=True)
class JudgedLink:
    """Two mentions of a text, by their characters (start, end), and whether they are one thing."""

    text: str
    first: tuple[int, int]
    second: tuple[int, int]
    same: bool


def adapt_coref(model: CorefModel, judged: Sequence[JudgedLink], *, rate: float = 0.02, epochs: int = 8) -> CorefModel:
    """Return a model that has learnt from judged links.

    Parameters
    ----------
    model
        The model to begin with.
    judged
        The judgements.
    rate, epochs
        How boldly to step, and how often to go over the judgements; a few dozen want no more.

    Examples
    --------
    >>> from onoma.pipeline.coreference import coref_model
    >>> text = "The Falcon left the yard. The ship was old."
    >>> judged = [JudgedLink(text, (0, 10), (26, 34), True)]
    >>> adapted = adapt_coref(coref_model(), judged)
    >>> adapted.facts["judged links"]
    1
    """
    if not judged:
        raise DataError("there is no judged link to learn from")
    stages = DocumentAnnotator.load()
    examples = [_example(model, one, stages) for one in judged]
    bits = len(model.weights).bit_length() - 1
    settings = LearningSettings(rate=rate, epochs=epochs, bits=bits, penalty=0.0, window=model.window)
    weights, _ = learn(examples, settings, start=model.weights)
    return replace(model, weights=weights, facts={**model.facts, "judged links": len(judged)})


def _example(model: CorefModel, one: JudgedLink, stages: DocumentAnnotator) -> Example:
    annotations = stages.annotate([Text("judged", one.text)])
    (document,) = coref_documents(annotations)
    starts, ends = (annotations.tokens[name].to_numpy() for name in ("start_char", "end_char"))
    places = []
    for low, high in sorted((one.first, one.second)):
        inside = np.flatnonzero((ends > low) & (starts < high))
        if not len(inside):
            raise DataError(f"characters {low} to {high} hold no word of {one.text[:40]!r}")
        places.append((int(inside[0]), int(inside[-1]) + 1))
    spans = {(span.start, span.end): span for span in candidate_mentions(document, model.conventions)}
    for start, end in places:
        spans.setdefault((start, end), Span(start, end, head_of(document, start, end)))
    ordered = sorted(spans.values(), key=lambda span: (span.start, -span.end))
    earlier, later = (next(k for k, span in enumerate(ordered) if (span.start, span.end) == at) for at in places)
    prepared = prepare(document, ordered, model.vocabulary)
    labels = model.resolve_prepared(prepared).labels
    chains = np.full(len(ordered), HIDDEN, np.int64)
    if one.same:
        chains[labels != labels[earlier]] = -1  # what the model takes for other things
    chains[[earlier, later]] = 0 if one.same else -1
    taught = np.zeros(len(ordered), bool)
    taught[later] = True
    return Example(prepared, chains, taught)
