import json

import numpy as np
import pytest

from onoma.errors import DataError
from onoma.mcmc.chains import Chains, ChainsSettings
from onoma.mcmc.checkpoint import KINDS, decode, encode
from onoma.mcmc.gibbs import Gibbs
from onoma.mcmc.minibatch import Poisson
from onoma.mcmc.schedules import Geometric, Restart
from onoma.mcmc.subsampling import Confidence
from reference.random_graphs import random_graph


@pytest.mark.parametrize(
    "settings",
    [
        Gibbs("random", Confidence(0.5, z=2.0)),
        Gibbs(scoring=Poisson(2.0, fallback=False)),
        Restart(Geometric(2.0, 0.1, 9), 9),
    ],
    ids=str,
)
def test_settings_survive_json(settings):
    assert decode(json.loads(json.dumps(encode(settings)))) == settings


def test_the_kinds_a_file_may_name_are_these():
    assert sorted(KINDS) == [
        "Adaptive", "Confidence", "Constant", "Exact", "Geometric", "Gibbs", "Linear", "Logarithmic", "Metropolis",
        "Poisson", "Restart", "Uniform",
    ]  # fmt: skip


def test_an_unknown_kind_is_refused():
    with pytest.raises(DataError, match="unknown kind of settings 'Path'"):
        decode({"kind": "Path"})


def test_another_graph_and_other_files_are_refused(tmp_path):
    graph, other = random_graph(1)[0], random_graph(2)[0]
    chains = Chains(graph, ChainsSettings(seed=1, n_chains=1))
    chains.save(tmp_path / "chains.npz")
    with pytest.raises(DataError, match="made on graph"):
        Chains.load(tmp_path / "chains.npz", other)
    (tmp_path / "text.npz").write_text("hello")
    np.savez(tmp_path / "arrays.npz", a=np.zeros(3))
    for name in ("text.npz", "arrays.npz", "missing.npz"):
        with pytest.raises(DataError, match="not a checkpoint"):
            Chains.load(tmp_path / name, graph)


def test_another_version_is_refused(tmp_path, monkeypatch):
    graph = random_graph(1)[0]
    chains = Chains(graph, ChainsSettings(seed=1, n_chains=1))
    monkeypatch.setattr("onoma.mcmc.checkpoint.VERSION", 0)
    chains.save(tmp_path / "chains.npz")
    monkeypatch.undo()
    with pytest.raises(DataError, match="version 0"):
        Chains.load(tmp_path / "chains.npz", graph)


def test_writers_have_working_files_of_their_own(tmp_path):
    graph = random_graph(1)[0]
    chains = Chains(graph, ChainsSettings(seed=1, n_chains=1))
    theirs = tmp_path / "chains.npz.part"  # of another process, under the name that all once used
    theirs.write_text("half")
    dead = tmp_path / ".chains.npz.999999999.part"
    dead.write_text("half")
    chains.save(tmp_path / "chains.npz")
    assert theirs.read_text() == "half"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["chains.npz", "chains.npz.part"]
