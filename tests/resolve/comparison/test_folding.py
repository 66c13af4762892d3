"""Rows that repeat others are set aside only where strangers would not be equal by chance."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.resolve.api import resolve
from onoma.resolve.comparison.folding import KEPT, fold_fields, fold_rows
from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.prepare import prepare_fields

SHORT = ResolveConfig(samples=20, burn_in=5)


@pytest.fixture(scope="module")
def people():
    return simulate_people(300, seed=8)


def repeated(people, row, n):
    copies = people.slice(row, 1).take(np.zeros(n, dtype=np.int64))
    return pa.concat_tables([people, copies]).drop_columns(["id", "cluster_id"])


def full_row(people):
    """A row with a value in every column."""
    return next(i for i, row in enumerate(people.to_pylist()) if all(value is not None for value in row.values()))


def test_what_everybody_says_is_folded(people):
    row = full_row(people)
    fields = prepare_fields(repeated(people, row, 500)).fields
    folding = fold_rows(fields)
    assert len(folding.followers) == 501 - KEPT
    assert (folding.leader[folding.followers] == row).all()
    assert sorted([*folding.kept.tolist(), *folding.followers.tolist()]) == list(range(800))
    for field, folded in zip(fields, fold_fields(fields, folding), strict=True):
        assert np.array_equal(folded.codes, field.codes[folding.kept])
        assert folded.counts.sum() == (folded.codes >= 0).sum()


def test_a_few_copies_are_left_to_the_model(people):
    folding = fold_rows(prepare_fields(repeated(people, full_row(people), KEPT - 1)).fields)
    assert len(folding.followers) == folding.n_common == 0
    assert len(folding.kept) == 300 + KEPT - 1


def test_a_common_name_alone_is_not_enough():
    """A hundred rows John Smith with nothing else may be a hundred people."""
    names = [f"Name{i} Surname{i}" for i in range(200)] + ["John Smith"] * 100
    table = pa.table({"name": names, "city": ["York", "Ely", "Bath"] * 100})
    folding = fold_rows(prepare_fields(table, kinds={"name": "person"}).fields)
    assert len(folding.followers) == 0
    assert folding.n_common == 100
    found = resolve(table, kinds={"name": "person"}, config=SHORT)
    assert any("100 rows repeat each other" in note for note in found.notes)


def test_blocks_part_what_is_equal(people):
    fields = prepare_fields(repeated(people, full_row(people), 60)).fields
    block = np.arange(360, dtype=np.int32)
    assert len(fold_rows(fields, block).followers) == 0
    assert len(fold_rows(fields, block % 2).followers) > 0


def test_followers_are_where_their_leader_is(people):
    row = full_row(people)
    found = resolve(repeated(people, row, 400), config=SHORT)
    labels = found.clustering.labels
    assert (labels[300:] == labels[row]).all()
    assert any("rows repeat others in every field" in note for note in found.notes)
    fit, n = found.weighed, 700
    assert fit.evidence.n == n
    assert fit.draws.roots.shape == (20, n)
    assert fit.evidence.n_pairs == n * (n - 1) / 2
    keys = fit.evidence.a.astype(np.int64) * n + fit.evidence.b
    assert (np.diff(keys) > 0).all()
    # What the samples say is what the pairs say, followers included: small components are exact, their samples are not.
    roots = fit.draws.roots
    off = np.abs((roots[:, fit.evidence.a] == roots[:, fit.evidence.b]).mean(axis=0) - fit.draws.together)
    assert off.max() < 0.5 and off.mean() < 0.01
    assert found.explain(row, 699).posterior == 1.0
    assert len(found.memberships) == len(found.probability) == n
    assert found.entities["size"].to_numpy().sum() == n


FIRMS = [
    f"{name} {what}"
    for name in ("Acme", "Borel", "Cortex", "Delphi", "Ember", "Fjord", "Gamma", "Helix")
    for what in ("Industries Ltd", "Holdings Inc", "Bank", "Shipping Company", "Chemicals")
]


def payments(seed=0):
    """A list that names firms over and over, one a hundred times, some with a slip."""
    rng = np.random.default_rng(seed)
    rows, entity = [], []
    for number, firm in enumerate(FIRMS):
        for _ in range(100 if number == 3 else int(rng.integers(2, 12))):
            at = int(rng.integers(1, len(firm)))
            rows.append(firm[:at] + firm[at + 1 :] if rng.random() < 0.05 else firm)
            entity.append(number)
    return pa.table({"payee": rows}), np.array(entity)


def test_where_repetition_is_usual_equal_rows_are_one_thing():
    table, entity = payments()
    folding = fold_rows(prepare_fields(table, kinds={"payee": "organisation"}).fields)
    assert len(folding.kept) == len(set(table["payee"].to_pylist()))
    found = resolve(table, kinds={"payee": "organisation"}, config=SHORT)
    together = found.clustering.labels
    for number in range(len(FIRMS)):
        firm = np.array([row == FIRMS[number] for row in table["payee"].to_pylist()])
        assert len(set(together[firm])) == 1
        assert (entity[firm] == number).all()
    assert found.posterior.details.leader.tolist() == folding.leader.tolist()


def test_names_put_together_of_few_parts_repeat_by_chance():
    rng = np.random.default_rng(1)
    given, family = (rng.choice([f"{word}{i}" for i in range(20)], 600) for word in ("Anna", "Meyer"))
    kinds = {"given": "person", "family": "person"}
    apart = prepare_fields(pa.table({"given": given, "family": family}), kinds=kinds).fields
    whole = pa.table({"name": [f"{one} {other}" for one, other in zip(given, family, strict=True)]})
    for fields in (apart, prepare_fields(whole, kinds={"name": "person"}).fields):
        assert len(fold_rows(fields).followers) == 0
    people = {"given": [f"Anna{i % 90}" for i in range(600)], "family": [f"Meyer{i % 90}" for i in range(600)]}
    assert len(fold_rows(prepare_fields(pa.table(people), kinds=kinds).fields).kept) == 90


def test_given_and_family_names_have_little_to_do_with_each_other():
    """So few people have one whole name, and a hundred rows of it are one's; where one repeats the other, not."""
    given = [*(f"Ann{i}" if i % 6 else "Erica" for i in range(60)), *["Erica"] * 100]
    family = [*(f"Meyer{i}" if i % 6 != 3 else "Anderson" for i in range(60)), *["Anderson"] * 100]
    parts = pa.table({"given": given, "family": family})
    fields = prepare_fields(parts, kinds={"given": "person", "family": "person"}).fields
    assert len(fold_rows(fields).followers) == 100 - KEPT
    twice = pa.table({"given": given, "again": [f"{name} {name[0]}" for name in given]})
    fields = prepare_fields(twice, kinds={"given": "person", "again": "person"}).fields
    assert not len(fold_rows(fields).followers)


