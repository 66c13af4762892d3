"""Models of Splink, as it saves them."""

import json

import pytest

from onoma.corpus.simulate import simulate_people
from onoma.corpus.writers.toml import to_toml
from onoma.errors import DataError
from onoma.resolve.api import resolve
from onoma.resolve.comparison.given import read_weights
from onoma.resolve.comparison.splink import read_splink
from onoma.resolve.config import ResolveConfig


def level(condition, m=None, u=None, **more):
    return {"sql_condition": condition, "label_for_charts": condition, "m_probability": m, "u_probability": u} | more


MODEL = {
    "link_type": "dedupe_only",
    "unique_id_column_name": "id",
    "probability_two_random_records_match": 0.002,
    "blocking_rules_to_generate_predictions": [{"blocking_rule": 'l."surname" = r."surname"'}, "l.city = r.city"],
    "comparisons": [
        {
            "output_column_name": "surname",
            "comparison_levels": [
                level('"surname_l" IS NULL OR "surname_r" IS NULL', is_null_level=True),
                level('"surname_l" = "surname_r"', 0.8, 0.004, tf_adjustment_column="surname"),
                level('jaro_winkler_similarity("surname_l", "surname_r") >= 0.9', 0.15, 0.006),
                level("ELSE", 0.05, 0.99),
            ],
        },
        {
            "output_column_name": "birth_date",
            "comparison_levels": [
                level("birth_date_l IS NULL OR birth_date_r IS NULL", is_null_level=True),
                level("birth_date_l = birth_date_r", 0.9, 0.0002),
                level("levenshtein(birth_date_l, birth_date_r) <= 1", 0.06, 0.001),
                level("ELSE", 0.04, 0.9988),
            ],
        },
        {
            "output_column_name": "both",
            "comparison_levels": [level("given_name_l = surname_r", 0.5, 0.1), level("ELSE", 0.5, 0.9)],
        },
    ],
}


@pytest.fixture
def path(tmp_path):
    def write(model):
        (tmp_path / "model.json").write_text(json.dumps(model), "utf-8")
        return tmp_path / "model.json"

    return write


def test_comparisons_weights_and_rules_are_taken_over(path, tmp_path):
    found = read_splink(path(MODEL))
    assert found.settings["id"] == "id" and len(found.settings["block_on"]) == 2
    levels = found.settings["kinds"]["surname"]["levels"]
    assert [*levels.values()] == ["jaro_winkler_similarity(a, b) >= 0.9"]
    assert len(found.notes) == 1 and "both compares 2 columns" in found.notes[0]
    assert found.weights["prior"] == pytest.approx(-8.963, abs=0.001)
    (tmp_path / "weights.toml").write_text(to_toml(found.weights), "utf-8")
    given = read_weights(tmp_path / "weights.toml")
    assert given.fields["surname"]["equal"].copied == 0.8  # term frequencies are adjusted for
    assert given.fields["birth_date"]["equal"].copied is None
    assert given.fields["birth_date"]["equal"].bits == pytest.approx(12.136, abs=0.001)
    assert given.fields["birth_date"]["different"].bits == pytest.approx(-4.642, abs=0.001)


def test_a_model_runs_with_its_weights(path, tmp_path):
    found = read_splink(path(MODEL))
    (tmp_path / "weights.toml").write_text(to_toml(found.weights), "utf-8")
    config = ResolveConfig.of(found.settings | {"weights": str(tmp_path / "weights.toml"), "no_check": True})
    people = simulate_people(120, seed=2)
    answer = resolve(people, config)
    bits = {(row["field"], row["level"]): row["bits"] for row in answer.weights().to_pylist()}
    assert bits["birth_date", "different"] == pytest.approx(-4.642, abs=0.01)
    assert answer.clustering.n_entities < len(people)


def test_an_untrained_model_gives_its_comparisons(path):
    bare = json.loads(json.dumps(MODEL))
    for comparison in bare["comparisons"]:
        for each in comparison["comparison_levels"]:
            each.pop("m_probability")
    found = read_splink(path(bare))
    assert found.weights is None and any("not trained" in note for note in found.notes)


@pytest.mark.parametrize("model", [{}, {"comparisons": []}, [], {"comparisons": [{"x": 1}]}, "text"])
def test_what_is_no_model_is_refused(path, model):
    with pytest.raises(DataError, match="no model of Splink"):
        read_splink(path(model))
