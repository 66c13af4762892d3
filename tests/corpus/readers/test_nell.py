import pytest

from onoma.corpus.readers.nell import LATLONG, LITERAL, nell_type, nell_types


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("concept_city_new_york", "city"),
        ("concept:city:new_york", "city"),
        ("concept:person:a:b", "person"),
        ("concept_city", None),
        ("concept:city:", None),
        ("city_lyon", None),
        ("-0.15,37.3", LATLONG),
        ("12,4", LATLONG),
        ("175", LITERAL),
        ("", None),
    ],
)
def test_the_type_is_in_the_name(name, kind):
    assert nell_type(name) == kind


def test_names_without_a_type_are_left_out():
    assert nell_types(["concept_city_lyon", "lyon"]).to_pylist() == [{"entity": "concept_city_lyon", "type": "city"}]


@pytest.mark.data
def test_the_types_of_nell_995_are_those_counted_elsewhere(data):
    from onoma.corpus.readers.table import read_table

    path = data / "knowledge" / "nell995" / "entity_types.tsv.xz"
    table = read_table(path, header=False, types="text").table
    names, kinds = (column.to_pylist() for column in table.columns)
    assert len(names) == 75_492
    assert sum((nell_type(name) or LITERAL) != kind for name, kind in zip(names, kinds, strict=True)) == 0
