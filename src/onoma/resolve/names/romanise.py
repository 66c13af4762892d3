"""Names of any script in Latin letters, so that names written in two scripts can be compared.

Letters are read by what Unicode calls them: CYRILLIC SMALL LETTER ZHE says how ж sounds, HANGUL SYLLABLE GIM how 김
does, and the vowel signs of Indian scripts put their vowel in the place of the one a letter has by itself. Where those
names mislead (Cyrillic, Greek, Arabic, Hebrew, Thai) a table has the letter's sound. Chinese characters have no
sound of their own and stay as they are, one a word.
"""

import re
import unicodedata
from functools import lru_cache

from onoma.resolve.fields.writing import fold

__all__ = ["name_words", "romanise"]


def _table(letters: str, sounds: str) -> dict[str, str]:
    return {letter: "" if sound == "-" else sound for letter, sound in zip(letters, sounds.split(), strict=True)}


_SOUNDS = (
    _table(
        "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґўђјљњћџѓќѕѣѳѵ",
        "a b v g d e zh z i i k l m n o p r s t u f kh ts ch sh shch - y - e yu ya e i i e g u dj j lj nj c dz g k dz e"
        " f i",
    )
    | _table("әғқңөұүһҳҷӣӯҕӑӗҫӳ", "a g k n o u u h h j i u g a e s u")
    | _table("αβγδεζηθικλμνξοπρστυφχψως", "a v g d e z i th i k l m n x o p r s t y f ch ps o s")
    | _table(
        "ابتثجحخدذرزسشصضطظعغفقكلمنهويىةءآأإؤئپچژگکیۀہھےںٹڈڑڤ",
        "a b t th j h kh d dh r z s sh s d t z a gh f q k l m n h w y a a - a a i w y p ch zh g k y h h h e n t d r v",
    )
    | _table("אבגדהוזחטיכךלמםנןסעפףצץקרשת", "a b g d h v z ch t y k k l m m n n s a p f ts ts k r sh t")
    | _table("აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ",
        "a b g d e v z t i k l m n o p zh r s t u p k gh q sh ch ts dz ts ch kh j h")
    | _table("աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև",
        "a b g d e z e y t zh i l kh ts k h dz gh ch m y n sh o ch p j r s v t r ts w p k o f ev")
)  # fmt: skip
_DIGRAPHS = (("ու", "у"), ("ού", "у"), ("ου", "у"), ("μπ", "b"), ("ντ", "d"), ("γκ", "g"))
_ABUGIDAS = frozenset(
    ("DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA",
     "MYANMAR", "KHMER")
)  # fmt: skip
_SYLLABLES = frozenset(("KATAKANA", "HIRAGANA"))
_IGNORED = frozenset("ーʹʺ\u200c\u200d")
_APART = frozenset("・·•‧／")
_VOWELS = "aeiou"


def romanise(text: str) -> str:
    """Write a text in small Latin letters, words apart by one space; Chinese characters stay, one a word.

    Examples
    --------
    >>> romanise("Иван Петров"), romanise("김대중"), romanise("Γιώργος")
    ('ivan petrov', 'gim dae jung', 'giorgos')
    >>> romanise("Müller-Lüdenscheidt, Karl"), romanise("राम मोहन"), romanise("张伟")
    ('muller ludenscheidt karl', 'ram mohan', '张 伟')
    """
    if text.isascii():
        return fold(text)
    low = unicodedata.normalize("NFC", text).casefold()
    for signs, sound in _DIGRAPHS:
        low = low.replace(signs, sound)
    found: list[str] = []
    for letter in low:
        sound, kind = _sound(letter)
        if kind == "vowel":
            _take_vowel(found)
        found.append(sound)
    return fold("".join(_finished(found)))


def name_words(text: str) -> list[str]:
    """Return the words of a name in Latin letters; a name without letters is one word of its signs.

    Examples
    --------
    >>> name_words("Dr. J.-P. O'Neil"), name_words("🙂 !")
    (['dr', 'j', 'p', 'oneil'], ['🙂!'])
    """
    return romanise(text).split() or ["".join(text.split())][: bool(text.strip())]


def _take_vowel(found: list[str]) -> None:
    """Take the vowel that a letter has by itself away from the last one."""
    if found and found[-1].endswith("a~"):
        found[-1] = found[-1][:-2]


def _finished(found: list[str]) -> list[str]:
    """Leave out the vowel of a last letter, as speakers of most such languages do."""
    joined = "".join(found)
    return [re.sub(r"a~(?!\w)", "", joined).replace("~", "")]


@lru_cache(maxsize=65_536)
def _sound(letter: str) -> tuple[str, str]:
    """Return how a letter sounds, and whether it is a letter, a vowel sign or anything else."""
    if letter.isascii() or letter in _IGNORED or letter in _APART:
        return ("" if letter in _IGNORED else " " if letter in _APART else letter), ""
    known = _SOUNDS.get(letter)
    if known is None:
        base = unicodedata.normalize("NFD", letter)[0]
        known = _SOUNDS.get(base) if base != letter else None
    if known is not None:
        return known, ""
    name = unicodedata.name(letter, "")
    script = name.split(" ")[0]
    if script == "LATIN":
        return letter, ""
    if script == "CJK":
        return f" {letter} ", ""
    if script == "HANGUL":
        return f" {name.rpartition(' ')[2].lower()} ", ""
    return _by_name(letter, name, script)


def _by_name(letter: str, name: str, script: str) -> tuple[str, str]:
    last = re.sub("[^a-z]", "", name.rpartition(" ")[2].lower())
    if script in _SYLLABLES:
        return last, ""
    if script in _ABUGIDAS:
        if "VIRAMA" in name or "ASAT" in name or "AL-LAKUNA" in name or "VOWEL SIGN" in name:
            return ("" if "VOWEL SIGN" not in name else _short(last)), "vowel"
        if "ANUSVARA" in name or "TIPPI" in name or "BINDI" in name:
            return "n", ""
        if "LETTER" in name:
            return (f"{last}~" if last.endswith("a") and last.strip(_VOWELS) else _short(last)), ""
        return "", ""
    if script == "THAI":
        return last[:1] if unicodedata.category(letter) == "Lo" else "", ""
    if unicodedata.category(letter)[0] == "L":
        return last, ""
    return ("" if unicodedata.category(letter)[0] == "M" else letter), ""


def _short(vowel: str) -> str:
    """Write a long vowel short."""
    return {"aa": "a", "ii": "i", "uu": "u", "ee": "e", "oo": "o"}.get(vowel, vowel)
