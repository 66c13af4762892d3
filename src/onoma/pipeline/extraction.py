"""Extraction as a job: files in, an extractor or fields out."""

import html
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from onoma.corpus.writers.delimited import write_csv
from onoma.corpus.writers.files import write_text
from onoma.errors import DataError, SettingsError
from onoma.extract.bibliography import bibtex
from onoma.extract.columns import fields_of
from onoma.extract.compiling import rule_segments
from onoma.extract.constraints import LabelSet, read_constraints, read_labels
from onoma.extract.examples import Example, read_examples, read_texts
from onoma.extract.extractor import Extractor, Reason, Span, gold_segments
from onoma.extract.matching import find_fires
from onoma.extract.scores import Scores, score_segments
from onoma.extract.suggest import Suggestion, suggest_words
from onoma.extract.tokens import Style, tokenise
from onoma.extract.training import Plan, Trained, train_from_constraints, train_from_labels
from onoma.learning.sequences.expectations import Expectations
from onoma.progress import SILENT, Progress

__all__ = [
    "Extracted",
    "as_object",
    "constraint_plan",
    "evaluate_extractor",
    "evaluate_rules",
    "explain_text",
    "run_extractor",
    "suggest",
    "train_extractor",
    "write_extracted",
]


@dataclass(frozen=True)
class Extracted:
    """A text and its fields."""

    text: str
    spans: list[Span]


def constraint_plan(
    *, style: Style = "words", longest: int = 5, n_clusters: int = 60, n_rounds: int | None = None, seed: int = 0
) -> Plan:
    """Return how the command line learns from constraints; chosen on requests for restaurants and films."""
    learning = Expectations(rate=0.01, l2=None, n_rounds=n_rounds, seed=seed)
    return Plan(style=style, longest=longest, n_clusters=n_clusters, expectations=learning)


def train_extractor(
    labels: Path | None,
    output: Path,
    *,
    constraints: Path | None = None,
    texts: Sequence[Path] = (),
    labelled: Path | None = None,
    plan: Plan | None = None,
    progress: Progress = SILENT,
) -> Trained:
    """Learn from constraints and texts, from labelled texts, or from both; write the extractor to a folder."""
    plan = plan or Plan()
    examples = [] if labelled is None else read_examples(labelled, plan.style)
    known = _labels(labels, examples)
    if constraints is None:
        if texts:
            raise SettingsError("texts without labels teach nothing without constraints", hint="Give --constraints.")
        trained = train_from_labels(examples, known, plan, progress=progress)
    else:
        cut = [tokenise(text, plan.style) for path in texts for text in read_texts(path)]
        rules = read_constraints(constraints, known)
        cut = [text for text in cut if len(text)]
        trained = train_from_constraints(cut, known, rules, plan, examples=examples, progress=progress)
    trained.extractor.save(output)
    return trained


def run_extractor(extractor: Extractor, files: Sequence[Path]) -> list[Extracted]:
    """Find the fields of every text of some files."""
    texts = [text for path in files for text in read_texts(path)]
    return [Extracted(text, spans) for text, spans in zip(texts, extractor.run(texts), strict=True)]


def evaluate_extractor(extractor: Extractor, gold: Path) -> Scores:
    """Compare an extractor with labelled texts."""
    examples = read_examples(gold, extractor.style)
    if not examples:
        raise DataError("holds no labelled text", file=gold)
    texts = [each.text for each in examples]
    truth = _gold(examples, extractor.labels)
    sizes = [len(text) for text in texts]
    found = [
        [(_token(t, s.start), _token(t, s.end - 1) + 1, extractor.labels.find(s.label, "")) for s in spans]
        for t, spans in zip(texts, extractor.spans(texts), strict=True)
    ]
    other = extractor.labels.other_id
    return score_segments(truth, gold_segments(found, sizes, other), extractor.labels.taxonomy, other)


def evaluate_rules(labels: Path, constraints: Path, gold: Path, style: Style = "words") -> Scores:
    """Compare the rule baseline with labelled texts."""
    known = read_labels(labels)
    rules, examples = read_constraints(constraints, known), read_examples(gold, style)
    texts = [each.text for each in examples]
    found = rule_segments(texts, find_fires(texts, rules, known), rules, known)
    return score_segments(_gold(examples, known), found, known.taxonomy, known.other_id)


