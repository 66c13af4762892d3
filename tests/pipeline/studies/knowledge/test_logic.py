import pytest

from onoma.pipeline.reproduce import Context, reproduce


def test_rules_hold_and_their_converse_does_not():
    findings = reproduce("logic/table-1", Context(quick=True))
    ours = {row.setting: row.ours for row in findings.rows}
    assert ours["facts and rules: implied cells"] >= 0.9
    assert ours["facts and rules: converse cells"] <= 0.1
    assert ours["facts and rules: test cells on the right side"] == 1
    assert ours["facts alone: livesIn(Davies)"] < 0.5
    (drawn,) = findings.charts["logic-table-1"].to_dict()["datasets"].values()
    assert len(drawn) == 2 * 7 * 6
    assert (
        max(cell["truth"] for cell in drawn if cell["pair"].startswith("Davies") and cell["relation"] == "livesIn")
        > 0.9
    )


@pytest.mark.data
def test_the_rules_of_the_text_are_all_read(data):
    from onoma.pipeline.studies.knowledge.logic import _both_ways, _rules_of

    context = Context(data=data)
    assert [len(_rules_of(context, name)) for name in ("countries/S3", "kinships", "nations")] == [1, 22, 178]
    one, other = _both_ways("path#a:INV", "REL$/b")
    assert (one.body[0].relation, other.body[0].relation, other.head.relation) == ("path#a:INV", "path#a", "REL$/b:INV")
