"""The report: one HTML file that says what was read, what was found, how sure that is, and why.

It needs no network: the charts are drawn by one copy of Vega inside the file, and a policy in its head forbids the
browser to load anything. It holds aggregates and a few decisions, so its size does not grow with the table. The same
resolution gives the same bytes.
"""

from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from onoma.corpus.clustering import ABSENT, Clustering
from onoma.evaluate.report import Evaluation
from onoma.resolve.quality.calibration import calibration_bins
from onoma.resolve.registry import find_model, settings_of
from onoma.resolve.report._decisions import decisions
from onoma.resolve.report.charts import (
    certainty_chart,
    entity_count_chart,
    shown,
    sizes_chart,
    weights_chart,
)
from onoma.resolve.report.entity_tree import tree_picture
from onoma.resolve.report.explanation import weight_table
from onoma.resolve.report.page import Html, cell, chart, page, section, table, text, tile
from onoma.resolve.report.quality_chart import reliability_chart

if TYPE_CHECKING:
    from onoma.resolve.check.quality import Quality
    from onoma.resolve.contract import PairEvidence
    from onoma.resolve.result import Resolution

__all__ = ["write_report"]

_MOST_ROWS = 40
"""Rows of a table of values; the rest is counted."""
_MOST_TREES = 3


def write_report(
    resolution: "Resolution",
    path: str | Path,
    *,
    evaluation: Evaluation | None = None,
    gold: Clustering | None = None,
    command: str = "",
    settings: str = "",
    notes: Sequence[str] = (),
    n_rejected: int = 0,
) -> None:
    """Write the report of a resolution.

    Parameters
    ----------
    path
        The HTML file.
    evaluation, gold
        Scores against the truth, and the truth itself, row by row: for calibration and the recall of the canopies.
    command
        How the result was got; shown so that it can be got again.
    settings
        The same as a file of settings.
    notes
        What the reader of the table had to say.
    n_rejected
        Rows that could not be read.
    """
    parts = [_summary(resolution, evaluation)]
    again = _again(resolution, command, settings)
    sections = _sections(resolution, evaluation, gold, again, [*notes, *resolution.notes], n_rejected)
    links = "".join(f'<a href="#{name}">{text(title)}</a>' for name, title, _ in sections)
    parts.append(Html(f"<nav>{links}</nav>"))
    parts += [section(name, title, *body) for name, title, body in sections]
    parts.append(Html("<footer>Made by Onoma. This file needs no network.</footer>"))
    Path(path).write_text(page("Who is who: the report", "\n".join(parts)), "utf-8")


Section = tuple[str, str, list[str]]


def _sections(
    resolution: "Resolution",
    evaluation: Evaluation | None,
    gold: Clustering | None,
    again: list[str],
    notes: Sequence[str],
    n_rejected: int,
) -> list[Section]:
    fit = resolution.weighed
    found: list[Section] = []
    if evaluation is not None:
        found.append(("truth", "Against the truth", _scores(resolution, evaluation, gold)))
    found.append(("read", "What was read", _read(resolution, notes, n_rejected)))
    found.append(("columns", "What the columns were taken for", _columns(resolution)))
    found.append(("missing", "Taken for missing", _missing(resolution)))
    if fit is not None:
        found.append(("canopies", "Which pairs were compared", _canopies(resolution, fit, gold)))
        found.append(("weights", "What agreement weighs", _weights(resolution, fit)))
    found.append(("entities", "Entities", _entities(resolution, gold)))
    if resolution.nodes is not None:
        found.append(("trees", "Entities as trees", _trees(resolution)))
    if resolution.posterior is not None:
        found.append(("certainty", "How sure", _certainty(resolution, gold)))
    if resolution.checked is not None:
        found.append(("checks", "How good it is, told without labels", _checks(resolution.checked)))
    if fit is not None:
        found.append(("doubt", "The most doubtful decisions", _doubt(resolution, fit, gold)))
    found.append(("again", "To run it again", again))
    return found


