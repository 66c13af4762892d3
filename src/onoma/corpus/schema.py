"""The tables that rooms hand each other, declared once.

A table may carry more columns than its schema names (a record keeps every column it came with); the named ones must be
there with these types. `check` is the door between two rooms.
"""

import pyarrow as pa

from onoma.errors import DataError

__all__ = [
    "ANNOTATED_DOCUMENTS",
    "ANNOTATED_TOKENS",
    "CHAINS",
    "CLUSTERINGS",
    "DOCUMENTS",
    "FACTS",
    "MEMBERSHIPS",
    "MENTIONS",
    "RECORDS",
    "SCHEMAS",
    "SENTENCES",
    "SIGNATURES",
    "SPANS",
    "TEXTS",
    "TOKENS",
    "TYPES",
    "check",
]

RECORDS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False, metadata={"doc": "unique within its source"}),
    ]
)
"""Structured input: one row is one mention of an entity; every other column is a field."""

MENTIONS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False, metadata={"doc": "unique in the table"}),
        pa.field("document", pa.string(), nullable=False, metadata={"doc": "the document it stands in"}),
        pa.field("part", pa.int32(), nullable=False, metadata={"doc": "part of the document, from 0"}),
        pa.field("start", pa.int64(), nullable=False, metadata={"doc": "first token, counted in the part from 0"}),
        pa.field("end", pa.int64(), nullable=False, metadata={"doc": "one past the last token"}),
        pa.field("text", pa.string(), metadata={"doc": "the words themselves"}),
        pa.field("type", pa.string(), metadata={"doc": "entity type, where known"}),
    ]
)
"""One place in a text that refers."""

DOCUMENTS = pa.schema(
    [
        pa.field("document", pa.string(), nullable=False),
        pa.field("part", pa.int32(), nullable=False),
        pa.field("n_sentences", pa.int64(), nullable=False),
        pa.field("n_tokens", pa.int64(), nullable=False),
    ]
)
"""One row for each part of each document."""

TOKENS = pa.schema(
    [
        pa.field("document", pa.string(), nullable=False),
        pa.field("part", pa.int32(), nullable=False),
        pa.field("sentence", pa.int64(), nullable=False, metadata={"doc": "counted in the part from 0"}),
        pa.field("token", pa.int64(), nullable=False, metadata={"doc": "counted in the part from 0"}),
        pa.field("word", pa.string(), nullable=False),
        pa.field("tag", pa.string()),
        pa.field("parse", pa.string()),
        pa.field("lemma", pa.string()),
        pa.field("speaker", pa.string()),
        pa.field("name", pa.string(), metadata={"doc": "named-entity column, as it came"}),
    ]
)
"""The words of the documents; formats add columns of their own."""

CHAINS = pa.schema(
    [
        pa.field("mention", pa.string(), nullable=False, metadata={"doc": "MENTIONS.id"}),
        pa.field("chain", pa.string(), nullable=False, metadata={"doc": "unique within document and part"}),
    ]
)
"""Which mentions of one document refer to one thing."""

CLUSTERINGS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False, metadata={"doc": "RECORDS.id or MENTIONS.id"}),
        pa.field("entity", pa.string(), metadata={"doc": "null: not labelled"}),
    ]
)
"""One clustering: each item and its entity."""

MEMBERSHIPS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False, metadata={"doc": "of a record or mention"}),
        pa.field("entity", pa.string(), nullable=False),
        pa.field("probability", pa.float64(), nullable=False, metadata={"doc": "that it belongs there"}),
    ]
)
"""A clustering that says how sure it is."""

FACTS = pa.schema(
    [
        pa.field("subject", pa.string(), nullable=False, metadata={"doc": "an entity"}),
        pa.field("relation", pa.string(), nullable=False, metadata={"doc": "what is said of the two"}),
        pa.field("object", pa.string(), nullable=False, metadata={"doc": "an entity, or a value taken for one"}),
        pa.field("probability", pa.float64(), nullable=False, metadata={"doc": "that the fact is true; known: 1"}),
        pa.field("source", pa.string(), metadata={"doc": "where it comes from"}),
    ]
)
"""What is known, or predicted, about entities."""

TYPES = pa.schema(
    [
        pa.field("entity", pa.string(), nullable=False),
        pa.field("type", pa.string(), nullable=False, metadata={"doc": "an entity may have several, one a row"}),
    ]
)
"""What kind of thing each entity is."""

SIGNATURES = pa.schema(
    [
        pa.field("relation", pa.string(), nullable=False),
        pa.field("domain", pa.string(), nullable=False, metadata={"doc": "a type its subjects may have"}),
        pa.field("range", pa.string(), nullable=False, metadata={"doc": "a type its objects may have"}),
    ]
)
"""Between which types a relation can hold; several rows allow several types on each side."""

TEXTS = pa.schema(
    [
        pa.field("document", pa.string(), nullable=False, metadata={"doc": "unique in one run"}),
        pa.field("text", pa.large_string(), nullable=False, metadata={"doc": "the text that offsets count in"}),
        pa.field("source", pa.string(), metadata={"doc": "the file it was read from"}),
    ]
)
"""Raw documents, before annotation."""

