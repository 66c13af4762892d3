"""The first use on a machine: a second process compiles the kernels of the later stages while the first gets there.

Numba compiles one kernel at a time in a process, and a stage waits for its kernels. So as soon as a run has to compile
one, it starts a process that compiles those which the run will need last, and puts them into the cache, where the run
finds them; the very last first, so that the two meet in the middle and do not compile the same ones side by side. What
is not there by then the run compiles itself: the process can fail or be ended at any moment, and costs time at most.

Trees have one kernel that takes longer than all others together. The run compiles it at once, wherever it is, and the
process the others, early and late.

Kernels are compiled for the types that the run gives them, told by arrays of next to nothing; a test compares the two.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba as nb
import numpy as np
from numba.core import event

__all__ = ["AT_ONCE", "LATER", "compile_later", "compiled_beside"]

Needed = list[tuple[Any, tuple[Any, ...]]]
"""Kernels, each with arguments of the types that it is given."""


def _empty(dtype: type[np.generic]) -> Any:  # noqa: ANN401 (an array of that type)
    return np.empty(0, dtype=dtype)


def _copying() -> Needed:
    """Return the kernels that compare values, learn weights, sample copies, settle and check entities, as needed.

    First stand those that only large tables need.
    """
    from onoma.corpus import _clustering_kernels as clustering
    from onoma.numerics import union_find
    from onoma.resolve.comparison import _slips_kernels as slips
    from onoma.resolve.comparison import _weights_kernels as weights
    from onoma.resolve.fields import _pairs_kernels as records
    from onoma.resolve.fields.kinds import _levels_kernels as values
    from onoma.resolve.fields.packed import _texts_kernels as spelling
    from onoma.resolve.posterior import _consensus_kernels as consensus
    from onoma.resolve.posterior import _copying_kernels as copying
    from onoma.resolve.posterior import _exact_kernels as exact

    small, numbers, whole = _empty(np.int8), _empty(np.int32), _empty(np.int64)
    floats, shares, flags = _empty(np.float64), _empty(np.float32), _empty(np.bool_)
    table, key = np.empty((0, 0)), np.uint64(0)
    levels, places = small.reshape(0, 0), numbers.reshape(0, 0)
    log_share, known, tables = shares.reshape(0, 0), flags.reshape(0, 0), np.empty((0, 0, 0))
    lists = copying.Lists(numbers, whole, numbers, shares, shares)
    origins = copying.Origins(floats, whole, small, numbers, numbers)
    scratch = copying.Scratch._make([*[numbers] * 6, floats, floats])
    counts = copying.Counts._make([numbers] * 6)
    pairs = (numbers, numbers, floats, floats)
    letters, masks = _empty(np.uint16), _empty(np.uint64)
    texts, words = (letters, whole, masks, masks, 0), (whole, numbers, numbers, numbers)
    return [
        (copying.count_and_sample, (0, 0, 0, 0, key, lists, origins, counts)),
        (copying.new_origins, (floats,)),
        (copying.new_scratch, (0,)),
        (copying.sample_times, (key, lists, None, origins, scratch)),
        (records.different_values, (numbers, numbers, numbers, np.empty((2, 2), dtype=np.int8)[:, 0])),
        (spelling.letter_masks, (letters, whole)),
        (spelling.letter_tallies, (letters, whole)),
        (values.name_levels, (*[numbers] * 4, *texts, *words, whole, numbers, whole, numbers)),
        (values.date_levels, (numbers, numbers, places, floats, letters, whole, masks)),
        (
            values.place_levels,
            (numbers, numbers, *texts, shares, whole, numbers, floats, floats, whole, numbers, shares),
        ),
        (values.code_levels, (numbers, numbers, letters, whole, masks)),
        (weights.fill_shares, (numbers, shares, numbers, levels, 0, log_share)),
        (weights.count_pairs, (levels, 0, 0, floats, table)),
        (weights.count_levels, (levels, whole, floats, tables)),
        (weights.score_pairs, (levels, log_share, whole, tables[None], table, table, floats, floats)),
        (weights.subtract_shares, (whole, floats, floats, whole, whole, floats, log_share, floats, floats)),
        (slips.slip_distributions, (whole, whole, tables, whole, known)),
        (copying.components_above, (0, *pairs, 0.0)),
        (copying.order_by, (numbers, whole)),
        (copying.plausible_lists, (numbers, 0, flags, *pairs, 0.0)),
        (copying.pairs_within, (numbers, 0, whole, numbers, numbers)),
        (copying.run_sweeps, (key, 0, 0, lists, floats, counts, whole, places)),
        (copying.wait_alone, (key, whole, floats)),
        (exact.pairs_that_matter, (0, numbers, numbers, floats, floats, 0.0, 0.0, 0.0)),
        (union_find.components, (0, whole, whole)),
        (exact.sizes_of_pairs, (numbers, numbers, whole, whole, 0)),
        (exact.sum_forests, (table, table, levels, floats, places, table, table, table)),
        (exact.draw_forests, (key, places, table, table, levels, floats, levels, places, whole)),
        (consensus.settle_components, (whole, whole, places, 0.0, whole, floats)),
        (clustering.number_by_appearance, (whole,)),
        (clustering.sort_by_label, (whole, 0)),
        (union_find.spanning_forest, (0, whole, whole)),
    ]


def _trees() -> Needed:
    """Return the kernels that prepare values, weigh them and check entities beside the sampler of trees."""
    from onoma.corpus import _clustering_kernels as clustering
    from onoma.resolve.comparison import _weights_kernels as weights
    from onoma.resolve.fields import _bags_kernels as bags
    from onoma.resolve.fields import _names_kernels as names
    from onoma.resolve.fields import _pairs_kernels as records
    from onoma.resolve.fields.kinds import _levels_kernels as values
    from onoma.resolve.fields.kinds import _packed_kernels as packed
    from onoma.resolve.fields.packed import _texts_kernels as spelling
    from onoma.resolve.fields.packed import _writing_kernels as writing

    raw, letters, masks = _empty(np.uint8), _empty(np.uint16), _empty(np.uint64)
    small, numbers, whole = _empty(np.int8), _empty(np.int32), _empty(np.int64)
    floats, shares, flags = _empty(np.float64), _empty(np.float32), _empty(np.bool_)
    texts, words = (letters, whole, masks, masks, 0), (whole, numbers, numbers, numbers)
    levels = small.reshape(0, 0)
    return [
        (spelling.distinct_within, (whole, numbers)),
        (bags.letters_alone, (letters, whole)),
        (spelling.slips_upto_two, (numbers, numbers, letters, whole)),
        (packed.hash_words, (whole, numbers, numbers, flags, False, letters, whole)),
        (records.distinct_keys, (whole, 0)),
        (bags.deletion_hashes, (letters, whole, whole)),
        (writing.fold_bytes, (raw, whole, 0, masks)),
        (names.align_names, (numbers, numbers, *words, whole, numbers, whole, numbers)),
        (clustering.number_by_appearance, (whole,)),
        (records.different_values, (numbers, numbers, numbers, np.empty((2, 2), dtype=np.int8)[:, 0])),
        (spelling.letter_masks, (letters, whole)),
        (spelling.letter_tallies, (letters, whole)),
        (values.name_levels, (*[numbers] * 4, *texts, *words, whole, numbers, whole, numbers)),
        (bags.bag_cosines, (numbers, numbers, whole, numbers, floats, floats)),
        (bags.soft_cosines, (numbers, numbers, whole, numbers, floats, floats, whole, numbers, shares)),
        (weights.fill_shares, (numbers, shares, numbers, levels, 0, shares.reshape(0, 0))),
        (clustering.sort_by_label, (whole, 0)),
        (weights.count_levels, (levels, whole, floats, np.empty((0, 0, 0)))),
        (weights.count_pairs, (levels, 0, 0, floats, np.empty((0, 0)))),
    ]


def _sampler_of_trees() -> Needed:
    from onoma.resolve.models.hierarchical import _moves_kernels as moves
    from onoma.resolve.models.hierarchical._bags_kernels import Forest, Mentions
    from onoma.resolve.models.hierarchical._scores_kernels import Scores

    numbers, whole, floats, shares = _empty(np.int32), _empty(np.int64), _empty(np.float64), _empty(np.float32)
    places, table, joint = numbers.reshape(0, 0), np.empty((0, 0)), whole.reshape(0, 0)
    cube, sizes = np.empty((0, 0, 0)), numbers.reshape(0, 0, 0)
    lists = (whole, numbers)
    mentions = Mentions(
        *lists, places, numbers, _empty(np.int8), shares.reshape(0, 0), places, numbers, shares, numbers, *lists * 3
    )
    forest = Forest(places, cube, sizes, table, places, joint, numbers, numbers, whole)
    scores = Scores(table, table, floats, table, table, floats)
    plan = moves.Plan(0.0, is_exact=False, is_inside=False, is_flat=False, near=0.0, reshape=0.0, patience=0.0)
    scratch = moves.Scratch(
        floats, whole, floats, whole, whole, floats, table, numbers, table, whole, table, joint, floats
    )
    return [
        (moves.run_canopies, (_empty(np.uint64), mentions, forest, scores, plan, whole, whole, floats, whole, scratch))
    ]


LATER: dict[str, Callable[[], Needed]] = {"copying": _copying, "hierarchical": _trees}
"""By model, the kernels that the second process compiles."""
AT_ONCE: dict[str, Callable[[], Needed]] = {"hierarchical": _sampler_of_trees}
"""By model, what the run compiles as soon as it has to compile anything."""


def compile_later(model: str) -> None:
    """Compile the kernels that a model needs late, or find them in the cache."""
    for kernel, arguments in reversed(LATER[model]()):
        _compile(kernel, arguments)


def _compile(kernel: Any, arguments: tuple[Any, ...]) -> None:  # noqa: ANN401
    kernel.compile(tuple(nb.typeof(each) for each in arguments))  # type: ignore[no-untyped-call]


@contextmanager
def compiled_beside(model: str, first: str = "") -> Iterator[None]:
    """Let a second process compile what a model needs late, from the moment on that a kernel is compiled inside.

    Parameters
    ----------
    first
        Lines of Python that the process runs first.
    """
    if model not in LATER or (os.cpu_count() or 1) < 2 or not sys.executable:
        yield
        return
    helper = _Helper(model, first)
    event.register("numba:compile", helper)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        event.unregister("numba:compile", helper)  # type: ignore[no-untyped-call]
        helper.end()


class _Helper(event.Listener):
    """Starts the second process when it hears that a kernel is compiled."""

    def __init__(self, model: str, first: str) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._model = model
        code = f"{first}\nfrom onoma.pipeline.beside import compile_later; compile_later({model!r})"
        self._line = [sys.executable, "-P", "-c", code]

    def on_start(self, event: object) -> None:  # noqa: ARG002
        if self.process is None:
            silent = subprocess.DEVNULL
            self.process = subprocess.Popen(self._line, stdin=silent, stdout=silent, stderr=silent)
            for kernel, arguments in AT_ONCE.get(self._model, list)():
                _compile(kernel, arguments)

    def on_end(self, event: object) -> None:
        """Go on: there is more to compile."""

    def end(self) -> None:
        """End the process if it still runs: what it has compiled is kept, what is left nobody waits for."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
