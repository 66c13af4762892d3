CREATE TABLE records (id VARCHAR, name VARCHAR, city VARCHAR);
INSERT INTO records VALUES ('1', 'Ada King', 'London'), ('2', 'Ada Kng', 'London'), ('3', 'Bob', NULL);
CREATE TABLE memberships (id VARCHAR, entity VARCHAR, probability DOUBLE);
INSERT INTO memberships VALUES ('1', 'e0', 0.9), ('2', 'e0', 0.9), ('3', 'e1', 1.0);
CREATE TABLE entities (entity VARCHAR, size BIGINT, probability DOUBLE, record VARCHAR, name VARCHAR, city VARCHAR);
INSERT INTO entities VALUES ('e0', 2, 0.9, '1', 'Ada King', 'London'), ('e1', 1, 1.0, '3', 'Bob', NULL);
CREATE TABLE pairs (a VARCHAR, b VARCHAR, probability DOUBLE);
INSERT INTO pairs VALUES ('1', '2', 0.9);
CREATE TABLE weights (
    field VARCHAR, kind VARCHAR, level VARCHAR, copied DOUBLE, strangers DOUBLE, copies DOUBLE, bits DOUBLE, low DOUBLE,
    high DOUBLE);
INSERT INTO weights VALUES ('name', 'person', 'equal', 0.9, 0.01, 12, 6.5, 2.0, 9.0);
CREATE TABLE fields ("column" VARCHAR, kind VARCHAR, reason VARCHAR);
INSERT INTO fields VALUES ('name', 'person', 'its name says ''name''');
CREATE TABLE missing ("column" VARCHAR, value VARCHAR, n_records BIGINT, why VARCHAR);
CREATE TABLE runs (
    command VARCHAR, settings VARCHAR, seed BIGINT, table_fingerprint VARCHAR, versions VARCHAR, rows BIGINT,
    entities BIGINT, entities_low BIGINT, entities_high BIGINT, interrupted BOOLEAN, summary VARCHAR);
INSERT INTO runs VALUES ('onoma resolve people.csv -o people.duckdb', 'seed = 0', 0, 'abc', '{}', 3, 2, 2, 3, false, '{}');
