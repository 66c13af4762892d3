import zipfile

import numpy as np

from onoma.pipeline.reproduce import Context, reproduce
from onoma.pipeline.studies import maxent

NAMES, VERBS = ["Ann", "Bob", "Cat", "Dan", "Eve"], ["sees", "hears", "likes"]


def _write(folder):
    rng = np.random.default_rng(0)
    sentences = [[rng.choice(NAMES), rng.choice(VERBS), "the", rng.choice(NAMES).lower(), "."] for _ in range(60)]
    (folder / "text" / "nltk").mkdir(parents=True)
    tags = ["np", "vbz", "at", "nn", "."]
    with zipfile.ZipFile(folder / "text" / "nltk" / "brown.zip", "w") as archive:
        lines = [" ".join(f"{word}/{tag}" for word, tag in zip(s, tags, strict=True)) for s in sentences]
        archive.writestr("brown/ca01", "\n".join(lines))
    chunks = ["B-NP", "B-VP", "B-NP", "I-NP", "O"]
    with zipfile.ZipFile(folder / "text" / "nltk" / "conll2000.zip", "w") as archive:
        for part in ("train", "test"):
            blocks = ["\n".join(f"{w} {t} {c}" for w, t, c in zip(s, tags, chunks, strict=True)) for s in sentences]
            archive.writestr(f"conll2000/{part}.txt", "\n\n".join(blocks * 6) + "\n\n")


def test_figure_2_on_a_toy_corpus(tmp_path, monkeypatch):
    _write(tmp_path)
    monkeypatch.setattr(maxent, "LINES", {label: maxent.LINES[label] for label in ("CD, extrapolated", "CD", "SCGIS")})
    findings = reproduce("maxent/figure-2", Context(quick=True, data=tmp_path), out=tmp_path / "out")
    scores = {row.setting: row.ours for row in findings.rows if row.metric.startswith("test")}
    assert scores == {"Brown, CD, extrapolated": 100.0, "CoNLL-2000, CD, extrapolated": 100.0}
    assert all(np.isfinite(row.ours) for row in findings.rows)
    last = [row.ours for row in findings.rows if row.metric.startswith("relative difference after")]
    assert len(last) == 6
    assert all(-1e-4 < difference < 1.0 for difference in last)
    assert (tmp_path / "out" / "maxent-figure-2.png").stat().st_size > 10_000


def test_the_race_on_a_toy_corpus(tmp_path):
    _write(tmp_path)
    findings = reproduce("maxent/race", Context(quick=True, data=tmp_path))
    assert [row.setting for row in findings.rows[:3]] == ["Brown, CD", "Brown, SCGIS", "Brown, GIS"]
    assert all(0.0 < row.ours < 5.0 for row in findings.rows if row.setting.endswith(" CD"))
