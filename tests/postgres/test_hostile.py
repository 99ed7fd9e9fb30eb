"""Hostile names, hostile search paths, hostile models."""

import random

import psycopg2
from psycopg2 import sql

import harness
from harness import run_statement

# Functions that the extension's own SQL might call without a schema. Each tells when it is called.
SHADOW_FUNCTIONS = """
lower(text) upper(text) length(text) count(anyelement) md5(text) now() coalesce_(text) format(text) quote_ident(text)
to_regclass(text) convert_from(bytea,text) octet_length(bytea) has_table_privilege(text,text) pg_table_is_visible(oid)
current_setting(text) set_config(text,text,boolean) clock_timestamp() json_object_keys(json) encode(bytea,text)
to_char(timestamptz,text) substr(text,int) left(text,int) nextval(regclass) pg_backend_pid() unnest(anyarray)
""".split()
SHADOW_TABLES = ("models", "versions", "metrics", "jobs", "pg_class", "pg_namespace", "pg_attribute", "pg_proc", "pg_type")
SHADOW_OPERATORS = [("=", "text"), ("=", "name"), ("=", "bigint"), ("=", "integer"), ("<", "bigint"), (">", "bigint"), ("||", "text"), ("+", "bigint"),
                    ("<>", "text"), ("=", "oid"), ("<", "double precision"), ("-", "bigint"), ("~~", "text")]


class SearchPath(harness.Case):
    """A schema of mallory's stands first in the search_path of a superuser."""

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        with connection.cursor() as cursor:
            cursor.execute("CREATE ROLE mallory LOGIN; CREATE SCHEMA evil AUTHORIZATION mallory; SET ROLE mallory; "
                           "CREATE SEQUENCE evil.calls; "
                           "GRANT ALL ON SEQUENCE evil.calls TO PUBLIC; GRANT USAGE ON SCHEMA evil TO PUBLIC")
            for number, signature in enumerate(SHADOW_FUNCTIONS):
                name = signature.split("(")[0]
                polymorphic = "any" in signature
                result = "text" if not polymorphic else "anyelement" if "anyelement" in signature else "anyarray"
                cursor.execute(f"CREATE FUNCTION evil.{signature} RETURNS {result} LANGUAGE plpgsql AS $$ BEGIN "
                               f"PERFORM pg_catalog.nextval('evil.calls'); RAISE EXCEPTION 'shadowed: {name}'; "
                               "END $$")
            for number, (operator, kind) in enumerate(SHADOW_OPERATORS):
                result = "boolean" if operator in ("=", "<", ">", "<>", "~~") else kind
                cursor.execute(f"CREATE FUNCTION evil.operator_{number}({kind}, {kind}) RETURNS {result} LANGUAGE plpgsql AS "
                               "$$ BEGIN PERFORM pg_catalog.nextval('evil.calls'); "
                               f"RAISE EXCEPTION 'shadowed: {kind} {operator.replace('%', '%%')} {kind}'; END $$")
                cursor.execute(f"CREATE OPERATOR evil.{operator} (FUNCTION = evil.operator_{number}, LEFTARG = {kind}, "
                               f"RIGHTARG = {kind})")
            for name in SHADOW_TABLES:
                cursor.execute(f"CREATE TABLE evil.{name} (evil text)")
            cursor.execute("RESET ROLE")

    def test_nothing_of_it_is_called(self):
        connection = self.connect()
        cursor = connection.cursor()
        cursor.execute("SET search_path = evil, public, pg_catalog")
        statements = ["EXPLAIN " + harness.TRAIN_IRIS, harness.TRAIN_IRIS, harness.TRAIN_IRIS,
                      "SELECT * FROM iris TO PREDICT USING iris_model",
                      "SELECT * FROM iris TO PREDICT public.predicted.class USING iris_model",
                      "SELECT * FROM iris TO EVALUATE iris_model",
                      "SELECT * FROM iris TO EVALUATE iris_model INTO public.evaluated",
                      "SHOW MODELS", "SHOW VERSIONS iris_model", "SHOW TRAIN iris_model", "SHOW JOBS", "SHOW ATTRIBUTES",
                      "ROLLBACK MODEL iris_model TO 1",
                      "SELECT totrain.predict('iris_model', iris) FROM public.iris",
                      "SELECT totrain.probability('iris_model', iris) FROM public.iris",
                      "SELECT * FROM totrain.models", "SELECT * FROM totrain.versions", "SELECT * FROM totrain.metrics",
                      "SELECT * FROM totrain.rows($$SHOW MODELS$$)", "DROP TABLE public.iris_model"]
        # An unqualified target goes to the schema that comes first, as CREATE TABLE would.
        statements = [text.replace("INTO iris_model", "INTO public.iris_model") for text in statements]
        for text in statements:
            with self.subTest(text):
                cursor.execute(text)
        self.assertEqual(self.execute("SELECT is_called FROM evil.calls"), [(False,)])


