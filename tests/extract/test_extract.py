"""Extraction end to end: constraints, features, training, running, explaining, and what is refused."""

import json
import tomllib
from dataclasses import replace

import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.extract.clusters import word_clusters
from onoma.extract.columns import open_extractor
from onoma.extract.compiling import check, rule_segments, scores_of
from onoma.extract.constraints import LabelSet, parse_constraints, read_constraints, read_labels
from onoma.extract.examples import read_examples, read_texts
from onoma.extract.extractor import Extractor, calibration, fit_stated, gold_segments, restate
from onoma.extract.features import FeatureMaker, FeatureSettings, edge_classes
from onoma.extract.matching import find_fires
from onoma.extract.scores import score_segments
from onoma.extract.suggest import suggest_words
from onoma.extract.tokens import tokenise
from onoma.extract.training import Plan, train_from_constraints, train_from_labels
from onoma.learning.sequences.expectations import Expectations
from onoma.learning.sequences.semicrf import Training
from onoma.learning.sequences.semicrf_layout import Segmentation
from onoma.learning.taxonomy import Taxonomy
from onoma.numerics.rng import stream
from onoma.pipeline import extraction

CITIES = ["rome", "paris", "london", "oslo", "new york", "san diego", "cairo", "lima"]
FOODS = ["pizza", "soup", "rice", "fish", "bread", "noodles"]
CONSTRAINTS = """
[[dictionary]]
label = "CITY"
words = ["rome", "paris", "new york"]
share = 0.9
[[dictionary]]
label = "FOOD"
words = ["pizza", "soup"]
share = 0.9
[[pattern]]
pattern = "in {CITY}"
longest = 2
share = 0.9
[[pattern]]
pattern = "eat {FOOD}"
longest = 1
share = 0.9
[[token]]
regex = "^(where|can|i|eat|in|please|today|find)$"
label = "OTHER"
share = 0.95
[[common]]
label = "OTHER"
[[length]]
label = "*"
at_most = 2
share = 0.9
"""


