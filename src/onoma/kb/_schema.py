"""The tables and views of a knowledge base, and how a file of an earlier version becomes one of this version.

Version 1 is what `onoma resolve` wrote into a database before results were living: the tables of one run and nothing to
go on from. Version 2 keeps all that a later run needs.
"""

VERSION = 2
FORMAT = "onoma knowledge base"

FIRST_VERSION = {"records", "memberships", "entities", "runs"}
"""Tables by which a file of version 1 is known; it does not say its version."""

TABLES = """
CREATE TABLE meta (key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL);
CREATE TABLE columns (name VARCHAR NOT NULL, stored VARCHAR NOT NULL);
CREATE TABLE memberships (
    record BIGINT NOT NULL, source VARCHAR NOT NULL, id VARCHAR NOT NULL, entity VARCHAR NOT NULL,
    probability DOUBLE NOT NULL);
CREATE TABLE edges (
    a BIGINT NOT NULL, b BIGINT NOT NULL, log_copy FLOAT, log_relative FLOAT,
    probability FLOAT NOT NULL);
CREATE TABLE samples (record BIGINT NOT NULL, roots BIGINT[] NOT NULL);
CREATE TABLE model (name VARCHAR PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE weights (
    field VARCHAR, kind VARCHAR, level VARCHAR, copied DOUBLE, strangers DOUBLE, copies DOUBLE, bits DOUBLE,
    low DOUBLE, high DOUBLE);
CREATE TABLE fields ("column" VARCHAR, kind VARCHAR, reason VARCHAR);
CREATE TABLE missing ("column" VARCHAR, value VARCHAR, n_records BIGINT, why VARCHAR);
CREATE TABLE field_values (
    field INTEGER NOT NULL, code INTEGER NOT NULL, value VARCHAR NOT NULL, example VARCHAR NOT NULL);
CREATE TABLE features (field INTEGER NOT NULL, first_code INTEGER NOT NULL, offsets BLOB NOT NULL, ids BLOB NOT NULL);
CREATE TABLE judgements (
    judgement BIGINT NOT NULL, kind VARCHAR NOT NULL, a_source VARCHAR NOT NULL, a VARCHAR NOT NULL,
    b_source VARCHAR NOT NULL, b VARCHAR NOT NULL, weight DOUBLE, "by" VARCHAR NOT NULL, made BIGINT NOT NULL,
    retracted BIGINT);
CREATE TABLE aliases (alias VARCHAR NOT NULL, entity VARCHAR NOT NULL, run BIGINT NOT NULL, records BIGINT[] NOT NULL);
CREATE TABLE changes (
    change BIGINT NOT NULL, run BIGINT NOT NULL, kind VARCHAR NOT NULL, entity VARCHAR NOT NULL, other VARCHAR,
    source VARCHAR, id VARCHAR, reason VARCHAR NOT NULL);
CREATE TABLE runs (
    run BIGINT NOT NULL, kind VARCHAR NOT NULL, made TIMESTAMP NOT NULL, command VARCHAR, settings VARCHAR, seed BIGINT,
    table_fingerprint VARCHAR, versions VARCHAR, "rows" BIGINT, entities BIGINT, entities_low BIGINT,
    entities_high BIGINT, interrupted BOOLEAN, n_added BIGINT, n_changed BIGINT, n_retracted BIGINT, n_touched BIGINT,
    seconds DOUBLE, summary VARCHAR);
"""
"""Every table but `records`, `entities`, `codes` and `rejects`, whose columns are those of the data."""

VIEWS = """
CREATE OR REPLACE VIEW record_current AS
    SELECT m.entity, m.probability, r.* FROM records r JOIN memberships m ON m.record = r.onoma_record;
CREATE OR REPLACE VIEW mention_current AS FROM record_current;
CREATE OR REPLACE VIEW entity_current AS FROM entities;
CREATE OR REPLACE VIEW pairs AS
    SELECT one.source AS a_source, one.id AS a, other.source AS b_source, other.id AS b,
        e.probability::DOUBLE AS probability
    FROM edges e JOIN memberships one ON one.record = e.a JOIN memberships other ON other.record = e.b
    WHERE e.probability >= 0.01;
CREATE OR REPLACE VIEW judgement_current AS SELECT * EXCLUDE (retracted) FROM judgements WHERE retracted IS NULL;
CREATE OR REPLACE VIEW entity_name AS
    SELECT DISTINCT entity AS name, entity FROM memberships UNION ALL SELECT alias, entity FROM aliases;
CREATE OR REPLACE VIEW run_last AS FROM runs ORDER BY run DESC LIMIT 1;
"""

INDEXES = {
    "onoma_of_records": ("records", "onoma_record"),
    "onoma_of_memberships": ("memberships", "record"),
    "onoma_of_ids": ("memberships", "id"),
    "onoma_of_entities": ("memberships", "entity"),
    "onoma_of_values": ("entities", "entity"),
    "onoma_of_samples": ("samples", "record"),
    "onoma_of_pairs": ("edges", "a"),
}
"""By name, the table and the column that a single record or entity is looked up by."""
FEWEST_INDEXED = 20_000
"""Records from which on there are indexes: fewer are read through as fast, and an index makes the file larger."""

SEALS = "CREATE TABLE IF NOT EXISTS seals (run BIGINT NOT NULL, seal VARCHAR NOT NULL, content VARCHAR NOT NULL)"
"""The chain of runs (`audit/seals.py`), for files that have none yet."""

BOOKKEEPING = ("onoma_record", "onoma_source", "onoma_content", "onoma_added", "onoma_retracted")
"""Columns of `records` that are not of the data: number, source, fingerprint, the runs that added and retracted it."""

FROM_FIRST = """
ALTER TABLE records ADD COLUMN onoma_record BIGINT;
UPDATE records SET onoma_record = rowid;
ALTER TABLE records ADD COLUMN onoma_source VARCHAR;
ALTER TABLE records ADD COLUMN onoma_content UBIGINT;
ALTER TABLE records ADD COLUMN onoma_added BIGINT;
UPDATE records SET onoma_added = 1;
ALTER TABLE records ADD COLUMN onoma_retracted BIGINT;
ALTER TABLE memberships RENAME TO memberships_1;
ALTER TABLE pairs RENAME TO pairs_1;
ALTER TABLE runs RENAME TO runs_1;
ALTER TABLE fields RENAME TO fields_1;
ALTER TABLE missing RENAME TO missing_1;
"""
"""Makes room for this version in a file of version 1."""
