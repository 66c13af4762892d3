"""Is what a judgement put aside there again, to the last digit, when it is taken back?"""

from onoma.corpus.simulate import simulate_people
from onoma.kb.database import read_knowledge_base
from onoma.kb.judge import Said, judge, retract_judgements
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig


def entities(path):
    """The entity of every record."""
    with read_knowledge_base(path) as base:
        return dict(base.rows("SELECT id, entity FROM memberships"))


def open_pairs(path):
    with read_knowledge_base(path) as base:
        rows = base.rows("SELECT a, b FROM pairs WHERE probability BETWEEN 0.3 AND 0.7 ORDER BY a, b")
    return [(str(a), str(b)) for a, b in rows]


def drawn(path):
    """All pairs that are stated, and all samples."""
    with read_knowledge_base(path) as base:
        pairs = {(a, b): p for a, b, p in base.rows("SELECT a, b, probability FROM pairs")}
        return pairs, sorted(base.rows("FROM samples"))


def test_who_takes_a_judgement_back_of_an_open_pair_has_what_was_there(tmp_path):
    path = tmp_path / "people.duckdb"
    table = simulate_people(240, seed=9).select(["id", "cluster_id", "given_name", "surname", "city"])
    store_outcome(run_job(Job(table=table, config=ResolveConfig(truth="cluster_id", no_check=True))), path)
    chosen = open_pairs(path)[:3]
    assert len(chosen) == 3  # in doubt, so that samples say now this, now that
    before, stated = entities(path), drawn(path)
    for kind, (a, b) in zip(("same", "different"), chosen, strict=False):
        kept, _ = judge(path, [Said(kind, a, b)])
        assert (entities(path)[a] == entities(path)[b]) == (kind == "same")
        retract_judgements(path, [kept[0].number])
        assert entities(path) == before and drawn(path) == stated
    # The one said last is taken back first; what was said before it holds until it is taken back, too.
    (a, b), (c, d) = chosen[0], chosen[-1]
    first, _ = judge(path, [Said("same", a, b)])
    between = entities(path)
    second, _ = judge(path, [Said("different", a, b, 3.0), Said("same", c, d)])
    retract_judgements(path, [each.number for each in second])
    assert entities(path) == between
    retract_judgements(path, [first[0].number])
    assert entities(path) == before and drawn(path) == stated
    # Where the records are no more as a judgement left them, they are drawn again: near what was there.
    first, _ = judge(path, [Said("same", a, b)])
    second, _ = judge(path, [Said("different", a, b, 3.0)])
    retract_judgements(path, [first[0].number])
    retract_judgements(path, [second[0].number])
    assert entities(path) == before
    again = drawn(path)[0]
    assert max(abs(again.get(pair, 0.0) - p) for pair, p in stated[0].items()) < 0.3