def _summary(resolution: "Resolution", evaluation: Evaluation | None) -> Html:
    entities, low, high = resolution.entity_count()
    rows = len(resolution.table)
    unsure = int((resolution.probability < 0.9).sum())
    tiles = [
        tile(f"{rows:,}", "row" if rows == 1 else "rows"),
        tile(f"{entities:,}", f"{'entity' if entities == 1 else 'entities'} (95 %: {low:,} – {high:,})"),
        tile(f"{int((resolution.clustering.sizes > 1).sum()):,}", "entities with several rows"),
        tile(f"{unsure:,}", "rows less than 90 % sure of their place"),
    ]
    scores = {} if evaluation is None else evaluation.as_dict()
    pairwise = scores.get("pairwise")
    if isinstance(pairwise, dict):
        tiles.append(tile(f"{pairwise['f1']:.4f}", "pairwise F1 against the truth"))
    said = "Which rows are the same thing, with a probability for every statement."
    if resolution.config.link:
        said = "Which rows of different sources are the same thing, with a probability for every statement."
    if resolution.is_stopped:
        said += f" It was stopped early: this is {resolution.so_far}."
    return Html(f'<h1>Who is who</h1>\n<p class="soft">{said}</p>\n<div class="tiles">{"".join(tiles)}</div>')


def _scores(resolution: "Resolution", evaluation: Evaluation, gold: Clustering | None) -> list[str]:
    rows = [
        [name, score["precision"], score["recall"], score["f1"]]
        for name, score in evaluation.as_dict().items()
        if isinstance(score, dict) and "f1" in score
    ]
    single = {name: score for name, score in evaluation.as_dict().items() if isinstance(score, float)}
    said = (
        f"{evaluation.n_gold_entities:,} true entities, {evaluation.n_predicted_entities:,} found, "
        f"on {evaluation.n_items:,} labelled rows. The truth scores the result; it was never evidence."
    )
    parts: list[str] = [said, table(["metric", "precision", "recall", "F1"], rows)]
    if single:
        parts.append("; ".join(f"{name} {score:.4f}" for name, score in single.items()) + ".")
    if gold is not None and resolution.posterior is not None:
        bins = calibration_bins(resolution, gold)
        n = sum(row["pairs"] for row in bins)
        if n:
            error = sum(abs(row["stated"] - row["true"]) * row["pairs"] for row in bins) / n
            parts.append(f"Calibration error of the {n:,} stated pairs, in ten bins: {error:.4f}.")
    return parts


def _read(resolution: "Resolution", notes: Sequence[str], n_rejected: int) -> list[str]:
    read = resolution.table
    rows = f"{len(read):,} {'row' if len(read) == 1 else 'rows'} of {read.num_columns:,} columns"
    rejected = f"; {n_rejected:,} more could not be read and are left out" if n_rejected else ""
    parts: list[str] = [f"{rows}{rejected}."]
    if resolution.source is not None:
        names = resolution.source.value_counts().to_pylist()
        parts.append(table(["source", "rows"], [[each["values"], each["counts"]] for each in names[:_MOST_ROWS]]))
    if notes:
        parts.append(Html("<ul>" + "".join(f"<li>{text(note)}</li>" for note in notes[:_MOST_ROWS]) + "</ul>"))
    return parts


def _columns(resolution: "Resolution") -> list[str]:
    n = max(len(resolution.table), 1)
    rows: list[list[object]] = [
        [
            cell(each.name, kind="name"),
            cell(each.kind, kind="kind"),
            cell(each.reason),
            cell(f"{np.count_nonzero(each.codes >= 0) / n:.1%}", kind="n"),
            cell(len(each.values)),
        ]
        for each in resolution.fields.fields
    ]
    rows += [
        [cell(each.name, kind="name"), cell("ignored", kind="missing"), each.reason, "", ""]
        for each in resolution.fields.ignored
    ]
    said = "A wrong guess is corrected with --field COLUMN=KIND, or kinds={…} in Python."
    return [said, table(["column", "kind", "why", "filled", "different values"], rows)]


def _missing(resolution: "Resolution") -> list[str]:
    found = resolution.fields.missing_report
    if not found:
        return ["No value looks like a missing one in disguise."]
    rows = [[cell(each.column, kind="name"), each.value, each.n_records, each.why] for each in found[:_MOST_ROWS]]
    made = table(["column", "value", "rows", "why"], rows)
    more = f"And {len(found) - _MOST_ROWS:,} more." if len(found) > _MOST_ROWS else ""
    return ["Values that say nothing are neither agreement nor disagreement.", made, more]


