"""A small corrector, made of what the tests need."""

import numpy as np
import pytest

from onoma.correct.calibration import Calibration
from onoma.correct.candidates import Proposals
from onoma.correct.corrector import Corrector
from onoma.correct.forms import Forms
from onoma.correct.lists import TYPES
from onoma.correct.model import Weigher
from onoma.correct.ngrams import count_ngrams
from onoma.correct.spelling import Speller
from onoma.correct.writers import Writers
from reference.contexts import NATIVE

WRITERS = Writers((0.02, 0.014, 0.01, 0.007, 0.004, 0.0045), (0.0127, 0.007, 0.004, 0.0024, 0.0011, 0.0008))


@pytest.fixture(scope="session")
def weigher():
    sentences = [line.split() for line in NATIVE]
    forms = Forms(
        {"cat": "cats", "dog": "dogs", "day": "days"},
        {"go": ("go", "goes", "went", "gone", "going"), "bark": ("bark", "barks", "barked", "barked", "barking")},
        {"inform": ("information",)},
    )
    counts = {word: 100 for line in sentences for word in line if word.isalpha()}
    speller = Speller(counts, {"i": "I", "london": "London"}, frozenset(("cat", "school")))
    return Weigher(Proposals(forms, speller), count_ngrams(sentences, order=3), np.zeros(1 << 8, np.float32), bits=12)


@pytest.fixture(scope="session")
def corrector(weigher):
    rng = np.random.default_rng(5)
    weights = rng.normal(0, 1, 1 << 12).astype(np.float32)
    n = len(TYPES)
    calibration = Calibration(rng.uniform(0.5, 1.5, n).astype(np.float32), rng.normal(0, 0.5, n).astype(np.float32))
    return Corrector(weigher, weights, calibration, {0.3: 0.2, 0.6: 0.4}, {"task": "test"}, WRITERS)