def test_categories_alone_name_nothing_and_rows_that_say_nothing_follow_nobody():
    colours = pa.table({"colour": ["red", "blue", "green", "grey"] * 100, "size": ["s", "m", "l", "xl"] * 100})
    kinds = {"colour": "category", "size": "category"}
    assert len(fold_rows(prepare_fields(colours, kinds=kinds).fields).followers) == 0
    names = [None] * 50 + [f"Firm {i} Ltd" for i in range(30)] * 3
    folding = fold_rows(prepare_fields(pa.table({"firm": names}), kinds={"firm": "organisation"}).fields)
    assert len(folding.kept) == 80


def linked(there: int, added: int = 0):
    """Rows of two sources: 40 of 1,000 names stand twice in one, and so often in the other; strangers are added."""
    rng = np.random.default_rng(4)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    names = ["".join(rng.choice(letters, 9)) for _ in range(1000 + added)]
    one, other = names[:1000] + names[:40], names[:1000] + names[:40] * (there - 1)
    source = [0] * len(one) + [1] * len(other) + [0, 1] * (added // 2)
    table = pa.table({"name": one + other + names[1000:]})
    return prepare_fields(table, kinds={"name": "organisation"}).fields, np.array(source, dtype=np.int32)


@pytest.mark.parametrize("added", [0, 1000])
def test_rows_that_share_a_partner_are_duplicates_however_many_rows_match_nobody(added):
    fields, source = linked(1, added)
    assert len(fold_rows(fields, source=source).followers) == 40


def test_rows_with_a_partner_each_are_different_things_of_one_description():
    fields, source = linked(2)
    assert len(fold_rows(fields, source=source).followers) == 0


def test_rows_whose_partners_are_written_otherwise_say_nothing_of_duplicates():
    fields, source = linked(1)
    apart = np.flatnonzero((source == 0) | (np.arange(len(source)) < 1050))  # ten names stand in both sources
    some = [replace(each, codes=each.codes[apart]) for each in fields]
    assert len(fold_rows(some, source=source[apart]).followers) == 0


def test_a_firm_that_is_named_over_and_over_is_one_firm_and_a_first_name_is_not_one_person():
    firms = [f"Firm{i} Works{i % 7}" for i in range(40)]
    often = prepare_fields(
        pa.table({"payee": [*firms, *["Acme Borel Ltd"] * 600]}), kinds={"payee": "organisation"}
    ).fields
    folding = fold_rows(often)
    assert len(folding.followers) == 600 - KEPT and folding.n_common == 0
    few = prepare_fields(
        pa.table({"payee": [*firms, *["Acme Borel Ltd"] * 12]}), kinds={"payee": "organisation"}
    ).fields
    assert not len(fold_rows(few).followers), "ten times what chance explains is more"
    people = prepare_fields(
        pa.table({"name": [*(f"Ann{i}" for i in range(40)), *["Maria"] * 600]}), kinds={"name": "person"}
    )
    assert not len(fold_rows(people.fields).followers)
    signs = prepare_fields(
        pa.table({"sign": [*(f"c{i}" for i in range(40)), *["x"] * 600]}), kinds={"sign": "category"}
    )
    assert not len(fold_rows(signs.fields).followers), "nothing is named"


def test_rows_that_leave_out_what_tells_do_not_say_the_same():
    """Offers of one make without a model number are no one offer; a colour that is left out changes nothing."""
    makes = [f"Make{i % 9} Works" for i in range(90)]
    models = [f"M{i % 45:04d}X" if i % 3 else None for i in range(90)]
    colours = ["red" if i % 2 else None for i in range(90)]
    kinds = {"make": "organisation", "model": "code", "colour": "category"}
    table = pa.table({"make": makes, "model": models, "colour": colours})
    fields = prepare_fields(table, kinds=kinds).fields
    for folding in (fold_rows(fields), fold_rows(fields, source=np.zeros(90, dtype=np.int32))):
        assert all(models[row] is not None for row in folding.followers.tolist())
        assert len(folding.followers) > 0
