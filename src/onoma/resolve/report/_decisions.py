"""The most doubtful decisions of `write.py`, each with its evidence field by field."""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import ABSENT, Clustering
from onoma.resolve.comparison.weights import log_bayes_factors
from onoma.resolve.report.charts import shown
from onoma.resolve.report.explanation import Explanation, Step, explain_pair
from onoma.resolve.report.page import Html, cell, table, text

if TYPE_CHECKING:
    from onoma.resolve.contract import PairEvidence
    from onoma.resolve.result import Resolution

__all__ = ["decisions", "doubtful_pairs"]

_OF_ONE_ENTITY = 2
"""Decisions shown of any one entity: a muddled one must not fill the list."""
_CERTAIN = 0.02
"""Pairs this near to 0 or 1 are not in doubt."""
_LOOKED_AT = 200_000
_OPEN = 3
"""Decisions that are unfolded at first."""


class _Rival(NamedTuple):
    """The strongest other candidate of a record."""

    record: int
    bits: float
    posterior: float


def doubtful_pairs(fit: "PairEvidence", labels: NDArray[np.int64], n: int = 50) -> NDArray[np.int64]:
    """Return the candidate pairs with probabilities nearest ½, at most a few of one entity, most doubtful first."""
    doubt = np.abs(fit.draws.together - 0.5)
    open_ = np.flatnonzero(doubt < 0.5 - _CERTAIN)
    if len(open_) > _LOOKED_AT:
        open_ = open_[np.argpartition(doubt[open_], _LOOKED_AT)[:_LOOKED_AT]]
    order = open_[np.lexsort((open_, doubt[open_]))]
    seen: dict[int, int] = {}
    chosen: list[int] = []
    for pair in order.tolist():
        ends = {int(labels[fit.evidence.a[pair]]), int(labels[fit.evidence.b[pair]])}
        if all(seen.get(end, 0) < _OF_ONE_ENTITY for end in ends):
            chosen.append(pair)
            for end in ends:
                seen[end] = seen.get(end, 0) + 1
        if len(chosen) == n:
            break
    return np.array(chosen, dtype=np.int64)


def decisions(resolution: "Resolution", fit: "PairEvidence", *, gold: Clustering | None, n: int = 50) -> list[Html]:
    """Return the most doubtful decisions as HTML."""
    chosen = doubtful_pairs(fit, resolution.clustering.labels, n)
    rivals = _Rivals(fit, chosen)
    found = []
    for number, pair in enumerate(chosen.tolist()):
        why = explain_pair(resolution, int(fit.evidence.a[pair]), int(fit.evidence.b[pair]))
        parts = [_heading(resolution, why, gold), _steps(resolution, why), _rivals_of(resolution, why, rivals, pair)]
        state = " open" if number < _OPEN else ""
        found.append(Html(f'<details class="decision"{state}>\n' + "\n".join(parts) + "\n</details>"))
    return found


def _heading(resolution: "Resolution", why: Explanation, gold: Clustering | None) -> Html:
    labels = resolution.clustering.labels
    together = labels[why.a] == labels[why.b]
    chance = why.posterior or 0.0
    return Html(
        f'<summary><span class="chance"><i style="width:{chance:.0%}"></i></span>'
        f'<span class="percent">{chance:.0%}</span>'
        f'<span class="ids">{_name(resolution, why.a)} – {_name(resolution, why.b)}</span>'
        f'<span class="names">{_values(why)}</span>'
        f'<span class="tag">{"joined" if together else "kept apart"}</span>'
        f"{_truth(why, gold, together=bool(together))}</summary>"
    )


def _truth(why: Explanation, gold: Clustering | None, *, together: bool) -> str:
    if gold is None or ABSENT in (gold.labels[why.a], gold.labels[why.b]):
        return ""
    same = bool(gold.labels[why.a] == gold.labels[why.b])
    kind = "right" if same == together else "wrong"
    return f'<span class="tag {kind}">truth: {"the same" if same else "different"}</span>'


def _name(resolution: "Resolution", row: int) -> Html:
    """Return the id of a record, with its source if there is one."""
    name = shown(str(resolution.table["id"][row].as_py()), 60)
    return text(name if resolution.source is None else f"{resolution.source[row].as_py()} / {name}")


