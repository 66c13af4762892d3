r"""Which form of the indefinite article a word takes, by how it sounds.

*An* goes before the sound of a vowel. Letters say it but for a few families: *u* as in *university*, *eu*, *one*, a
silent *h*, numbers read aloud, and letters that are spelt out (*an MBA*, *a UN mission*). Where usage differs (*herb*,
*historic*) or the letters do not say it (*NASA*), nothing is said.
"""

import re
from functools import lru_cache

__all__ = ["article_for", "takes_an"]

_CONSONANT = re.compile(
    r"one(?:s|self)?(?![a-z])|once(?![a-z])|uni(?:[bcfqoptv]|g(?!n)|sex|son|l(?!l)|dir)|unanim(?!at)|us[aeiu]"
    r"|ut(?:[io]|e[nr])|eu(?!ch)|ew[er]|ur[aeio]|urug|ubiq|ufo|uku|ukr|ugan|uvu|unesco|usb|uk(?![a-z])|uae|urls?(?![a-z])"
)
"""Written with a vowel, said with a consonant."""
_UNSURE = re.compile(r"herb|homage|hist|hotel|habit|halluc|hyp|hered|hilar|hort|unimod|uber|ouija|oui|ulys|upsi|yt")
_SILENT = re.compile(r"hour|hono|honest|heir")
_SPELT_AN = frozenset("AEFHILMNORSX")
_NUMBER_AN = re.compile(r"8|1[18](?!\d)")
_YEAR = re.compile(r"1[18]\d")
_LONGEST_SPELT = 5


@lru_cache(100_000)
def article_for(word: str) -> str:
    """Return *a* or *an* for the word that follows, nothing where usage or letters leave it open.

    Examples
    --------
    >>> [article_for(word) for word in ("university", "hour", "unusual", "MBA", "UN", "18", "x-ray", "herb")]
    ['a', 'an', 'an', 'an', 'a', 'an', 'an', '']
    """
    first = word[:1]
    if not word.isascii() or not first.isalnum():
        return ""
    if first.isdigit():
        return "" if _YEAR.match(word) else "an" if _NUMBER_AN.match(word) else "a"
    if len(word) > 1 and word[1] in "-.":  # x-ray, M.B.A.
        return "an" if first.upper() in _SPELT_AN else "a"
    if len(word) == 1 or word in ("MB", "GB", "KB", "TB"):
        return ""
    if word.isupper() and len(word) <= _LONGEST_SPELT:
        return _spelt(word)
    small = word.lower()
    if _UNSURE.match(small):
        return ""
    if _SILENT.match(small):
        return "an"
    if first.isupper() and small[0] == "u" and not _CONSONANT.match(small):
        return ""  # names
    return "an" if small[0] in "aeiou" and not _CONSONANT.match(small) else "a"


def _spelt(word: str) -> str:
    """Letters are spelt out where they make no syllable; *NASA* and *FIFA* may be words."""
    first, second = word[0], word[1]
    if first == "U":
        return "a"
    if first in "AEIO":
        return "an"
    if first in _SPELT_AN:
        return "" if second in "AEIOUY" else "an"
    return "a"


@lru_cache(100_000)
def takes_an(word: str) -> bool:
    """Return whether *an* goes before a word, as well as letters say it.

    Examples
    --------
    >>> [takes_an(word) for word in ("apple", "university", "hour", "useful", "umbrella", "unimportant", "European")]
    [True, False, True, False, True, True, False]
    """
    said = article_for(word)
    return said == "an" if said else word[:1].lower() in tuple("aeiou")
