"""Ordinary SQL, right or wrong, is answered byte for byte as without the extension."""

import random

import harness
from wire import Wire

RIGHT = """\
SELECT * FROM iris WHERE class = 1 ORDER BY petal_width LIMIT 3
SELECT class, count(*) AS n, avg(petal_length) FROM iris GROUP BY class HAVING count(*) > 10 ORDER BY 1
WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 FROM a) SELECT * FROM b
SELECT i.class, j.class FROM iris i LEFT JOIN iris j ON i.class = j.class AND i.petal_width < j.petal_width LIMIT 1
INSERT INTO notes (id, body) VALUES (1, 'to train'), (2, $$TO TRAIN x INTO y;$$)
UPDATE notes SET body = 'SELECT 1 TO TRAIN' WHERE id = 1 RETURNING id
DELETE FROM notes WHERE body LIKE '%TO%' AND id IN (SELECT id FROM notes)
CREATE TABLE train (into_model int, label text DEFAULT 'TO PREDICT', CHECK (into_model > 0))
ALTER TABLE notes ALTER COLUMN body TYPE varchar(10)
ALTER TABLE notes RENAME TO remarks
GRANT SELECT ON notes TO PUBLIC
CREATE VIEW train_view AS SELECT class AS train FROM iris
SELECT 'it''s', E'a\\nb', U&'\\0041', B'101', "class" FROM iris -- TO TRAIN m INTO n
SELECT CASE WHEN class > 1 THEN 'a' ELSE 'b' END, (SELECT max(class) FROM iris) FROM iris LIMIT 1
SELECT interval '1 year' YEAR TO MONTH, extract(year FROM now()) > 0
SELECT substring('train' FROM 2 FOR 3), position('r' IN 'train'), overlay('train' PLACING 'x' FROM 1)
EXPLAIN (COSTS off) SELECT * FROM iris
SHOW server_version
SHOW work_mem
SET work_mem TO '4MB'
SET LOCAL work_mem TO DEFAULT
COPY notes TO '/nonexistent/file' WITH (FORMAT csv)
PREPARE train AS SELECT * FROM iris WHERE class = $1
EXECUTE train (1)
DEALLOCATE train
DECLARE train CURSOR FOR SELECT * FROM iris
DO $$BEGIN PERFORM 1; END$$
COMMENT ON TABLE notes IS 'SHOW MODELS; CANCEL JOB 1'
LOCK TABLE notes
VACUUM notes
CREATE FUNCTION train(model text) RETURNS text LANGUAGE sql AS $$SELECT model || ' TO TRAIN'$$
SELECT * FROM generate_series(1, 3) WITH ORDINALITY AS predict(a, b) WHERE a BETWEEN 1 AND 2
REINDEX TABLE notes
ROLLBACK TO SAVEPOINT train
CANCEL
SHOW
EXPORT
TO TRAIN
SELECT 1 TO
SELECT * FROM iris TO SOMEWHERE
SELECT 1 TO 2
INTO m
""".splitlines()

# Tokens that a slip of the hand puts where they do not belong.
SLIPS = ["SELECT", "TO", "INTO", "LABEL", "train", "model", ",", "(", ")", "'", '"', "$$", ";", "--", "/*", "@", "USING",
         "WITH", "SHOW", "EXPLAIN", "1e", "$1", ":", "::", "[", "\u00e9", "FROM", "."]


VERBS = ["TRAIN", "PREDICT", "EVALUATE", "EXPLAIN", "RUN", "MAXIMIZE", "MINIMIZE"]


def slip(choice, statement):
    words = statement.split(" ")
    at = choice.randrange(len(words))
    kind = choice.randrange(5)
    if kind == 0:
        del words[at]
    elif kind == 1:
        words.insert(at, words[at])
    elif kind == 2:
        words.insert(at, choice.choice(SLIPS))
    elif kind == 3:
        other = choice.randrange(len(words))
        words[at], words[other] = words[other], words[at]
    elif words[at]:
        place = choice.randrange(len(words[at]))
        words[at] = words[at][:place] + words[at][place + 1:]
    return " ".join(words)


