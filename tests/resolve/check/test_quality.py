"""What the checks say, in numbers and in sentences."""

import json

import numpy as np

from onoma.resolve.check.calibrate import Bin
from onoma.resolve.check.quality import Quality, Share, ceiling_of_pairs, unchecked


def test_sentences_say_what_the_figures_are():
    quality = Quality(
        calibrated=True,
        n_links=1200,
        n_safe=1000,
        precision=Share(0.97, 0.9, 0.99),
        recall=Share(0.8, 0.7, 0.9),
        harsher_recall=Share(0.5, 0.4, 0.6),
    )
    first, second = quality.sentences()
    assert first.startswith("expected precision 97% (95 %: 90% – 99%): of the 1,200 links about 3% are wrong; 1,000")
    assert second.endswith("with twice the changes 50%")


def test_why_nothing_is_known_is_said():
    quality = unchecked("there are few rows", "nothing was matched")
    assert quality.sentences() == ["not calibrated here, because there are few rows; and nothing was matched"]


def test_json_holds_all_but_single_rows():
    quality = Quality(
        calibrated=False,
        because=("x",),
        recall=Share(1 / 3, 0.0, 1.0),
        entities=(3, 5),
        entity_draws=np.arange(4.0),
        probability=np.ones(9),
        pair_probability=np.ones(9),
        decoys={"strangers": (10, 0.5)},
    )
    told = json.loads(json.dumps(quality.as_dict()))
    assert not {"probability", "pair_probability", "entity_draws"} & set(told)
    assert told["recall"] == {"estimate": 0.333333, "low": 0.0, "high": 1.0} and told["precision"] is None
    assert told["entities"] == [3, 5] and told["decoys"] == {"strangers": {"rows": 10, "share": 0.5}}
    assert set(Bin.__dataclass_fields__) > {"stated", "true"} and told["reliability"] == []


def test_links_given_up_are_told():
    said = Quality(calibrated=True, n_links=88, n_given_up=123).sentences()
    assert said[0] == "123 links were given up: by the decoys most links of their kind are wrong"
    assert Quality(calibrated=True, n_given_up=1).sentences()[0].startswith("1 link was given up")
    assert "clustering" not in Quality(calibrated=True).as_dict()


def test_pairs_are_stated_up_to_halfway_between_expected_precision_and_one():
    assert ceiling_of_pairs(None) == ceiling_of_pairs(Share(0.7, 0.1, 0.9)) == 0.9
    assert ceiling_of_pairs(Share(0.94, 0.1, 1.0)) == 0.97
    quality = Quality(calibrated=False, because=("x",), ceiling=0.9, pair_ceiling=0.97)
    sure = np.array([0.2, 0.9, 1.0])
    assert np.allclose(quality.stated(sure), [0.2, 0.85, 0.9])
    assert np.allclose(quality.stated_of_pairs(sure), [0.2, 0.9, 0.97])


def test_the_most_that_is_stated_is_said():
    one = Quality(calibrated=False, because=("x",), ceiling=0.9, pair_ceiling=0.9)
    two = Quality(calibrated=False, because=("x",), ceiling=0.9, pair_ceiling=0.97)
    rows = Quality(calibrated=False, because=("x",), ceiling=0.9)
    assert one.sentences()[-1].endswith(": no probability is stated above 90%")
    assert two.sentences()[-1].endswith(": no row is said to be more than 90% sure of its place, and no pair above 97%")
    assert rows.sentences()[-1].endswith(": no row is said to be more than 90% sure of its place")
