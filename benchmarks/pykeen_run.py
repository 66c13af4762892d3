"""PyKEEN, started as a peer. It is heavy and wants an environment of its own: name its interpreter in ONOMA_PYKEEN."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from onoma.knowledge.facts import Triples
from onoma.pipeline.studies._sets.knowledge_bases import KnowledgeBase

RATES = (0.001, 0.003, 0.01)
"""Learning rates tried."""


def run_pykeen(
    base: KnowledgeBase, settings: dict[str, object], *, measured: Triples, looked: Triples | None = None
) -> list[dict[str, float]]:
    """Run PyKEEN; return the lines it printed, none where there is no PyKEEN."""
    python = os.environ.get("ONOMA_PYKEEN")
    if not python:
        return []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "triples.npz"
        parts = {
            "train": base.train.triples,
            "known": base.everything.triples,
            "measured": measured,
            "looked": looked or measured,
        }
        arrays = {name: np.stack(triples.columns, axis=1) for name, triples in parts.items()}
        np.savez(path, n_entities=base.n_entities, n_relations=len(base.train.relations), **arrays)
        script = Path(__file__).with_name("_pykeen_peer.py")
        done = subprocess.run(
            [python, str(script), str(path), json.dumps(settings)], capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