def _canopies(resolution: "Resolution", fit: "PairEvidence", gold: Clustering | None) -> list[str]:
    pairs = len(fit.candidates)
    share = pairs / max(fit.evidence.n_pairs, 1.0)
    said = (
        f"{pairs:,} of {fit.evidence.n_pairs:,.0f} possible pairs ({share:.3%}) share enough to be compared. "
        f"{fit.candidates.n_alone:,} records share nothing with any other and stand alone. "
        f"{fit.candidates.n_hot:,} features (values, words, parts of words) are shared by too many records to be "
        "looked up; pairs of values stand in for them."
    )
    parts = [said, *_recall(resolution)]
    if gold is not None:
        true = _true_pairs(resolution, gold)
        one, other = gold.labels[fit.evidence.a], gold.labels[fit.evidence.b]
        found = int(((one == other) & (one != ABSENT)).sum())
        if true:
            parts.append(
                f"Of the {true:,} pairs that are truly the same, {found:,} ({found / true:.2%}) were compared."
            )
    return parts


def _recall(resolution: "Resolution") -> list[str]:
    recall = resolution.canopy_recall
    if recall is None:
        return []
    with_whom = "all others" if recall.exhaustive else "all others that share rare values"
    return [
        f"{recall.n_records:,} records drawn at random were compared with {with_whom} by the learnt weights: about "
        f"{recall.found:.1%} of their expected matches were found (95 %: {recall.low:.1%} – {recall.high:.1%}). "
        f"Of the pairs held together, {recall.direct:.1%} were compared; the others were joined through third records. "
        "This is the model's own judgement; where much is missed it may be off by 0.2."
    ]


