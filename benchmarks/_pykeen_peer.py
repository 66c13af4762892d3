"""PyKEEN, in an interpreter that has it: `python _pykeen_peer.py TRIPLES.npz SETTINGS`; prints JSON lines.

Trains RESCAL (1-N cross entropy with inverse relations) or TransE (margin loss, sampled negatives) for some seconds of
training (processor time, one thread); evaluation is not counted. RESCAL says at the end its filtered MRR on the facts
to be measured; where an aim is given, it looks at a few of them twelve times along the way and stops at the aim. TransE
leaves its embeddings in a file.
"""

import contextlib
import json
import logging
import sys
import time
import warnings

import numpy as np
import torch
from pykeen.evaluation import RankBasedEvaluator
from pykeen.losses import CrossEntropyLoss
from pykeen.models import RESCAL, TransE
from pykeen.training import LCWATrainingLoop, SLCWATrainingLoop
from pykeen.training.callbacks import TrainingCallback
from pykeen.triples import CoreTriplesFactory


class EnoughError(Exception):
    """Time is up, or the aim is reached."""


class Watch(TrainingCallback):
    """Counts training time, stops when it is over, and looks whether the aim is reached."""

    def __init__(self, settings: dict, data: dict) -> None:
        super().__init__()
        self.settings, self.data = settings, data
        self.spent, self.looked, self.mark = 0.0, 0.0, time.process_time()

    def post_batch(self, epoch: int, batch: object, **_: object) -> None:  # noqa: ARG002  (PyKEEN's names)
        self.spent += time.process_time() - self.mark
        if self.spent >= self.settings["seconds"]:
            raise EnoughError
        if "aim" in self.settings and self.spent - self.looked >= self.settings["seconds"] / 12:
            self.looked = self.spent
            if self.mrr("looked") >= self.settings["aim"]:
                raise EnoughError
        self.mark = time.process_time()

    def mrr(self, part: str) -> float:
        found = RankBasedEvaluator(filtered=True).evaluate(
            self.model,
            torch.tensor(self.data[part]),
            additional_filter_triples=[torch.tensor(self.data["known"])],
            use_tqdm=False,
            batch_size=256,
        )
        return float(found.get_metric("both.realistic.inverse_harmonic_mean_rank"))


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    data, settings = dict(np.load(sys.argv[1])), json.loads(sys.argv[2])
    rescal = settings["model"] == "rescal"
    factory = CoreTriplesFactory(
        torch.tensor(data["train"]),
        num_entities=int(data["n_entities"]),
        num_relations=int(data["n_relations"]),
        create_inverse_triples=rescal,
    )
    if rescal:
        model = RESCAL(
            triples_factory=factory,
            embedding_dim=settings["rank"],
            loss=CrossEntropyLoss(),
            regularizer=None,
            random_seed=0,
        )
    else:
        model = TransE(triples_factory=factory, embedding_dim=settings["rank"], scoring_fct_norm=1, random_seed=0)
    loop = (LCWATrainingLoop if rescal else SLCWATrainingLoop)(
        model=model, triples_factory=factory, optimizer=torch.optim.Adam(model.parameters(), lr=settings["rate"])
    )
    watch = Watch(settings, data)
    with contextlib.suppress(EnoughError):
        loop.train(factory, num_epochs=100_000, batch_size=settings["batch"], use_tqdm=False, callbacks=watch)
    said = {"seconds": watch.spent}
    if rescal:
        said["mrr"] = watch.mrr("measured")
    else:
        entities, relations = (
            part[0](indices=None).detach().numpy()
            for part in (model.entity_representations, model.relation_representations)
        )
        np.savez(settings["output"], entities=entities, relations=relations)
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
