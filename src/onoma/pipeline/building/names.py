"""Names as people would write them, the fullest of several, and names that two things have, not one."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from onoma.linking.candidates import fold
from onoma.resolve.fields.names import nickname_table

__all__ = [
    "alike",
    "bare",
    "exclude",
    "fullest",
    "gender_of",
    "initials",
    "initials_of",
    "is_company",
    "is_name",
    "is_titled",
    "is_within",
    "leading",
    "offices",
    "part_groups",
    "words_of",
]

_AFTER = re.compile(r"(\s*[?,;:_“”\"]|\s+[!'’.–—-])+$")
_ARTICLES = ("the", "a", "an")
_MEN = frozenset((
    "mr", "sir", "lord", "king", "prince", "father", "uncle", "count", "duke", "baron", "herr", "monsieur", "emperor",
    "tsar", "czar", "sultan", "shah", "earl", "viscount", "brother", "congressman", "councilman", "chairman",
    "alderman",
))  # fmt: skip
_WOMEN = frozenset((
    "mrs", "ms", "miss", "lady", "dame", "madame", "mme", "frau", "queen", "princess", "mother", "aunt", "countess",
    "duchess", "empress", "tsarina", "baroness", "sister", "madam", "congresswoman", "councilwoman", "chairwoman",
))  # fmt: skip
_OFFICES = frozenset((
    "dr", "doctor", "prof", "professor", "president", "senator", "minister", "chancellor", "governor", "mayor", "judge",
    "justice", "captain", "colonel", "general", "major", "saint", "st", "reverend", "rev", "bishop", "pope",
    "secretary", "director", "councillor", "cllr", "chair", "commissioner", "ambassador", "inspector", "detective",
    "officer", "sergeant", "sgt", "lieutenant", "lt", "capt", "col", "gen", "sen", "rep", "gov", "hon", "coach",
    "attorney", "speaker", "premier", "archbishop", "cardinal", "rabbi", "imam", "nurse", "admiral", "corporal",
    "marshal", "superintendent", "dean", "rector", "vicar", "canon", "representative",
))  # fmt: skip
_FORMS = frozenset(("ltd", "limited", "inc", "incorporated", "corp", "corporation", "plc", "llc", "gmbh", "ag", "co"))
"""Legal forms of companies."""
_SMALL = _FORMS | frozenset((
    "the", "of", "and", "de", "von", "van", "la", "le", "du", "jr", "sr", "esq", "qc", "kc", "mp", "phd", "md",
))  # fmt: skip
_PERSONAL = frozenset((
    "mr", "mrs", "ms", "miss", "dr", "prof", "professor", "sir", "dame", "rev", "reverend", "cllr", "capt", "sgt", "lt",
    "mme", "madame", "monsieur", "herr", "frau",
))  # fmt: skip
"""Titles that nothing but people have: unlike *General* Motors and *King* Street."""
_HE, _SHE = frozenset(("he", "him", "his", "himself")), frozenset(("she", "her", "hers", "herself"))
_PRONOUNS = _HE | _SHE | frozenset(("i", "me", "my", "we", "us", "our", "you", "your", "it", "its", "they", "them"))
_SILENT = _MEN | _WOMEN | _OFFICES | _SMALL
"""Words that do not tell two names apart."""
_ALIKE = 70.0
"""How alike the letters of two words are that may be one, misspelt or scanned badly."""


def bare(name: str) -> str:
    """Return a name without an article before it, a possessive ending and what punctuation was caught with it.

    Examples
    --------
    >>> bare("the Battle Abbey Roll ?"), bare("Lovelace's"), bare("Washington D.C."), bare("Yahoo!")
    ('Battle Abbey Roll', 'Lovelace', 'Washington D.C.', 'Yahoo!')
    """
    name = _AFTER.sub("", name) or name
    for ending in ("'s", "’s", "'", "’"):
        name = name.removesuffix(ending)
    first, _, rest = name.partition(" ")
    return rest if first.lower() in _ARTICLES and rest else name


def is_name(name: str) -> bool:
    """Say whether a text can be a name: a letter, a number of a list and a pronoun cannot.

    Examples
    --------
    >>> is_name("Q"), is_name("12"), is_name("EU"), is_name("Ω"), is_name("US"), is_name("Us")
    (False, False, True, True, True, False)
    """
    if name.lower() in _PRONOUNS and not name.isupper():
        return False
    letters = [each for each in name if each.isalpha()]
    return len(letters) > 1 or (len(letters) == 1 and not name.isascii())


def is_titled(name: str) -> bool:
    """Say whether a name begins with a title of people.

    Examples
    --------
    >>> is_titled("Miss Hart"), is_titled("General Motors"), is_titled("Dr. No")
    (True, False, True)
    """
    words = _folded(name)
    return len(words) > 1 and words[0] in _PERSONAL


def is_company(name: str) -> bool:
    """Say whether a name ends in the legal form of a company.

    Examples
    --------
    >>> is_company("Meridian Shipping Corp."), is_company("Inc"), is_company("Boston University")
    (True, False, False)
    """
    words = _folded(name)
    return len(words) > 1 and words[-1] in _FORMS


def offices(name: str) -> set[str]:
    """Return the offices and callings that a name is said with; those that men or women have alone tell who it is not.

    Examples
    --------
    >>> offices("Cllr Marsh"), offices("Mr Marsh")
    ({'cllr'}, set())
    """
    return set(_folded(name)) & _OFFICES


def gender_of(mentions: Iterable[tuple[str, str]]) -> str:
    """Return `m` or `f`, as most pronouns and titles say; nothing if neither. Mentions are (kind, text).

    Examples
    --------
    >>> gender_of([("pronoun", "She"), ("name", "Dr Day")]), gender_of([("name", "Mr Day"), ("pronoun", "it")])
    ('f', 'm')
    """
    more_men = 0
    for kind, text in mentions:
        word = text.partition(" ")[0].lower().rstrip(".")
        men, women = (_HE, _SHE) if kind == "pronoun" else (_MEN, _WOMEN) if kind == "name" else ((), ())
        more_men += (word in men) - (word in women and word not in men)
    return "m" if more_men > 0 else "f" if more_men < 0 else ""


def fullest(names: Sequence[str]) -> str:
    """Return the name that says most: the commonest, or the commonest that it is a word or the initials of.

    Examples
    --------
    >>> fullest(["Lovelace", "Ada Lovelace", "Lovelace", "Charles Babbage", "Lady Lovelace", "Lady Lovelace"])
    'Ada Lovelace'
    >>> fullest(["FSA", "FSA", "Food Standards Agency"])
    'Food Standards Agency'
    >>> fullest(["AUSTIN", "AUSTIN", "Austin"])  # capitals of a headline
    'Austin'
    """
    written = {name.casefold(): name for name in names if not name.isupper()}
    counts = Counter(written.get(name.casefold(), name) if name.isupper() else name for name in names)
    common = max(counts, key=lambda name: (counts[name], len(name.split())))
    words = set(words_of(common))
    whole = [name for name in counts if initials(common) in initials_of(name)]
    if whole:
        return max(whole, key=lambda name: counts[name])
    if len(words) != 1:
        return common
    holding = [name for name in counts if words < set(words_of(name))]
    return max(holding, key=lambda name: counts[name], default=common)


def alike(a: str, b: str) -> bool:
    """Say whether two names share a word, or one is the initials of the other.

    Examples
    --------
    >>> alike("Ada Lovelace", "Lovelace"), alike("Museum of Natural History", "MNH"), alike("Ada Lovelace", "Babbage")
    (True, True, False)
    """
    one, other = ([word.strip(".,").lower() for word in name.split()] for name in (a, b))
    if any(len(word) > 2 or len(one) == 1 for word in set(one) & set(other)):
        return True
    return initials(a) in initials_of(b) or initials(b) in initials_of(a)


def initials(name: str) -> str:
    """Return the letters of what can be initials, folded; nothing otherwise.

    Examples
    --------
    >>> initials("FSA"), initials("U.S."), initials("R. Chen"), initials("Q")
    ('fsa', 'us', '', '')
    """
    letters = name.replace(".", "").replace(" ", "")
    return letters.casefold() if letters.isupper() and len(letters) > 1 else ""


@lru_cache(maxsize=1 << 16)
def initials_of(name: str) -> frozenset[str]:
    """Return what a name of several words may be shortened to.

    Examples
    --------
    >>> sorted(initials_of("US Department of Agriculture")), sorted(initials_of("Agriculture"))
    (['uda', 'usda', 'usdoa'], [])
    """
    words = [word for word in name.replace("-", " ").split() if word[0].isalnum()]
    large = [word for word in words if word[0].isupper()]
    ways = ["".join(word if word.isupper() and len(word) < 4 else word[0] for word in some) for some in (words, large)]
    ways += ["".join(word[0] for word in large), "".join(word[0] for word in words_of(name))]
    return frozenset(way.casefold() for way in ways if len(way) > 1) if len(words) > 1 else frozenset()


@lru_cache(maxsize=1 << 16)
def exclude(a: str, b: str) -> bool:
    """Say whether two names are those of two things: each has a word that nothing in the other stands for.

    Titles count only where one is a man's and the other, or the given name after it, a woman's, or where one is Miss
    and the other Mrs. A name of one word excludes those of several words that it is no part of, initials apart.

    Examples
    --------
    >>> exclude("Jacob Bernoulli", "Johann Bernoulli"), exclude("Trinity College", "King's College")
    (True, True)
    >>> exclude("Donald Trump", "President Trump"), exclude("J. Smith", "John Smith"), exclude("Mr Day", "Miss Day")
    (False, False, True)
    >>> exclude("Lord Ashby", "Edith Warren"), exclude("Warren", "Edith Warren"), exclude("UN", "The United Nations")
    (True, False, False)
    >>> exclude("Bill Clinton", "William Clinton"), exclude("Tom Brandt", "Cllr Brandt"), exclude("Tom Day", "Miss Day")
    (False, False, True)
    """
    if a == b:
        return False
    mine, theirs = words_of(a), words_of(b)
    if {_gender(a), _gender(b)} == {"m", "f"} or {_wed(a), _wed(b)} == {"miss", "mrs"}:
        return True
    if not mine or not theirs:
        return False
    if min(len(mine), len(theirs)) == 1 < max(len(mine), len(theirs)):
        short, long = sorted((a, b), key=lambda name: len(words_of(name)))
        return not _may_be_part(short, long)
    return _is_more(mine, theirs) and _is_more(theirs, mine)


def _may_be_part(short: str, long: str) -> bool:
    """Say whether a name of one word may be a part of a longer one, or its initials."""
    (word,) = words_of(short)
    if short.replace(".", "").isupper() and len(word) > 1:
        return True  # what letters stand for is told elsewhere
    return any(_may_be(word, other) for other in words_of(long))


@lru_cache(maxsize=1 << 16)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words that tell a name apart: folded, without titles and small words.

    Examples
    --------
    >>> words_of("Sir Alistair Penrose, QC"), words_of("the Bank of England")
    (('alistair', 'penrose'), ('bank', 'england'))
    """
    return tuple(word for word in _folded(name) if word not in _SILENT)


