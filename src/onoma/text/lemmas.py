"""Lemmas from words and tags: exceptions first, then endings learnt from a dictionary and checked against it.

An *edit* takes letters from a word's end and puts others there (*-ies* → *y*). For each tag, the longest known ending
of the word proposes edits, most frequent first; the first whose result the dictionary knows as a base form of that tag
is taken, or else the first of all. What this gets wrong on the dictionary or on the treebank's words is kept as an
exception. Proper names keep their capitals.

Cost: one look into a memory of words met before; a new word costs some ten microseconds.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from onoma.learning.packing import load_arrays, save_arrays
from onoma.text._words_kernels import look_up_all
from onoma.text.lexicon import FORMS, Lexicon
from onoma.text.syntax.treebank import Treebank
from onoma.text.words import WordTable, word_keys

__all__ = ["Lemmatiser", "train_lemmatiser"]

_LONGEST_ENDING = 5
_N_EDITS = 4
_MEMORY = 200_000
"""Words remembered before the memory is emptied."""
_BASES = {
    "NN": "NN", "NNS": "NN", "NNP": "NNP", "NNPS": "NNP", "VBD": "VB", "VBN": "VB", "VBG": "VB", "VBZ": "VB",
    "JJR": "JJ", "JJS": "JJ", "RBR": "RB", "RBS": "RB",
}  # fmt: skip
"""Inflected tags and the base form an edit should lead to."""
_CATEGORIES = {"N": "noun", "V": "verb", "J": "adj", "R": "adv"}
_ACRONYMS = frozenset(("NN", "NNS", "JJ", "FW"))
"""Tags whose words in capitals keep them, unless the dictionary knows the word."""
Edit = tuple[int, str]


@dataclass(frozen=True, eq=False)
class Lemmatiser:
    """Gives the lemma of a word with a tag."""

    endings: Mapping[str, Mapping[str, Sequence[Edit]]]
    """Tag → ending → edits, most frequent first."""
    exceptions: Mapping[tuple[str, str], str]
    """(Word, tag) → lemma; words of names as written, others in small letters."""
    words: WordTable
    _memory: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)

    def lemmas(self, words: Sequence[str], xpos: Sequence[str]) -> list[str]:
        """Return the lemma of each word, given its Penn tag."""
        memory = self._memory
        pairs = list(zip(words, xpos, strict=True))
        fresh = [pair for pair in dict.fromkeys(pairs) if pair not in memory]
        if fresh:
            if len(memory) > _MEMORY:
                memory.clear()
                fresh = list(dict.fromkeys(pairs))
            memory.update(zip(fresh, self._find(fresh), strict=True))
        return [memory[pair] for pair in pairs]

    def _find(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """Return lemmas of words not met before, all candidates looked up at once."""
        out: list[str] = []
        asked: list[tuple[int, str, list[str]]] = []
        for word, tag in pairs:
            form = written(word, tag)
            known = self.exceptions.get((form, tag))
            if (
                known is None
                and tag in _ACRONYMS
                and len(word) > 1
                and word.isupper()
                and not any(self._classes([form]))
            ):
                form = word
            out.append(form if known is None else known)
            if known is None and tag in self.endings:
                asked.append((len(out) - 1, tag, self._candidates(form, tag)))
        classes = self._classes([candidate for _, _, candidates in asked for candidate in candidates])
        k = 0
        for place, tag, candidates in asked:
            bit = 1 << FORMS.index(_BASES[tag])
            good = [c for c, found in zip(candidates, classes[k : k + len(candidates)], strict=True) if found & bit]
            out[place] = (good or candidates)[0]
            k += len(candidates)
        return out

    def _candidates(self, form: str, tag: str) -> list[str]:
        endings = self.endings[tag]
        for length in range(min(_LONGEST_ENDING, len(form)), -1, -1):
            edits = endings.get(form[len(form) - length :].lower())
            if edits:
                return [form[: len(form) - cut] + new for cut, new in edits if cut < len(form)] or [form]
        return [form]

    def _classes(self, words: list[str]) -> list[int]:
        if not words:
            return []
        rows = look_up_all(self.words.places, self.words.keys, word_keys(words))
        return np.where(rows >= 0, self.words.values[np.maximum(rows, 0), 3], 0).tolist()

    def save(self, path: str | Path) -> None:
        """Write to one `.npz`: the exceptions as one sorted text, the endings in the header."""
        keys = sorted(self.exceptions)
        lines = []
        for word, tag in keys:
            lemma = self.exceptions[word, tag]
            same = _n_same(word, lemma)
            lines.append(f"{word}\t{tag}\t{len(word) - same}\t{lemma[same:]}")
        blob = np.frombuffer("\n".join(lines).encode("utf-8"), np.uint8)
        save_arrays(path, "text/lemmas", {"endings": self.endings}, {"exceptions": blob})

    @classmethod
    def load(cls, path: str | Path, words: WordTable) -> "Lemmatiser":
        """Read what `save` wrote."""
        header, arrays = load_arrays(path, "text/lemmas")
        exceptions = {}
        for line in arrays["exceptions"].tobytes().decode("utf-8").split("\n"):
            if line:
                word, tag, cut, end = line.split("\t")
                exceptions[word, tag] = word[: len(word) - int(cut)] + end
        endings = {
            tag: {ending: [(int(cut), new) for cut, new in edits] for ending, edits in table.items()}
            for tag, table in header["endings"].items()
        }
        return cls(endings, exceptions, words)


def written(word: str, tag: str) -> str:
    """Return a word as lemmas see it: names as they are, numbers without commas, all else in small letters."""
    if tag.startswith("NNP"):
        return word
    return word.replace(",", "") if tag == "CD" else word.lower()


def train_lemmatiser(
    treebank: Treebank, lexicon: Lexicon, words: WordTable, frequency: Mapping[str, int]
) -> Lemmatiser:
    """Learn endings and exceptions; among a form's possible lemmas the dictionary's most frequent word is taken."""
    known = _of_lexicon(lexicon, frequency)
    seen = _of_treebank(treebank)
    pairs = known | {key: lemma for key, (lemma, _) in seen.items()}
    endings = {tag: _learn_endings(pairs, tag) for tag in _BASES}
    rules = Lemmatiser(endings, {}, words)
    keys = list(pairs)
    guesses = rules._find(keys)
    wrong = {
        key: pairs[key]
        for key, guess in zip(keys, guesses, strict=True)
        if guess != pairs[key] and (key not in seen or seen[key][1] > 1 or key in known or key[1] not in _BASES)
    }
    return Lemmatiser(endings, wrong, words)


def _of_lexicon(lexicon: Lexicon, frequency: Mapping[str, int]) -> dict[tuple[str, str], str]:
    out = {}
    for (form, category), lemmas in lexicon.lemmas.items():
        if category == "adj" and lemmas[0][:1].isupper() and lemmas[0].lower() == form:
            out[form, "JJ"] = lemmas[0]
        for bit, tag in enumerate(FORMS):
            if tag in _BASES and tag != "NNP" and lexicon.classes.get(form, 0) >> bit & 1:
                if _CATEGORIES[tag[0]] != category:
                    continue
                base = _BASES[tag] == tag
                fit = [lemma for lemma in lemmas if (lemma.lower() == form) == base] or list(lemmas)
                out[form, tag] = max(fit, key=lambda lemma: frequency.get(lemma.lower(), 0)).lower()
    return out


def _of_treebank(treebank: Treebank) -> dict[tuple[str, str], tuple[str, int]]:
    """Return the most frequent lemma of each (word, tag), and how often it was met."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for word, tag, lemma in zip(treebank.words, treebank.xpos, treebank.lemmas, strict=True):
        if lemma != "_" and tag != "GW":
            counts[written(word, tag), tag][lemma] += 1
    return {key: min(found.items(), key=lambda item: (-item[1], item[0])) for key, found in counts.items()}


