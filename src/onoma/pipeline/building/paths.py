"""The way between two mentions of a sentence in its tree: a relation as text says it.

The words and relations on the shortest way are the *path* (Riedel et al., "Relation extraction with matrix
factorization and universal schemas", NAACL 2013): in "Ada Lovelace worked with Charles Babbage" it is
`nsubj<work>obl:with`. `<` goes up to the word that follows, `>` down from the word before. Words are lemmas; relations
of prepositional phrases carry the preposition. What is said of "Paris and Rome" is said of both: the second has the
path of the first.
"""

from collections.abc import Collection, Sequence

from onoma.coref.document import Document

__all__ = ["path_between"]

_LONGEST = 2
"""Words between two heads, at most: longer ways hardly come twice, and say little of the two."""
_CLOSED = frozenset((
    "parataxis", "punct", "discourse", "vocative", "dislocated", "list", "orphan", "dep", "reparandum", "advcl",
    "ccomp", "csubj", "conj",
))  # fmt: skip
"""Relations that no path goes through: what they join is said side by side, or in another clause."""
_ALONE = frozenset(["nsubj", "obj", "iobj", "csubj"])
"""Relations that a word has one of: two of them are a sentence misread."""
_BESIDE = frozenset(["amod", "compound", "nummod", "det"])
"""Relations whose words stand side by side before a noun, and say nothing of each other."""
_OWNED = ("nmod:poss", "nmod:of", "compound")
"""How a noun has what it belongs to; a word before it only where the noun stands beside a name (Leeds coach Bielsa)."""
_SAME = frozenset(["appos", "nsubj", "nmod:desc", "flat"])
"""Relations between a noun and what it says of whom."""
_NAMES = frozenset(["flat", "compound", "fixed", "goeswith"])
"""Relations inside names: a path of these alone joins parts of one."""


def path_between(document: Document, left: int, right: int, nouns: Collection[int] = ()) -> tuple[bool, str] | None:
    """Return whether the left one comes first, and the way between two tokens; None if there is none worth telling.

    Tokens among `nouns` are no names, and may be what joins the two: "her supervisor", "the supervisor of Ada".
    """
    asked = {left, right}
    left, right = _first(document, left), _first(document, right)
    ups, downs = _way_up(document, left), _way_up(document, right)
    common = next((token for token in ups if token in set(downs)), None)
    if common is None or (common in (left, right) and common not in asked):
        return None  # what is said of the first alone: in "a trip to Rome and a book" the book is not in Rome
    ups, downs = ups[: ups.index(common)], downs[: downs.index(common)]
    between = {*ups[1:], *downs[1:]} | ({common} - {left, right})
    relations = [document.deprels[token].partition(":")[0] for token in (*ups, *downs)]
    if len(between) > _LONGEST or _CLOSED & set(relations) or set(relations) <= _NAMES:
        return None
    if ups and downs and _clash(*(document.deprels[way[-1]].partition(":")[0] for way in (ups, downs))):
        return None
    clauses = [token for token in (*ups, *downs) if document.deprels[token].startswith("acl")]
    if any(int(document.heads[token]) not in (left, right) for token in clauses):
        return None  # a clause about something else
    acts = (downs[-1], downs[0]) if not ups else downs[-1:]  # in "the board that Ada runs" Ada does
    is_acted = any(document.deprels[token].startswith("nsubj") for token in acts)
    forward = not (is_acted and not _is_subject(document, ups))
    if not forward:
        ups, downs = downs, ups
    owned = _owned(document, (*ups, *downs), nouns)
    if owned is not None:
        owner, noun = owned
        return owner == left, f"nmod:poss<{str(document.lemmas[noun]).lower()}"
    if len(ups) == 1 and not downs and _is_subject(document, ups) and (case := _prepositions(document, common)):
        return forward, f"nsubj<be>obl:{'_'.join(case)}"
    return forward, _written(document, ups, common, downs)


def _owned(document: Document, way: Sequence[int], nouns: Collection[int]) -> tuple[int, int] | None:
    """Return whose something is, and the noun, where a way of one or two steps says no more than that.

    *Her sister Mary*, *Mary, the sister of Ada* and *Ada's sister is Mary* say one thing, and are written alike.
    """
    for token in way:
        noun = int(document.heads[token])
        others = [other for other in way if other != token]
        if document.upos[noun] != "NOUN" or len(others) > 1:
            continue
        if others:
            step = others[0]
            is_one = noun in (step, int(document.heads[step])) and document.deprels[step] in _SAME
        else:
            is_one = noun in nouns
        if is_one and _label(document, token) in (_OWNED if others else _OWNED[:2]):
            return token, noun
    return None


def _clash(one: str, other: str) -> bool:
    return (one == other and one in _ALONE) or (one in _BESIDE and other in _BESIDE)


def _prepositions(document: Document, token: int) -> list[str]:
    before = [child for child in document.children[token] if document.deprels[child] == "case" and child < token]
    return [str(document.lemmas[child]).lower() for child in before]


def _first(document: Document, token: int) -> int:
    """Return the first of the words that a token stands side by side with."""
    while document.deprels[token].partition(":")[0] == "conj":
        head = int(document.heads[token])
        if head == token or document.upos[head] not in ("NOUN", "PROPN", "PRON"):
            break
        token = head
    return token


def _is_subject(document: Document, ups: Sequence[int]) -> bool:
    return bool(ups) and document.deprels[ups[-1]].startswith("nsubj")


def _way_up(document: Document, token: int) -> list[int]:
    way = [token]
    while len(way) <= 2 * (_LONGEST + 1) and int(document.heads[way[-1]]) != way[-1]:
        way.append(int(document.heads[way[-1]]))
    return way


def _written(document: Document, ups: Sequence[int], common: int, downs: Sequence[int]) -> str:
    """Write a way: up from the first to the common word, down to the second; the two themselves are left out."""
    way = ""
    for token in ups:
        head = int(document.heads[token])
        word = "" if head == common and not downs else str(document.lemmas[head]).lower()
        way += f"{' ' if way else ''}{_label(document, token)}<{word}"
    for k, token in reversed(list(enumerate(downs))):
        way += f">{_label(document, token)}" + (f" {str(document.lemmas[token]).lower()}" if k else "")
    return way


def _label(document: Document, token: int) -> str:
    """Return a token's relation to its head, with its preposition."""
    label = document.deprels[token]
    if label.split(":")[0] in ("nmod", "obl"):
        prepositions = _prepositions(document, token)
        if prepositions:
            return f"{label.split(':')[0]}:{'_'.join(prepositions)}"
    return label
