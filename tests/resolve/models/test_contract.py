"""The contract: every model and every option of the configuration, honoured so that it can be seen, or refused."""

import importlib.util
import json
import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.formats import write_table
from onoma.corpus.readers.table import read_table
from onoma.errors import DataError, OnomaError, SettingsError, UnsupportedError
from onoma.kb.database import read_knowledge_base
from onoma.kb.explain import explain_records
from onoma.kb.judge import Said, judge
from onoma.kb.update import update_knowledge_base
from onoma.pipeline.output import store_outcome, write_outcome
from onoma.pipeline.resolution import Job, make_job, read_job, run_job
from onoma.resolve import registry
from onoma.resolve.api import resolve
from onoma.resolve.config import OPTIONS, ResolveConfig
from onoma.resolve.contract import Capability, Posterior, pairs_with_first
from onoma.resolve.models.cross_document import run as rounds_of_mentions
from onoma.resolve.models.phylogeny import records as names_of_records
from onoma.resolve.posterior import pairs as pairs_of_records
from onoma.resolve.posterior.checkpoint import read_checkpoint, write_checkpoint
from onoma.resolve.registry import check, find_model, model_names, settings_of, why_refused
from reference.stops import StopAfter

N = 48
BUILT_IN = model_names()


# A model of somebody else.


@dataclass(frozen=True, kw_only=True)
class ToySettings:
    letters: int = 1
    merge_cost: float = 0.5


class Toy:
    """Rows are one whose first field begins alike, as far as merging is cheap."""

    name: ClassVar = "toy"
    summary: ClassVar = "a toy"
    settings: ClassVar = ToySettings
    capabilities: ClassVar = frozenset({Capability.BLOCK, Capability.PARTITIONS})
    conflicts: ClassVar = ()

    def fit(self, problem, settings, run):
        field = problem.fields[0]
        starts = ["" if code < 0 else field.values[code][: settings.letters] for code in field.codes.tolist()]
        block = np.zeros(problem.n, int) if problem.block is None else problem.block
        keys = [f"{start} {b}" for start, b in zip(starts, block, strict=True)]
        labels = Clustering.from_labels(keys if settings.merge_cost < 0.9 else np.arange(problem.n)).labels
        if run.carry is not None:
            rows = pa.table(dict.fromkeys(("entity", "super"), labels) | {"mention": np.arange(problem.n)})
            schema = pa.schema([("mention", pa.int64()), ("entity", pa.int64())])
            found = run.carry(rows, lambda part, _: part.select(schema.names), schema)
            labels = found["entity"].to_numpy()
        clustering, sure = Clustering.from_labels(labels.copy()), np.full(problem.n, 0.9)
        return Posterior(clustering=clustering, probability=sure, pairs=pairs_with_first(clustering, sure))


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    monkeypatch.setitem(registry._registered, "toy", Toy())


ALL = (*BUILT_IN, "toy")


