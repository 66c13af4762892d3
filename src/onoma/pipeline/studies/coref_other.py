"""The model that comes with Onoma on sets it did not learn from: GAP, WinoBias, WikiCoref; and how sure it is."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.coref.model import Annotated, CorefModel, example_of
from onoma.corpus.formats import read_corpus
from onoma.pipeline.coref_sets import annotated_documents, gap_scores, gap_snippets, litbank, litbank_folds, winobias
from onoma.pipeline.coref_training import GOLD, LITBANK, Scores, further_sets, score, train_model
from onoma.pipeline.coreference import coref_model
from onoma.pipeline.reproduce import Context, Findings, Row, Study
from onoma.pipeline.studies._coref_parts import ontogum_part

__all__ = ["STUDIES"]

_DCOREF = 51.78
"""Stanford's rule-based system on WikiCoref, by the official scorer."""
_BINS = 10


def _sets(context: Context) -> Findings:
    model = coref_model()
    limit = 20 if context.quick else None
    rows = _gap(context, model, limit) + _winobias(context, model, limit) + _wikicoref(context, model)
    notes = [
        "The model that comes with Onoma: clean genres of OntoGUM, the development texts of GAP, pronouns and names of "
        "LitBank; mentions are found, not given. It never learnt from WikiCoref, WinoBias or the test texts of GAP.",
        "GAP: a name is found where the pronoun's chain has a mention whose head stands in the name. WinoBias: F1 of "
        "MUC on one-sentence documents, both types.",
    ]
    return Findings(rows, notes)


def _gap(context: Context, model: CorefModel, limit: int | None) -> list[Row]:
    part = "validation" if context.quick else "test"
    found = gap_scores(gap_snippets(context.file(f"text/gap/gap-{part}.tsv.gz"), limit=limit), model)
    rows = [Row(f"GAP {part}", f"F1, {name}", None, round(value, 2), "%") for name, value in found.items()]
    ratio = found["feminine"] / max(found["masculine"], 1e-9)
    return [*rows, Row(f"GAP {part}", "feminine / masculine", None, round(ratio, 3), "")]


def _winobias(context: Context, model: CorefModel, limit: int | None) -> list[Row]:
    part = "dev" if context.quick else "test"
    f1 = {}
    for side in ("pro", "anti"):
        documents: list[Annotated] = []
        for kind in ("type1", "type2"):
            documents += winobias(context.file("text/winobias/winobias.zip"), part, kind, side)[:limit]
        f1[side] = _scores(model, documents).muc
    rows = [Row(f"WinoBias {part}", f"F1, {side}-stereotype", None, round(value, 2), "%") for side, value in f1.items()]
    return [*rows, Row(f"WinoBias {part}", "difference", None, round(f1["pro"] - f1["anti"], 2), "points")]


def _wikicoref(context: Context, model: CorefModel) -> list[Row]:
    corpus = read_corpus(context.file("text/wikicoref/wikicoref_onto.conll12.gz"), format="conll2012")
    found = _scores(model, annotated_documents(corpus, limit=2 if context.quick else None))
    rows = [Row("WikiCoref", "average F1 (beside: dcoref)", _DCOREF, round(found.mean, 2), "%")]
    return rows + [Row("WikiCoref", name, None, round(getattr(found, name), 2), "%") for name in ("muc", "b3", "ceafe")]


def _scores(model: CorefModel, documents: Sequence[Annotated]) -> Scores:
    return score(documents, [model.resolve(one.document).chains() for one in documents])


def _calibration(context: Context) -> Findings:
    model = coref_model()
    dev, test = (ontogum_part(context, part) for part in ("dev", "dev" if context.quick else "test"))
    rows = []
    for part, documents in (("development", dev), ("test", test)):
        links, chained, covered, spans = _stated(model, documents)
        rows += [
            Row(part, "average F1 of chains, mentions found", None, round(_scores(model, documents).mean, 2), "%"),
            Row(part, "ECE of antecedents", None, round(_ece(*links), 4), ""),
            Row(part, "ECE of mentions of chains", None, round(_ece(*chained), 4), ""),
            Row(part, "documents whose number of entities lies in the 95 % interval", None, covered, "%"),
            Row(part, "mean width of that interval, share of the number", None, round(spans, 3), ""),
        ]
    notes = [
        "The model that comes with Onoma. Antecedents: each mention and its most likely antecedent are one thing (or "
        "it has none) with the stated probability. Mentions of chains: a mention and the one before it in its chain "
        "are one thing with the stated probability. "
        f"ECE: mean distance of stated and true shares over {_BINS} bins, by size.",
        "Calibration is fitted on the development documents, so those figures are in-sample; the test figures are not.",
    ]
    return Findings(rows, notes)


