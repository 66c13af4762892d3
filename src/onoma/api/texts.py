"""`onoma.annotate`, `onoma.coref`, `onoma.correct` and `onoma.build`."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, overload

from onoma.api.base import KnowledgeBase, open_base

if TYPE_CHECKING:
    from onoma.coref.model import CorefModel
    from onoma.corpus.documents import Annotations, Text
    from onoma.pipeline.coreference import DocumentChains
    from onoma.pipeline.text.correction import Corrected

__all__ = ["annotate", "build", "coref", "correct"]


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


@overload
def coref(  # type: ignore[overload-overlap]  # a text is letters, too
    texts: "str | Text",
    *,
    model: "str | Path | CorefModel | None" = None,
    scheme: str = "ontogum",
    annotator: str | None = None,
    singletons: bool | None = None,
) -> "DocumentChains": ...


@overload
def coref(
    texts: "Iterable[str | Text]",
    *,
    model: "str | Path | CorefModel | None" = None,
    scheme: str = "ontogum",
    annotator: str | None = None,
    singletons: bool | None = None,
) -> "list[DocumentChains]": ...


def coref(
    texts: "str | Text | Iterable[str | Text]",
    *,
    model: "str | Path | CorefModel | None" = None,
    scheme: str = "ontogum",
    annotator: str | None = None,
    singletons: bool | None = None,
) -> "DocumentChains | list[DocumentChains]":
    """Find which mentions of an English text are one thing: `.chains`, each mention with how sure it is.

    Parameters
    ----------
    texts
        One text, or many: then a list comes back. (Files are read by the command `onoma coref`.)
    model
        A trained model or its folder; None: one that comes with Onoma.
    scheme
        Which of those: `ontogum` (any text) or `litbank` (fiction; people and places, also those that are alone).
    annotator
        A folder of text models or `spacy:NAME`; None: those that come with Onoma.
    singletons
        Whether mentions that are alone are chains of one; None: as the model's scheme has it.

    Examples
    --------
    >>> found = coref("Ada Lovelace wrote the first program. She was a mathematician, and her notes are famous.")
    >>> [mention.text for mention in found.chains[0].mentions]
    ['Ada Lovelace', 'She', 'her']
    """
    from onoma.corpus.documents import Text
    from onoma.pipeline.coreference import coref as run

    found = run(texts, model=model, scheme=scheme, annotator=annotator, singletons=singletons)
    return found[0] if isinstance(texts, str | Text) else found


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
    facts: str | Path | None = None,
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
    facts
        A table of known facts (subject, relation, object): what texts say of such relations between others is read.
    jobs
        How many processes read documents; the answer is the same.
    """
    from onoma.pipeline.building.build import BuildJob
    from onoma.pipeline.building.build import build as run

    inputs = [documents] if isinstance(documents, str | Path) else list(documents)
    listed = None if kb is None else Path(kb)
    known = None if facts is None else Path(facts)
    job = BuildJob(tuple(map(str, inputs)), Path(output), into, jobs=jobs, entities=listed, seed=seed, facts=known)
    run(job)
    return open_base(output)