def _folded(name: str) -> list[str]:
    return fold(name.replace("'", "").replace("’", "")).split()


def _wed(name: str) -> str:
    return next((word for word in _folded(name) if word in ("miss", "mrs")), "")


def _gender(name: str) -> str:
    """Return `m` or `f` where a title says so, or a given name with a family name after it; empty otherwise."""
    titles = set(_folded(name)) & _SILENT
    if bool(titles & _MEN) != bool(titles & _WOMEN):
        return "m" if titles & _MEN else "f"
    words = words_of(name)
    return _given_names().get(words[0], "") if len(words) > 1 else ""


@cache
def _given_names() -> dict[str, str]:
    """Return given names with `m`, `f`, or nothing for those of both."""
    from faker.providers.person.en_US import Provider  # heavy, and needed only where names are

    male = {str(name).casefold() for name in Provider.first_names_male}
    female = {str(name).casefold() for name in Provider.first_names_female}
    return {name: "" if name in male & female else "m" if name in male else "f" for name in male | female}


def leading(names: Iterable[str]) -> list[str]:
    """Return the names of one thing without the words of which another of them has more.

    Examples
    --------
    >>> leading(["Edith", "Day", "Edith Day", "Mrs Day"])
    ['Edith Day']
    """
    names = list(names)
    held = {word for name in names if len(words_of(name)) > 1 for word in words_of(name)}
    return [name for name in names if len(words_of(name)) != 1 or words_of(name)[0] not in held]


