import pytest

from onoma.pipeline.reproduce import Context, reproduce


@pytest.mark.data
@pytest.mark.parametrize("name", ["text/ewt", "text/gum"])
def test_quick_studies_look_at_the_development_part_only(data, name):
    findings = reproduce(name, Context(quick=True, data=data))
    ours = {row.metric: row.ours for row in findings.rows}
    assert all("test" not in row.setting for row in findings.rows)
    assert ours["UPOS"] > 95 and ours["LAS"] > 80 and ours["token F1"] > 98 and ours["sentence F1"] > 85
