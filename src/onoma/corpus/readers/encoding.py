"""In which encoding a text file is written, where it is not UTF-8.

A file with a byte-order mark says it. Otherwise a file is UTF-8 if its bytes are; or if more of its characters beyond
ASCII are UTF-8 than not: then it is damaged UTF-8, and the rows with the damage are bad rows. What is left is a file
from before UTF-8. charset-normalizer says which encodings would make language of it; of those that do so equally well
the most used is taken, and only if most of the characters in doubt are letters beside letters, as in words. What was
taken is always said, for a short table can be guessed wrongly: `encoding` (`--encoding`) is the last word.
"""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from onoma.errors import DataError, SettingsError

__all__ = ["check_encoding", "find_encoding", "to_utf8"]

# In order of use on the web; of two that explain a file equally well the first is taken.
_CANDIDATES = (
    "cp1252",
    "cp1251",
    "shift_jis",
    "euc_jp",
    "gb18030",
    "euc_kr",
    "big5",
    "cp1250",
    "iso8859_2",
    "cp1254",
    "cp1256",
    "cp1253",
    "cp1255",
    "cp1257",
    "koi8_r",
    "mac_roman",
    "cp850",
    "latin_1",
)
_CHAOS, _COHERENCE = 0.01, 0.03  # differences smaller than these are none
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_CHUNK = 1 << 22
_SAMPLE = 1 << 17
_NOT_LEADING = bytes(range(0xC0))
_STRAY = re.compile("[\udc80-\udcff]")
_HIGH = re.compile("[^\x00-\x7f]")
_SIGNS = frozenset("‘’“”„–—…€£°§·«»®™©½¼¾ªº¿¡× ")


def check_encoding(name: str | None) -> str | None:
    """Return the name of an encoding as Python has it; refuse what is none."""
    if name is None:
        return None
    try:
        known = codecs.lookup(name)
        known.decode(b"")
    except (LookupError, ValueError, TypeError) as error:
        hint = "For example utf-8, latin-1, cp1252, cp1250, mac-roman, utf-16, shift_jis."
        raise SettingsError(f"there is no encoding {name!r}", hint=hint) from error
    if not getattr(known, "_is_text_encoding", True):
        raise SettingsError(f"{name!r} is no encoding of text")
    return known.name


def find_encoding(plain: Path) -> str | None:
    """Return the encoding of a file, None for UTF-8 (damaged or not)."""
    with plain.open("rb") as file:
        head = file.read(4)
        marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
        if marked:
            return marked
        file.seek(0)
        n_good, n_stray, sample = 0, 0, b""
        for chunk in _chunks(file):
            try:
                chunk.decode("utf-8")
                n_good += len(chunk.translate(None, _NOT_LEADING))
            except UnicodeDecodeError:
                stray = len(_STRAY.findall(text := chunk.decode("utf-8", "surrogateescape")))
                n_stray += stray
                n_good += len(_HIGH.findall(text)) - stray
                sample += b"\n".join(line for line in chunk.split(b"\n") if not line.isascii())[: _SAMPLE - len(sample)]
    return _legacy(sample) if n_stray > n_good else None


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield pieces that end with a line, so that no character is cut in two."""
    while chunk := file.read(_CHUNK):
        yield chunk if chunk.isascii() else chunk + file.readline(_CHUNK)


def _legacy(sample: bytes) -> str | None:
    """Return the encoding from before UTF-8 that makes words of a sample, or None."""
    if sample.count(0):
        return None
    from charset_normalizer import from_bytes  # slow to load, and UTF-8 does without

    matches = list(from_bytes(sample, cp_isolation=list(_CANDIDATES), enable_fallback=False))
    if not matches:
        return None
    chaos = min(match.chaos for match in matches) + _CHAOS
    tidy = [match for match in matches if match.chaos <= chaos]
    coherence = max(match.coherence for match in tidy) - _COHERENCE
    names = {name for match in tidy if match.coherence >= coherence for name in match.could_be_from_charset}
    best = next((name for name in _CANDIDATES if name in names), None)
    return best if best is not None and _makes_words(sample.decode(best, "replace")) else None


def _makes_words(text: str) -> bool:
    """Say whether most characters beyond ASCII are letters beside letters, or signs that texts hold."""
    found = [match.start() for match in _HIGH.finditer(text)]
    good = 0
    for at in found:
        near = text[max(at - 1, 0) : at] + text[at + 1 : at + 2]
        good += text[at] in _SIGNS or (text[at].isalpha() and any(map(str.isalpha, near)))
    return good > 0.8 * len(found)


def to_utf8(plain: Path, encoding: str, target: IO[bytes], path: Path) -> None:
    """Write a file's text as UTF-8, line ends as they are; name the place where it is not in that encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    at = 0
    with plain.open("rb") as file:
        try:
            while chunk := file.read(_CHUNK):
                target.write(decoder.decode(chunk).encode("utf-8"))
                at += len(chunk)
            target.write(decoder.decode(b"", final=True).encode("utf-8"))
        except UnicodeError as error:
            start = at + getattr(error, "start", 0)
            raise DataError(
                f"byte {start + 1:,} of the file cannot be read as {encoding}: {getattr(error, 'reason', error)}",
                file=path,
                hint="Name another encoding: --encoding latin-1 takes every byte.",
            ) from error
