"""The linking model is made from the data folder, and says how it does where it has not learnt."""

import csv
import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from onoma.cli.app import app
from onoma.errors import DataError
from onoma.linking.model import load_link_model
from onoma.pipeline.link_training import train_shipped

_KEYS = ("dataset", "split", "lang", "doc_id")
_TOWNS = {"Avon": "Q1", "Brill": "Q2", "Crane": "Q3", "Nowhere": "NIL"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Newspapers of three sets, each document naming all towns; what is nowhere is in no list."""
    folder = tmp_path / "data" / "resolution" / "hipe2022"
    folder.mkdir(parents=True)
    text = "They went from Avon to Brill and Crane but Nowhere else."
    documents, mentions = [], []
    for dataset in ("newseye", "sonar", "topres19th"):
        for number in range(6):
            key = dict(zip(_KEYS, (dataset, "train", "en", str(number)), strict=True))
            documents.append({**key, "text": text})
            for town, entry in _TOWNS.items():
                start = text.index(town)
                place = {"start": start, "end": start + len(town), "mention": town, "type": "LOC", "cluster_id": entry}
                mentions.append({**key, **place})
    with gzip.open(folder / "docs.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(each) + "\n" for each in documents)
    with gzip.open(folder / "mentions.csv.gz", "wt", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(mentions[0]))
        table.writeheader()
        table.writerows(mentions)
    return tmp_path / "data"


def test_a_model_is_made_and_looked_at_where_it_has_not_learnt(data: Path, tmp_path: Path) -> None:
    made = train_shipped(data, tmp_path / "links")
    assert made.mentions == 2 * 6 * len(_TOWNS)
    assert list(made.accuracy) == ["topres19th-en"]
    assert made.accuracy["topres19th-en"] == 1.0
    card = load_link_model(tmp_path / "links").facts
    assert card["data"] == ["newseye-en", "sonar-en"]
    assert card["not seen, by a list alone"]["topres19th-en"]["calibration error"] < 0.5
    with pytest.raises(DataError, match="not an empty folder"):
        train_shipped(data, tmp_path / "links")


def test_one_data_folder_is_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["train", "links", "a", "b", "-o", str(tmp_path / "x")])
    assert done.exit_code != 0
    assert not (tmp_path / "x").exists()
