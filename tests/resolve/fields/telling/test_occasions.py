"""Organisations named in passing are told by their names alone."""

import numpy as np
import pyarrow as pa

from onoma.resolve.api import resolve
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.fields.telling.occasions import occasions

KINDS = {"firm": "organisation", "about": "set", "town": "place"}
FIRMS = [
    f"{name} {what}"
    for name in ("Acme", "Borel", "Cortex", "Delphi", "Ember", "Fjord")
    for what in ("Industries Ltd", "Holdings Inc", "Bank", "Shipping Company", "Chemicals")
]


def filings(*, same: bool, seed: int = 0) -> tuple[pa.Table, np.ndarray]:
    """Patents of firms: what they are about is new each time, or (`same`) the firm's."""
    rng = np.random.default_rng(seed)
    rows = []
    for number, firm in enumerate(FIRMS):
        for turn in range(12):
            of = np.random.default_rng([number, 0 if same else turn, seed])
            about = "; ".join(f"{of.choice(list('ABCDEFGH'))}{of.integers(10, 99)}" for _ in range(3))
            town = f"Town{of.integers(0, 40)}"
            rows.append((f"{firm}." if rng.random() < 0.2 else firm, about, town, number))
    firm, about, town, entity = zip(*rows, strict=True)
    return pa.table({"firm": list(firm), "about": list(about), "town": list(town)}), np.array(entity)


def test_what_rows_of_one_name_do_not_share_is_of_the_occasion():
    fields = prepare_fields(filings(same=False)[0], kinds=KINDS).fields
    assert [each.name for each in occasions(fields)] == ["about", "town"]
    assert [each.name for each in occasions(fields, ["town"])] == ["about"]
    assert occasions(prepare_fields(filings(same=True)[0], kinds=KINDS).fields) == []


def test_a_title_or_a_person_names_the_thing():
    table, _ = filings(same=False)
    titled = table.append_column(
        "title", pa.array([f"On the {i} ways of making glass {i % 7}" for i in range(len(table))])
    )
    assert occasions(prepare_fields(titled, kinds={**KINDS, "title": "text"}).fields) == []
    people = table.append_column("inventor", pa.array([f"Ann{i} Meyer{i % 9}" for i in range(len(table))]))
    assert occasions(prepare_fields(people, kinds={**KINDS, "inventor": "person"}).fields) == []


def test_firms_of_ever_new_filings_are_found_by_their_names():
    table, entity = filings(same=False)
    found = resolve(table).recalibrated()
    assert any("named in passing" in note for note in found.notes)
    assert {each.name for each in found.fields.ignored} >= {"about", "town"}
    labels = found.clustering.labels
    joined, one = labels[:, None] == labels, entity[:, None] == entity
    assert (one & joined).sum() / joined.sum() > 0.95
    assert (one & joined).sum() / one.sum() > 0.9


def test_what_is_ordered_again_and_again_is_known_by_its_title():
    rng = np.random.default_rng(2)
    words = [["Blue", "Green", "Amber", "Ivory"], ["river", "stone", "garden"], ["song", "waltz", "lamp", "chair"]]
    titles = [f"{one} {two} {what}" for one in words[0] for two in words[1] for what in words[2]]
    place = rng.integers(0, len(titles), 600)
    orders = {
        "title": [titles[i] for i in place],
        "maker": [f"{titles[i].split()[0]} Works Ltd" for i in place],
        "day": [
            f"2021-{m:02d}-{d:02d}" for m, d in zip(rng.integers(1, 13, 600), rng.integers(1, 29, 600), strict=True)
        ],
    }
    kinds = {"title": "text", "maker": "organisation", "day": "date"}
    fields = prepare_fields(pa.table(orders), kinds=kinds).fields
    assert [each.name for each in occasions(fields)] == ["day"]
    found = resolve(pa.table(orders), kinds={"title": "text", "maker": "organisation"}).recalibrated()
    together = {
        title: set(found.clustering.labels[[i for i, of in enumerate(orders["title"]) if of == title]])
        for title in titles
    }
    assert all(len(each) == 1 for each in together.values())


