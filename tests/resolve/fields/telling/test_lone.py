"""Tables of one telling column: lists of names and titles, and lists that are linked."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.numerics.rng import stream
from onoma.resolve.api import resolve
from onoma.resolve.check import checking
from onoma.resolve.check.quality import Quality, Share
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.fields.telling.lone import (
    among_attributes,
    lone_field,
    most_telling,
    taught_field,
    title_of,
    with_likeness,
    with_teaching,
)

SYLLABLES = [
    "ba",
    "ko",
    "lim",
    "ren",
    "tos",
    "vard",
    "mel",
    "ighe",
    "sun",
    "par",
    "dol",
    "fen",
    "grat",
    "hol",
    "jin",
    "mor",
    "nell",
    "oss",
    "pru",
    "quan",
]


def company_names(n, *, seed=0):
    """Names of n companies, each of three made-up words and a common one."""
    rng = stream(seed, "companies")
    made = ["".join(rng.choice(SYLLABLES, 3)) for _ in range(3 * n)]
    common = rng.choice(["works", "trading", "bakery", "systems", "partners"], n)
    return [f"{made[3 * i]} {made[3 * i + 1]} {made[3 * i + 2]} {common[i]}" for i in range(n)]


def with_slip(name, rng):
    at = int(rng.integers(1, len(name) - 2))
    return name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def test_names_alone_are_resolved():
    rng, names = stream(1, "slips"), company_names(300)
    rows = [*names, *(with_slip(name, rng) for name in names[:100]), *names[100:150]]
    found = resolve(pa.table({"name": rows}))
    labels = found.clustering.labels
    copies = np.concatenate([np.arange(100), np.arange(100, 150)])
    assert (labels[copies] == labels[300:]).mean() > 0.9
    assert len(np.unique(labels[:300])) >= 297
    assert any("nearly all there is to say" in note for note in found.notes)


def test_names_of_nobody_twice_stay_apart():
    assert resolve(pa.table({"name": company_names(300, seed=2)})).clustering.n_entities >= 298


def test_a_table_with_two_telling_columns_has_no_lone_field():
    names = company_names(100)
    one = pa.table({"name": names, "country": ["de", "fr"] * 50})
    two = pa.table({"name": names, "owner": company_names(100, seed=3)})
    assert lone_field(prepare_fields(one).fields) == 0
    assert lone_field(prepare_fields(two).fields) is None


def test_a_kind_that_was_chosen_is_kept():
    table = pa.table({"name": company_names(60)})
    assert resolve(table, kinds={"name": "text"}).fields.fields[0].kind == "text"
    assert resolve(table).fields.fields[0].kind == "likeness"


@pytest.mark.parametrize("one_to_one", [False, True])
def test_linked_lists_with_repetitions_inside_are_equal_but_for_case(one_to_one):
    names = company_names(200)
    left = [*names, *names[:40]]
    table = pa.table(
        {"name": [*left, *(name.upper() for name in names)], "source": ["a"] * len(left) + ["b"] * len(names)}
    )
    found = resolve(table, source="source", link=True, one_to_one=one_to_one)
    truth = np.concatenate([np.arange(200), np.arange(40), np.arange(200)])
    same = found.clustering.labels[:, None] == found.clustering.labels[None, :]
    if one_to_one:
        assert same[:240, :240].sum() == 240  # nobody has two rows of one source
    else:
        assert (same == (truth[:, None] == truth[None, :])).all()


def titled(n):
    """A table whose titles say most, but not nearly all."""
    years, prices = ([str(first + i * step % 97) for i in range(n)] for first, step in ((1900, 13), (100, 29)))
    return pa.table({"title": company_names(n), "year": years, "price": prices, "maker": company_names(n, seed=5)})


def test_only_a_text_whose_weights_were_learnt_can_teach():
    names = prepare_fields(pa.table({"name": company_names(60)}), kinds={"name": "likeness"}).fields
    assert taught_field(names) == 0 and title_of(names) is None
    people = prepare_fields(titled(60), kinds={"title": "person", "maker": "category"}).fields
    assert title_of(people) is None
    fields = prepare_fields(titled(60), kinds={"title": "likeness", "maker": "category"}).fields
    title = title_of(fields)
    assert taught_field(fields) == -1 and title is not None
    assert fields[title].name == "title" and taught_field(with_teaching(fields, title)) == title


def doubting(taught_recall):
    """Return checks that doubt every answer, and expect this recall of the taught one, of the other a half."""

    def doubt(resolution):
        taught = any(field.taught for field in resolution.fields.fields)
        recall = taught_recall if taught else 0.5
        return Quality(calibrated=False, precision=Share(0.5, 0.4, 0.6), recall=Share(recall, 0.0, 1.0))

    return doubt


@pytest.mark.parametrize(("taught_recall", "better"), [(0.9, True), (0.1, False)])
def test_of_two_answers_the_one_that_the_checks_trust_more_stays(monkeypatch, taught_recall, better):
    monkeypatch.setattr(checking, "check_resolution", doubting(taught_recall))
    table = titled(80)
    kinds = {"title": "likeness", "maker": "category"}
    found = resolve(table, kinds=kinds, model="copying")
    assert any(field.taught for field in found.fields.fields) is better
    assert any("as other tables teach" in note for note in found.notes) is better
    assert not any(field.taught for field in resolve(table, kinds=kinds, model="copying", no_check=True).fields.fields)


def test_values_nobody_else_has_do_not_make_a_column_tell_more():
    names = company_names(1_200)
    country = [["aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh"][i % 8] for i in range(600)]
    nonsense = [f"x{i}q" for i in range(600)]
    alone = prepare_fields(pa.table({"name": names[:600], "land": country}), kinds={"land": "place"}).fields
    filled = pa.table({"name": names, "land": [*country, *nonsense]})
    assert lone_field(alone) == 0
    assert lone_field(prepare_fields(filled, kinds={"land": "place"}).fields) == 0


def test_what_families_share_is_not_what_is_learnt(monkeypatch):
    """Where little of what is joined is the same by what other tables teach, these have the word; checked or not."""
    monkeypatch.setattr("onoma.resolve.api.taught_share", lambda *given, **more: 0.1)
    kinds = {"title": "likeness", "maker": "category"}
    found = resolve(titled(80), kinds=kinds, model="copying", no_check=True)
    assert [field.name for field in found.fields.fields if field.taught] == ["title"]
    assert any("10% are the same in other tables" in note for note in found.notes)


def test_organisations_can_teach_and_people_cannot():
    fields = prepare_fields(titled(60), kinds={"title": "organisation", "maker": "category"}).fields
    title = title_of(fields)
    assert title is not None and with_teaching(fields, title)[title].kind == "likeness"
    people = prepare_fields(titled(60), kinds={"title": "person", "maker": "category"}).fields
    assert title_of(people) is None


def test_one_column_that_is_linked_is_compared_by_likeness_whatever_it_reads_as():
    """A name with a birthday behind it reads as a place."""
    for kind in ("place", "set", "text"):
        fields = prepare_fields(pa.table({"c1": company_names(60)}), kinds={"c1": kind}).fields
        assert with_likeness(fields, link=True)[0][0].kind == "likeness"
    two = prepare_fields(titled(60), kinds={"title": "place", "maker": "category"}).fields
    assert all(each.kind != "likeness" for each in with_likeness(two, link=True)[0])


def test_a_name_among_attributes_says_all_there_is_to_say():
    """However often days differ, they name nothing; a category that says as much as the name may, and a person does."""
    names, days = company_names(90), [f"19{i % 90 + 10}-0{i % 9 + 1}-1{i % 7}" for i in range(90)]
    table = pa.table({"mention": names, "day": days, "lang": ["de", "en", "fr"] * 30})
    kinds = {"mention": "organisation", "day": "date", "lang": "category"}
    fields = prepare_fields(table, kinds=kinds).fields
    assert among_attributes(fields) == 0 == lone_field(fields)
    assert [each.kind for each in with_likeness(fields)[0]] == ["likeness", "date", "category"]
    assert with_likeness(fields, ["mention"])[0] == fields, "a kind that was chosen is kept"
    for other in ({"mention": "person"}, {"lang": "place"}, {"mention": "place", "day": "code"}):
        assert among_attributes(prepare_fields(table, kinds=kinds | other).fields) is None
    streets = prepare_fields(table.rename_columns(["street", "day", "lang"]), kinds={"street": "place", "day": "date"})
    assert among_attributes(streets.fields) is None, "many live in one street"
    told = table.append_column("maker", pa.array(names[::-1]))
    assert among_attributes(prepare_fields(told, kinds=kinds | {"maker": "category"}).fields) is None


def test_the_title_that_tells_most_teaches_though_another_column_tells_more():
    with_whom = [f"{a}; {b}" for a, b in zip(company_names(60, seed=8), company_names(60, seed=9), strict=True)]
    table = pa.table({"title": company_names(30) * 2, "year": ["1990", "1991"] * 30, "coauthors": with_whom})
    fields = prepare_fields(table, kinds={"title": "text", "coauthors": "set"}).fields
    assert fields[most_telling(fields)].name == "coauthors"
    title = title_of(fields)
    assert title is not None and fields[title].name == "title"
    assert with_teaching(fields, title)[title].kind == "likeness"
    assert title_of(fields, ["title"]) is None, "a kind that was chosen is kept"


@pytest.mark.parametrize(("low", "families"), [(0.5, True), (0.9, False)])
def test_an_answer_of_which_the_checks_are_sure_is_kept(monkeypatch, low, families):
    def say(resolution):
        return Quality(calibrated=True, precision=Share(0.95, low, 1.0), recall=Share(0.9, 0.8, 1.0))

    monkeypatch.setattr(checking, "check_resolution", say)
    monkeypatch.setattr("onoma.resolve.api.taught_share", lambda *given, **more: 0.1)
    found = resolve(titled(80), kinds={"title": "likeness", "maker": "category"}, model="copying")
    assert any(field.taught for field in found.fields.fields) is families


@pytest.mark.parametrize(("taught_recall", "better"), [(0.9, True), (0.52, False)])
def test_a_title_that_does_not_tell_most_must_be_clearly_better(monkeypatch, taught_recall, better):
    monkeypatch.setattr(checking, "check_resolution", doubting(taught_recall))
    with_whom = [f"{a}; {b}" for a, b in zip(company_names(60, seed=8), company_names(60, seed=9), strict=True)]
    table = pa.table({"title": company_names(30) * 2, "year": ["1990", "1991"] * 30, "coauthors": with_whom})
    kinds = {"title": "likeness", "coauthors": "set"}
    found = resolve(table, kinds=kinds, model="copying")
    assert any(field.taught for field in found.fields.fields) is better