_Stated = tuple[NDArray[np.float64], NDArray[np.bool_]]


def _stated(model: CorefModel, documents: Sequence[Annotated]) -> tuple[_Stated, _Stated, float, float]:
    """Return stated probabilities with what is true: of antecedents and of chains; coverage and width of intervals."""
    links, chained, covered, widths = [], [], [], []
    for one in documents:
        found = model.resolve(one.document)
        chains = [one.chains.get((span.start, span.end)) for span in found.prepared.spans]
        seen: set[object] = set()
        begun = 0
        for i, chain in enumerate(chains):
            best, _ = found.posterior.link(i)
            p = found.posterior.alone(i) if best == i else found.posterior.coreference(i, best)
            is_new = chain is None or chain not in seen
            begun += is_new
            links.append((p, is_new if best == i else chain is not None and chains[best] == chain))
            seen.add(chain)
        for i, before in found.joined():
            chained.append((found.together(i, before), chains[i] is not None and chains[before] == chains[i]))
        _, low, high = found.posterior.entities()
        covered.append(low <= begun <= high)
        widths.append((high - low) / max(begun, 1))
    pairs = [(np.array([p for p, _ in part]), np.array([right for _, right in part])) for part in (links, chained)]
    return pairs[0], pairs[1], round(100 * float(np.mean(covered)), 1), float(np.mean(widths))


def _ece(stated: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    bins = np.minimum((stated * _BINS).astype(int), _BINS - 1)
    return float(
        sum(
            abs(stated[bins == k].mean() - right[bins == k].mean()) * (bins == k).mean()
            for k in range(_BINS)
            if (bins == k).any()
        )
    )


def _litbank(context: Context) -> Findings:
    folder = context.file("text/litbank")
    documents = litbank(folder)
    rows, means = [], {"gold mentions": [], "predicted mentions": []}  # type: ignore[var-annotated]
    folds = litbank_folds(folder)[: 1 if context.quick else None]
    further = None if context.quick else further_sets(folder.parent.parent, "litbank")
    for number, fold in enumerate(folds):
        train, dev, test = ([documents[name] for name in fold[part]] for part in ("train", "dev", "test"))
        if context.quick:
            train, dev, test = train[:4], dev[:2], test[:2]
        for name, settings, gold, more in (
            ("gold mentions", GOLD, True, None),
            ("predicted mentions", LITBANK, False, further),
        ):
            model, _ = train_model(
                train, dev, settings, gold_mentions=gold, singletons=True, further=more, progress=context.progress
            )
            found = score(test, [_found(model, one, gold=gold) for one in test])
            means[name].append(found.mean)
            rows.append(Row(f"fold {number}, {name}", "average F1", None, round(found.mean, 2), "%"))
    rows += [
        Row(f"mean, {name}", "average F1", None, round(float(np.mean(all_)), 2), "%") for name, all_ in means.items()
    ]
    notes = [
        f"LitBank, singletons kept; {len(folds)} of its ten folds, each of which learns from its training documents "
        "and is tuned on its development ones.",
        "Quick: four documents to learn from, two to tune on, two to test."
        if context.quick
        else "Where mentions are found, pronouns and names of OntoGUM (training documents of the genres that may be "
        "shipped) and GAP's development texts are learnt from besides.",
    ]
    return Findings(rows, notes)


def _found(model: CorefModel, one: Annotated, *, gold: bool) -> dict[tuple[int, int], int]:
    if gold:
        example = example_of(one, model.vocabulary, gold_mentions=True)
        return model.resolve_prepared(example.prepared).chains(singletons=True)
    return model.resolve(one.document).chains(singletons=True)


_OURS = "Onoma's own study"
STUDIES = (
    Study("coref/other-sets", "GAP, WinoBias and WikiCoref", _OURS, _sets),
    Study("coref/calibration", "How good chains are and how sure: OntoGUM", _OURS, _calibration),
    Study("coref/litbank", "Fiction: LitBank, ten folds", _OURS, _litbank),
)
