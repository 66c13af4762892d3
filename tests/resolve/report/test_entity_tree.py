"""One entity's tree, read and drawn."""

import xml.etree.ElementTree as ET

import pytest

from onoma.errors import DataError
from onoma.resolve.report.entity_tree import read_tree, tree_picture, tree_text

ROWS = [
    {"node": "0.9", "parent": None, "size": 4, "record": None, "name": "ann lee", "words": "graphs"},
    {"node": "0.8", "parent": "0.9", "size": 3, "record": None, "name": "a <lee>", "words": ""},
    {"node": "0.1", "parent": "0.8", "size": 1, "record": 7, "name": "a lee", "words": ""},
    {"node": "0.2", "parent": "0.8", "size": 1, "record": 8, "name": "ann lee", "words": ""},
    {"node": "0.3", "parent": "0.8", "size": 1, "record": 9, "name": "ann lee", "words": ""},
    {"node": "0.4", "parent": "0.9", "size": 1, "record": 5, "name": "", "words": ""},
]


def test_a_tree_is_read_from_its_rows():
    tree = read_tree(ROWS)
    assert tree.as_dict() == {
        "name": "ann lee",
        "size": 4,
        "words": "graphs",
        "children": [
            {
                "name": "a <lee>",
                "size": 3,
                "words": "",
                "children": [
                    {"record": "7", "name": "a lee"},
                    {"record": "8", "name": "ann lee"},
                    {"record": "9", "name": "ann lee"},
                ],
            },
            {"record": "5", "name": ""},
        ],
    }


def test_a_tree_is_told_from_the_root_down():
    told = tree_text(read_tree(ROWS), n_leaves=2).splitlines()
    assert told == [
        "4 records  ann lee  (graphs)",
        "  3 records  a <lee>",
        "    7  a lee",
        "    8  ann lee",
        "    … and 1 more",
        "  5",
    ]


def test_a_picture_is_valid_and_has_a_box_for_all_that_is_shown():
    picture = ET.fromstring(tree_picture(read_tree(ROWS), n_leaves=2))
    space = "{http://www.w3.org/2000/svg}"
    texts = [each.text for each in picture.iter(f"{space}text")]
    assert "a <lee> · 3 records" in texts
    assert "… 1 more" in texts
    boxes = list(picture.iter(f"{space}rect"))
    assert len(boxes) == 6
    assert len(list(picture.iter(f"{space}path"))) == len(boxes) - 1


def test_a_large_tree_is_drawn_in_part():
    wide = [{**ROWS[0], "size": 100}]
    for k in range(50):
        wide.append({**ROWS[1], "node": f"i{k}", "size": 2})
        wide += [{**ROWS[2], "node": f"l{k}.{side}", "parent": f"i{k}"} for side in "ab"]
    picture = ET.fromstring(tree_picture(read_tree(wide), most=10))
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}rect"))) < 30


@pytest.mark.parametrize("rows", [[], ROWS[1:], [*ROWS, {**ROWS[0], "node": "0.10"}]])
def test_what_is_no_tree_is_refused(rows):
    with pytest.raises(DataError, match="one tree"):
        read_tree(rows)