def corpus(n=150, seed=0):
    rng = stream(seed, "texts")
    forms = ["where can i eat {f} in {c}", "find {f} in {c} please", "eat {f} today", "find {f} please in {c} today"]
    texts, spans = [], []
    for _ in range(n):
        city, food = CITIES[rng.integers(len(CITIES))], FOODS[rng.integers(len(FOODS))]
        text = forms[rng.integers(len(forms))].format(f=food, c=city)
        found = [
            {"start": text.index(w), "end": text.index(w) + len(w), "label": y}
            for w, y in ((food, "FOOD"), (city, "CITY"))
            if w in text
        ]
        texts.append(text)
        spans.append(sorted(found, key=lambda s: s["start"]))
    return texts, spans


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("extract")
    texts, spans = corpus()
    (folder / "texts.txt").write_text("\n".join(texts) + "\n")
    lines = [json.dumps({"text": t, "spans": s}) for t, s in zip(texts, spans, strict=True)]
    (folder / "gold.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "labels.toml").write_text('labels = ["CITY", "FOOD"]\n')
    (folder / "constraints.toml").write_text(CONSTRAINTS)
    return folder


@pytest.fixture(scope="module")
def trained(files):
    plan = Plan(longest=2, expectations=Expectations(rate=0.05, n_rounds=4))
    return extraction.train_extractor(
        files / "labels.toml",
        files / "model",
        constraints=files / "constraints.toml",
        texts=[files / "texts.txt"],
        plan=plan,
    )


def test_constraints_teach_what_no_dictionary_holds(files, trained):
    """oslo, noodles and san diego are in no dictionary: their neighbours tell."""
    assert trained.report.silent == []
    again = open_extractor(str(files / "model"))
    found = again.run(["where can i eat noodles in oslo", "find bread in san diego please", ""])
    assert [[(s.label, s.text) for s in spans] for spans in found] == [
        [("FOOD", "noodles"), ("CITY", "oslo")],
        [("FOOD", "bread"), ("CITY", "san diego")],
        [],
    ]
    assert all(0.0 < s.probability <= 1.0 for s in found[0])
    scores = extraction.evaluate_extractor(again, files / "gold.jsonl")
    rules = extraction.evaluate_rules(files / "labels.toml", files / "constraints.toml", files / "gold.jsonl")
    assert scores.span_f1 > 0.95 > rules.span_f1
    assert again.notes["calibrated"] is False


def test_explanations_name_features(trained):
    (span, why), *_ = trained.extractor.explain("eat soup today")
    assert (span.label, span.text) == ("FOOD", "soup")
    assert any("soup" in reason.feature and reason.weight > 0 for reason in why)


def test_labels_teach_and_say_how_sure(files):
    examples = read_examples(files / "gold.jsonl", "words")
    trained = train_from_labels(examples[:100] * 3, LabelSet.of(["CITY", "FOOD"]), Plan(training=Training(n_rounds=40)))
    assert trained.extractor.notes["held out"]["n"] > 20
    spans = trained.extractor.spans([each.text for each in examples[100:]])
    truth = {
        (i, s, e, y)
        for i, each in enumerate(examples[100:])
        for s, e, y in ((*each.text.bounds(a, b), y) for a, b, y in each.spans)
    }
    found = {(i, s.start, s.end, s.label) for i, each in enumerate(spans) for s in each}
    assert len(truth & found) > 0.97 * len(truth)


def test_labelled_texts_among_the_unlabelled(files):
    labels = read_labels(files / "labels.toml")
    rules = read_constraints(files / "constraints.toml", labels)[:1]
    examples = read_examples(files / "gold.jsonl", "words")
    texts = [each.text for each in examples[20:]]
    plan = Plan(longest=2, expectations=Expectations(rate=0.05, n_rounds=4))
    both = train_from_constraints(texts, labels, rules, plan, examples=examples[:20])
    assert [s.label for s in both.extractor.run(["find fish in lima please"])[0]] == ["FOOD", "CITY"]


@pytest.mark.parametrize("end", ["jsonl", "csv", "html", "bib"])
def test_every_way_to_write(files, trained, tmp_path, end):
    found = extraction.run_extractor(trained.extractor, [files / "texts.txt"])[:3]
    extraction.write_extracted(found, tmp_path / f"out.{end}")
    content = (tmp_path / f"out.{end}").read_text()
    assert found[0].spans[0].text in content
    with pytest.raises(SettingsError, match="ends in '.xml'"):
        extraction.write_extracted(found, tmp_path / "out.xml")


def test_a_very_long_line_and_odd_characters(trained):
    line = "eat soup in rome " * 25_000
    found = trained.extractor.run([line, "\u200b\ufeff", "éat søup 東京"])
    assert len(found[0]) == 50_000 and len(found) == 3


def test_patterns_dictionaries_and_reports():
    labels = LabelSet.of(["CITY", "FOOD"])
    table = {
        "pattern": [{"pattern": "{FOOD: # slices|pieces}"}, {"pattern": "{CITY} hotel"}, {"pattern": "from {CITY} to"}],
        "dictionary": [{"label": "CITY", "words": ["new york", "rome"]}, {"label": "FOOD", "words": ["rome", "tofu"]}],
        "token": [{"regex": "^x+$", "label": "CITY"}],
    }
    rules = parse_constraints(table, labels)
    texts = [tokenise("3 pieces near new york hotel"), tokenise("from lima to Rome!")]
    fires = find_fires(texts, rules, labels)
    assert [(f.constraint, f.segments()) for f in fires[0]] == [
        (3, [(3, 2)]),
        (0, [(0, 2)]),
        (1, [(4, 1), (3, 2), (2, 3)]),
    ]
    report = check(fires, rules)
    assert report.silent == ["token ^x+$ CITY"]
    assert report.conflicts and "dictionary CITY" in report.conflicts[0]
    found = rule_segments(texts, fires, rules, labels)
    assert (0, 2, labels.find("FOOD", "")) in found.spans()
    assert found.lengths.sum() == 10


def test_a_dictionary_of_many_entries_is_a_look_up():
    labels = LabelSet.of(["CITY"])
    words = [f"town {i}" for i in range(10_000)]
    rules = parse_constraints({"dictionary": [{"label": "CITY", "words": words}]}, labels)
    fires = find_fires([tokenise("from town 9999 to town 7")] * 100, rules, labels)
    assert {len(each) for each in fires} == {2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[dictionary]]\nlabel = "TOWN"\nwords = ["x"]', "there is no label 'TOWN'"),
        ('[[dictionary]]\nlabel = "CITY"', "has no words"),
        ('[[dictionary]]\nlabel = "CITY"\nwords = "rome"', "number 1: words is 'rome'; it is a list"),
        ('[[pattern]]\npattern = "in rome"', r"\[\[pattern\]\] number 1: 'in rome' has 0 slots"),
        ('[[pattern]]\npattern = "{CITY} {CITY}"', "has 2 slots"),
        ('[[pattern]]\npattern = "in {TOWN}"', "number 1: there is no label 'TOWN'"),
        ('[[pattern]]\npattern = "{CITY}"', "fire everywhere"),
        ('[[dictionry]]\nlabel = "CITY"', "no kind of constraint 'dictionry'"),
        ('[dictionary]\nlabel = "CITY"', "two brackets"),
        ('[[token]]\nlabel = "CITY"\nregex = "("', "no regular expression"),
        ('[[token]]\nlabel = "CITY"\nregex = "x"\nshare = 2', "numbers from 0 to 1"),
        ('[[length]]\nlabel = "CITY"', "needs at_most"),
        ('[[start]]\nlabel = "CITY"\ncase = true', "does not know case"),
    ],
)
def test_refused_constraints_say_why(text, message):
    with pytest.raises(SettingsError, match=message):
        parse_constraints(tomllib.loads(text), LabelSet.of(["CITY"]))


