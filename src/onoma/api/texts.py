"""`onoma.annotate`, `onoma.correct` and `onoma.build`."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from onoma.api.base import KnowledgeBase, open_base

if TYPE_CHECKING:
    from onoma.corpus.documents import Annotations, Text
    from onoma.pipeline.text.correction import Corrected

__all__ = ["annotate", "build", "correct"]


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


def build(
    documents: "str | Path | Iterable[str | Path]",
    output: str | Path,
    *,
    kb: str | Path | None = None,
    into: bool = False,
    jobs: int = 1,
    seed: int = 0,
) -> KnowledgeBase:
    """Build a knowledge base from documents: who is named in them, and what is said of whom.

    Parameters
    ----------
    documents
        Files, folders, patterns.
    output
        The knowledge base: a new file, or with `into` one to add to.
    kb
        An entity list to link to: a table of alias, entry and count; JSON lines as Wikidata's; another knowledge base.
    jobs
        How many processes read documents; the answer is the same.
    """
    from onoma.pipeline.building.build import BuildJob
    from onoma.pipeline.building.build import build as run

    inputs = [documents] if isinstance(documents, str | Path) else list(documents)
    listed = None if kb is None else Path(kb)
    job = BuildJob(tuple(map(str, inputs)), Path(output), into, jobs=jobs, entities=listed, seed=seed)
    run(job)
    return open_base(output)
