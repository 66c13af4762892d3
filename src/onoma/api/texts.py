"""`onoma.annotate` and `onoma.correct`."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onoma.corpus.documents import Annotations, Text
    from onoma.pipeline.text.correction import Corrected

__all__ = ["annotate", "correct"]


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


def correct(
    text: str,
    *,
    precision: float = 0.6,
    types: Collection[str] | None = None,
    format: str = "text",
    model: str | Path | None = None,
) -> "Corrected":
    """Correct English text: `.edits` says what was changed and why, `.text` is the text with all edits applied.

    Parameters
    ----------
    text
        English prose.
    precision
        How many of the edits should be right, as measured on learners' essays.
    types
        Which kinds of slips are mended; None: all.
    format
        `text`, `markdown` or `latex`: what is markup stays as it is.
    model
        A folder with a corrector; None: the one that comes with Onoma.
    """
    from onoma.correct.lists import TYPES
    from onoma.pipeline.text.correction import TextCorrector

    corrector = TextCorrector(model, precision=precision, types=TYPES if types is None else types)
    return corrector.correct(text, format=format)
