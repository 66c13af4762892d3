"""Semi-Markov conditional random fields: probabilities of whole segmentations, learnt from labelled texts.

A text x is cut into segments s = ⟨(start, end, label)⟩ with

    P(s | x) = exp(θ · Σ_j g(y_{j−1}, x, s_j)) / Z(x)

(Sarawagi and Cohen, 2004). The features g of a segment are the attributes of its tokens with its label, those of its
first and last token in these roles, its length, attributes of the segment as a whole, and the transition from the label
before. Inference is exact, O(n (|Y|² + L |Y|)) for a text of n tokens (`_semicrf_kernels`). With segments of one token
this is the linear-chain CRF (Lafferty, McCallum and Pereira, 2001).

Learning: penalised maximum likelihood by L-BFGS or by stochastic gradients (AdaGrad), or the averaged perceptron
(`semicrf_training`). Labels may form a tree (`taxonomy`).
"""

from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.learning.sequences._semicrf_arrays import Layout
from onoma.learning.sequences._semicrf_kernels import label_texts, marginal_texts
from onoma.learning.sequences.semicrf_layout import Segmentation, Sequences, Structure, build_layout, n_weights
from onoma.learning.sequences.semicrf_training import Training, train
from onoma.learning.storage import load_model, save_model
from onoma.progress import SILENT, Progress

__all__ = ["Marginals", "Segmentation", "SemiCRF", "Sequences", "Structure", "Training"]


class Marginals(NamedTuple):
    """Probabilities under a model.

    Attributes
    ----------
    tokens
        Tokens × labels.
    segments
        Of each given segment, at the token where it starts; 0 elsewhere.
    log_z
        Σ log Z over the texts.
    """

    tokens: NDArray[np.float64]
    segments: NDArray[np.float64]
    log_z: float