def _n_same(one: str, other: str) -> int:
    """Return how many first letters two words share."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((k for k, (a, b) in pairs if a != b), min(len(one), len(other)))


def _learn_endings(pairs: Mapping[tuple[str, str], str], tag: str) -> dict[str, list[Edit]]:
    """Return for each ending the edits seen with it; an ending that says what a shorter one says is left out."""
    counts: dict[str, Counter[Edit]] = defaultdict(Counter)
    for (form, own), lemma in pairs.items():
        if own == tag:
            same = _n_same(form, lemma)
            edit = (len(form) - same, lemma[same:])
            for length in range(min(_LONGEST_ENDING, len(form)) + 1):
                counts[form[len(form) - length :].lower()][edit] += 1
    kept: dict[str, list[Edit]] = {}
    for ending in sorted(counts, key=lambda text: (len(text), text)):
        total = sum(counts[ending].values())
        edits = [edit for edit, count in sorted(counts[ending].items(), key=lambda item: (-item[1], item[0]))]
        edits = [edit for edit in edits[:_N_EDITS] if counts[ending][edit] * 50 >= total]
        shorter = next((kept[ending[k:]] for k in range(1, len(ending) + 1) if ending[k:] in kept), None)
        if shorter != edits and (total >= 3 or not ending):
            kept[ending] = edits
    return kept
