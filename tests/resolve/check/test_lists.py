"""Lists: left alone where no row is nearer to another than by chance; what answers on them are worth."""

import functools

import numpy as np
import pyarrow as pa

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.evaluate.report import evaluate
from onoma.resolve.api import resolve
from onoma.resolve.check import checking
from onoma.resolve.check.lists import is_all_different, is_list, nearest, repeats_itself
from onoma.resolve.check.quality import DOUBTED

PLACES = ("Ashby", "Barrow", "Calder", "Dunmore", "Elmstead", "Farley", "Gorse", "Haddon", "Ilkley", "Jarrow")
ENDS = ("Green", "Heath", "Bridge", "Wood", "Marsh", "Cross", "Hill", "Ford", "Mill", "End")
KINDS = ("Museum of Glass", "Railway Society", "Choir", "Cricket Club", "Garden Trust", "Chess Circle")


def names(n, seed):
    """Return different things: two of them share a place or what they are, but hardly ever all but a letter."""
    rng = np.random.default_rng(seed)
    words = [
        "".join(rng.choice(list("bcdfglmnprstvw")) + rng.choice(list("aeiou")) for _ in range(3)) for _ in range(n)
    ]
    parts = (PLACES, ENDS, KINDS)
    return [f"{word.title()} {' '.join(str(rng.choice(part)) for part in parts)}" for word in words]


def misspelt(value, rng):
    at = int(rng.integers(1, len(value) - 1))
    return value[:at] + value[at + 1 :]


@functools.cache
def answer(*, copied):
    rng = np.random.default_rng(5)
    different = names(300, seed=2)
    rows = different + [misspelt(value, rng) for value in different[:copied]]
    truth = [*range(300), *range(copied)]
    return resolve(pa.table({"name": rows})), Clustering.from_labels(np.array(truth))


def test_a_list_without_duplicates_is_left_alone_and_one_with_them_is_not():
    found, _ = answer(copied=0)
    assert is_list(found.weighed.evidence)
    assert is_all_different(nearest(found.weighed.evidence))
    assert found.recalibrated().clustering.n_entities == 300
    found, gold = answer(copied=60)
    assert not is_all_different(nearest(found.weighed.evidence))
    after = found.recalibrated().clustering
    assert not found.quality.all_different and after.n_entities <= gold.n_entities + 10


def test_links_that_are_given_up_are_said_to_be_and_not_stated(monkeypatch):
    found, _ = answer(copied=60)
    assert found.clustering.n_entities < 320
    monkeypatch.setattr(checking, "is_all_different", lambda near: True)
    quality = checking.check_resolution(found)
    assert quality.all_different and quality.n_given_up > 40
    assert "no nearer to each other than in lists without duplicates" in quality.sentences()[0]
    assert quality.clustering.n_entities == 360
    pairs = found.posterior.pairs
    differ = found.weighed.evidence.levels[:, found.weighed.evidence.taught] > 0
    assert (quality.pair_probability[differ] <= pairs.probability[differ] / 2.0 + 1e-12).all()
    assert quality.entities[0] < 320 and quality.entities[1] == 360, "with and without these links"


def test_equal_values_stay_together_where_all_that_differ_are_apart(monkeypatch):
    rows = names(200, seed=3)
    found = resolve(pa.table({"name": rows + rows[:30]}))
    monkeypatch.setattr(checking, "is_all_different", lambda near: True)
    assert checking.check_resolution(found).n_links >= 30


def test_nothing_is_sure_in_a_list():
    found, _ = answer(copied=60)
    assert found.quality.ceiling == DOUBTED
    assert found.recalibrated().posterior.pairs.probability.max() <= DOUBTED
    assert not found.quality.calibrated
    assert any("one column is all there is" in why for why in found.quality.because)


def test_a_table_of_several_fields_is_no_list():
    rows = names(120, seed=4)
    table = pa.table({"name": rows, "street": names(120, seed=5), "town": names(120, seed=6)})
    found = resolve(table)
    assert found.weighed is None or not is_list(found.weighed.evidence)


def test_rows_put_together_in_one_text_are_found_and_those_without_copies_left_alone():
    people = simulate_people(300, seed=4)
    columns = [name for name in people.column_names if name not in ("id", "cluster_id")]
    texts = [" ".join(str(row[name]) for name in columns if row[name]) for row in people.to_pylist()]
    gold = Clustering.from_labels(people["cluster_id"])
    found = resolve(pa.table({"entry": texts}))
    assert evaluate(gold, found.recalibrated().clustering, metrics=("pairwise",)).as_dict()["pairwise"]["f1"] > 0.6
    first = np.unique(gold.labels, return_index=True)[1]
    alone = resolve(pa.table({"entry": [texts[row] for row in first]}))
    assert alone.recalibrated().clustering.n_entities > 0.99 * len(first)


def test_a_list_that_repeats_itself_is_not_called_all_different():
    rng, firms = np.random.default_rng(5), names(30, seed=8)
    rows = [*firms * 20, *(misspelt(firm, rng) for firm in firms[:4])]
    found = resolve(pa.table({"name": rows}))
    evidence = found.weighed.evidence
    assert repeats_itself(found.fields.fields[0], nearest(evidence))
    assert found.quality.all_different is False and found.recalibrated().clustering.n_entities == 30
