"""Random numbers: one seed, many independent streams, the same on every machine and for every thread count.

In Python, `stream(seed, *keys)` gives a NumPy generator whose stream is named by its keys (a shard, a chain, a round),
not by the thread that happens to run it. In a kernel, `kernel_state(seed, *keys)` gives a `uint64[4]` array that the
functions below advance in place: xoshiro256++ (Blackman and Vigna, 2021), 2**256 - 1 states, four words, no
multiplication in the transition. Both are seeded through `numpy.random.SeedSequence`, which mixes seed and keys so that
neighbouring seeds give unrelated streams.
"""

import zlib

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.numerics.kernels import kernel

__all__ = ["below", "exponential", "kernel_state", "normal", "shuffle_inplace", "stream", "uniform"]


def stream(seed: int, *keys: int | str) -> np.random.Generator:
    """Return the generator named by a seed and any number of keys.

    Examples
    --------
    >>> bool(stream(7, "shard", 3).random() == stream(7, "shard", 3).random())
    True
    >>> bool(stream(7, "shard", 3).random() == stream(7, "shard", 4).random())
    False
    """
    return np.random.Generator(np.random.Philox(_sequence(seed, keys)))


def kernel_state(seed: int, *keys: int | str) -> NDArray[np.uint64]:
    """Return the state of one kernel stream, to be advanced in place by the kernels that receive it.

    Examples
    --------
    >>> state = kernel_state(7, "chain", 0)
    >>> 0.0 <= uniform(state) < 1.0
    True
    """
    return _sequence(seed, keys).generate_state(4, np.uint64).astype(np.uint64)


def _sequence(seed: int, keys: tuple[int | str, ...]) -> np.random.SeedSequence:
    if seed < 0:
        raise SettingsError(f"seed is {seed}; a seed is a whole number from 0 up")
    # A word becomes its CRC: short, stable between runs and platforms (unlike hash()).
    numbers = [zlib.crc32(key.encode()) if isinstance(key, str) else int(key) for key in keys]
    return np.random.SeedSequence(seed, spawn_key=numbers)


@nb.njit(cache=True, nogil=True, inline="always")
def next_word(state: NDArray[np.uint64]) -> np.uint64:
    """Advance the state and return 64 random bits."""
    total = state[0] + state[3]
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + state[0]
    t = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= t
    state[3] = (state[3] << np.uint64(45)) | (state[3] >> np.uint64(19))
    return result


@kernel
def uniform(state: NDArray[np.uint64]) -> float:
    """Return a number in [0, 1): the top 53 bits."""
    return (next_word(state) >> np.uint64(11)) * 1.1102230246251565e-16  # 2**-53


@kernel
def below(state: NDArray[np.uint64], n: int) -> int:
    """Return a whole number in [0, n), every one equally likely.

    Masks to the next power of two and draws again when the number is too large: exact, at most two draws on average.
    """
    mask = np.uint64(n - 1)
    mask |= mask >> np.uint64(1)
    mask |= mask >> np.uint64(2)
    mask |= mask >> np.uint64(4)
    mask |= mask >> np.uint64(8)
    mask |= mask >> np.uint64(16)
    mask |= mask >> np.uint64(32)
    while True:
        # The high half of the word: xoshiro's best bits.
        word = next_word(state)
        candidate = (word >> np.uint64(32)) & mask if mask <= np.uint64(0xFFFFFFFF) else word & mask
        if candidate < np.uint64(n):
            return int(np.int64(candidate))


@kernel
def exponential(state: NDArray[np.uint64]) -> float:
    """Return a draw from the exponential distribution with mean 1."""
    return -np.log1p(-uniform(state))


@kernel
def normal(state: NDArray[np.uint64]) -> float:
    """Return a draw from the standard normal distribution (Marsaglia's polar method, the second number thrown away)."""
    while True:
        x = 2.0 * uniform(state) - 1.0
        y = 2.0 * uniform(state) - 1.0
        s = x * x + y * y
        if 0.0 < s < 1.0:
            return x * np.sqrt(-2.0 * np.log(s) / s)


@kernel
def shuffle_inplace(state: NDArray[np.uint64], items: NDArray[np.int64]) -> None:
    """Put the items in a uniformly random order (Fisher and Yates)."""
    for i in range(len(items) - 1, 0, -1):
        j = below(state, i + 1)
        items[i], items[j] = items[j], items[i]
