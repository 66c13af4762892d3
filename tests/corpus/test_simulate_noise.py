from itertools import pairwise

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import DamerauLevenshtein

from onoma.corpus.simulate._noise_kernels import edit_inplace, edit_strings
from onoma.corpus.simulate.draw import around_one
from onoma.corpus.simulate.noise import happens, initials, lookalikes, near_keys, slips, unaccented
from onoma.numerics.rng import kernel_state, stream
from reference import noise_kernels as slow

WORDS = st.lists(st.tuples(st.text(alphabet="abmMwd lO05é王-", max_size=8), st.integers(0, 3)), max_size=12)


@settings(max_examples=150, deadline=None)
@given(WORDS, st.sampled_from([0.0, 0.3, 1.0]), st.integers(0, 1000))
def test_kernel_equals_its_twin(words, scanned, seed):
    encoded = [word.encode() for word, _ in words]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    data = np.frombuffer(b"".join(encoded), dtype=np.uint8).copy()
    edits = np.array([times for _, times in words], dtype=np.int8)
    places, text = edit_strings(offsets, data, edits, scanned, near_keys(), lookalikes(), kernel_state(seed))
    edited = [text[a:b].tobytes() for a, b in pairwise(places)]
    assert edited == slow.edit_strings(encoded, edits, scanned, near_keys(), lookalikes(), kernel_state(seed))
    for word in edited:
        word.decode()  # UTF-8 stays whole


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="abmMwdlO05é", max_size=8), st.integers(0, 1000))
def test_one_edit_equals_its_twin(word, seed):
    encoded = word.encode()
    buffer = np.zeros(len(encoded) + 1, dtype=np.uint8)
    buffer[: len(encoded)] = np.frombuffer(encoded, dtype=np.uint8)
    length = edit_inplace(buffer, len(encoded), 0.3, near_keys(), lookalikes(), kernel_state(seed))
    assert buffer[:length].tobytes() == slow.edit(encoded, 0.3, near_keys(), lookalikes(), kernel_state(seed))


def test_a_slip_is_one_or_two_edits_and_spares_what_is_not_hit():
    column = pa.array(["montgomery"] * 4000)
    hit = np.arange(4000) % 2 == 0
    edited = slips(column, hit, scanned=0.0, seed=1, keys=("t",)).to_pylist()
    distances = np.array([DamerauLevenshtein.distance("montgomery", word) for word in edited])
    assert (distances[~hit] == 0).all()
    assert distances[hit].max() == 2
    assert 0.05 < (distances[hit] == 2).mean() < 0.25
    # Each kind of slip occurs: left out, one too many, wrong order or wrong key.
    lengths = np.array([len(word) for word in edited])[hit] - 10
    assert {-1, 0, 1} <= set(lengths.tolist())


def test_scanner_slips_look_alike():
    edited = slips(pa.array(["mmm"] * 50), np.ones(50, dtype=bool), scanned=1.0, seed=1, keys=("t",)).to_pylist()
    assert set(edited) >= {"rnmm", "mrnm", "mmrn"}


def test_slips_keep_nulls_and_slices_and_repeat():
    column = pa.array(["x", "anna", None, "bert", "carl"])[1:]
    hit = np.array([True, True, False, True])
    first, again = (slips(column, hit, scanned=0.1, seed=3, keys=("t",)).to_pylist() for _ in range(2))
    assert first == again
    assert first[1] is None
    assert first[2] == "bert"
    assert first[0] != "anna"
    assert slips(column, ~hit & False, scanned=0.1, seed=3, keys=("t",)) is column


def test_keys_are_beside_each_other():
    near = {chr(b) for b in near_keys()[ord("g")] if b}
    assert {"f", "h"} <= near <= set("ftyhbvrcnu")
    assert {chr(b) for b in near_keys()[ord("G")] if b} == {key.upper() for key in near}
    assert {chr(b) for b in near_keys()[ord("5")] if b} == {"4", "6"}


def test_errors_come_in_bunches():
    rng = stream(0, "t")
    sloppy = around_one(rng, 50_000, variation=1.0)
    a, b = happens(rng, 0.1, sloppy), happens(rng, 0.1, sloppy)
    assert abs(a.mean() - 0.1) < 0.01
    assert b[a].mean() > 1.5 * b.mean()
    a, b = happens(rng, 0.1, 50_000), happens(rng, 0.1, 50_000)
    assert abs(b[a].mean() - b.mean()) < 0.02
    assert not happens(rng, 0.0, 10).any()


def test_initials_and_accents():
    assert initials(pa.array(["Émile", None, ""])).to_pylist() == ["É", None, ""]
    assert unaccented(pa.array(["Gödel", "Erdős", "Smith"])).to_pylist() == ["Godel", "Erdos", "Smith"]
