"""The simplest clustering there is: records with the same normalised name and birth date are one entity.

`python scripts/exact_names.py TABLE OUT`
"""

import sys
import unicodedata
from pathlib import Path

import pyarrow as pa

from onoma.corpus.clustering import Clustering
from onoma.corpus.formats import write_table
from onoma.corpus.readers.table import read_table


def normalised(*values: object) -> str:
    text = " ".join("" if value is None else str(value) for value in values)
    letters = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(c if c.isalnum() else " " for c in letters if not unicodedata.combining(c)).split())


def main() -> None:
    source, target = map(Path, sys.argv[1:])
    table = read_table(source).table
    columns = zip(*(table[name].to_pylist() for name in ("given_name", "surname", "birth_date")), strict=True)
    clustering = Clustering.from_labels([normalised(*values) for values in columns])
    write_table(pa.table({"id": table["id"], "entity": clustering.relabel()}), target)
    print(f"{len(clustering):,} records, {clustering.n_entities:,} entities -> {target}")


if __name__ == "__main__":
    main()