def _is_more(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Say whether a word of the first stands for none of the second's."""
    return any(not any(_may_be(word, other) for other in theirs) for word in mine)


def _may_be(word: str, other: str) -> bool:
    if word.startswith(other) or other.startswith(word) or other in nickname_table().get(word, ()):
        return True
    return fuzz.ratio(word, other) >= _ALIKE


def is_within(a: str, b: str, kinds: tuple[str, str]) -> bool:
    """Say whether one is a place, a people or the like, and the other something else that has it in its name.

    Examples
    --------
    >>> is_within("Leeds", "Leeds United", ("LOC", "ORG")), is_within("Leeds", "Leeds", ("LOC", "ORG"))
    (True, False)
    >>> is_within("Northsea", "Northsea Lines", ("ORG", "ORG")), is_within("Krems", "Court of Krems", ("", "ORG"))
    (False, False)
    >>> is_within("French", "French Revolution", ("MISC", "MISC"))
    True
    >>> is_within("University of California", "University of Southern California", ("ORG", "ORG"))
    True
    """
    if "" in kinds:
        return False
    short, long = sorted((words_of(a), words_of(b)), key=len)
    kind = kinds[0] if short == words_of(a) else kinds[1]
    if "PER" not in kinds and 1 < len(short) < len(long) and (short[0], short[-1]) == (long[0], long[-1]):
        return True  # a word within narrows it; of people it is a second name
    if kinds == ("MISC", "MISC"):
        return len(short) == 1 < len(long) and short[0] == long[0]
    return kinds[0] != kinds[1] and kind == "LOC" and set(short) < set(long)


def part_groups(
    labels: NDArray[np.int64], names: Sequence[str], documents: Sequence[str], kinds: Sequence[str] | None = None
) -> NDArray[np.int64]:
    """Part groups in which names exclude each other; a shorter name stays with the longer one of its document.

    A place is not what has it in its name, where the kinds are known. What has no name but a title (Mother, the Queen)
    may be another one in each document.

    Examples
    --------
    >>> names = ["Jacob Bernoulli", "Johann Bernoulli", "Bernoulli", "Johann Bernoulli"]
    >>> part_groups(np.zeros(4, np.int64), names, ["x", "y", "y", "z"]).tolist()
    [1, 0, 0, 0]
    >>> part_groups(np.zeros(3, np.int64), ["Mother", "Mother", "Mother"], ["x", "y", "y"]).tolist()
    [0, 1, 1]
    """
    found = np.zeros(len(labels), np.int64)
    kinds = [""] * len(names) if kinds is None else kinds
    members: dict[tuple[int, str], list[int]] = {}
    for row, label in enumerate(labels.tolist()):
        is_bare = not words_of(names[row]) and not initials(names[row])  # MD may be Maryland
        members.setdefault((label, documents[row] if is_bare else ""), []).append(row)
    n_groups = 0
    for rows in members.values():
        for part in _parted(rows, names, documents, kinds):
            found[part] = n_groups
            n_groups += 1
    return found


def _parted(
    rows: Sequence[int], names: Sequence[str], documents: Sequence[str], kinds: Sequence[str]
) -> list[list[int]]:
    if len({names[row] for row in rows}) == 1:
        return [list(rows)]
    counts = Counter(names[row] for row in rows)
    told: dict[str, Counter[str]] = {}
    for row in rows:
        told.setdefault(names[row], Counter())[kinds[row]] += 1
    kind = {name: most.most_common(1)[0][0] for name, most in told.items()}
    parts: list[tuple[dict[str, None], set[str], list[int]]] = []
    for row in sorted(rows, key=lambda row: (-min(len(names[row].split()), 2), -counts[names[row]], row)):
        name, document = names[row], documents[row]
        fitting = [part for part in parts if not _differs(name, part[0], kind)]
        if not fitting:
            parts.append(({}, set(), []))
            fitting = parts[-1:]
        best = max(fitting, key=lambda part: (name in part[0], document in part[1]))
        best[0][name] = None
        best[1].add(document)
        best[2].append(row)
    return [sorted(part) for _, _, part in parts]


def _differs(name: str, others: Iterable[str], kind: Mapping[str, str]) -> bool:
    others = list(others)
    if any(exclude(name, other) for other in leading(others)):
        return True
    return any(is_within(name, other, (kind[name], kind[other])) for other in others)