def random_name(choice):
    """An identifier of 1 to 63 bytes of UTF-8, without NUL."""
    alphabets = ["\"'`;$\\%_-.,()[]{}:@#!?/* \t\n\r", "abcXYZ019_", "\u00e9\u00df\u4e2d\U0001f600\u202e\ufeff\u0301", "\x01\x07\x1b\x7f"]
    words = ["SELECT", "TO TRAIN", "into", "label", '"; DROP TABLE iris; --', "$$", "$1", "%s", "%n", "\\", "totrain", "part", "NULL",
             "class", "--", "/*", "*/", "''", '""', "::int", "COLUMN *"]
    wanted = choice.randint(1, 40)
    name = ""
    while len(name) < wanted:
        name += choice.choice(words) if choice.random() < 0.1 else choice.choice(choice.choice(alphabets))
    while len(name.encode()) > 63:
        name = name[:-1]
    return name


class Identifiers(harness.Case):
    settings = {}

    def names(self, choice, count):
        found = {}
        while len(found) < count:
            found[random_name(choice)] = True
        return list(found)

    def round_trip(self, cursor, names):
        """One table whose every name is hostile, through train, predict, function, drop."""
        table, model, predicted, label, *columns = names
        quote = lambda name: sql.Identifier(name).as_string(cursor)  # noqa: E731
        run = lambda text: cursor.execute("SELECT * FROM totrain.run(%s)", (text,))  # noqa: E731
        defined = ", ".join(f"{quote(name)} double precision" for name in columns)
        cursor.execute(f"CREATE TABLE {quote(table)} ({defined}, {quote(label)} integer)")
        values = ", ".join(f"sin(g * {i + 1})" for i in range(len(columns)))
        cursor.execute(f"INSERT INTO {quote(table)} SELECT {values}, g % 2 FROM generate_series(1, 40) g")
        run(f"SELECT * FROM {quote(table)} TO TRAIN LinearClassifier WITH train.epoch = 1 "
            f"LABEL {quote(label)} INTO {quote(model)}")
        run(f"SELECT * FROM {quote(table)} TO PREDICT {quote(predicted)}.{quote(label)} USING {quote(model)}")
        cursor.execute("SELECT array_agg(attname ORDER BY attnum) FROM pg_attribute WHERE attnum > 0 "
                       "AND attrelid = %s::regclass", (quote(predicted),))
        self.assertEqual(cursor.fetchone()[0], columns + [label])
        path = sql.Literal(quote(model)).as_string(cursor)
        cursor.execute(f"SELECT p.{quote(label)}, totrain.predict({path}, p) FROM {quote(predicted)} p")
        self.assertTrue(all(str(stored) == computed for stored, computed in cursor.fetchall()))
        cursor.execute(f"DROP TABLE {quote(table)}, {quote(model)}, {quote(predicted)}")

    def test_ten_thousand_hostile_names(self):
        choice = random.Random(6)
        cursor = self.connect().cursor()
        left = 10000
        while left > 0:
            count = min(1000, left)
            names = self.names(choice, count)
            with self.subTest(names=names[:4], seed=6, left=left):
                self.round_trip(cursor, names)
            left -= count
        for length in (5, 6, 8, 13):  # many short ones, too: other names as table and model
            for _ in range(10):
                names = self.names(choice, length)
                with self.subTest(names=names):
                    self.round_trip(cursor, names)
        self.assertEqual(self.tables(), {"iris"})

    def test_names_that_are_too_long_are_refused_and_not_cut(self):
        cursor = self.connect().cursor()
        with self.assertRaisesRegex(psycopg2.Error, "a name of 80 bytes, where at most 63 are possible"):
            run_statement(cursor, f"SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO {'m' * 80}")
        self.assertEqual(self.tables(), {"iris"})
        run_statement(cursor, "SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO m")
        with self.assertRaisesRegex(psycopg2.Error, "a name of 64 bytes, where at most 63 are possible"):
            run_statement(cursor, f"SELECT * FROM iris TO PREDICT told.{'k' * 64} USING m")

    def test_a_table_of_bad_rows_whose_name_would_be_too_long_is_refused(self):
        """PostgreSQL cut it, in the end to the name of the table that the predictions were in."""
        cursor = self.connect().cursor()
        run_statement(cursor, "SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO m")
        told = "the table for bad rows would have a name of 64 bytes, where at most 63 are possible"
        for statement in (f"TO PREDICT {'t' * 55}.k WITH predict.bad_rows = 'quarantine' USING m",
                          f"TO EVALUATE m WITH evaluate.bad_rows = 'quarantine' LABEL class INTO {'t' * 55}",
                          f"TO TRAIN LinearClassifier WITH train.bad_rows = 'quarantine' LABEL class INTO {'t' * 55}"):
            with self.assertRaisesRegex(psycopg2.Error, told):
                run_statement(cursor, f"SELECT * FROM iris {statement}")
        run_statement(cursor, f"SELECT * FROM iris TO PREDICT {'t' * 54}.k WITH predict.bad_rows = 'quarantine' USING m")
        self.assertEqual(self.tables(), {"iris", "m", "t" * 54, "t" * 54 + "_bad_rows"})