ANNOTATED_DOCUMENTS = pa.schema(
    [
        *DOCUMENTS,
        pa.field("text", pa.large_string(), metadata={"doc": "the raw text; null where only tokens came"}),
        pa.field("source", pa.string(), metadata={"doc": "the file it was read from"}),
        pa.field("problem", pa.string(), metadata={"doc": "why it could not be annotated; null where it was"}),
    ]
)
"""`DOCUMENTS` with their raw text."""

SENTENCES = pa.schema(
    [
        pa.field("document", pa.string(), nullable=False),
        pa.field("part", pa.int32(), nullable=False),
        pa.field("sentence", pa.int64(), nullable=False, metadata={"doc": "counted in the part from 0"}),
        pa.field("start", pa.int64(), nullable=False, metadata={"doc": "first token, counted in the part from 0"}),
        pa.field("end", pa.int64(), nullable=False, metadata={"doc": "one past the last token"}),
        pa.field("paragraph", pa.int64(), metadata={"doc": "counted in the part from 0"}),
    ]
)
"""One row for each sentence."""

ANNOTATED_TOKENS = pa.schema(
    [
        *TOKENS,
        pa.field("start_char", pa.int64(), metadata={"doc": "first character (code point) of the text, from 0"}),
        pa.field("end_char", pa.int64(), metadata={"doc": "one past the last character"}),
        pa.field("upos", pa.string(), metadata={"doc": "Universal Dependencies part of speech"}),
        pa.field("feats", pa.string(), metadata={"doc": "morphology, Name=Value|… in the order of CoNLL-U"}),
        pa.field("head", pa.int64(), metadata={"doc": "the governing token, counted in the part; the root: itself"}),
        pa.field("deprel", pa.string(), metadata={"doc": "the relation to the head"}),
    ]
)
"""`TOKENS` with offsets, morphology and trees; `tag` is the Penn part of speech."""

SPANS = pa.schema(
    [
        pa.field("document", pa.string(), nullable=False),
        pa.field("part", pa.int32(), nullable=False),
        pa.field("layer", pa.string(), nullable=False, metadata={"doc": "name, mention, noun_phrase, chunk…"}),
        pa.field("start", pa.int64(), nullable=False, metadata={"doc": "first token, counted in the part from 0"}),
        pa.field("end", pa.int64(), nullable=False, metadata={"doc": "one past the last token"}),
        pa.field("text", pa.string(), metadata={"doc": "the words themselves, as they stand in the text"}),
        pa.field("type", pa.string(), metadata={"doc": "PER ORG LOC MISC for names; GUM's types for mentions"}),
        pa.field("probability", pa.float64(), metadata={"doc": "of span and type, where the model states one"}),
        pa.field("head", pa.int64(), metadata={"doc": "the head token, counted in the part"}),
        pa.field("mention_type", pa.string(), metadata={"doc": "proper, nominal or pronoun"}),
        pa.field("number", pa.string(), metadata={"doc": "singular or plural; null: unknown"}),
        pa.field("gender", pa.string(), metadata={"doc": "masculine, feminine or neuter; null: unknown"}),
        pa.field("animacy", pa.string(), metadata={"doc": "animate or inanimate; null: unknown"}),
        pa.field("provenance", pa.string(), metadata={"doc": "which list or rule gave number, gender, animacy"}),
    ]
)
"""Stretches of tokens: names, noun phrases, mentions, chunks."""

SCHEMAS = {
    "records": RECORDS,
    "mentions": MENTIONS,
    "texts": TEXTS,
    "documents": DOCUMENTS,
    "tokens": TOKENS,
    "annotated_documents": ANNOTATED_DOCUMENTS,
    "annotated_tokens": ANNOTATED_TOKENS,
    "sentences": SENTENCES,
    "spans": SPANS,
    "chains": CHAINS,
    "clusterings": CLUSTERINGS,
    "memberships": MEMBERSHIPS,
    "facts": FACTS,
    "types": TYPES,
    "signatures": SIGNATURES,
}


def check(table: pa.Table, schema: pa.Schema, *, name: str = "table") -> pa.Table:
    """Return the table with the schema's columns first and in its types; say what is missing otherwise.

    Parameters
    ----------
    table
        Any Arrow table.
    schema
        One of `SCHEMAS`.
    name
        How to call the table in an error.

    Examples
    --------
    >>> rows = pa.table({"city": ["Lyon"], "id": [7]})
    >>> check(rows, RECORDS).column_names
    ['id', 'city']
    """
    missing = [field.name for field in schema if field.name not in table.column_names]
    if missing:
        raise DataError(
            f"the {name} lacks the column{'s' * (len(missing) > 1)} {', '.join(map(repr, missing))}; "
            f"it has {', '.join(map(repr, table.column_names))}"
        )
    for field in schema:
        position = table.schema.get_field_index(field.name)
        column = table.column(position)
        if column.type != field.type:
            try:
                column = column.cast(field.type)
            except pa.ArrowInvalid as error:
                raise DataError(f"is {column.type}, should be {field.type}: {error}", column=field.name) from error
            table = table.set_column(position, field, column)
        if not field.nullable and column.null_count:
            row = column.is_null().index(True).as_py() + 1
            raise DataError(f"the {name} has no value here, and needs one", row=row, column=field.name)
    rest = [column for column in table.column_names if column not in schema.names]
    return table.select([*schema.names, *rest])
