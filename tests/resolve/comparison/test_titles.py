"""Titles name what they are titles of; who made it is what other titles share."""

import numpy as np
import pyarrow as pa

from onoma.numerics.rng import stream
from onoma.resolve.api import resolve
from onoma.resolve.blocking.canopies import find_candidates
from onoma.resolve.comparison.gathering import gather_evidence
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.fields.telling.lone import with_likeness

WORDS = [first + second for first in ("ra", "ke", "lo", "mi", "tu", "ve") for second in ("ban", "dor", "ris", "len")]

GIVEN = [
    "Anna",
    "Bruno",
    "Clara",
    "David",
    "Emma",
    "Frank",
    "Greta",
    "Henry",
    "Irene",
    "James",
    "Karin",
    "Louis",
    "Maria",
    "Nina",
    "Oscar",
    "Paula",
]
SURNAMES = [
    "Adams",
    "Baker",
    "Carter",
    "Dixon",
    "Evans",
    "Foster",
    "Graham",
    "Harris",
    "Irving",
    "Jackson",
    "Keller",
    "Lawson",
    "Mason",
    "Norris",
    "Osborne",
]


def albums(n_artists=240, n_each=5, n_twice=40):
    """Albums of artists: words of their own, some songs on two of them; a few are there twice, miswritten."""
    rng = stream(3, "albums")
    rows = []
    for artist in range(n_artists):
        name = f"{GIVEN[artist % len(GIVEN)]} {SURNAMES[artist // len(GIVEN)]}"
        songs = [" ".join(f"{w}{rng.integers(40)}x" for w in rng.choice(WORDS, 3)) for _ in range(n_each * 5)]
        for album in range(n_each):
            own = [*songs[album * 5 : album * 5 + 5], *(songs[k] for k in rng.integers(0, len(songs), album))]
            title = f"{rng.choice(WORDS)} {rng.choice(WORDS)} of {rng.choice(WORDS)}"
            rows.append([name, title, " ".join(own), str(rng.integers(1980, 2005))])
    truth = list(range(len(rows)))
    for row in rng.permutation(len(rows))[:n_twice].tolist():
        artist, title, tracks, year = rows[row]
        words = tracks.split()
        rows.append([artist, title.replace("a", "e", 1), " ".join(words[:-2]), year])
        truth.append(row)
    columns = dict(zip(("artist", "title", "tracks", "year"), zip(*rows, strict=True), strict=True))
    return pa.table({"id": [str(i) for i in range(len(rows))], **columns}), np.array(truth)


def test_albums_of_an_artist_are_no_copies():
    table, truth = albums()
    labels = resolve(table, model="copying", no_check=True).clustering.labels
    first = np.flatnonzero(np.bincount(truth)[truth] > 1)
    found = {tuple(rows) for k in range(labels.max() + 1) if len(rows := np.flatnonzero(labels == k)) > 1}
    assert len(found) <= 45
    assert sum(len(set(truth[list(rows)].tolist())) == 1 for rows in found) >= 36
    assert len(first) == 80


def test_what_names_the_thing():
    table, _ = albums(20, 4, 0)
    fields, _ = with_likeness(prepare_fields(table, exclude=["id"]).fields)
    evidence = gather_evidence(fields, find_candidates(fields), None, None, seed=0)
    kinds = [each.kind for each in fields]
    assert "likeness" in kinds
    assert evidence.identity.tolist() == [kind == "likeness" for kind in kinds]
    assert evidence.names.tolist() == [kind in ("person", "organisation") for kind in kinds]


def test_within_blocks_a_title_is_a_text():
    table, _ = albums(20, 4, 0)
    found = resolve(table, model="copying", no_check=True, block="artist")
    assert {each.kind for each in found.fields.fields if each.name in ("title", "tracks")} == {"text"}
