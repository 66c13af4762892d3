"""Resolving a table: from rows to entities, with a probability for every statement."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.errors import SettingsError
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.auto import MOST_TRIED, TOGETHER, pick_model, share_together
from onoma.resolve.blocking.canopies import CanopySettings
from onoma.resolve.blocking.conditions import has_constraints, rule_judgements, ruled_pairs
from onoma.resolve.blocking.rules import rule_codes, rule_pairs
from onoma.resolve.comparison.folding import Folding, fold_fields, fold_rows, unfold
from onoma.resolve.comparison.gathering import count_pairs
from onoma.resolve.comparison.given import read_weights
from onoma.resolve.comparison.recomparison import compared_anew, comparisons_note
from onoma.resolve.comparison.taught import FEW_THE_SAME, taught_share
from onoma.resolve.comparison.things import with_things
from onoma.resolve.config import ResolveConfig
from onoma.resolve.contract import Capability, Carry, Model, Posterior, Problem, RunContext
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.prepare import Fields, Ignored
from onoma.resolve.fields.rows import (
    encoded,
    says_nearly_the_same,
    says_the_same,
    silent_note,
)
from onoma.resolve.fields.telling.composed import composed_field, fields_apart
from onoma.resolve.fields.telling.lone import most_telling, title_of, with_likeness, with_teaching
from onoma.resolve.fields.telling.mates import new_in_each
from onoma.resolve.fields.telling.occasions import occasions
from onoma.resolve.posterior.checkpoint import Checkpoint
from onoma.resolve.posterior.judgements import surely_same
from onoma.resolve.ready import Ready, make_ready, prepare_rows
from onoma.resolve.registry import AUTO, check, find_model, settings_of, why_refused
from onoma.resolve.result import Resolution
from onoma.resolve.sources import DEDUPE_TOO
from onoma.resolve.types.together import put_together

__all__ = ["Resolution", "fit_fields", "resolve", "whole_records"]

_SURE = 0.8
"""The lower end of the interval of expected precision from which on checks are sure. Where families were joined they
see too little to be: of 17 views of development tables it is .56 at most on the fifteen in which families were and are
parted, and .95 where a title had its length in one column with it and the other columns told (F1 .96, not .02)."""

_CLEARLY = 0.05
"""By how much expected F1 must be greater for another answer to stay: that of a hundred decoys and copies is known to
about that. Of 17 answers of views and development tables that were expected to be better, the nine by more than that
were, by .23 in the mean; of the eight by less five were, by .04, and three were worse, by .07."""


def resolve(
    frame: object,
    config: ResolveConfig | None = None,
    *,
    progress: Progress = SILENT,
    stop: Stop = NEVER,
    resume: Checkpoint | None = None,
    carry: Carry | None = None,
    **options: Any,  # noqa: ANN401 (the fields of `ResolveConfig`)
) -> Resolution:
    """Find out which rows of a table are the same thing. No labels, no configuration.

    Parameters
    ----------
    frame
        An Arrow table, or anything that gives Arrow: pandas, Polars, DuckDB… Or what `make_ready` made of one with the
        same configuration.
    config
        How; see `ResolveConfig`.
    stop
        May ask sampling to end early: the answer is then that of the samples so far, and has a `checkpoint`.
    resume
        The checkpoint of a run that was stopped, on the same table with the same configuration.
    carry
        Who samples in partitions; None: all is sampled here.
    options
        Fields of `ResolveConfig`, over those of `config`: `resolve(table, model="pairwise", seed=3)`.

    Examples
    --------
    >>> from onoma.corpus.simulate import simulate_people
    >>> found = resolve(simulate_people(500, seed=1), seed=1)
    >>> found.memberships.column_names
    ['id', 'entity', 'probability']
    """
    config = ResolveConfig.of({name: value for name, value in options.items() if value is not None}, base=config)
    if config.partitions is not None and carry is None:
        return _in_partitions(frame, config, progress, stop, resume)
    asked = {"resume": resume is not None, "engine": carry is not None}
    if config.model != AUTO:
        check(find_model(config.model), config, **asked)
    together = resume is not None or carry is not None  # one run that stops, or is carried, as one
    ready = frame if isinstance(frame, Ready) else make_ready(frame, config, one_type=together)
    if ready.config != config:
        raise SettingsError("the table was made ready for other settings", hint="Give the same ones to both.")
    if ready.parts and together:
        ready = prepare_rows(ready.table, ready.sources, ready.source, ready.note, config, one_type=True)
    if ready.parts:
        parts = [resolve(part, config, progress=progress, stop=stop) for part in ready.parts]
        return put_together(ready.table, ready.sources, ready.types, parts, ready.note)
    table, sources, codes, fields, notes = ready.table, ready.sources, ready.source, ready.fields, [ready.note]
    open_ = config.model == AUTO and not config.link and config.labels is None and not has_constraints(config)
    one_thing = open_ and says_nearly_the_same(fields.fields, config.seed)
    doubted = None
    if carry is None and not one_thing:
        link, why = ready.linking
        doubted = config if link is None else None
        config = replace(config, link=bool(link))
        notes += [why] if why else []
    if config.model == AUTO:
        name, why = pick_model(fields.fields, config, **asked)
        config = replace(config, model=name)
        notes.append(f"the model is {name}: {why}")
    if _is_taught(config) and config.block is None:  # in a block of namesakes a title is no name of the thing
        if own := [each for each in new_in_each(fields.fields) if not set(each.columns) & set(config.kinds)]:
            fields = _without(fields, own, "it is new in each row of one thing")
            alike = "rows that are one thing nearly surely, by what else they share, are no more alike there than any"
            notes.append(f"{', '.join(each.name for each in own)}: {alike}; left out")
        if not config.link and (passing := occasions(fields.fields, list(config.kinds))):
            fields = _without(fields, passing, "it tells the occasion, not who is named")
            names = ", ".join(each.name for each in passing)
            notes.append(f"things are named in passing: rows of one name agree in little else, so {names} is left out")
        compared, said = with_likeness(fields.fields, list(config.kinds), link=config.link)
        fields = fields._replace(fields=compared)
        notes += [] if said is None else [said]
    model = find_model(config.model)
    check(model, config, n_sources=0 if codes is None else int(codes.max(initial=-1)) + 1, **asked)
    if len(table) < 2 or not fields.fields or one_thing:
        identical = one_thing or (len(table) > 1 and not config.link and says_the_same(table, set(ready.left_out)))
        notes.append(silent_note(len(table), identical=identical))
        return Resolution(table, fields, None, sources, config, tuple(notes), identical=identical)
    block = None if config.block is None else encoded(table, config.block)
    problem = Problem(
        fields=fields.fields,
        source=codes,
        link=config.link,
        one_to_one=config.one_to_one,
        block=block,
        labels=None if config.labels is None else _labelled(table, config.labels),
        weights=None if config.weights is None else read_weights(config.weights),
    )
    apart = codes if config.link else None
    if has_constraints(config):
        problem = replace(problem, judged=rule_judgements(table, config, source=apart, block=block))
    rules = [rule_codes(table, fields.fields, columns) for columns in config.also_compare]
    run = RunContext(seed=config.seed, progress=progress, stop=stop, resume=resume, carry=carry)
    ruled = ruled_pairs(table, config.block_on, source=apart, block=block)
    found = _Work(model, config, problem, run, notes).fit(rules, ruled)
    if found.weighed is not None and found.weighed.comparisons:
        learnt = found.weighed.comparisons
        fields = fields._replace(fields=compared_anew(fields.fields, learnt))
        notes.append(comparisons_note(learnt))
    if found.weighed is not None and found.weighed.things:
        fields = fields._replace(fields=with_things(fields.fields, found.weighed.things))
    answer = Resolution(table, fields, found, sources, config, tuple(notes), block=block)
    told = config.link or block is not None  # what is compared is then not what other tables have taught of
    if _is_taught(config) and not told and carry is None:
        answer = _taught_instead(answer, problem, run, rules, ruled) or answer
        if doubted is None and not config.no_check:
            answer = _apart_instead(answer, replace(ready, config=config), run) or answer
    if ready.config.model == AUTO:
        answer = _trees_instead(answer, ready, run) or answer
    return answer if doubted is None else _linked_instead(answer, ready, doubted, run) or answer


def fit_fields(problem: Problem, config: ResolveConfig | None = None, run: RunContext | None = None) -> Posterior:
    """Resolve records given as prepared fields, by the model that the configuration names; none is set aside."""
    config = config or ResolveConfig(model="copying")
    run = run or RunContext(seed=config.seed)
    model = find_model(config.model)
    n_sources = 0 if problem.source is None else int(problem.source.max(initial=-1)) + 1
    check(model, config, n_sources=n_sources, resume=run.resume is not None, engine=run.carry is not None)
    return model.fit(problem, settings_of(model, config), run)


def _in_partitions(
    frame: object, config: ResolveConfig, progress: Progress, stop: Stop, resume: Checkpoint | None
) -> Resolution:
    """Resolve in as many partitions as are asked for, carried by threads here."""
    from onoma.engines.local import LocalEngine  # much to load, for this alone
    from onoma.resolve.partitions.carrier import Carrier

    n: int = config.partitions or 1
    if config.model != AUTO:
        check(find_model(config.model), config, resume=resume is not None, engine=True)
    with LocalEngine() as engine:
        carry = Carrier(engine, n, config.seed, progress)
        return resolve(frame, config, progress=progress, stop=stop, resume=resume, carry=carry)


def whole_records(ready: Ready, config: ResolveConfig, n: int) -> FieldData | None:
    """Return the one column of whole records that is to be tried taken apart, too, if there is one.

    Parameters
    ----------
    config
        With its model picked, and whether sources are linked.
    n
        The rows of the whole table, where `ready` is a part.
    """
    told = config.link or config.block is not None or config.no_check or not _is_taught(config)
    if told or ready.apart or n > MOST_TRIED:
        return None
    return composed_field(ready.fields.fields, list(config.kinds))


def _is_taught(config: ResolveConfig) -> bool:
    """Say whether a telling field may be compared as other tables teach: where nobody says otherwise."""
    told = config.weights is not None or config.labels is not None or config.comparison not in (None, "kinds")
    return config.model == "copying" and not told


def _taught_instead(
    learnt: Resolution,
    problem: Problem,
    run: RunContext,
    rules: Sequence[NDArray[np.int64]],
    ruled: Sequence[NDArray[np.int64]],
) -> Resolution | None:
    """Return the answer that what other tables teach would give, where that is more to be trusted than what was learnt.

    Weights learnt in a table can settle on what its families share (brand and series). Where of the pairs that they
    join few are the same by what other tables teach, the other answer stays, unless the checks are sure of the first.
    Where the checks doubt it, the other answer is worked out and checked, too, and the one with the greater expected F1
    stays.
    """
    config, found = learnt.config, learnt.posterior
    if found is None or found.state is not None or found.is_cut_short:
        return None
    if (title := title_of(problem.fields, list(config.kinds))) is None:
        return None
    name = problem.fields[title].name
    share = _share_of_the_same(learnt, title) if title == most_telling(problem.fields) else None
    families = share is not None and share < FEW_THE_SAME and (config.no_check or not _is_sure(learnt))
    if not families and (config.no_check or len(learnt.table) > MOST_TRIED or learnt.quality.calibrated):
        return None
    fields = with_teaching(problem.fields, title)
    context = RunContext(seed=run.seed, progress=run.progress, stop=run.stop)
    work = _Work(find_model(config.model), config, replace(problem, fields=fields), context, [])
    found = work.fit(rules, ruled)
    if found.state is not None or found.is_cut_short:
        return None
    taught = replace(learnt, fields=learnt.fields._replace(fields=fields), posterior=found)
    if families:
        said = f"of the pairs that weights learnt here would join, by {name} {share:.0%} are the same in other tables"
        return taught.noting(f"{said}: it is compared as these teach")
    before, after = learnt.quality.expected_f1, taught.quality.expected_f1
    enough = 0.5 if before is None else before + _CLEARLY
    if after is None or taught.quality.all_different or after <= enough:
        return None
    said = f"{name} is compared as other tables teach: by the checks F1 is about {after:.2f}"
    instead = "too little is found to be checked" if before is None else f"{before:.2f}"
    return taught.noting(f"{said}, with the weights learnt here {instead}")


def _trees_instead(copies: Resolution, ready: Ready, run: RunContext) -> Resolution | None:
    """Return the answer by trees, where too many rows of one rare name are apart as copies.

    `pick_model` tells mentions from records by what rows of one name repeat, which is no sharp line. Whose rows are
    apart though nobody else has their name are mentions, taken for records; or records whose other columns are damaged.
    So trees must hold more of what copies join than these hold of the rows of one rare name.
    """
    config = copies.config
    told = not _is_taught(config) or config.link or config.block is not None
    if told or len(copies.table) > MOST_TRIED or copies.is_stopped:
        return None
    trees = replace(config, model="hierarchical")
    if why_refused(find_model(trees.model), trees) is not None:
        return None
    share = share_together(ready.fields.fields, copies.clustering.labels)
    if share is None or share >= TOGETHER:
        return None
    found = resolve(replace(ready, config=trees), trees, progress=run.progress, stop=run.stop)
    if _share_kept(copies.clustering, found.clustering) < share:
        return None
    said = f"as copies only {share:.0%} of the pairs of rows of one rare name are together"
    return found.noting(f"the model is hierarchical: {said}, and they are one person's nearly surely")


def _share_kept(one: Clustering, other: Clustering) -> float:
    """Return how many of the links that hold the entities of one answer together are within those of another."""
    rows = one.order
    linked = one.labels[rows[1:]] == one.labels[rows[:-1]]
    kept = other.labels[rows[1:]] == other.labels[rows[:-1]]
    return float(kept[linked].mean()) if linked.any() else 1.0


def _is_sure(found: Resolution) -> bool:
    """Say whether nothing speaks against the checks, and by them precision is high for certain."""
    quality = found.quality
    return quality.calibrated and quality.precision is not None and quality.precision.low >= _SURE


def _share_of_the_same(learnt: Resolution, title: int) -> float | None:
    """Return how many of the pairs that are joined other tables would take for the same, by a title that says most."""
    shared, field = learnt.weighed, learnt.fields.fields[title]
    if shared is None or field.kind != "likeness":
        return None
    return taught_share(field, shared.evidence, title, learnt.clustering.labels, seed=learnt.config.seed)


def _apart_instead(whole: Resolution, ready: Ready, run: RunContext) -> Resolution | None:
    """Return the answer with the one column taken apart into fields, where the checks trust it.

    As one text a record is compared as other tables teach, which is too strict with texts of many parts. Taken apart,
    weights are learnt here and can be checked: a calibrated answer with a greater expected F1 stays. If none is
    calibrated, that with the greatest expected F1 does. Texts that look all different are so unless both ways to take
    them apart find copies: a family that shares an address looks like a copy to one of them.
    """
    field = whole_records(ready, whole.config, len(whole.table))
    if field is None or whole.is_stopped:
        return None
    before, different, found = whole.quality.expected_f1, whole.quality.all_different, []
    for fields, how in fields_apart(field):
        other = replace(ready, fields=fields, source=None, apart=True)
        answer = resolve(other, ready.config, progress=run.progress, stop=run.stop)
        if answer.is_stopped or (different and not answer.quality.has_links):
            return None
        if (after := answer.quality.expected_f1) is not None:
            found.append((after, how, answer))
    trusted = [each for each in found if each[2].quality.calibrated]
    if not trusted and not different and not whole.quality.calibrated:
        trusted = found
    after, how, best = max(trusted, key=lambda each: each[0], default=(-1.0, "", whole))
    if after <= (-1.0 if before is None else before):
        return None
    instead = "too little is found to be checked" if before is None else f"it is about {before:.2f}"
    note = f"{field.name} holds whole records and is taken apart ({how}): by the checks F1 is about {after:.2f}"
    return best.noting(f"{note}; as one text {instead} (--field {field.name}=text keeps it whole)")


def _without(fields: Fields, left: Sequence[FieldData], why: str) -> Fields:
    """Return the fields without some, which are ignored, and why."""
    kept = [each for each in fields.fields if each not in left]
    return fields._replace(fields=kept, ignored=[*fields.ignored, *(Ignored(each.name, why) for each in left)])


def _linked_instead(plain: Resolution, ready: Ready, config: ResolveConfig, run: RunContext) -> Resolution | None:
    """Return the answer in which rows of one source are different things, where the checks trust it more.

    Two shops write in two ways, so that the nearest rows are those of one shop, copies or not: only the answers tell.
    The recall of links knows nothing of duplicates within a source. If what rows find there (mirrors) are some, their
    part of all that is found is missed; or none, if they are families: both readings count one half.
    """
    before = plain.quality.expected_f1
    unchecked = before is None and plain.config.model != "copying"  # nothing to hold against it
    if plain.is_stopped or unchecked or len(plain.table) > MOST_TRIED:
        return None
    other = replace(config, link=True)
    linked = resolve(replace(ready, config=other), other, progress=run.progress, stop=run.stop)
    quality, n = linked.quality, len(linked.table)
    if linked.is_stopped or quality.precision is None or quality.recall is None or "mirrors" not in quality.decoys:
        return None
    from onoma.evaluate.score import harmonic_mean  # measures are much to load

    within, between = quality.decoys["mirrors"][1], 2.0 * quality.n_links / n
    inside = within / max(within + between, 1e-9)
    after = float(harmonic_mean(quality.precision.estimate, quality.recall.estimate * (1.0 - inside / 2.0)))
    if not (quality.calibrated if before is None else after > before):
        return None
    said = f"rows of one source are taken for different things: by the checks F1 is about {after:.2f}"
    instead = "too little is found to be checked" if before is None else f"it is about {before:.2f}"
    return linked.noting(f"{said}; with duplicates inside sources {instead} ({DEDUPE_TOO})")


@dataclass(frozen=True, eq=False)
class _Work:
    """What is fitted, rows that only repeat others set aside."""

    model: Model
    config: ResolveConfig
    problem: Problem
    run: RunContext
    notes: list[str]
    """Added to: what people should know."""

    def fit(self, rules: Sequence[NDArray[np.int64]], ruled: Sequence[NDArray[np.int64]]) -> Posterior:
        """Fit the model.

        Parameters
        ----------
        rules
            For each rule of columns, the group of each row.
        ruled
            For each rule of SQL, the pairs of rows that it holds of.
        """
        folding = self._folded()
        problem = self.problem if folding is None else _folded_problem(self.problem, folding)
        kept = slice(None) if folding is None else folding.kept
        extra = [*self._extra([rule[kept] for rule in rules], problem), *self._ruled(ruled, folding), *self._musts()]
        problem = replace(problem, extra=np.unique(np.concatenate(extra)) if extra else None)
        found = self.model.fit(problem, settings_of(self.model, self.config), self.run)
        self.notes.extend(found.notes)
        if folding is not None:
            whole = self.problem
            n_pairs = count_pairs(whole.n, whole.source, whole.block, whole.apart)
            found = unfold(found, folding, self.problem.fields, n_pairs)
        return found

    def _folded(self) -> Folding | None:
        """Find the rows that follow others, if there are any."""
        if self.problem.one_to_one or Capability.FOLD not in self.model.capabilities or has_constraints(self.config):
            return None
        folding = fold_rows(self.problem.fields, self.problem.block, self.problem.source if self.problem.link else None)
        n, common = len(folding.followers), folding.n_common
        if n:
            said = (
                "1 row repeats others in every field and follows"
                if n == 1
                else f"{n:,} rows repeat others in every field and follow"
            )
            self.notes.append(f"{said} them")
        if common:
            self.notes.append(
                f"{common:,} rows repeat each other in every field, but with values so common that this is no proof"
            )
        return folding if n else None

    def _ruled(self, ruled: Sequence[NDArray[np.int64]], folding: Folding | None) -> list[NDArray[np.int64]]:
        """Return the keys of the pairs that blocking rules ask for; rows that follow others stand for those."""
        found = []
        for condition, pairs in zip(self.config.block_on, ruled, strict=True):
            self.notes.append(f"rows for which {condition} are compared: {len(pairs):,} pairs")
            n = self.problem.n
            if folding is not None:
                place = np.full(n, -1, dtype=np.int64)
                place[folding.kept] = np.arange(len(folding.kept))
                n = len(folding.kept)
                pairs = np.sort(place[folding.leader[pairs]], axis=1)
                pairs = pairs[pairs[:, 0] < pairs[:, 1]]
            found.append(pairs[:, 0] * n + pairs[:, 1])
        return found

    def _musts(self) -> list[NDArray[np.int64]]:
        """Return the keys of all pairs that must be linked, directly or through others."""
        judged = self.problem.judged
        if not has_constraints(self.config):
            return []
        pairs = np.array(surely_same(judged), dtype=np.int64).reshape(-1, 2)
        self.notes.append(f"rules say of {len(pairs):,} pairs that they are one, of {len(judged.different):,} not")
        return [pairs[:, 0] * self.problem.n + pairs[:, 1]]

    def _extra(self, rules: Sequence[NDArray[np.int64]], problem: Problem) -> list[NDArray[np.int64]]:
        """Return the keys of the pairs that rules of columns ask for."""
        found = []
        settings = settings_of(self.model, self.config)
        blocking: CanopySettings = getattr(settings, "blocking", None) or CanopySettings()
        for rule, columns in zip(rules, self.config.also_compare, strict=True):
            cap = blocking.resolved(len(rule))[1]
            pairs = rule_pairs(rule, cap=cap, source=problem.source if problem.link else None, block=problem.block)
            found.append(pairs.keys)
            said = f"rows that agree on {', '.join(columns)} are compared: {len(pairs.keys):,} pairs"
            if pairs.n_capped:
                said += f"; {pairs.n_capped:,} groups of more than {cap:,} rows are left out"
            self.notes.append(said)
        return found


def _folded_problem(problem: Problem, folding: Folding) -> Problem:
    kept = folding.kept
    return replace(
        problem,
        fields=fold_fields(problem.fields, folding),
        source=None if problem.source is None else problem.source[kept],
        block=None if problem.block is None else problem.block[kept],
        labels=None if problem.labels is None else problem.labels[kept],
    )


def _labelled(table: pa.Table, name: str) -> NDArray[np.int64]:
    """Return the labels of a column as numbers; -1 where there is none."""
    column = table[name].cast(pa.string()) if name in table.column_names else None
    if column is None:
        raise SettingsError(f"there is no column {name!r}", hint=f"The columns are {', '.join(table.column_names)}.")
    return Clustering.from_labels(pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)).labels