def is_ours(statement):
    """A slip may make a statement of ours, which is not ordinary SQL."""
    words = statement.upper().split()
    return any(word == "TO" and after in VERBS for word, after in zip(words, words[1:]))


class OrdinarySql(harness.Case):
    settings = {}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        connection.cursor().execute("CREATE TABLE notes (id int PRIMARY KEY, body text)")

    def setUp(self):
        super().setUp()
        self.plain = self.database + "_plain"
        self.server.execute(f"CREATE DATABASE {self.plain} TEMPLATE prepared")
        self.addCleanup(self.server.execute, f"DROP DATABASE {self.plain} WITH (FORCE)")
        self.server.execute(f"ALTER DATABASE {self.database} SET session_preload_libraries = 'totrain'")

    def open(self, database):
        wire = Wire(host=self.server.socket, port=self.server.port, user=harness.SUPERUSER, dbname=database)
        self.addCleanup(wire.close)
        return wire

    def compare(self, ask, statements):
        """Both get the same statements; each in a session that has seen the ones before."""
        plain, loaded = self.open(self.plain), self.open(self.database)
        self.assertIn("totrain", loaded.simple("SHOW session_preload_libraries"))
        self.assertNotIn("totrain", plain.simple("SHOW session_preload_libraries"))
        errors = 0
        for statement in statements:
            wanted, got = ask(plain, statement), ask(loaded, statement)
            # A transaction that a command leaves open must not reach the next statement.
            for wire, answer in ((plain, wanted), (loaded, got)):
                if not answer.rstrip().endswith("ReadyForQuery\t I"):
                    wire.simple("ROLLBACK")
            wanted, got = (text.replace(self.plain, "DATABASE").replace(self.database, "DATABASE")
                           for text in (wanted, got))
            self.assertEqual(got, wanted, statement)
            errors += "ErrorResponse" in wanted
        return errors

    def slips(self, count):
        choice = random.Random(15)
        made = []
        while len(made) < count:
            statement = slip(choice, slip(choice, choice.choice(RIGHT)) if choice.random() < 0.3 else choice.choice(RIGHT))
            if not is_ours(statement):
                made.append(statement)
        return made

    def test_right_statements_in_the_simple_protocol(self):
        self.compare(Wire.simple, RIGHT)

    def test_wrong_statements_in_the_simple_protocol(self):
        self.assertGreater(self.compare(Wire.simple, self.slips(600)), 400)

    def test_wrong_statements_in_the_extended_protocol(self):
        self.assertGreater(self.compare(Wire.extended, self.slips(300)), 200)

    def test_wrong_statements_after_others_in_one_string(self):
        strings = [f"SELECT 1; {statement}; SELECT 2" for statement in self.slips(150)]
        self.assertGreater(self.compare(Wire.simple, strings), 100)

    def test_wrong_statements_inside_a_transaction(self):
        def ask(wire, statement):
            return wire.simple("BEGIN") + wire.simple(statement) + wire.simple("SELECT 1")
        self.assertGreater(self.compare(ask, self.slips(150)), 100)

    def test_the_server_log_is_the_same(self):
        """The lines of the log for an ordinary error."""
        for wire in (self.open(self.plain), self.open(self.database)):
            before = len(self.server.log())
            wire.simple("SELEKT 1")
            self.assertIn('syntax error at or near "SELEKT"', self.server.log()[before:])

    def test_in_another_encoding_and_language(self):
        for ask in (Wire.simple, Wire.extended):
            self.compare(ask, ["SET client_encoding TO 'LATIN1'", "SELECT 1 FROM \u00e9t\u00e9 WO", "SET lc_messages TO 'C'",
                               "SELECT * FROM"])


if __name__ == "__main__":
    harness.main()
