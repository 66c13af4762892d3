"""The models that choose the pairs they tell of themselves: equal rows, trees, names that descend, mentions in text."""

from dataclasses import replace

import numpy as np

from onoma.errors import SettingsError
from onoma.progress import Heard
from onoma.resolve.comparison.choice import equal_pairs, equal_weights
from onoma.resolve.fit import Fit, Material
from onoma.resolve.models.cross_document.records import resolve_fields
from onoma.resolve.models.hierarchical.fields import TreeEntities, grow_records, tree_columns
from onoma.resolve.models.pairwise.baselines import certain_draws, equal_rows
from onoma.resolve.models.phylogeny.model import PhylogenySettings
from onoma.resolve.models.phylogeny.records import name_draws
from onoma.resolve.partitions.records import Carry, sample_trees
from onoma.resolve.posterior.consensus import Consensus, find_consensus
from onoma.resolve.posterior.sampling import Stopped

__all__ = ["fit_equal", "fit_mentions", "fit_names", "fit_trees"]


def fit_equal(material: Material) -> Fit:
    """Hold together what is equal, and nothing else."""
    _refuse_links(material, "exact matching does not link")
    clustering = equal_rows(material.fields, material.block)
    candidates = equal_pairs(clustering.labels)
    evidence = material.gather(candidates)
    weights = equal_weights(evidence, material.names(evidence))
    draws = certain_draws(clustering, evidence.a, evidence.b)
    material.clock.lap("comparison")
    consensus = Consensus(clustering, np.ones(len(clustering)))
    return Fit(evidence, weights, draws, consensus, candidates, material.clock.laps)


def fit_trees(material: Material, carry: Carry | None) -> Fit:
    """Grow trees; the pairs that are told are each record with the first of its entity."""
    if material.settings.link or material.supervision.given is not None:
        raise SettingsError(
            "the hierarchical model neither links nor takes weights of pairs", hint="Use the model copying or pairwise."
        )
    fields, block, seed, grown = material.fields, material.block, material.settings.seed, None
    labels, heard = material.supervision.labels, Heard(material.stop)
    trees: TreeEntities
    if carry is None:
        trees = grown = grow_records(fields, block, labels=labels, seed=seed, progress=material.progress, stop=heard)
    else:
        trees = sample_trees(tree_columns(fields, block), seed=seed, carry=carry)
    material.clock.lap("sampling")
    candidates = equal_pairs(trees.clustering.labels)
    evidence = material.gather(candidates)
    weights = trees.weights(evidence, material.names(evidence), material.settings.weights)
    material.clock.lap("comparison")
    consensus = Consensus(trees.clustering, trees.probability)
    fit = Fit(evidence, weights, trees.draws(evidence), consensus, candidates, material.clock.laps, trees=grown)
    return replace(fit, is_cut_short=heard.is_asked)


def fit_names(material: Material) -> Fit:
    """Let names descend from names; other fields are looked at only as context."""
    _refuse_links(material, "the phylogeny does not link")
    settings, clock = material.settings, material.clock
    effort = PhylogenySettings(seed=settings.seed, n_samples=settings.n_samples)
    candidates, draws = name_draws(material.fields, block=material.block, settings=effort, progress=material.progress)
    clock.lap("sampling")
    evidence = material.gather(candidates)
    weights = equal_weights(evidence, material.names(evidence))
    clock.lap("comparison")
    consensus = find_consensus(
        evidence.n, evidence.a, evidence.b, draws.together, draws.roots, threshold=settings.threshold
    )
    clock.lap("consensus")
    return Fit(evidence, weights, draws, consensus, candidates, clock.laps)


def fit_mentions(material: Material, paused: Stopped | None) -> Fit:
    """Group mentions by names and contexts; the pairs that are told are each mention with the first of its entity."""
    _refuse_links(material, "the cross-document model does not link")
    settings, clock = material.settings, material.clock
    heard, wanted = Heard(material.stop), settings.n_entities
    consensus, notes, stopped = resolve_fields(
        material.fields,
        material.source,
        n_entities=wanted,
        seed=settings.seed,
        progress=material.progress,
        stop=heard,
        resume=paused,
    )
    clock.lap("sampling")
    candidates = equal_pairs(consensus.clustering.labels)
    evidence = material.gather(candidates)
    weights = equal_weights(evidence, material.names(evidence))
    draws = certain_draws(consensus.clustering, evidence.a, evidence.b)
    sure = consensus.probability
    draws = replace(draws, together=np.minimum(sure[evidence.a], sure[evidence.b]))
    clock.lap("comparison")
    fit = Fit(evidence, weights, draws, consensus, candidates, clock.laps, stopped, notes=notes)
    return replace(fit, is_cut_short=heard.is_asked and wanted is not None)


def _refuse_links(material: Material, what: str) -> None:
    if material.settings.link:
        raise SettingsError(what, hint="Use the model copying or pairwise.")
