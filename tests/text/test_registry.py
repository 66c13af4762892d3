import json

import pytest

from onoma.errors import DataError
from onoma.text.documents.registry import Card, identity_of, read_cards, write_card


def test_cards_are_kept(tmp_path):
    card = Card("names", "names in text", ({"name": "wikigold", "licence": "CC BY 4.0"},), "CC BY-SA 4.0")
    write_card(tmp_path, card)
    write_card(tmp_path, Card("tagger", "tags"))
    (tmp_path / "names.npz").write_bytes(b"123")
    found = read_cards(tmp_path)
    assert [each.name for each in found] == ["names", "tagger"]
    assert found[0].data == card.data and found[0].size == 3 and found[1].size is None


def test_a_model_without_card_is_listed(tmp_path):
    (tmp_path / "x.npz").write_bytes(b"1")
    assert [card.name for card in read_cards(tmp_path)] == ["x"]


def test_identity_is_of_the_bytes(tmp_path):
    (tmp_path / "x.npz").write_bytes(b"1")
    before = identity_of(tmp_path)
    assert identity_of(tmp_path) == before
    (tmp_path / "x.npz").write_bytes(b"2")
    assert identity_of(tmp_path) != before


def test_broken_cards_are_named(tmp_path):
    (tmp_path / "cards.json").write_text("nonsense")
    with pytest.raises(DataError, match="no JSON"):
        read_cards(tmp_path)
    (tmp_path / "cards.json").write_text(json.dumps([1]))
    with pytest.raises(DataError, match="no object"):
        read_cards(tmp_path)
    with pytest.raises(DataError, match="no folder of models"):
        read_cards(tmp_path / "missing")