def _values(why: Explanation) -> Html:
    """Return the first values of the two records, to recognise them by."""
    first = why.steps[1:4]
    sides = ([step.a for step in first], [step.b for step in first])
    return text(" | ".join(shown(" ".join(filter(None, side)), 80) for side in sides))


def _steps(resolution: "Resolution", why: Explanation) -> Html:
    heads = ["field", _name(resolution, why.a), _name(resolution, why.b), "level", "bits", ""]
    ends = np.concatenate([[0.0], np.cumsum([step.bits for step in why.steps])])
    low, high = float(ends.min()), float(ends.max())
    scale = _Scale(low, max(high - low, 1e-9))
    rows = [_step(step, float(ends[i]), scale) for i, step in enumerate(why.steps)]
    made = table(heads, rows, kind="steps")
    total = Step("sum", f"{why.probability:.1%} by itself", "", "", "", why.bits)
    last = "".join(_step(total, 0.0, scale, kind="sum"))
    return Html(made.replace("</tbody>", f'<tr class="total">{last}</tr></tbody>'))


class _Scale(NamedTuple):
    low: float
    width: float

    def at(self, bits: float) -> float:
        """Return the place of a number of bits, in per cent of the width."""
        return 100.0 * (bits - self.low) / self.width


def _step(step: Step, before: float, scale: _Scale, *, kind: str = "") -> list[Html]:
    start, end = sorted((before, before + step.bits))
    kind = kind or ("plus" if step.bits >= 0 else "minus")
    left, width = scale.at(start), scale.at(end) - scale.at(start)
    bar = f'<i class="{kind}" style="left:{left:.1f}%;width:{width:.1f}%"></i>' if step.bits else ""
    fall = f'<div class="fall"><u style="left:{scale.at(0.0):.1f}%"></u>{bar}</div>'
    level = text(step.level) if step.level != "missing" else Html('<span class="missing">missing</span>')
    if step.given:
        level = Html(f'{level} <span class="soft">given {text(step.given)}</span>')
    bits = f"{step.bits:+.1f}".replace("-", "−") if step.bits else "0"
    return [
        cell(step.field, kind="name"),
        cell(step.a),
        cell(step.b),
        cell(level),
        cell(bits, kind="n"),
        cell(Html(fall)),
    ]


class _Rivals:
    """The other candidates of the records of some pairs."""

    def __init__(self, fit: "PairEvidence", chosen: NDArray[np.int64]) -> None:
        a, b = fit.evidence.a, fit.evidence.b
        wanted = np.zeros(fit.evidence.n, dtype=np.bool_)
        wanted[a[chosen]] = wanted[b[chosen]] = True
        self.pairs = np.flatnonzero(wanted[a] | wanted[b])
        self.a, self.b = a[self.pairs], b[self.pairs]
        some = replace(
            fit.evidence,
            a=self.a,
            b=self.b,
            levels=fit.evidence.levels[self.pairs],
            log_share=fit.evidence.log_share[self.pairs],
        )
        self.bits = (log_bayes_factors(some, fit.weights)[0] + np.log(fit.weights.kappa)) / np.log(2)
        self.together = fit.draws.together[self.pairs]

    def best(self, record: int, pair: int) -> _Rival | None:
        """Return the strongest candidate of a record beside the one of the pair."""
        others = np.flatnonzero(((self.a == record) | (self.b == record)) & (self.pairs != pair))
        if len(others) == 0:
            return None
        best = others[np.argmax(self.bits[others])]
        other = int(self.b[best]) if self.a[best] == record else int(self.a[best])
        return _Rival(other, float(self.bits[best]), float(self.together[best]))


def _rivals_of(resolution: "Resolution", why: Explanation, rivals: _Rivals, pair: int) -> Html:
    said = []
    for record in (why.a, why.b):
        rival = rivals.best(record, pair)
        if rival is not None and (rival.bits > 0 or rival.posterior > 0.01):
            who = f"<b>{_name(resolution, record)}</b> – {_name(resolution, rival.record)}"
            said.append(f"{who}: {rival.bits:+.1f} bits, {rival.posterior:.0%} the same")
    if not said:
        return Html('<p class="small soft">Neither record has another candidate that counts.</p>')
    return Html(f'<p class="small soft">Strongest other candidate: {"; ".join(said)}.</p>')