def explain_text(extractor: Extractor, text: str, n_reasons: int = 8) -> list[tuple[Span, list[Reason]]]:
    """Return the fields of a text with the features behind each."""
    return extractor.explain(text, n_reasons=n_reasons)


def suggest(constraints: Path, labels: Path, texts: Sequence[Path], *, n: int = 10) -> list[Suggestion]:
    """Propose further dictionary entries and patterns from unlabelled texts."""
    known = read_labels(labels)
    cut = [tokenise(text) for path in texts for text in read_texts(path)]
    return suggest_words(cut, read_constraints(constraints, known), known, n=n)


def write_extracted(found: Sequence[Extracted], output: Path) -> None:
    """Write fields as JSON lines, CSV (a row a text, a column a label), BibTeX or a page; the name's end says which."""
    makers = {".jsonl": _as_jsonl, ".html": _as_html, ".bib": _as_bibtex}
    if output.suffix == ".csv":
        write_csv(_as_table(found), output)
        return
    if output.suffix not in makers:
        raise SettingsError(f"{output.name} ends in {output.suffix!r}; allowed: {', '.join([*makers, '.csv'])}")
    write_text(output, [makers[output.suffix](found)])


def as_object(item: Extracted) -> dict[str, Any]:
    """Return one text with its fields, JSON-ready."""
    return {"text": item.text, "spans": [asdict(span) for span in item.spans]}


def _as_jsonl(found: Sequence[Extracted]) -> str:
    return "".join(json.dumps(as_object(item), ensure_ascii=False) + "\n" for item in found)


def _as_table(found: Sequence[Extracted]) -> pa.Table:
    names = list(dict.fromkeys(span.label for item in found for span in item.spans))
    fields = [fields_of(item.spans) for item in found]
    columns = {"text": [item.text for item in found]} | {name: [each.get(name) for each in fields] for name in names}
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def _as_html(found: Sequence[Extracted]) -> str:
    names = list(dict.fromkeys(span.label for item in found for span in item.spans))
    hue = {name: round(360 * i / max(len(names), 1)) for i, name in enumerate(names)}
    lines = []
    for item in found:
        at, parts = 0, []
        for span in item.spans:
            parts.append(html.escape(item.text[at : span.start]))
            parts.append(
                f'<mark style="background:hsl({hue[span.label]} 70% 85%)" title="{span.probability:.2f}">'
                f"{html.escape(span.text)}<small> {html.escape(span.label)}</small></mark>"
            )
            at = span.end
        lines.append("<p>" + "".join(parts) + html.escape(item.text[at:]) + "</p>")
    style = "body{font:16px/1.8 system-ui;max-width:60rem;margin:2rem auto}mark{padding:.1em .3em;border-radius:.3em}"
    return (
        f'<!doctype html><meta charset="utf-8"><title>Fields</title><style>{style}small{{opacity:.7}}</style>\n'
        + "\n".join(lines)
        + "\n"
    )


def _as_bibtex(found: Sequence[Extracted]) -> str:
    return "\n".join(bibtex(item.spans, number) for number, item in enumerate(found, 1))


def _labels(path: Path | None, examples: Sequence[Example]) -> LabelSet:
    if path is not None:
        return read_labels(path)
    names = sorted({name for each in examples for _, _, name in each.spans})
    if not names:
        raise SettingsError("there are no labels", hint="Give --labels labels.toml, or labelled texts.")
    covered = all(sum(e - s for s, e, _ in each.spans) == len(each.text) for each in examples)
    return LabelSet.of(names, other=None if covered else "OTHER")


def _gold(examples: Sequence[Example], labels: LabelSet) -> Any:  # noqa: ANN401
    spans = [[(s, e, labels.find(name, "a labelled text")) for s, e, name in each.spans] for each in examples]
    return gold_segments(spans, [len(each.text) for each in examples], labels.other_id)


def _token(text: Any, place: int) -> int:  # noqa: ANN401
    """Return the token that holds a character."""
    for i in range(len(text) - 1, -1, -1):
        if text.starts[i] <= place:
            return i
    raise DataError(f"no token at character {place}")
