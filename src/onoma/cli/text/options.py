"""Options of the commands that read documents."""

from typing import Annotated

import typer

__all__ = ["Annotator", "Documents", "Fresh", "IdField", "SourceFormat", "TextField"]

Documents = Annotated[
    list[str], typer.Argument(metavar="FILES…", help="Files, folders, patterns; - is standard input.")
]
SourceFormat = Annotated[str | None, typer.Option("--from", help="text, markdown, html or jsonl; else by name.")]
TextField = Annotated[str, typer.Option("--text-field", help="The field of JSON Lines that holds the text.")]
IdField = Annotated[str, typer.Option("--id-field", help="The field of JSON Lines that names the document.")]
Annotator = Annotated[
    str | None, typer.Option("--with", help="A folder of text models, or spacy:NAME for a pipeline of spaCy.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Do not go on from an earlier run that was broken off.")]
