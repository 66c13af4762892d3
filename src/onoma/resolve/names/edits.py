"""What was done to a name to make another of it, in words: the edit on an edge of a family tree."""

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from onoma.resolve.fields.names import nickname_table
from onoma.resolve.names.romanise import name_words

__all__ = ["name_edit"]

_ALIKE = 0.5
_SUFFIX = re.compile(r",\s*(jr|sr|[ivx]+)\b\.?", re.IGNORECASE)


def name_edit(parent: str, child: str) -> str:
    """Say how one name became another.

    Examples
    --------
    >>> name_edit("William Smith", "Wm. Smith"), name_edit("William Smith", "Smith, Bill")
    ('abbreviate William', 'nickname for William, family name first')
    >>> name_edit("José Pérez", "Jose Perez"), name_edit("Иван Петров", "Ivan Petrov")
    ('drop accents', 'change script')
    """
    if parent == child:
        return "copy"
    one, other = name_words(parent), name_words(child)
    if one == other:
        return _surface(parent, child)
    acronym = _acronym(one, other)
    if acronym:
        return acronym
    found = _met(one, other, parent.split(), child)
    if _script(parent) != _script(child):
        # Another script spells most words anew: that goes without saying.
        found = ["change script", *(each for each in found if not each.startswith(("respell", "abbreviate", "spell")))]
    return ", ".join(dict.fromkeys(found)) or "respell"


def _surface(parent: str, child: str) -> str:
    """Name a change of writing that leaves the words as they are."""
    if _script(parent) != _script(child):
        return "change script"
    low, small = parent.casefold(), child.casefold()
    if low == small:
        return "change case"
    bare, plain = _without_marks(low), _without_marks(small)
    if bare == plain:
        return "drop accents" if _without_marks(low) == small else "add accents" if plain == low else "change accents"
    return "change punctuation"


def _script(text: str) -> str:
    return next((unicodedata.name(letter, "?").split()[0] for letter in text if letter.isalpha()), "")


def _without_marks(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _acronym(one: Sequence[str], other: Sequence[str]) -> str:
    for short, words, said in ((other, one, "acronym"), (one, other, "spell out the acronym")):
        if len(short) == 1 and len(words) > 2 and short[0] == "".join(word[0] for word in words):
            return said
    return ""


def _met(one: Sequence[str], other: Sequence[str], shown: Sequence[str], child: str) -> list[str]:
    """Put the words of two names side by side, and name what happened to each."""
    pieces = re.split(r"[\s\-.]+", " ".join([*shown, child]))
    show = {name_words(piece)[0]: piece.strip(",.;") for piece in pieces if name_words(piece)}
    left, right = list(one), list(other)
    places: list[tuple[int, int]] = []
    for word in one:
        if word in right:
            places.append((one.index(word), other.index(word)))
            left.remove(word)
            right.remove(word)
    found = _joined(left, right)
    said: dict[int, str] = {}
    # Long words first: an initial is content with any word that begins like it.
    for word in sorted(left, key=len, reverse=True):
        best = max(((_relation(word, to), to) for to in right), key=lambda pair: pair[0][0], default=((0.0, ""), ""))
        (score, relation), to = best
        if score > 0:
            said[one.index(word)] = f"{relation} {show.get(word, word)}"
            places.append((one.index(word), other.index(to)))
            left.remove(word)
            right.remove(to)
    found += [said[place] for place in sorted(said)]
    found += [f"drop {show.get(word, word)}" for word in left]
    found += [f"add {show.get(word, word)}" for word in right]
    if [j for _, j in sorted(places)] != sorted(j for _, j in places):
        comma = _has_comma(child) - _has_comma(" ".join(shown))
        found.append("family name first" if comma > 0 else "given name first" if comma < 0 else "reorder")
    return found


def _has_comma(name: str) -> bool:
    """Whether a comma parts a name; that before Jr. or III does not."""
    return "," in _SUFFIX.sub("", name)


def _joined(left: list[str], right: list[str]) -> list[str]:
    found = []
    for words, others, said in ((left, right, "join"), (right, left, "split")):
        for i in range(len(words) - 1):
            whole = words[i] + words[i + 1]
            if whole in others:
                found.append(f"{said} {words[i]}-{words[i + 1]}")
                others.remove(whole)
                del words[i : i + 2]
                break
    return found


def _relation(word: str, to: str) -> tuple[float, str]:
    """Return how well one word explains another, and what that is called."""
    if to in nickname_table().get(word, ()):
        shorter = len(to) < len(word)
        return 4.0, ("abbreviate" if shorter and _is_short(word, to) else "nickname for" if shorter else "full name of")
    if len(to) == 1 and word[0] == to:
        return 3.0, "initial of"
    if len(word) == 1 and to[0] == word:
        return 3.0, "spell out"
    if _is_inflected(word, to):
        return 2.5, "respell"
    if word.startswith(to) or _is_short(word, to):
        return 2.5, "abbreviate"
    if to.startswith(word) or _is_short(to, word):
        return 2.5, "spell out"
    similarity = Levenshtein.normalized_similarity(word, to)
    return (similarity, "respell") if similarity >= _ALIKE else (0.0, "")


def _is_inflected(word: str, to: str) -> bool:
    """Whether one word is the other with an ending: Schmidt and Schmidtová, Ted and Teds."""
    short, long = sorted((word, to), key=len)
    return len(short) > 2 and long.startswith(short) and len(long) - len(short) <= (3 if len(short) > 4 else 1)


def _is_short(word: str, to: str) -> bool:
    """Whether some letters of a word, the first among them and no new vowel, make the other."""
    if len(to) * 2 > len(word) + 2 or word[0] != to[0]:
        return False
    letters = iter(word)
    return all(letter in letters for letter in to)
