"""Entities for FollowTheMoney."""

import json


def test_entities_for_investigators(written):
    text, who = written("ftm")
    found = [json.loads(line) for line in text.splitlines()]
    assert {each["id"] for each in found} == {*who.values()}
    assert {key: each["id"] for each in found for key in each["referents"]} == who
    assert all(each["schema"] == "Person" for each in found)
    named = [each["properties"]["name"][0] for each in found if "name" in each["properties"]]
    assert len(named) > 0.9 * len(found)
