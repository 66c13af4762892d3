"""`onoma.annotate`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onoma.corpus.documents import Annotations, Text

__all__ = ["annotate"]


def annotate(
    texts: "str | Text | Iterable[str | Text]", *, model: str | None = None, style: str = "wiki"
) -> "Annotations":
    """Annotate English text: tokens, sentences, tags, lemmas, trees, names and mentions.

    Parameters
    ----------
    texts
        One text or many. (Files are annotated by the command `onoma annotate`.)
    model
        A folder of models; `spacy:NAME` for a pipeline of spaCy; None: the models that come with Onoma.
    style
        How names are understood: `wiki`, or another style of the model.
    """
    from onoma.pipeline.text.annotation import annotate as run

    return run(texts, model=model, style=style)
