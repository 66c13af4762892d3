"""The reference scorer of the CoNLL shared tasks: its own test cases (Pradhan et al. and Luo et al., ACL 2014)."""

import csv

from onoma.corpus.readers.conll2012 import read_conll2012
from onoma.evaluate.align import clusterings_from_corpora
from onoma.evaluate.report import evaluate
from onoma.pipeline.reproduce import Context, Findings, Row, Study

__all__ = ["STUDIES"]

_FOLDER = "text/conll-scorer-tests"
_METRICS = {"muc": "muc", "bcub": "b3", "ceafm": "ceafm", "ceafe": "ceafe", "blanc": "blanc"}


def _cases(context: Context) -> Findings:
    """Score every case and set recall, precision and F1 beside the expected ones."""
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
