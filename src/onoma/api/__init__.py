"""The Python front door: the functions of `import onoma`.

onoma.resolve(table)     who is who in a table            onoma.names([...])      which names are of one thing
onoma.link(a, b)         which rows of two tables match   onoma.facts(triples)    what follows from known facts
onoma.open(kb)           a knowledge base to live with    onoma.annotate(texts)   tokens, trees, names of a text
onoma.correct(text)      a text with its slips mended     onoma.coref(text)       which mentions are one thing
onoma.build(docs, kb)    a knowledge base from documents
onoma.load(path)         a result that was saved          onoma.evaluate(gold, found)   how good is it?
"""

from onoma.api.base import KnowledgeBase
from onoma.api.base import open_base as open  # noqa: A004 (onoma.open, never a bare name)
from onoma.api.fact_models import FactsResult, facts
from onoma.api.measuring import evaluate
from onoma.api.name_lists import NamesResult, names
from onoma.api.options import LinkOptions, ResolveOptions
from onoma.api.resolving import link, resolve
from onoma.api.result import Result, load
from onoma.api.tables import Table
from onoma.api.texts import annotate, build, coref, correct

__all__ = [
    "FactsResult",
    "KnowledgeBase",
    "LinkOptions",
    "NamesResult",
    "ResolveOptions",
    "Result",
    "Table",
    "annotate",
    "build",
    "coref",
    "correct",
    "evaluate",
    "facts",
    "link",
    "load",
    "names",
    "open",
    "resolve",
]
