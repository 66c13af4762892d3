"""One way of writing: case, accents, punctuation and spaces that carry no meaning are put aside."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from rapidfuzz import process

from onoma.resolve.fields.packed._writing_kernels import COMMA, FOREIGN, LISTED, fold_bytes, hash_bytes
from onoma.resolve.fields.packed.texts import ArrowTexts, arrow_of, bytes_of, from_bytes

__all__ = ["cores_for", "element_wise", "fold", "fold_all", "fold_packed", "number_texts", "squeeze"]

# Letters that Unicode does not take apart into a base letter and a mark.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t"}
)
_NO_LETTERS = re.compile(r"[\W_]+")
_NO_ASCII = str.maketrans({chr(i): " " for i in range(128) if not chr(i).isalnum()} | {"'": None})
_QUOTES = re.compile("['’ʼ`´]")
_SOME = 32  # texts: so many are folded one by one before Arrow has begun


def fold(text: str) -> str:
    """Write a text in small letters without accents or punctuation, words apart by one space.

    An apostrophe vanishes (O'Neil is one word); any other sign parts words.

    Examples
    --------
    >>> fold("  Müller-Lüdenscheidt, Ḱarl ")
    'muller ludenscheidt karl'
    >>> fold("O'Neil & Söhne (Łódź)")
    'oneil sohne lodz'
    """
    if text.isascii():
        return " ".join(text.lower().translate(_NO_ASCII).split())
    apart = unicodedata.normalize("NFKD", _QUOTES.sub("", text).casefold().translate(_LETTERS))
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return " ".join(_NO_LETTERS.sub(" ", bare).split())


def fold_all(texts: Sequence[str], *, apart: str = " ") -> Sequence[str]:
    """Fold many texts.

    Parameters
    ----------
    apart
        What stands between words.

    Examples
    --------
    >>> fold_all(["O'Neil & Sons ", "Müller"])
    ['oneil sons', 'muller']
    """
    if len(texts) <= _SOME:
        return [fold(text).replace(" ", apart) for text in texts]
    return fold_packed(texts, fold, apart=apart)


def fold_packed(
    texts: Sequence[str],
    one: Callable[[str], str],
    *,
    apart: str = " ",
    words: Iterable[str] = (),
    commas: bool = False,
) -> ArrowTexts:
    """Fold many texts, all at once; those that need more than that are written by themselves.

    Parameters
    ----------
    one
        Writes one text: those that are not of ASCII alone (then apart by `apart`), and, if asked for, others.
    words, commas
        Texts with one of these words, or with a comma, are written by `one`, too.
    """
    data, offsets = bytes_of(texts)
    listed = np.sort(hash_bytes(*bytes_of(list(words))))
    folded, ends, notes = fold_bytes(data, offsets, ord(apart) if apart else -1, listed)
    found = from_bytes(folded, ends)
    alone = (notes & (FOREIGN | LISTED | (COMMA if commas else 0))) > 0
    if alone.any():
        rest = arrow_of(texts).filter(pa.array(alone)).to_pylist()
        written = pa.array([one(text).replace(" ", apart) for text in rest], pa.large_string())
        found = pc.replace_with_mask(found, pa.array(alone), written)
    return ArrowTexts(found)


def squeeze(text: str) -> str:
    """Write a text as `fold` does, without the spaces: for codes, in which separators mean nothing.

    Examples
    --------
    >>> squeeze("310/246-1501")
    '3102461501'
    """
    return fold(text).replace(" ", "")


_FEW = 2_000


def number_texts(texts: Iterable[str]) -> NDArray[np.int32]:
    """Number texts by first appearance, so that equal texts have equal numbers."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(text, len(known)) for text in texts], np.int32)


def element_wise(
    values: NDArray[np.object_],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    scorer: Callable[..., float],
    *,
    score_cutoff: float | None = None,
) -> NDArray[np.float32]:
    """Compare the values of each pair with a RapidFuzz scorer, on all cores; what is beyond the cutoff is cut short."""
    first: Sequence[str] = values[a].tolist()
    second: Sequence[str] = values[b].tolist()
    cores = cores_for(len(first))
    return process.cpdist(first, second, scorer=scorer, score_cutoff=score_cutoff, workers=cores, dtype=np.float32)


def cores_for(n: int) -> int:
    """Return on how many cores so many pairs of texts are compared (-1: all): few are done before threads begin."""
    return -1 if n > _FEW else 1