class Poison(harness.Case):
    """A model's rows are anybody's bytes: they give an error or a number, and never end the server."""

    def setUp(self):
        super().setUp()
        cursor = self.connect().cursor()
        cursor.execute(harness.TRAIN_IRIS.replace("train.epoch = 60", "train.epoch = 2"))
        self.cursor = cursor

    def use(self, model):
        """The model's prediction; None where it has none."""
        predicted = None
        for text in (f"SELECT * FROM iris TO EVALUATE {model}", f"SHOW TRAIN {model}", "SHOW MODELS",
                     f"SELECT * FROM iris LIMIT 3 TO PREDICT USING {model}",
                     f"SELECT totrain.predict('{model}', iris), totrain.probability('{model}', iris) FROM iris"):
            predicted = None
            try:
                self.cursor.execute(text)
                predicted = self.cursor.fetchall()
            except psycopg2.OperationalError:
                if self.cursor.connection.closed:
                    raise
            except psycopg2.Error:
                pass
        return predicted

    def poisons(self, choice):
        yield "DELETE FROM p WHERE part = 'tensor'"
        yield "DELETE FROM p WHERE part = 'meta'"
        yield "INSERT INTO p SELECT * FROM p"
        yield "INSERT INTO p SELECT * FROM p WHERE part = 'meta'"
        yield "UPDATE p SET position = -position - 1"
        yield "UPDATE p SET position = 9223372036854775807 WHERE part = 'tensor'"
        yield "UPDATE p SET name = NULL"
        yield "UPDATE p SET part = NULL"
        yield "UPDATE p SET data = NULL"
        yield "UPDATE p SET position = NULL"
        yield "UPDATE p SET value = 'NaN'"
        yield "UPDATE p SET name = repeat('x', 10000000)"
        yield "INSERT INTO p SELECT 'tensor', 'layer' || g || '/weights', 0, NULL, NULL FROM generate_series(1, 100000) g"
        yield "UPDATE p SET data = ''"
        yield "ALTER TABLE p DROP COLUMN position"
        yield "ALTER TABLE p ALTER COLUMN value TYPE text"
        yield "ALTER TABLE p ALTER COLUMN position TYPE numeric"
        yield "ALTER TABLE p RENAME COLUMN data TO datum"
        yield "ALTER TABLE p ADD COLUMN part2 text"
        for _ in range(60):
            at, value = choice.randrange(4000), choice.randrange(256)
            part = choice.choice(["meta", "tensor"])
            yield (f"UPDATE p SET data = set_byte(data, {at} % octet_length(data), {value}) "
                   f"WHERE part = '{part}' AND octet_length(data) > 0")
        for _ in range(20):
            yield f"UPDATE p SET data = substr(data, 1, {choice.randrange(4000)}) WHERE part = 'tensor'"
        for big in ("4294967296", "9223372036854775807", "-1", "1e308", "null", '"x"', "[]"):
            for key in ("rows", "width", "words", "position", "hash_buckets", "version", "format"):
                yield ("UPDATE p SET data = convert_to(regexp_replace(convert_from(data, 'UTF8'), "
                       f"'\"{key}\": *[0-9]+', '\"{key}\": {big}'), 'UTF8') WHERE part = 'meta'")

    def test_poisoned_rows(self):
        backend = self.cursor.connection.info.backend_pid
        wanted = self.use("iris_model")
        outcomes = {True: 0, False: 0}
        for text in self.poisons(random.Random(1)):
            with self.subTest(text):
                self.cursor.execute("DROP TABLE IF EXISTS p")
                self.cursor.execute("CREATE TABLE p AS SELECT * FROM iris_model")
                self.cursor.execute(text)
                predicted = self.use("p")
                outcomes[predicted is None] += 1
                # Rows that are not for predicting may be anything; the rest is under a checksum.
                self.assertIn(predicted, (None, wanted))
                self.cursor.execute("SELECT pg_backend_pid()")
                self.assertEqual(self.cursor.fetchone(), (backend,))
        self.assertGreater(outcomes[True], 50)
        self.assertNotIn("terminated by signal", self.server.log())

    def test_what_is_no_table_is_no_model(self):
        self.cursor.execute("CREATE VIEW v AS SELECT * FROM iris_model")
        self.cursor.execute("CREATE SEQUENCE s")
        self.cursor.execute("CREATE FUNCTION boom() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'called'; END $$")
        for name in ("s", "iris", "pg_class", "no_such", "", '"', "a.b.c.d", "x; DROP TABLE iris", "'"):
            with self.subTest(name):
                with self.assertRaises(psycopg2.Error):
                    self.cursor.execute("SELECT totrain.predict(%s, iris) FROM iris", (name,))
        self.assertEqual(self.tables(), {"iris", "iris_model"})


if __name__ == "__main__":
    harness.main()