def test_refused_files_say_why(tmp_path):
    (tmp_path / "bad.toml").write_text("labels = [")
    with pytest.raises(DataError, match="is no TOML"):
        read_labels(tmp_path / "bad.toml")
    (tmp_path / "bad.jsonl").write_text('{"text": "rome", "spans": [{"start": 9, "end": 12, "label": "CITY"}]}\n')
    with pytest.raises(DataError, match="row 1.*covers no token"):
        read_examples(tmp_path / "bad.jsonl", "words")
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="cannot be read as utf-16"):
        read_texts(tmp_path / "bad.txt")
    with pytest.raises(SettingsError, match="no ready extractor"):
        open_extractor("nothing")


def test_nothing_to_compare_with_is_refused(trained, tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(DataError, match="no labelled text"):
        extraction.evaluate_extractor(trained.extractor, tmp_path / "empty.jsonl")


def test_few_texts_are_learnt_from_longer_and_more_are_asked_for(files):
    """With five passes over twenty texts and the penalty of many, weights hardly move."""
    plan = extraction.constraint_plan(longest=2, n_clusters=0)
    assert (plan.expectations.rounds(20), plan.expectations.rounds(7_660)) == (100, 5)
    assert plan.expectations.penalty(7_500) == 30.0
    labels = read_labels(files / "labels.toml")
    rules, texts = read_constraints(files / "constraints.toml", labels), [tokenise(text) for text in corpus(20)[0]]
    trained = train_from_constraints(texts, labels, rules, plan)
    assert "add texts" in trained.hints[0]
    examples = read_examples(files / "gold.jsonl", "words")
    found = trained.extractor.spans([each.text for each in examples])
    right = sum(
        {(s.start, s.end, s.label) for s in spans} == {(*e.text.bounds(a, b), y) for a, b, y in e.spans}
        for spans, e in zip(found, examples, strict=True)
    )
    assert right > 0.8 * len(examples)


def test_features_are_the_same_after_saving():
    texts = [tokenise("Proc. of the 5th Conf., 1992."), tokenise("J. Smith, 1992.")]
    maker = FeatureMaker(FeatureSettings(edges=True, pair_count=1), {"dictionary": {"proc": "venue"}}).fit(texts)
    again = FeatureMaker.of_facts(json.loads(json.dumps(maker.facts())))
    a, b = maker.transform(texts), again.transform(texts)
    assert all(np.array_equal(x, y) for x, y in zip(a.texts, b.texts, strict=True))
    names = maker.names()
    assert len(names) == a.n_attributes
    rows = a.attributes()
    first = {names[i] for i in rows.indices[: rows.indptr[1]]}
    assert {
        "w=proc.",
        "core=proc",
        "kind=capital",
        "w[-1]=(end)",
        "w,w[+1]=proc. of",
        "dictionary=venue",
        "tenth=0",
    } <= first
    second = {names[i] for i in rows.indices[rows.indptr[1] : rows.indptr[2]]}
    assert "w[-1],w=proc. of" in second
    assert edge_classes(texts).tolist() == [0, 2, 0, 0, 0, 1, 0, 0, 1]


def test_scores_by_hand():
    tree = Taxonomy.of({"OTHER": None, "PLACE": None, "CITY": "PLACE", "STATE": "PLACE"})
    gold = Segmentation.of_spans([(0, 1, 0), (1, 2, 2), (2, 3, 3), (3, 4, 2)], 4)
    found = Segmentation.of_spans([(0, 1, 0), (1, 2, 1), (2, 3, 2), (3, 4, 2)], 4)
    scores = score_segments(gold, found, tree, 0)
    assert scores.accuracy == 0.5
    assert scores.weighted_accuracy == (1 + 0.5 + 0.25 + 1) / 4
    assert scores.precision == scores.recall == pytest.approx(1 / 3)
    assert scores.weighted[0] == pytest.approx(1.75 / 3)
    assert scores.span_f1 == pytest.approx(1 / 3)


def test_clusters_and_suggestions():
    texts = [tokenise(text) for text in corpus(400)[0]]
    labels = LabelSet.of(["CITY", "FOOD"])
    rules = parse_constraints(
        {"dictionary": [{"label": "FOOD", "words": ["pizza", "soup"]}, {"label": "CITY", "words": ["rome"]}]}, labels
    )
    proposed = {s.text for s in suggest_words(texts, rules, labels, n=4) if s.label == "FOOD" and s.kind == "word"}
    assert proposed == {"rice", "fish", "bread", "noodles"}
    told = [*rules, *parse_constraints({"token": [{"regex": "^(fish|eat)$", "label": "OTHER"}]}, labels)]
    proposed = {s.text for s in suggest_words(texts, told, labels, n=4) if s.label == "FOOD" and s.kind == "word"}
    assert "rice" in proposed
    assert not proposed & {"fish", "eat"}  # a constraint speaks of them already
    assert word_clusters(texts) == {}  # too few words for clusters
    found = word_clusters(texts, rank=4, n_clusters=5)
    assert found["rice"] == found["fish"] == found["bread"]


def test_tables_for_samplerank():
    labels = LabelSet.of(["author", "title"], other=None)
    rules = parse_constraints(
        {
            "start": [{"label": "author"}],
            "border": [{}],
            "once": [{"label": "title"}],
            "token": [{"regex": "^on$", "label": "title"}],
        },
        labels,
    )
    texts = [tokenise("Smith. on")]
    sequences = FeatureMaker(FeatureSettings(edges=True)).fit(texts).transform(texts)
    scores, unused = scores_of(find_fires(texts, rules, labels), rules, labels, sequences)
    assert unused == []
    assert scores.tokens.tolist() == [[1.0, -1.0], [-1.0, 1.0]]
    assert scores.borders[0].tolist() == [[0.0, -1.0], [-1.0, 0.0]] and not scores.borders[2].any()
    assert scores.once.tolist() == [0.0, -1.0]


def test_gold_and_calibration():
    with pytest.raises(DataError, match="no other label"):
        gold_segments([[(1, 2, 0)]], [2], -1)
    told = calibration(np.array([0.9, 0.9, 0.1]), np.array([True, True, False]))
    assert told["right"] == pytest.approx(2 / 3) and told["error"] == pytest.approx(0.1)


def test_probabilities_are_stated_as_they_hold():
    rng = np.random.default_rng(0)
    truth = rng.uniform(0.05, 0.95, 4_000)
    right = rng.random(4_000) < truth
    odds = (np.log(truth / (1 - truth)) + 0.5) * 2  # too sure, and too high
    found = 1 / (1 + np.exp(-odds))
    scale, shift = fit_stated(found, right)
    assert (scale, shift) == pytest.approx((0.5, -0.5), abs=0.1)
    assert calibration(found, right)["error"] > 0.1 > 0.03 > calibration(restate(found, (scale, shift)), right)["error"]
    assert fit_stated(np.empty(0), np.empty(0, bool)) == (1.0, 0.0)
    assert fit_stated(np.full(40, 0.9), np.zeros(40, bool))[0] > 0


def test_how_probabilities_are_stated_is_kept(trained, tmp_path):
    plain = trained.extractor
    (span,) = plain.run(["eat soup today"])[0]
    other = replace(plain, stated=(0.5, -1.0))
    other.save(tmp_path)
    (again,) = Extractor.load(tmp_path).run(["eat soup today"])[0]
    assert again.probability == pytest.approx(restate(np.array([span.probability]), (0.5, -1.0))[0], abs=2e-4)
    assert again.probability < span.probability


def test_a_damaged_extractor_is_refused(tmp_path):
    (tmp_path / "extractor.json").write_text("{}")
    with pytest.raises(DataError, match="is damaged"):
        Extractor.load(tmp_path)