# A table that every model can read: people, mentioned in a context.


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    given, family = ("Ann", "Bob", "Cyd", "Dan", "Eve", "Fay"), ("Smith", "Jones", "Brown", "Moore", "Clark", "Lewis")
    topics = (
        "bakes bread cakes and pies all day",
        "sails boats ships and rafts at sea",
        "paints walls and all roofs",
    )
    rows = []
    for k in range(N):
        person = k % 16
        name = (given[person % 6], family[(person * 5) % 6])
        year = 1950 + person * 3 + (0 if rng.random() < 0.8 else 1)
        rows.append(
            {
                "key": f"k{k}",
                "given_name": name[0] if rng.random() < 0.8 else name[0][0],
                "surname": name[1] if rng.random() < 0.8 else name[1][:-1] + "e",
                "city": ("York", "Ely", "Bath")[(person + (rng.random() < 0.2)) % 3],
                "born": str(year),
                "context": f"{topics[person % 3]} in {1 + person} streets {rng.integers(99)}",
                "part": "ab"[person % 2],
                "origin": "xyz"[k % 3],
                "side": "pq"[(k // 16) % 2],
                "known": f"p{person}" if k % 3 else None,
                "wrong": f"w{k % 7}",
            }
        )
    return pa.Table.from_pylist(rows)


EXTRA = ("part", "origin", "side", "known", "wrong")
BASE = ResolveConfig(exclude=EXTRA, id="key", kinds={"given_name": "person", "surname": "person", "context": "text"})
OTHERS = {
    "link": {"source": "side"},
    "link_and_dedupe": {"source": "side"},
    "one_to_one": {"source": "side", "link": True},
}
"""What an option needs beside it."""


LEVELS = {"equal": 4.0, "same words": 4.0, "nickname": 2.0, "initials": 1.0, "one slip": 2.0, "close": 1.0}
LEVELS |= {"part left out": 1.0, "similar": 0.5, "a word shared": 0.5, "alike": 0.0, "different": -4.0}


@pytest.fixture(scope="module")
def given_weights(tmp_path_factory):
    path = tmp_path_factory.mktemp("weights") / "weights.toml"
    lines = ["prior = -3.5", "[fields.surname]", *(f'"{level}" = {bits}' for level, bits in LEVELS.items())]
    path.write_text("\n".join(lines), "utf-8")
    return str(path)


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    path = tmp_path_factory.mktemp("documents") / "texts.csv"
    write_table(pa.table({"document": ["d1"], "text": ["once upon a time in the old town of York there lived"]}), path)
    return str(path)


def labels_of(found):
    return found.clustering.labels.tolist()


def holds_apart(found, table, column):
    """No entity has rows of different values."""
    values = np.array(table[column].to_pylist())
    return all(len(set(values[members])) == 1 for members in found.clustering.chains())


def same_entities(found, before):
    return found.clustering.labels.tolist() == before.clustering.labels.tolist()


def one_of_each(found, table, column):
    values = np.array(table[column].to_pylist())
    return all(len(set(values[members])) == len(members) for members in found.clustering.chains())


def differs(found, before):
    same = found.pairs(0.0).equals(before.pairs(0.0)) and np.array_equal(found.probability, before.probability)
    return not same


VALUES = {
    "id": "key",
    "source": "origin",
    "kinds": {"city": "category"},
    "exclude": ("surname",),
    "truth": "wrong",
    "link": True,
    "link_and_dedupe": True,
    "one_to_one": True,
    "one_type": True,
    "block": "part",
    "also_compare": (("born",),),
    "block_on": ("l.born = r.born",),
    "must_link_on": ("l.id = 'k0' AND r.id = 'k1'",),
    "cannot_link_on": ("l.part <> r.part",),
    "golden": {"surname": "longest"},
    "labels": "wrong",
    "model": None,
    "comparison": "mutation",
    "merge_cost": 0.99,
    "samples": 7,
    "burn_in": 3,
    "neighbours": 1,
    "entities": 3,
    "rounds": 1,
    "partitions": 2,
    "encoding": "cp1252",
    "seed": 5,
}
"""A value for every option; those of files are made for the test."""

SEEN = {
    "id": lambda found, before, table: found.memberships["id"].to_pylist() == table["key"].to_pylist(),
    "source": lambda found, before, table: found.memberships["source"].to_pylist() == table["origin"].to_pylist(),
    "kinds": lambda found, before, table: ("city", "category") in [(f.name, f.kind) for f in found.fields.fields],
    "exclude": lambda found, before, table: "surname" not in [each.name for each in found.fields.fields],
    "truth": lambda found, before, table: "wrong" not in [each.name for each in found.fields.fields],
    "link": lambda found, before, table: one_of_each(found, table, "side"),
    "link_and_dedupe": lambda found, before, table: not found.config.link and same_entities(found, before),
    "one_to_one": lambda found, before, table: one_of_each(found, table, "side"),
    "one_type": lambda found, before, table: same_entities(found, before),
    "block": lambda found, before, table: holds_apart(found, table, "part"),
    "also_compare": lambda found, before, table: compares(found, table, "born"),
    "block_on": lambda found, before, table: compares(found, table, "born"),
    "must_link_on": lambda found, before, table: labels_of(found)[0] == labels_of(found)[1],
    "cannot_link_on": lambda found, before, table: holds_apart(found, table, "part"),
    "golden": lambda found, before, table: are_longest(found, table, "surname"),
    "labels": lambda found, before, table: differs(found, before),
    "weights": lambda found, before, table: found.weighed.weights.kappa == pytest.approx(2**-3.5),
    "documents": lambda found, before, table: "context" in found.table.column_names,
    "comparison": lambda found, before, table: "comparison by how values change" in found.posterior.seconds,
    "merge_cost": lambda found, before, table: found.clustering.n_entities > before.clustering.n_entities,
    "samples": lambda found, before, table: found.n_samples == 7,
    "burn_in": lambda found, before, table: differs(found, before),
    "neighbours": lambda found, before, table: len(found.posterior.pairs.a) < len(before.posterior.pairs.a),
    "entities": lambda found, before, table: found.clustering.n_entities == 3,
}
"""How the effect of an option is seen."""


def are_longest(found, table, column):
    """Every entity has the longest of its rows' values."""
    lengths = [len(value) for value in table[column].to_pylist()]
    longest = [max(lengths[i] for i in members) for members in found.clustering.chains()]
    return sorted(longest) == sorted(len(value) for value in found.entities[column].to_pylist())


def compares(found, table, column):
    values = table[column].to_pylist()
    seen = set(zip(found.posterior.pairs.a.tolist(), found.posterior.pairs.b.tolist(), strict=True))
    return all((i, j) in seen for i in range(N) for j in range(i + 1, N) if values[i] == values[j])


@pytest.fixture(scope="module")
def plain(table):
    """What each model finds when nothing is asked for."""
    kept = {}

    def found(model):
        if model not in kept:
            kept[model] = resolve(table, BASE, model=model)
        return kept[model]

    return found


def asking(name, model, given_weights="", documents=""):
    value = {"weights": given_weights, "documents": documents, "model_settings": {}}.get(name, VALUES.get(name))
    return ResolveConfig.of({name: value} | OTHERS.get(name, {}), base=ResolveConfig.of({"model": model}, base=BASE))


ELSEWHERE = ("model", "model_settings", "documents", "encoding", "parse", "seed", "map", "no_check", "review_budget")
"""Options that no model sees, or every one: they have tests of their own here; the last three in the main job's."""
IN_THE_MODEL = [name for name in OPTIONS if name not in ELSEWHERE]


@pytest.mark.parametrize("name", IN_THE_MODEL)
@pytest.mark.parametrize("model", ALL)
def test_every_option_is_honoured_or_refused(model, name, table, plain, given_weights, monkeypatch):
    """Nothing is ignored: an option has an effect that is seen here, or an error names it."""
    config = asking(name, model, given_weights)
    refused = why_refused(find_model(model), config)
    if refused is not None:
        with pytest.raises(UnsupportedError) as error:
            resolve(table, config)
        assert OPTIONS[name].option in str(error.value) or "--link" in str(error.value)
        return
    if name == "rounds":
        seen, step = [], rounds_of_mentions.step
        monkeypatch.setattr(rounds_of_mentions, "step", lambda *a, **k: seen.append(k["round"]) or step(*a, **k))
        resolve(table, config)
        assert seen == [0]
    elif name == "partitions":
        found, again = (resolve(table, config) for _ in range(2))
        assert found.memberships.equals(again.memberships)
        assert why_refused(find_model(model), config, engine=True) is None
    elif name == "merge_cost" and model in ("pairwise", "phylogeny"):  # which are sure of this table
        home, costs = pairs_of_records if model == "pairwise" else names_of_records, []
        real = home.find_consensus
        monkeypatch.setattr(home, "find_consensus", lambda *a, **k: costs.append(k["threshold"]) or real(*a, **k))
        resolve(table, config)
        assert costs[-1] == VALUES["merge_cost"]
    elif (model, name) == ("hierarchical", "labels"):
        with pytest.raises(DataError, match="48 rows have a label .* trees learn from at least 200"):
            resolve(table, config)
    else:
        before = resolve(table, replace(config, merge_cost=0.01)) if name == "merge_cost" else plain(model)
        assert SEEN[name](resolve(table, config), before, table), f"{model} ignores {name}"


def test_trees_learn_from_enough_labels(table):
    many = pa.concat_tables([table] * 7).set_column(0, "key", pa.array([f"k{k}" for k in range(7 * N)]))
    labelled, plain = (resolve(many, BASE, model="hierarchical", labels=each) for each in ("known", None))
    assert labelled.posterior.details.grown.run.scores != plain.posterior.details.grown.run.scores


def test_every_option_is_looked_at():
    assert {*SEEN, "rounds", "partitions", *ELSEWHERE} == {*OPTIONS}


@pytest.mark.parametrize("model", ALL)
def test_the_same_seed_is_the_same_bytes(model, table, plain):
    again = resolve(table, BASE, model=model)
    assert all(again.tables()[name].equals(each) for name, each in plain(model).tables().items())


@pytest.mark.parametrize("model", ["copying", "pairwise", "hierarchical", "phylogeny"])
def test_another_seed_draws_other_samples(model, table, given_weights):
    doubt = {"weights": given_weights} if model == "pairwise" else {}  # without, it is sure of this table
    one, other = (resolve(table, BASE, model=model, seed=seed, **doubt) for seed in (0, 5))
    assert not np.array_equal(one.posterior.samples, other.posterior.samples)


def test_documents_are_put_around_mentions(table, documents):
    spans = pa.table({"document": ["d1", "d1"], "start": [0, 5], "end": [4, 9], "name": ["Ann", "Ann"]})
    found = resolve(spans, model="cross-document", documents=documents)
    assert found.table["context"].to_pylist()[0].startswith("upon a time")


def test_an_encoding_is_that_of_the_files(tmp_path):
    path = tmp_path / "names.csv"
    path.write_bytes("id,name\n1,Zoë\n2,Zoë\n".encode("cp437"))
    job = read_job([path], ResolveConfig(encoding="cp437"))
    assert job.table["name"].to_pylist() == ["Zoë", "Zoë"]


def test_raw_text_is_parsed_before_a_model_sees_it(table):
    homes = [f"{k % 16 + 1} Oak Street, York, IL {62701 + k % 16}" for k in range(N)]
    config = ResolveConfig.of({"model": "toy", "parse": {"home": "address"}, "no_check": True}, base=BASE)
    job = make_job([table.append_column("home", pa.array(homes))], [""], config)
    assert job.table["ZipCode"].to_pylist() == [str(62701 + k % 16) for k in range(N)]
    seen = [each.name for each in run_job(job).resolution.fields.fields]
    assert "AddressNumber" in seen and "home" not in seen


@pytest.mark.parametrize("model", ALL)
def test_settings_of_the_model_itself_are_taken_or_named(model, table):
    own = [each.name for each in fields(find_model(model).settings) if each.name not in OPTIONS]
    with pytest.raises(SettingsError, match="has no setting 'nonsense'"):
        resolve(table, BASE, model=model, model_settings={"nonsense": 1})
    for name in own:
        default = getattr(find_model(model).settings(), name)
        if isinstance(default, float | int) and not isinstance(default, bool):
            config = ResolveConfig(model=model, model_settings={name: default + 1})
            assert getattr(settings_of(find_model(model), config), name) == default + 1
    with pytest.raises(OnomaError):
        resolve(table, BASE, model="copying", model_settings={"canopies": {"hot": "many"}})


def test_settings_are_seen(table):
    one, two = (resolve(table, BASE, model="toy", model_settings={"letters": n}) for n in (1, 2))
    assert one.clustering.n_entities < two.clustering.n_entities
    few = resolve(table, BASE, model="copying", model_settings={"canopies": {"neighbours": 1}})
    assert len(few.weighed.candidates) < len(resolve(table, BASE, model="copying").weighed.candidates)


# What a model declares is what its result can do.


@pytest.mark.parametrize("model", ALL)
def test_a_result_is_saved_and_exported_as_far_as_the_model_says(model, table, tmp_path):
    outcome = run_job(Job(table=table, config=ResolveConfig.of({"model": model, "truth": "known"}, base=BASE)))
    written = write_outcome(outcome, tmp_path / "out")
    names = {path.name for path in written}
    assert {"memberships.parquet", "entities.parquet", "pairs.parquet", "summary.json", "report.html"} <= names
    can = find_model(model).capabilities
    assert ("weights.parquet" in names) == (Capability.EXPLAIN in can)
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert ("What agreement weighs" in page) == (Capability.EXPLAIN in can)
    said = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    assert said["model"] == model and tomllib.loads(said["settings"])["model"] == model
    again = read_table(tmp_path / "out" / "memberships.parquet").table
    assert again.to_pylist() == outcome.resolution.memberships.to_pylist()


@pytest.mark.parametrize("model", ALL)
def test_a_result_is_explained_as_far_as_the_model_says(model, plain):
    found = plain(model)
    if Capability.EXPLAIN in find_model(model).capabilities:
        assert np.isfinite(found.explain("k0", "k16").bits)
        assert found.weights().num_rows > 0
    else:
        for asked in (lambda: found.explain("k0", "k16"), found.weights):
            with pytest.raises(UnsupportedError, match=f"the model {model} weighs no pairs"):
                asked()


@pytest.mark.parametrize("model", ALL)
def test_a_result_lives_on_in_a_knowledge_base(model, table, tmp_path):
    path = tmp_path / "kb.duckdb"
    config = ResolveConfig.of({"model": model}, base=BASE)
    store_outcome(run_job(Job(table=table.slice(0, N - 4), config=config)), path)
    update = update_knowledge_base(path, tables=[table.slice(N - 4)])
    assert update.n_added == 4 and update.n_records == N
    can = find_model(model).capabilities
    if Capability.INCREMENTAL not in can:
        assert update.is_refreshed and any("all records are resolved anew" in note for note in update.notes)
    with read_knowledge_base(path) as base:
        assert base.value("SELECT count(*) FROM memberships") == N
        assert (base.value("SELECT count(*) FROM weights") > 0) == (Capability.EXPLAIN in can)
        assert explain_records(base, "k0", "k16").pair.steps
    judge(path, [Said("same", "k0", "k1")])  # more in tests/kb/test_verbs.py
    with read_knowledge_base(path) as base:
        assert base.value("SELECT count(DISTINCT entity) FROM memberships WHERE id IN ('k0', 'k1')") == 1


@pytest.mark.parametrize("model", ALL)
def test_a_stopped_run_goes_on_as_far_as_the_model_says(model, table, plain, tmp_path):
    if Capability.RESUME not in find_model(model).capabilities:
        with pytest.raises(UnsupportedError, match="--resume"):
            check(find_model(model), ResolveConfig(model=model), resume=True)
        return
    stopped = resolve(table, BASE, model=model, stop=StopAfter(5))
    assert stopped.is_stopped and stopped.so_far
    write_checkpoint(tmp_path / "x.npz", stopped.checkpoint, {})
    on = resolve(table, BASE, model=model, resume=read_checkpoint(tmp_path / "x.npz")[0])
    assert on.memberships.equals(plain(model).memberships)


# The toy gets everything by registering.


def cli():
    spec = importlib.util.spec_from_file_location("cli_conftest", Path(__file__).parents[2] / "cli" / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def onoma(monkeypatch, capsys, tmp_path):
    return cli().onoma.__wrapped__(monkeypatch, capsys, tmp_path)


def test_a_registered_model_has_the_command_and_the_file_of_settings(onoma, table):
    write_table(table, "people.csv")
    ran = onoma("resolve people.csv --id key --model toy --set letters=2 --block part -o out.csv --json")
    assert ran.code == 0, ran.err
    Path("job.toml").write_text(ran.json["settings"], "utf-8")
    assert 'model = "toy"' in ran.json["settings"] and "letters = 2" in ran.json["settings"]
    again = onoma("resolve people.csv --settings job.toml -o again.csv --json")
    assert again.code == 0, again.err
    assert Path("again.csv").read_bytes() == Path("out.csv").read_bytes()
    parts = onoma("resolve people.csv --settings job.toml --engine local[2] --partitions 3 -o parts.csv --json")
    assert parts.code == 0 and parts.json["entities"] == ran.json["entities"]
    for option in ("--link --source side", "--labels wrong", "--samples 3", "--also-compare city"):
        refused = onoma(f"resolve people.csv --model toy {option}")
        assert refused.code != 0 and "the model toy takes no --" in refused.err


def test_a_model_of_another_package_is_found_by_its_entry_point(monkeypatch):
    class Point:
        name = "theirs"

        @staticmethod
        def load():
            return Toy()

    monkeypatch.setattr(registry, "entry_points", lambda group, name="theirs": [Point] if name == "theirs" else [])
    assert "theirs" in model_names() and isinstance(find_model("theirs"), Toy)


def test_unknown_models_are_named():
    with pytest.raises(SettingsError, match="no model 'copyng'") as error:
        find_model("copyng")
    assert "Did you mean 'copying'?" in str(error.value)