def test_a_telephone_number_that_few_share_is_the_things_own():
    rng = np.random.default_rng(7)
    cuisines = [f"{one} {two}" for one in ("fine", "plain", "old", "new", "quick") for two in ("thai", "soup", "grill")]
    cuisines += [f"{each} and wine" for each in cuisines]
    kind, number = [], []
    for place in range(400):  # one in four is there twice
        for _ in range(1 + (place % 4 == 0)):
            kind.append(cuisines[int(rng.integers(30))] if rng.random() < 0.5 else cuisines[place % 30])
            number.append(f"212-{(place * 7919 + 31337) % 1000:03d}-{(place * 104729) % 10000:04d}")
    kinds = {"cuisine": "text", "phone": "code"}
    own = prepare_fields(pa.table({"cuisine": kind, "phone": number}), kinds=kinds).fields
    assert occasions(own) == []
    orders = pa.table({"cuisine": kind, "phone": [f"212-{i:07d}" for i in rng.permutation(len(kind))]})
    assert [each.name for each in occasions(prepare_fields(orders, kinds=kinds).fields)] == ["phone"]


def test_a_style_beside_an_address_names_nothing():
    """Restaurants by cuisine and address: who has the address is not the cuisine's."""
    rng = np.random.default_rng(3)
    cuisines = [f"{one} {two}" for one in ("fine", "plain", "old", "new", "quick") for two in ("thai", "soup", "grill")]
    rows = pa.table(
        {
            "cuisine": [cuisines[i] for i in rng.integers(0, len(cuisines), 300)],
            "c2": [f"{rng.integers(1, 900)} {rng.choice(['High', 'Mill', 'Church'])} Street" for _ in range(300)],
        }
    )
    assert occasions(prepare_fields(rows, kinds={"cuisine": "text", "c2": "place"}).fields) == []


def mentions(*, again: float, seed: int = 0) -> pa.Table:
    """What newspapers name, with language and day: the day of another mention of the name so often, or a new one."""
    rng = np.random.default_rng(seed)
    rows = []
    for firm in FIRMS:
        days = [f"19{rng.integers(10, 99)}-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}" for _ in range(4)]
        rows += [(firm, str(rng.choice(["de", "fr"])), days[0] if rng.random() < again else day) for day in days]
    mention, lang, day = zip(*rows, strict=True)
    return pa.table({"mention": mention, "lang": lang, "day": day})


def test_a_day_beside_a_name_is_of_the_occasion_unless_rows_of_the_name_repeat_it():
    kinds = {"mention": "place", "lang": "category", "day": "date"}
    new = prepare_fields(mentions(again=0.2), kinds=kinds).fields
    assert "day" in {each.name for each in occasions(new)}
    assert "day" not in {each.name for each in occasions(new, ["day"])}
    records = prepare_fields(mentions(again=0.95), kinds=kinds).fields
    assert "day" not in {each.name for each in occasions(records)}
    few = prepare_fields(mentions(again=0.2).slice(0, 12), kinds=kinds).fields
    assert occasions(few) == [], "nine pairs tell nothing"


def test_places_that_are_named_over_and_over_are_found():
    table = mentions(again=0.2)
    found = resolve(table)
    labels, names = found.recalibrated().clustering.labels, np.array(table["mention"].to_pylist())
    joined, one = labels[:, None] == labels, names[:, None] == names
    assert (one & joined).sum() / one.sum() > 0.9


def test_a_type_that_is_misspelt_here_and_there_names_nobody():
    """It reads as a firm, and says next to nothing."""
    table = pa.concat_tables([mentions(again=0.2, seed=k) for k in range(4)])
    table = table.take(pa.array(np.random.default_rng(1).permutation(len(table))))
    types = [f"l{a}c{b}" for a in "abdefhik" for b in "mnpqr"] * 2
    table = table.append_column("type", pa.array([*types, *["loc"] * (len(table) - len(types))]))
    fields = prepare_fields(table, kinds={"mention": "place", "type": "organisation", "lang": "category"}).fields
    assert "mention" not in {each.name for each in occasions(fields)}
