"""Candidates by every way of writing a name; the kernel against its slow twin."""

import numpy as np
import pyarrow as pa
import pytest
from tests.reference.trigrams import slow_share_trigrams

from onoma.errors import DataError
from onoma.linking._index_kernels import share_trigrams
from onoma.linking.candidates import BARE, EXACT, FOLDED, FUZZY, INITIALS, PARTIAL, AliasIndex, fold
from onoma.linking.entities import EntityList, entity_rows_of_json

ROWS = [
    ("Paris", "Q90", 90.0),
    ("Paris", "Q830149", 10.0),
    ("Ville de Paris", "Q90", 1.0),
    ("European Union", "Q458", 5.0),
    ("Angela Merkel", "Q567", 3.0),
    ("Zürich", "Q72", 2.0),
]


@pytest.fixture(scope="module")
def index() -> AliasIndex:
    return AliasIndex(EntityList.build(ROWS))


@pytest.mark.parametrize(
    ("name", "entry", "level"),
    [
        ("Paris", "Q90", EXACT),
        ("PARIS", "Q90", FOLDED),
        ("zurich", "Q72", FOLDED),
        ("Merkel", "Q567", PARTIAL),
        ("EU", "Q458", INITIALS),
        ("Angela Merkl", "Q567", FUZZY),
    ],
)
def test_a_name_is_found_however_it_is_written(index: AliasIndex, name: str, entry: str, level: int) -> None:
    found = index.find([name])
    assert index.entities.entries[found.entries[0]] == entry
    assert found.levels[0] == level


@pytest.mark.parametrize("name", ["Mer¬ kel", "chancelière Merkel", "Merkels", "Kanzlerin Merkell"])
def test_what_print_and_titles_add_does_not_hide_a_name(name: str) -> None:
    index = AliasIndex(EntityList.build([*ROWS, ("Merkel", "Q567", 1.0)]))
    found = index.find([name])
    assert "Q567" in {index.entities.entries[at] for at in found.entries}


@pytest.mark.parametrize(
    ("name", "alias"),
    [
        ("M. Gladstone", "Gladstone"),
        ("général de Gaulle", "de Gaulle"),
        ("Bismarcks", "Bismarck"),
        ("Kanton St. Gallen", "Kantons St. Gallen"),
        ("Göthe", "Goethe"),
        ("Bundesrathes", "Bundesrat"),
        ("Königin Viktoria", "Viktoria"),
    ],
)
def test_titles_genitives_and_old_spelling_are_no_part_of_a_name(name: str, alias: str) -> None:
    index = AliasIndex(EntityList.build([*ROWS, (alias, "Q1", 1.0)]))
    found = index.find([name])
    assert index.entities.entries[found.entries[0]] == "Q1"
    assert found.levels[0] == BARE


def test_beside_an_entry_of_that_name_there_are_those_of_like_names() -> None:
    index = AliasIndex(EntityList.build([("Irland", "Q22890", 1.0), ("Irlanda", "Q27", 9.0)]))
    assert len(index.find(["Irland"]).entries) == 1
    both = index.find(["Irland"], beside=True)
    assert [index.entities.entries[at] for at in both.entries] == ["Q22890", "Q27"]
    assert both.levels.tolist() == [EXACT, FUZZY]


def test_meanings_come_with_their_shares(index: AliasIndex) -> None:
    found = index.find(["Paris", "nobody at all"])
    assert found.offsets.tolist() == [0, 2, 2]
    assert found.priors.tolist() == pytest.approx([0.9, 0.1])


def test_the_kernel_agrees_with_its_slow_twin() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        n, n_buckets = int(rng.integers(1, 12)), 9
        owned = [np.unique(rng.integers(0, n_buckets, rng.integers(1, 7))) for _ in range(n)]
        pairs = sorted((int(gram), alias) for alias, grams in enumerate(owned) for gram in grams)
        offsets = np.searchsorted([gram for gram, _ in pairs], np.arange(n_buckets + 1)).astype(np.int64)
        postings = np.array([alias for _, alias in pairs], np.int32)
        lengths = np.array([len(grams) for grams in owned], np.int32)
        query = np.unique(rng.integers(0, n_buckets, 5)).astype(np.int32)
        found, scores = np.zeros(4, np.int32), np.zeros(4, np.float32)
        counts = np.zeros(n, np.int32)
        k = share_trigrams(query, offsets, postings, lengths, counts, found, scores, 0.3)
        slow = slow_share_trigrams(set(query.tolist()), [set(each.tolist()) for each in owned], 4, 0.3)
        assert scores[:k].tolist() == pytest.approx([score for _, score in slow])
        assert not counts.any()
        for alias, score in zip(found[:k].tolist(), scores[:k].tolist(), strict=True):
            shared = len(set(query.tolist()) & set(owned[alias].tolist()))
            assert score == pytest.approx(2 * shared / (len(query) + len(owned[alias])))


def test_a_list_is_read_from_tables_and_from_wikidata() -> None:
    table = pa.table({"Name": ["Bern"], "title": ["Bern_(city)"], "types": ["place"]})
    listed = EntityList.of(table)
    assert listed.types == ["place"]
    assert listed.meanings("Bern")[0][0] == "Bern_(city)"
    with pytest.raises(DataError, match="no column of entries"):
        EntityList.of(pa.table({"x": [1]}))
    rows = entity_rows_of_json(
        {"id": "Q70", "labels": {"de": {"value": "Bern"}}, "descriptions": {"en": {"value": "city"}}}
    )
    assert rows == [{"alias": "Bern", "entry": "Q70", "count": 1.0, "type": "", "description": "city"}]


def test_folding_keeps_letters_of_all_scripts() -> None:
    assert fold("Москва!") == "москва"


def test_the_index_is_small() -> None:
    rng = np.random.default_rng(1)
    words = ["".join(rng.choice(list("abcdefghijklmnop"), 6)) for _ in range(3000)]
    rows = [(f"{words[rng.integers(3000)]} {words[rng.integers(3000)]}", f"Q{k}", 1.0) for k in range(20_000)]
    index = AliasIndex(EntityList.build(rows))
    assert index.nbytes / len(index.entities.aliases) <= 200
