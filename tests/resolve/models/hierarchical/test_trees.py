"""Trees: the sampler against enumeration, summaries kept against summaries made anew, and an arena without leaks."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from onoma.resolve.models.hierarchical._bags_kernels import (
    COUNT,
    FIRST,
    FORMS,
    HEADS,
    LENGTHS,
    LOG2,
    N_INNER,
    NEXT,
    NORM,
    PARENT,
    SQUARES,
    START,
    TAKEN,
    WIDTH,
)
from onoma.resolve.models.hierarchical.trees import TreeChain, TreeMoves
from reference.resolve_hierarchical import (
    all_forests,
    as_trees,
    bag,
    leaves,
    log_score,
    random_mentions,
    random_scores,
)


def chain_of(n: int, *, seed: int = 5, is_exact: bool = False, n_canopies: int = 1, **settings) -> TreeChain:
    canopies = np.linspace(0, n, n_canopies + 1).astype(np.int64)
    moves = TreeMoves(**settings)
    return TreeChain(random_mentions(n, seed), canopies, random_scores(seed), seed=3, is_exact=is_exact, moves=moves)


def distance_to_model(is_exact: bool, *, n: int, n_draws: int) -> float:
    """Return the total variation distance between the chain's forests and the model's."""
    chain = chain_of(n, is_exact=is_exact, reshape=0.3, patience=1.5)
    forests = all_forests(n)
    log_p = np.array([log_score(random_mentions(n, 5), random_scores(5), forest) for forest in forests])
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    seen: Counter = Counter()
    for _ in range(n_draws):
        chain.run(np.array([50]), temperature=1.0)
        seen[as_trees(chain.forest, n)] += 1
    assert set(seen) <= set(forests)
    return 0.5 * float(np.abs(p - np.array([seen[forest] / n_draws for forest in forests])).sum())


@pytest.mark.parametrize("n", [2, 3, 4])
def test_chain_samples_the_model(n):
    assert distance_to_model(True, n=n, n_draws=10_000) < 0.04


def test_more_offers_than_can_be_taken_back_do_not_sample_it():
    assert distance_to_model(False, n=4, n_draws=3000) > 0.1


@pytest.mark.parametrize("is_exact", [True, False])
@pytest.mark.parametrize("seed", [1, 2])
def test_score_kept_is_score_made_anew(is_exact, seed):
    n = 24
    mentions, scores = random_mentions(n, seed), random_scores(seed)
    chain = TreeChain(mentions, np.array([0, n]), scores, seed=seed, is_exact=is_exact)
    start = chain.log_score
    for _ in range(3):
        chain.run(np.array([1500]), temperature=1.0)
        anew = log_score(mentions, scores, as_trees(chain.forest, n))
        assert chain.log_score == pytest.approx(anew, abs=1e-8)
        assert start + chain.gains.sum() == pytest.approx(anew, abs=1e-8)


def nodes_of(chain: TreeChain) -> list[int]:
    return np.flatnonzero(chain.forest.links[:, PARENT] != -2).tolist()


def mentions_below(chain: TreeChain, node: int, n: int) -> list[int]:
    if node < n:
        return [node]
    found, child = [], chain.forest.links[node, FIRST]
    while child >= 0:
        found += mentions_below(chain, int(child), n)
        child = chain.forest.links[child, NEXT]
    return found


def table_of(chain: TreeChain, table: int) -> Counter:
    start, log2 = (int(x) for x in chain.forest.tables[table, [START, LOG2]])
    slots = range(start, start + (1 << log2)) if log2 >= 0 else range(0)
    return Counter({int(chain.forest.keys[s]): int(chain.forest.counts[s]) for s in slots if chain.forest.counts[s]})


@pytest.mark.parametrize("is_exact", [True, False])
def test_summaries_are_those_of_the_mentions_below_after_many_steps(is_exact):
    n = 60
    mentions = random_mentions(n, 7, n_words=40)
    chain = TreeChain(mentions, np.array([0, 20, 60]), random_scores(7), seed=1, is_exact=is_exact)
    chain.run(np.array([30_000, 70_000]), temperature=2.0)
    forest, length = chain.forest, mentions.weights[:, 0].astype(np.float64)
    assert chain.n_accepted > 1_000
    for node in nodes_of(chain):
        below = mentions_below(chain, node, n)
        assert forest.links[node, COUNT] == mentions.rows[below].sum()
        if node < n:
            continue
        words = bag(mentions, frozenset(below))
        assert table_of(chain, 2 * node) == words
        named = Counter(f for i in np.repeat(below, mentions.rows[below]) for f in mentions.forms[i].tolist() if f >= 0)
        assert table_of(chain, 2 * node + FORMS) == named
        for f in range(2):
            mine = {w: k for w, k in words.items() if mentions.field[w] == f}
            assert forest.sizes[node, f].tolist() == [sum(mine.values()), len(mine)]
            assert forest.sums[node, f, NORM] == pytest.approx(
                sum(length[w] * k * k for w, k in mine.items()), abs=1e-6
            )
        children = np.flatnonzero(forest.links[:, PARENT] == node)
        assert len(children) == forest.links[node, WIDTH] >= 2
        norms = np.maximum(forest.sums[children, :, NORM], 0.0)
        np.testing.assert_allclose(forest.sums[node, :, LENGTHS], np.sqrt(norms).sum(axis=0), atol=1e-6)
        np.testing.assert_allclose(forest.sums[node, :, SQUARES], norms.sum(axis=0), atol=1e-6)


def test_arena_holds_what_nodes_reach_and_no_more():
    chain = chain_of(40, n_canopies=3)
    chain.run(np.full(3, 20_000), temperature=2.0)
    forest = chain.forest
    inner = [node for node in nodes_of(chain) if node >= 40]
    assert forest.state[N_INNER] == len(inner)
    reached = sum(1 << log2 for log2 in forest.tables[:, LOG2].tolist() if log2 >= 0)
    assert forest.state[TAKEN] == reached
    owners = {table // 2 for table in np.flatnonzero(forest.tables[:, LOG2] >= 0).tolist()}
    assert owners <= set(inner)
    free = 0
    for log2, head in enumerate(forest.state[HEADS:].tolist()):
        at = head
        while at >= 0:
            free += 1 << log2
            at = int(forest.keys[at << 2])
    assert free + reached == forest.state[0]


def test_arena_grows_without_changing_the_answer():
    roomy, tight = chain_of(30), chain_of(30)
    room = 600
    tight.forest = tight.forest._replace(keys=np.zeros(room, np.int32), counts=np.zeros(room, np.int32))
    for chain in (roomy, tight):
        chain.run(np.array([4000]), temperature=0.5)
        assert chain.log_score == pytest.approx(
            log_score(random_mentions(30, 5), random_scores(5), as_trees(chain.forest, 30)), abs=1e-8
        )
    assert len(tight.forest.keys) > room


def test_mentions_of_two_canopies_never_meet():
    chain = chain_of(20, n_canopies=2, near=0.0)
    chain.run(np.full(2, 5000), temperature=2.0)
    for tree in as_trees(chain.forest, 20):
        assert len({leaf < 10 for leaf in leaves(tree)}) == 1


def test_same_seed_same_trees():
    one, other = chain_of(30), chain_of(30)
    for chain in (one, other):
        chain.run(np.array([3000]), temperature=1.0)
    assert one.forest.links.tobytes() == other.forest.links.tobytes()


def test_cooling_finds_the_best_forest():
    n = 4
    mentions, scores = random_mentions(n, 9), random_scores(9)
    best = max(log_score(mentions, scores, forest) for forest in all_forests(n))
    chain = TreeChain(mentions, np.array([0, n]), scores, seed=2)
    for temperature in np.geomspace(2.0, 0.01, 40):
        chain.run(np.array([50]), temperature=float(temperature))
    assert chain.log_score == pytest.approx(best, abs=1e-8)


def test_arranging_moves_subtrees_and_leaves_entities():
    n = 30
    mentions, scores = random_mentions(n, 5), random_scores(5)
    chain = TreeChain(mentions, np.array([0, n]), scores, seed=1)
    chain.run(np.array([3000]), temperature=0.5)
    before, roots = as_trees(chain.forest, n), chain.roots
    score, gains = chain.log_score, chain.gains.sum()
    chain.arrange(scores, np.array([3000]), temperature=0.2)
    after = as_trees(chain.forest, n)
    assert before != after
    assert {frozenset(leaves(tree)) for tree in before} == {frozenset(leaves(tree)) for tree in after}
    assert len(set(roots.tolist())) == chain.n_entities
    assert chain.log_score == pytest.approx(log_score(mentions, scores, after), abs=1e-8)
    assert chain.log_score == pytest.approx(score + chain.gains.sum() - gains, abs=1e-8)


def test_where_inner_nodes_never_stay_trees_are_flat_and_sums_right():
    mentions, scores = random_mentions(60, 7), random_scores(7)
    bags = [replace(bag, cosine=0.0) for bag in scores.bags]
    scores = replace(scores, bags=bags, structure=replace(scores.structure, inner=-8.0))
    chain = TreeChain(mentions, np.array([0, 60]), scores, seed=3)
    start = chain.log_score
    for temperature in (1.0, 0.3, 0.1):
        chain.run(np.array([6000]), temperature=temperature)
    links = chain.forest.links
    assert not ((links[:, PARENT] >= 0) & (links[:, WIDTH] > 0)).any()
    assert chain.n_entities < 60
    assert chain.log_score == pytest.approx(start + chain.gains.sum(), abs=1e-6)
    found = log_score(mentions, scores, as_trees(chain.forest, 60))
    assert chain.log_score == pytest.approx(found, abs=1e-6)
