"""Tokens, tags, lemmas and trees of the models that come with Onoma, on the treebanks' test parts."""

import time
from collections.abc import Sequence
from pathlib import Path

from onoma.pipeline.reproduce import Context, Findings, Row, Study
from onoma.text.annotate import Annotator
from onoma.text.evaluation import score_annotator, score_raw
from onoma.text.syntax.treebank import Treebank
from onoma.text.training import read_ewt, read_gum

__all__ = ["STUDIES"]

_UDPIPE = {"UPOS": 94.4, "XPOS": 93.9, "lemmas": 96.4, "LAS": 81.1}
_SPACY = {"XPOS": 96.0}


def _root(context: Context, path: str) -> Path:
    return context.file(path).parents[len(Path(path).parts) - 1]


def _ewt(context: Context) -> Findings:
    root = _root(context, "text/ud-ewt/en_ewt-ud-test.conllu.gz")
    return _findings("EWT", read_ewt(root, "dev" if context.quick else "test"), _UDPIPE, context)


def _gum(context: Context) -> Findings:
    root = _root(context, "text/gum/dep_conllu.zip")
    return _findings("GUM", read_gum(root, "dev" if context.quick else "test", clean=False), _SPACY, context)


def _findings(name: str, gold: Treebank, published: dict[str, float], context: Context) -> Findings:
    annotator = Annotator.load()
    part = "dev" if context.quick else "test"
    rows = []
    with context.progress.task(name, 2, "steps") as task:
        scores = score_annotator(annotator, gold)
        task.advance(1)
        tags = (("UPOS", scores.upos), ("XPOS", scores.xpos), ("features", scores.feats), ("lemmas", scores.lemmas))
        trees = (("UAS", scores.unlabelled), ("LAS", scores.labelled))
        rows += _rows(f"{name} {part}, gold tokens", tags + trees, published)
        tokens, sentences = score_raw(annotator, gold)
        rows += _rows(f"{name} {part}, raw text", (("token F1", tokens), ("sentence F1", sentences)), {})
        task.advance(1)
    begin = time.process_time()
    annotator.sentences(gold.tokens.text)
    seconds = max(time.process_time() - begin, 1e-9)
    rows.append(Row("raw text to trees", "speed", None, len(gold.words) / seconds, "tokens a second of processor time"))
    notes = [
        "Trained on EWT train and the free genres of GUM train; settings were chosen on the development parts.",
        "The test parts were scored twice with linear models that came before, and once with the network that ships.",
        "Anchors: UDPipe 1 on EWT, spaCy en_core_web_sm on GUM.",
    ]
    return Findings(rows, notes)


def _rows(setting: str, scores: Sequence[tuple[str, float]], published: dict[str, float]) -> list[Row]:
    return [Row(setting, metric, published.get(metric), round(value, 2), "%") for metric, value in scores]


STUDIES = (
    Study(
        name="text/ewt",
        title="Tags, lemmas, trees, tokens and sentences on the English Web Treebank",
        paper="Silveira et al.: A Gold Standard Dependency Corpus for English, 2014 (UD English EWT)",
        run=_ewt,
    ),
    Study(
        name="text/gum",
        title="Tags, lemmas, trees, tokens and sentences on GUM",
        paper="Zeldes: The GUM Corpus, 2017 (GUM 11)",
        run=_gum,
    ),
)
