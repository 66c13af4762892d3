"""Sets of mentions read from files, the race, and the studies in small."""

import csv
import gzip
import json

import numpy as np
import pytest

from onoma.pipeline.reproduce import Context, find
from onoma.pipeline.studies._sets.mention import MentionSet, ecb_plus, gum, hipe, is_name, john_smith, person_x
from onoma.pipeline.studies.cross_document import Curve, average_link


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def write_lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def sentences(*documents):
    return [
        {"doc_id": each, "sent_id": 1, "tokens_json": json.dumps(["In", "Bath", "she", "met", "Ada", "."])}
        for each in documents
    ]


@pytest.mark.parametrize(
    ("mention", "named"),
    [("the Isle of Man", True), ("Ada ’s", True), ("her", False), ("It", False), ("the war", False), ("42", False)],
)
def test_what_looks_like_a_name(mention, named):
    assert is_name(mention) is named


def test_gum_is_read_and_filtered(tmp_path):
    folder = tmp_path / "resolution/gum"
    write(folder / "sentences.csv.gz", sentences("a", "b"))
    base = {"sent_id": 1, "cluster_id": "Q1"}
    rows = [
        {"doc_id": doc, "tok_start": k, "tok_end": k, "mention": m} | base
        for doc in "ab"
        for k, m in ((1, "Bath"), (2, "she"))
    ]
    write(folder / "mentions.csv.gz", rows)
    found = gum(lambda path: tmp_path / path)
    assert found["score"].names == found["tune"].names == ["Bath"]
    assert found["score"].contexts == ["In she met Ada ."]
    assert (found["score"].documents, found["tune"].documents) == (["a"], ["b"])


def test_ecb_is_read(tmp_path):
    folder = tmp_path / "resolution/ecbplus"
    write(folder / "sentences.csv.gz", sentences("1_1", "2_1"))
    base = {"sent_id": 1, "token_numbers": "3 4", "mention": "met Ada", "cluster_id": "x"}
    kinds = (("entity", "dev", "1_1"), ("entity", "test", "2_1"), ("event", "test", "2_1"), ("entity", "train", "1_1"))
    write(folder / "mentions.csv.gz", [{"kind": k, "split": s, "doc_id": d} | base for k, s, d in kinds])
    found = ecb_plus(lambda path: tmp_path / path)
    assert {part: len(mentions) for part, mentions in found.items()} == {"tune": 1, "score": 1}
    assert found["score"].contexts == ["In Bath she ."]


def test_hipe_is_read(tmp_path):
    folder = tmp_path / "resolution/hipe2022"
    key = {"dataset": "x", "split": "test", "lang": "de", "doc_id": "1"}
    write_lines(folder / "docs.jsonl.gz", [key | {"text": "Graf Zeppelin in Wien"}])
    span = key | {"start": 17, "end": 21, "mention": "Wien"}
    write(folder / "mentions.csv.gz", [span | {"cluster_id": each} for each in ("Q1741", "NIL", "")])
    found = hipe(lambda path: tmp_path / path)
    assert found["score"].labels == ["Q1741"]
    assert found["score"].contexts == ["Graf Zeppelin in"]


def test_the_smiths_are_read_without_their_name(tmp_path):
    rows = [{"cluster_id": "1", "text": "The baker, John Smith, of Bath. " + "far " * 80}]
    write_lines(tmp_path / "resolution/john-smith/docs.jsonl.gz", rows)
    found = john_smith(lambda path: tmp_path / path, width=3)
    assert found.contexts == ["The baker of Bath far"]


def test_average_linkage_at_every_setting():
    mentions = MentionSet(["Ada", "Ada", "Bob"], ["red fish", "red fish", "blue bird"], None, ["a", "a", "b"])
    found = dict(average_link(mentions))
    assert all(labels[0] == labels[1] for labels in found.values())
    assert any(labels[0] != labels[2] for labels in found.values())


def test_curves_say_when():
    curve = Curve("flat", 2, [1.0, 2.0], [0.3, 0.6])
    assert (curve.until(0.5), curve.until(0.9)) == (2.0, None)


def test_people_x_have_words_of_their_own():
    people, contexts = person_x(300, n_people=5, seed=1)
    assert len(np.unique(people)) == 5
    assert len(contexts) == 300
    assert (person_x(300, n_people=5, seed=1)[0] == people).all()


def test_person_x_in_small():
    found = find("cross-document/person-x").run(Context(quick=True))
    final = {row.setting: row.ours for row in found.rows if row.metric == "final B³ F1"}
    assert final["flat, pair by pair, 5 partitions"] == pytest.approx(final["flat, 5 partitions"], abs=8)
    assert "cross-document-person-x" in found.charts


@pytest.mark.data
def test_smiths_and_real_mentions_in_small(data):
    smiths = find("cross-document/john-smith").run(Context(quick=True, data=data))
    ours = {row.setting: row.ours for row in smiths.rows if row.metric == "B³ F1"}
    assert ours["ours, bias set for 35 entities"] > 88
    assert ours["ours, number not given"] > 80
    found = find("cross-document/mentions").run(Context(quick=True, data=data))
    scores = {row.setting: row.ours for row in found.rows if row.metric == "B³ F1"}
    assert scores["ECB+: ours"] > scores["ECB+: average linkage, tuned"] > scores["ECB+: exact string match"]