def _true_pairs(resolution: "Resolution", gold: Clustering) -> int:
    """Return how many pairs are truly the same; when linking, of different sources."""
    sizes = gold.sizes
    total = int((sizes * (sizes - 1) // 2).sum())
    if resolution.config.link and resolution.source is not None:
        inside = gold.intersect(Clustering.from_labels(resolution.source)).sizes
        total -= int((inside * (inside - 1) // 2).sum())
    return total


def _weights(resolution: "Resolution", fit: "PairEvidence") -> list[str]:
    said = "" if fit.is_used else f"The model {resolution.config.model} did not use these: they say what records of "
    said += "" if fit.is_used else "the entities it found share, so that a decision can be looked at. "
    said += (
        "A pair's evidence is a sum: for each field, how much more often copies of one record are at this level of "
        "agreement than non-matches are, in bits (log₂). Ten bits are a factor of a thousand. Equal values weigh the "
        "more the rarer they are: the bar is a typical value, the thin line runs from common to rare ones. Pale bars "
        "are levels that hardly a copy is at. A field that repeats what another says counts less than here."
    )
    rows = [
        [
            cell(each.field, kind="name"),
            each.level,
            cell(f"{each.copied:.3%}", kind="n"),
            cell(f"{each.strangers:.3%}", kind="n"),
            cell(f"{each.bits:+.2f}", kind="n"),
            "" if each.low is None else f"{each.low:+.1f} … {each.high:+.1f}",
        ]
        for each in weight_table(resolution)
    ]
    heads = ["field", "level", "of matches", "of non-matches", "bits", "by rarity"]
    listed = Html(f"<details><summary>the same as a table</summary>{table(heads, rows)}</details>")
    return [said, chart("weights", weights_chart(resolution).to_dict()), listed]


def _entities(resolution: "Resolution", gold: Clustering | None) -> list[str]:
    sizes = chart("sizes", sizes_chart(resolution).to_dict())
    left = f"<div><h3>How many records they have</h3>{sizes}</div>"
    if resolution.posterior is None or resolution.posterior.n_entities is None:
        return [Html(left)]
    count = chart("count", entity_count_chart(resolution, gold=gold).to_dict())
    right = f"<div><h3>How many there are</h3>{count}</div>"
    entities, low, high = resolution.entity_count()
    said = (
        f"{entities:,} entities are reported: the clustering with the least expected error. In 95 % of the samples "
        f"there are between {low:,} and {high:,}."
    )
    return [said, Html(f'<div class="pair">{left}{right}</div>')]


def _trees(resolution: "Resolution") -> list[str]:
    """Draw the trees of the largest entities."""
    clustering = resolution.clustering
    largest = np.argsort(-clustering.sizes, kind="stable")[:_MOST_TREES]
    drawn = [
        tree_picture(resolution.tree(int(clustering.order[clustering.offsets[k]])))
        for k in largest.tolist()
        if clustering.sizes[k] > 1
    ]
    said = (
        "The largest entities, each a tree: a node sums up the names and words of all records below it. Of many "
        "records some are drawn."
    )
    return [said, *(Html(f'<div class="wide">{each}</div>') for each in drawn)]


def _certainty(resolution: "Resolution", gold: Clustering | None) -> list[str]:
    plain = chart("certainty", certainty_chart(resolution).to_dict())
    said = (
        "The probability of a pair is the share of samples in which both are one entity. A sure result has its pairs "
        "at both ends. Pairs below 1 % are left out."
    )
    left = f"<div><h3>How many pairs have which probability</h3>{plain}</div>"
    if gold is None or not calibration_bins(resolution, gold):
        return [said, Html(left)]
    curve = chart("calibration", certainty_chart(resolution, gold=gold).to_dict())
    right = f"<div><h3>Stated against true, with numbers of pairs</h3>{curve}</div>"
    return [said, Html(f'<div class="pair">{left}{right}</div>')]


def _checks(quality: "Quality") -> list[str]:
    """Say what decoys and planted copies showed."""
    parts: list[str] = [
        "Decoys are rows that look like the table's and match nobody; planted copies are its rows, changed as the "
        "matches found differ. Both were looked for by the weights that were learnt; neither moved them.",
        *(f"{said[0].upper()}{said[1:]}." for said in quality.sentences()),
    ]
    if quality.reliability:
        parts.append(chart("reliability", reliability_chart(quality).to_dict()))
    for head, found in (
        ("decoys", quality.decoys),
        ("copies changed in", quality.recall_by_field),
        ("copies with a value", quality.recall_by_change),
    ):
        rows = [[name, n, f"{share:.1%}"] for name, (n, share) in found.items()]
        if rows:
            parts.append(table([head, "planted", "joined" if head == "decoys" else "found"], rows))
    return parts


def _doubt(resolution: "Resolution", fit: "PairEvidence", gold: Clustering | None) -> list[str]:
    found = decisions(resolution, fit, gold=gold)
    if not found:
        return ["No pair has a probability between 2 % and 98 %."]
    said = (
        f"The {len(found)} pairs nearest to even odds, at most two of one entity. Bits add up from the prior; their "
        "sum gives the probability of the pair by itself. The probability in front also counts rivals (a record has "
        "one origin) and company (two records may be joined by a third), and so may differ."
    )
    return [said, *found]


def _again(resolution: "Resolution", command: str, settings: str) -> list[str]:
    config = resolution.config
    said = ", ".join(f"{name}={value!r}" for name, value in config.asked.items())
    shown_command = command or f"onoma.resolve(table, {said})"
    own = {"settings": asdict(settings_of(find_model(config.model), config))}
    rows = [[cell(name, kind="name"), value] for name, value in _flat(config.to_json() | own)]
    parts: list[str] = ["The same table, settings and version give the same result."]
    parts.append(Html(f"<pre>{escape(shown(shown_command, 4000))}</pre>"))
    if settings:
        parts.append("The same in a file of settings, for onoma resolve FILE --settings FILE:")
        lines = "\n".join(shown(line, 400) for line in settings.splitlines())
        parts.append(Html(f"<pre>{escape(lines)}</pre>"))
    return [*parts, table(["setting", "value"], rows)]


def _flat(settings: dict[str, object], before: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, value in settings.items():
        found += _flat(value, f"{before}{name}.") if isinstance(value, dict) else [(before + name, _plain(value))]
    return found


def _plain(value: object) -> str:
    return "chosen by size" if value is None else str(value)