class SemiCRF:
    """A semi-Markov CRF; a linear chain when segments are one token long.

    Parameters
    ----------
    structure
        Which features it has.
    barred
        Transitions that cannot be: labels × labels, or one such table for each class of borders.

    Attributes
    ----------
    weights_
        One number a feature.
    layout_
        Where each feature's weight lies.
    trace_
        What training saw: objective by round.

    Examples
    --------
    Two labels, texts of two tokens, one attribute a token:

    >>> import scipy.sparse as sp
    >>> texts = Sequences.of(sp.csr_array(np.eye(4)), [0, 2, 4])
    >>> model = SemiCRF(Structure(2)).fit(texts, Segmentation.of_tokens([0, 1, 0, 1]))
    >>> model.predict(texts).tokens().tolist()
    [0, 1, 0, 1]
    """

    def __init__(self, structure: Structure, *, barred: NDArray[np.bool_] | None = None) -> None:
        self.structure = structure
        self.barred = barred
        self.weights_ = np.zeros(0)
        self.layout_: Layout | None = None
        self.trace_: list[float] = []

    def fit(
        self,
        sequences: Sequences,
        gold: Segmentation,
        *,
        training: Training | None = None,
        start: NDArray[np.float64] | None = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Learn the weights from labelled texts.

        Parameters
        ----------
        sequences
            The texts.
        gold
            Their segments.
        training
            How; default L-BFGS.
        start
            Weights to start from; default 0.
        progress
            Shows rounds.
        """
        self._check_gold(sequences, gold)
        self.begin(sequences, gold, start=start)
        self.weights_, self.trace_ = train(
            sequences.texts, self.layout(), gold, self.weights_, training or Training(), progress
        )
        return self

    def begin(
        self, sequences: Sequences, gold: Segmentation | None = None, *, start: NDArray[np.float64] | None = None
    ) -> Self:
        """Lay the weights out without learning: for training by other means than labels."""
        barred = self.barred
        if barred is not None and barred.ndim == 2:
            barred = np.broadcast_to(barred, (sequences.n_classes, *barred.shape)).copy()
        self.layout_ = build_layout(self.structure, sequences, gold, barred=barred)
        self.weights_ = np.zeros(n_weights(self.layout_)) if start is None else np.array(start, float)
        return self

    def layout(self) -> Layout:
        """Return where the weights lie."""
        if self.layout_ is None:
            raise DataError("this model has not been fitted", hint="Call fit first.")
        return self.layout_

    def predict(self, sequences: Sequences) -> Segmentation:
        """Return the most likely segmentation of each text (Viterbi)."""
        layout = self._check(sequences)
        labels, lengths = np.full(sequences.n_tokens, -1), np.zeros(sequences.n_tokens, np.int64)
        label_texts(np.arange(len(sequences)), sequences.texts, layout, self.weights_, labels, lengths)
        return Segmentation(labels, lengths)

    def marginals(self, sequences: Sequences, segments: Segmentation | None = None) -> Marginals:
        """Return the probability of each token's labels and of each given segment."""
        layout = self._check(sequences)
        given = segments or Segmentation(np.full(sequences.n_tokens, -1), np.zeros(sequences.n_tokens, np.int64))
        tokens, chances = np.zeros((sequences.n_tokens, layout.n_labels)), np.zeros(sequences.n_tokens)
        log_z = marginal_texts(
            np.arange(len(sequences)),
            sequences.texts,
            layout,
            self.weights_,
            given.labels,
            given.lengths,
            tokens,
            chances,
        )
        return Marginals(tokens, chances, float(log_z))

    def save(self, folder: str | Path) -> None:
        """Write the model to a folder (arrays and JSON)."""
        layout = self.layout()
        arrays = {f"layout_{name}": value for name, value in layout._asdict().items() if isinstance(value, np.ndarray)}
        numbers = {name: value for name, value in layout._asdict().items() if not isinstance(value, np.ndarray)}
        structure = asdict(self.structure)
        if not (structure["longest"] is None or isinstance(structure["longest"], int)):
            structure["longest"] = [int(bound) for bound in structure["longest"]]
        facts = {"structure": structure, "layout": numbers, "trace": self.trace_}
        save_model(folder, "semicrf", facts, {"weights": self.weights_.astype(np.float32), **arrays})

    @classmethod
    def load(cls, folder: str | Path) -> "SemiCRF":
        """Read a model written by `save`. Weights are kept in single precision."""
        facts, arrays = load_model(folder, "semicrf")
        structure = facts["structure"] | {"parents": tuple(facts["structure"]["parents"])}
        model = cls(Structure(**structure))
        stored = {name.removeprefix("layout_"): value for name, value in arrays.items() if name.startswith("layout_")}
        model.layout_ = Layout(**(facts["layout"] | stored))
        model.weights_, model.trace_ = arrays["weights"].astype(np.float64), facts["trace"]
        return model

    def _check(self, sequences: Sequences) -> Layout:
        layout = self.layout()
        n = len(layout.inside) - 1
        if sequences.n_attributes != n and n:
            raise DataError(f"{sequences.n_attributes:,} attributes; this model was learnt from {n:,}")
        if sequences.n_classes > layout.n_classes:
            raise DataError(f"{sequences.n_classes} classes of borders; this model was learnt from {layout.n_classes}")
        return layout

    def _check_gold(self, sequences: Sequences, gold: Segmentation) -> None:
        if len(gold.labels) != sequences.n_tokens or gold.lengths.sum() != sequences.n_tokens:
            raise DataError(f"the segments cover {gold.lengths.sum():,} tokens; the texts have {sequences.n_tokens:,}")
        starts = np.flatnonzero(gold.lengths)
        labels = gold.labels[starts]
        if len(labels) and not (labels.min() >= 0 and labels.max() < self.structure.n_labels):
            raise DataError(f"labels run from {labels.min()} to {labels.max()}; allowed: 0 below the number of labels")
        too_long = gold.lengths[starts] > self.structure.bounds()[labels]
        if too_long.any():
            raise DataError(
                f"{too_long.sum():,} segments are longer than their label allows (the longest: "
                f"{gold.lengths[starts][too_long].max()} tokens)",
                hint="Raise longest, or cut these segments.",
            )
