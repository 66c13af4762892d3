"""From one format to another."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from onoma.corpus.corpus import Corpus
from onoma.corpus.formats import format_of, write_corpus, write_table
from onoma.corpus.writers.delimited import count_formulas
from onoma.errors import UnsupportedError

__all__ = ["ConvertReport", "convert", "mentions_table"]


@dataclass(frozen=True)
class ConvertReport:
    """What a conversion did.

    Parameters
    ----------
    source_format, target_format
        Names of the formats.
    n_written
        Rows of a table, or documents of a corpus.
    rejects
        What could not be read (`row`, `reason`, `text`).
    notes
        What the readers said, and what the target cannot hold.
    """

    source_format: str
    target_format: str
    n_written: int
    rejects: pa.Table
    notes: list[str]


def convert(
    source: str | Path,
    target: str | Path,
    *,
    on_error: str = "stop",
    source_format: str | None = None,
    target_format: str | None = None,
    encoding: str | None = None,
    quote_formulas: bool = False,
) -> ConvertReport:
    """Read one file and write it in another format.

    Tables go to tables, annotated text to annotated text or to a table of its mentions, a bibliography to a table. A
    table does not become annotated text: it has no words in order.

    Parameters
    ----------
    source, target
        Files; their names say the formats, unless given. `.gz` and `.zst` are unpacked and packed.
    on_error
        `"stop"` or `"reject"`, as the readers take it.
    source_format, target_format
        Names in `onoma.corpus.formats.FORMATS`.
    encoding
        Of a source that is not UTF-8; None: it is found, and said.
    quote_formulas
        Whether an apostrophe is written, in CSV and TSV, before what a spreadsheet would take for a formula.
    """
    reading, writing = format_of(source, source_format), format_of(target, target_format)
    names = (reading.name, writing.name)
    if writing.write_table is None and writing.write_corpus is None:
        raise UnsupportedError(f"{writing.name} is read, not written", hint="Write a table: .csv, .jsonl or .parquet.")
    if reading.read_corpus is not None:
        corpus = reading.read_corpus(source, on_error=on_error, encoding=encoding)
        if writing.write_corpus is not None:
            write_corpus(corpus, target, format=writing.name)
            notes = [*corpus.notes, *_lost(corpus, *names)]
            return ConvertReport(*names, len(corpus.documents), corpus.rejects, notes)
        table = mentions_table(corpus)
        write_table(table, target, format=writing.name, quote_formulas=quote_formulas)
        notes = [*corpus.notes, "the table has the mentions with their chains; the words around them stay behind"]
        return ConvertReport(*names, len(table), corpus.rejects, notes)
    if reading.read_table is None or writing.write_table is None:
        raise UnsupportedError(
            f"{source}: {reading.name} holds a table; {writing.name} needs the words of a text in order",
            hint="Convert it to another table: .csv, .tsv, .jsonl or .parquet.",
        )
    read = reading.read_table(source, on_error=on_error, encoding=encoding)
    write_table(read.table, target, format=writing.name, quote_formulas=quote_formulas)
    notes = [*read.notes, *_armed(read.table, writing.name, quote_formulas=quote_formulas)]
    return ConvertReport(*names, len(read.table), read.rejects, notes)


def _armed(table: pa.Table, target: str, *, quote_formulas: bool) -> list[str]:
    n_formulas = count_formulas(table) if target in ("csv", "tsv") else 0
    if not n_formulas:
        return []
    if quote_formulas:
        return [f"{n_formulas:,} values begin as formulas do and were written with an apostrophe before them"]
    return [f"{n_formulas:,} values begin as formulas of a spreadsheet do; --quote-formulas makes them harmless there"]


def mentions_table(corpus: Corpus) -> pa.Table:
    """Return the mentions of a corpus with their chains as one table: what a text corpus is outside its text."""
    table = corpus.mentions_with_chains()
    return table.select([name for name in table.column_names if not name.startswith("raw_")])


def _lost(corpus: Corpus, source: str, target: str) -> list[str]:
    """Say what the target cannot hold."""
    if source == target:
        return []
    notes = [f"{target} is written with words, lemmas, tags, speakers, mentions and chains; other columns stay behind"]
    loose = len(corpus.mentions) - len(corpus.chains)
    if loose:
        notes.append(f"{loose:,} mentions are in no chain and were left out")
    if target == "conllu" and any(corpus.documents["part"].to_pylist()):
        notes.append("CoNLL-U has no parts: each part above 0 became a document of its own")
    return notes
