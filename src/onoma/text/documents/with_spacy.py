"""A pipeline of spaCy as annotator, in place of Onoma's own stages.

`onoma annotate --with spacy:en_core_web_sm` has spaCy do the work and Onoma the reading and writing. The other way
round is `spacy_component`.
"""

from collections.abc import Sequence
from typing import Any

from onoma.corpus.documents import Annotations, Text
from onoma.corpus.readers.annotations import row_of_doc, rows_as_annotations
from onoma.errors import DataError, UnsupportedError

__all__ = ["SpacyPipeline", "same_types"]

_NAMES = {"PERSON": "PER", "ORG": "ORG", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC"}
_NO_NAMES = frozenset(("DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"))


class SpacyPipeline:
    """A pipeline of spaCy that annotates texts.

    Parameters
    ----------
    nlp
        The loaded pipeline.
    """

    def __init__(self, nlp: Any) -> None:  # noqa: ANN401  (spaCy's Language)
        self.nlp = nlp
        self.identity = f"spacy:{nlp.meta.get('lang')}_{nlp.meta.get('name')} {nlp.meta.get('version')}"

    @classmethod
    def load(cls, name: str) -> "SpacyPipeline":
        """Load a pipeline by the name of its package or its folder."""
        try:
            import spacy
        except ImportError as error:
            raise UnsupportedError(f"spacy:{name} needs spaCy", hint="pip install 'onoma[spacy]'") from error
        try:
            return cls(spacy.load(name))
        except OSError as error:
            raise DataError(
                f"spaCy finds no pipeline {name!r}", hint="Install its package, or name a folder."
            ) from error

    def annotate(self, texts: Sequence[Text]) -> Annotations:
        """Annotate a batch; texts longer than spaCy takes are documents with a problem."""
        rows = []
        for text in texts:
            row: dict[str, Any] = {"document": text.document, "source": text.source, "problem": text.problem}
            if len(text.text) > self.nlp.max_length:
                problem = f"{len(text.text):,} characters; this pipeline of spaCy takes {self.nlp.max_length:,}"
                rows.append({**row, "text": text.text, "problem": problem})
            else:
                rows.append({**row, **row_of_doc(self.nlp(text.text)), "text": text.text})
        return rows_as_annotations(rows)


def same_types(kind: str) -> str | None:
    """Return one of PER, ORG, LOC, MISC for a type of OntoNotes; None for dates and numbers.

    Examples
    --------
    >>> same_types("GPE"), same_types("WORK_OF_ART"), same_types("DATE")
    ('LOC', 'MISC', None)
    """
    return None if kind in _NO_NAMES else _NAMES.get(kind, "MISC")
