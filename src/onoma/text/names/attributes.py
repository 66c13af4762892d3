"""What a mention is: proper, nominal or pronoun; its number, gender and animacy, and how that is known.

Nothing here is learnt. Pronouns and titles are a closed list; nouns are animate where the first sense that WordNet
gives them is a person or an animal, and masculine or feminine where it lies under *male* or *female person* there;
first names have the gender that most bearers of that name in DBpedia have. Whatever no rule or list says is None, and
every value comes with its provenance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.learning.packing import load_arrays, save_arrays
from onoma.text.words import word_keys

__all__ = ["AttributeLists", "Attributes", "Mention"]

_ANIMATE, _INANIMATE, _MASCULINE, _FEMININE, _HE, _SHE = 1, 2, 4, 8, 16, 32
"""Of nouns the first four; of first names the last two."""


class Attributes(NamedTuple):
    """What is known of a mention."""

    mention_type: str
    number: str | None = None
    gender: str | None = None
    animacy: str | None = None
    provenance: str | None = None


class Mention(NamedTuple):
    """A mention: its words and Penn tags, which of them is the head, and its type as a name, if it is one."""

    words: Sequence[str]
    tags: Sequence[str]
    head: int
    name: str | None = None
    lemma: str | None = None


def _pronouns() -> dict[str, Attributes]:
    groups = (
        ("i me my mine myself", "singular", None, "animate"),
        ("we us our ours ourselves 's", "plural", None, "animate"),
        ("you your yours yourself ye thou thee thy thine ya u", None, None, "animate"),
        ("yourselves", "plural", None, "animate"),
        ("he him his himself", "singular", "masculine", "animate"),
        ("she her hers herself", "singular", "feminine", "animate"),
        ("it its itself", "singular", "neuter", "inanimate"),
        ("they them their theirs themselves 'em", "plural", None, None),
        ("who whom whose whoever", None, None, "animate"),
        ("someone somebody anyone anybody everyone everybody nobody one oneself", "singular", None, "animate"),
        ("something anything everything nothing this that what which", "singular", None, None),
        ("these those", "plural", None, None),
    )
    return {
        word: Attributes("pronoun", number, gender, animacy, "pronoun")
        for words, number, gender, animacy in groups
        for word in words.split()
    }


_PRONOUNS = _pronouns()
_PRONOUN_TAGS = frozenset(("PRP", "PRP$", "WP", "WP$", "WDT", "DT", "EX"))


def _by_word(**groups: str) -> dict[str, str]:
    return {word: gender for gender, words in groups.items() for word in words.split()}


_TITLES = _by_word(
    masculine="mr mister sir lord king prince duke baron herr monsieur",
    feminine="mrs ms miss lady queen princess duchess madame mme dame",
)
_GENDERED = _by_word(
    masculine="man boy father dad son brother husband uncle nephew grandfather grandson king prince duke gentleman guy "
    "groom widower stepfather fiancé boyfriend policeman businessman chairman monk waiter landlord",
    feminine="woman girl mother mom mum daughter sister wife aunt niece grandmother granddaughter queen princess "
    "duchess lady actress bride widow stepmother fiancée girlfriend policewoman businesswoman nun waitress landlady",
)


@dataclass(frozen=True, eq=False)
class AttributeLists:
    """The open lists, by the hash of the word."""

    keys: NDArray[np.uint32]
    bits: NDArray[np.uint8]

    @classmethod
    def of(
        cls,
        animate: set[str],
        inanimate: set[str],
        masculine: set[str],
        feminine: set[str],
        first_names: Mapping[str, str],
    ) -> "AttributeLists":
        """Make the lists of nouns, and of first names with their gender."""
        bits: dict[str, int] = {}
        listed = ((animate, _ANIMATE), (inanimate, _INANIMATE), (masculine, _MASCULINE), (feminine, _FEMININE))
        for words, bit in listed:
            for word in words:
                bits[word.lower()] = bits.get(word.lower(), 0) | bit
        for name, gender in first_names.items():
            bits[name.lower()] = bits.get(name.lower(), 0) | (_HE if gender == "masculine" else _SHE)
        keys, first = np.unique(word_keys(list(bits)), return_index=True)
        return cls(keys, np.array(list(bits.values()), np.uint8)[first])

    def save(self, path: str | Path) -> None:
        """Write to one `.npz`."""
        arrays = {"keys": np.diff(self.keys, prepend=np.uint32(0)), "bits": self.bits}
        save_arrays(path, "text/attributes", {}, arrays)

    @classmethod
    def load(cls, path: str | Path) -> "AttributeLists":
        """Read what `save` wrote."""
        _, arrays = load_arrays(path, "text/attributes")
        return cls(np.cumsum(arrays["keys"], dtype=np.uint32), arrays["bits"])

    def look_up(self, words: Sequence[str]) -> list[int]:
        """Return what the lists say of each word, as bits."""
        if not words or not len(self.keys):
            return [0] * len(words)
        keys = word_keys(list(words))
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.bits[place], 0).tolist()

    def attributes(self, mentions: Sequence[Mention]) -> list[Attributes]:
        """Return what is known of each mention."""
        nouns = self.look_up([mention.lemma or mention.words[mention.head] for mention in mentions])
        firsts = self.look_up([mention.words[_first(mention)] for mention in mentions])
        return [_known(*each) for each in zip(mentions, nouns, firsts, strict=True)]


def _first(mention: Mention) -> int:
    """Return where the name begins: after articles and titles."""
    for i, (word, tag) in enumerate(zip(mention.words, mention.tags, strict=True)):
        if tag.startswith("NNP") and word.lower().rstrip(".") not in _TITLES:
            return i
    return mention.head


def _known(mention: Mention, noun: int, first: int) -> Attributes:
    word, tag = mention.words[mention.head], mention.tags[mention.head]
    pronoun = _PRONOUNS.get(word.lower())
    if pronoun is not None and len(mention.words) == 1 and (tag in _PRONOUN_TAGS or tag == "NN"):
        return pronoun
    is_joined = any(each == "CC" for each in mention.tags[: mention.head + 2])
    number = "plural" if is_joined or tag in ("NNS", "NNPS") else "singular" if tag.startswith("NN") else None
    if mention.name is not None or tag.startswith("NNP"):
        return _of_name(mention, first, number)
    gendered = _GENDERED.get((mention.lemma or word).lower())
    if gendered:
        return Attributes("nominal", number, gendered, "animate", "tag, gendered noun")
    gender = "masculine" if noun & _MASCULINE else "feminine" if noun & _FEMININE else None
    animacy = "animate" if noun & _ANIMATE else "inanimate" if noun & _INANIMATE else None
    gender = gender or ("neuter" if animacy == "inanimate" else None)
    return Attributes("nominal", number, gender, animacy, "tag, WordNet" if gender or animacy else "tag")


def _of_name(mention: Mention, first: int, number: str | None) -> Attributes:
    titles = [_TITLES[word] for word in (each.lower().rstrip(".") for each in mention.words) if word in _TITLES]
    if mention.name in ("ORG", "LOC", "MISC"):
        return Attributes("proper", number, "neuter", "inanimate", "name type")
    if titles:
        return Attributes("proper", number, titles[0], "animate", "title")
    gender = "masculine" if first & _HE else "feminine" if first & _SHE else None
    if gender:
        return Attributes("proper", number, gender, "animate", "first name (DBpedia)")
    is_person = mention.name == "PER"
    return Attributes("proper", number, None, "animate" if is_person else None, "name type" if is_person else "tag")
