"""The reference scorer of the CoNLL shared tasks: its own test cases (Pradhan et al. and Luo et al., ACL 2014)."""

import csv
import tempfile
from pathlib import Path

from onoma.corpus.readers.conll2012 import read_conll2012
from onoma.evaluate.align import clusterings_from_corpora
from onoma.evaluate.report import evaluate
from onoma.pipeline.reproduce import Context, Findings, Row, Study

__all__ = ["STUDIES"]

_FOLDER = "text/conll-scorer-tests"
_METRICS = {"muc": "muc", "bcub": "b3", "ceafm": "ceafm", "ceafe": "ceafe", "blanc": "blanc"}


_KEY, _RESPONSE = ("(1)", "(1)", "(1)", "(2)", "(2)"), ("(1)", "(1)", "(2)", "(2)", "(2)")
"""Five mentions of one word each: the truth {abc}{de}, the answer {ab}{cde}."""
_BY_HAND = {"muc": 2 / 3, "b3": 11 / 15, "ceafm": 4 / 5, "ceafe": 4 / 5, "blanc": 7 / 12}
"""Recall, precision and F1 of it, which are all the same; worked out from the definitions."""


def _small_case() -> Findings:
    """Score a case that ships with Onoma, whose numbers were worked out by hand."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("key.conll", "response.conll")]
        for path, chains in zip(files, (_KEY, _RESPONSE), strict=True):
            lines = [f"hand\t0\t{i}\tword\t{chain}" for i, chain in enumerate(chains)]
            text = "\n".join(["#begin document (hand); part 000", *lines, "", "#end document", ""])
            path.write_text(text, "utf-8")
        key, response = (read_conll2012(path) for path in files)
    gold, predicted, groups, _ = clusterings_from_corpora(key, response)
    found = evaluate(gold, predicted, metrics=list(_BY_HAND), groups=groups).as_dict()
    rows = [
        Row(f"by hand {metric}", part, value, float(scores[part]))
        for metric, value in _BY_HAND.items()
        if isinstance(scores := found[metric], dict)
        for part in ("recall", "precision", "f1")
    ]
    return Findings(rows, ["One case that ships with Onoma; set ONOMA_DATA (docs/data.md) for those of the scorer."])


def _cases(context: Context) -> Findings:
    """Score every case and set recall, precision and F1 beside the expected ones."""
    if context.quick and not context.has(f"{_FOLDER}/expected.tsv"):
        return _small_case()
    rows = []
    with context.file(f"{_FOLDER}/expected.tsv").open(encoding="utf-8", newline="") as file:
        cases = list(csv.DictReader(file, delimiter="\t"))
    for case in cases:
        score = _score(context, case["key"], case["response"], _METRICS[case["metric"]])
        rows += [
            Row(f"{case['id']} {case['metric']}", part, float(case[part]), score[part])
            for part in ("recall", "precision", "f1")
        ]
    worst = max(abs(row.ours - row.paper) for row in rows if row.paper is not None)
    return Findings(rows, [f"{len(cases)} triples; the largest difference is {worst:.1g}."])


def _score(context: Context, key: str, response: str, metric: str) -> dict[str, float]:
    key_corpus, response_corpus = (read_conll2012(context.file(f"{_FOLDER}/{file}")) for file in (key, response))
    gold, predicted, groups, _ = clusterings_from_corpora(key_corpus, response_corpus)
    found = evaluate(gold, predicted, metrics=metric, groups=groups).as_dict()[metric]
    return found if isinstance(found, dict) else {}


STUDIES = (
    Study(
        name="coreference-scorer/cases",
        title="Test cases of the reference scorer",
        paper="Pradhan, Luo, Recasens, Hovy, Ng, Strube: Scoring Coreference Partitions of Predicted Mentions, 2014",
        run=_cases,
    ),
)
