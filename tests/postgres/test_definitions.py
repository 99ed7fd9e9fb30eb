"""Definitions in a server: who may make, read, replace and drop them; that nothing of another role's is run."""

import pathlib
import random

from psycopg2 import errors

import harness
import program
import roles
from harness import run_statement

TOWER = """DEFINE MODEL {} (width = 4) AS $$
  h = relu(dense(numbers, width));
  return dense(h, outputs)
$$"""
NETWORK = pathlib.Path(__file__).resolve().parents[1] / "exchange" / "onnx" / "modules" / "gru_script.onnx"
TRAIN = "SELECT * FROM iris TO TRAIN {} WITH train.epoch = 2 LABEL class INTO {}"


class Definitions(roles.Roles):
    def rows(self, user, sql):
        cursor = self.session(user)
        cursor.execute(sql)
        return cursor.fetchall()

    def test_who_may_read_it_may_train_by_it(self):
        alice = self.session("alice")
        alice.execute(TOWER.format("alice.zoo/tower"))
        self.assertEqual(alice.fetchall(), [("zoo/tower", 1)])
        self.refused("bob", TRAIN.format("alice.zoo/tower", "bob.m"), errors.Error)
        alice.execute('GRANT USAGE ON SCHEMA alice TO bob; GRANT SELECT ON alice."zoo/tower" TO bob')
        run_statement(self.session("bob"), TRAIN.format("alice.zoo/tower", "bob.m"))
        self.assertIn("alice.\"zoo/tower\"", [row[0] for row in self.rows("bob", "SHOW DEFINITIONS")])
        shown = dict(self.rows("bob", "SHOW DEFINITION alice.zoo/tower"))
        self.assertEqual(shown["statement"], TOWER.format("zoo/tower"))
        for act in (TOWER.format("alice.zoo/tower").replace("DEFINE", "DEFINE OR REPLACE"),
                    "DROP DEFINITION alice.zoo/tower"):
            with self.assertRaises(errors.InsufficientPrivilege):
                self.session("bob").execute(act)
        alice.execute("DROP DEFINITION alice.zoo/tower")
        self.assertEqual(len(self.rows("bob", "SELECT * FROM iris LIMIT 3")), 3)
        self.rows("bob", "SELECT * FROM iris TO PREDICT class USING bob.m")

    def test_a_loss_of_its_own_has_the_bits_of_sqlite(self):
        """The digest of tests/sqlite/test_graph_losses.py; columns, functions and rights of what is returned."""
        alice = self.session("alice")
        four = "sepal_length, sepal_width, petal_length, petal_width"
        run_statement(alice, f"SELECT {four} FROM iris TO TRAIN zoo/autoencoder WITH model.hidden = [], "
                      "train.epoch = 400, optimizer.learning_rate = 0.03, model.l2 = 0 INTO m")
        self.assertEqual(dict(self.rows("alice", "SHOW MODEL alice.m"))["digest"],
                         "42306d1c279f011159bd570a0091d0125f4bbc23ec6df8cffb6e821b1265f545")
        run_statement(alice, "SELECT * FROM iris TO PREDICT coded.z WITH extra_outputs = 'score' USING m")
        alice.execute("SELECT z_1, z_2, score FROM coded ORDER BY 1, 2")
        rows = alice.fetchall()
        alice.execute("SELECT totrain.component('m', iris, 1), totrain.component('m', iris, 2), "
                      "totrain.distance('m', iris) FROM iris ORDER BY 1, 2")
        self.assertEqual(rows, alice.fetchall())
        self.refused("bob", f"SELECT {four} FROM iris TO EVALUATE alice.m", errors.Error)

    def test_several_labels_have_the_bits_of_sqlite(self):
        """The digest of tests/sqlite/test_heads.py, and a column of its own type for each label."""
        alice = self.session("alice")
        alice.execute("CREATE TABLE alice.clicks (a float8, b float8, word text, clicked text, amount float8, kind int)")
        drawn = random.Random(3)
        for i in range(400):
            a, b = round(drawn.gauss(0, 1), 3), round(drawn.gauss(0, 1), 3)
            word = drawn.choice("xyz")
            alice.execute("INSERT INTO alice.clicks VALUES (%s, %s, %s, %s, %s, %s)",
                          (a, b, word, ("yes" if a + b > 0 else "no") if i % 5 else None,
                           3 * a - b + 2 * (word == "x") + 10 if i % 7 else None, (a > 0) + (b > 0)))
        alice.execute("""DEFINE MODEL alice.zoo/heads (hidden = 16, weights = [1, 1, 1]) AS '
  h = relu(dense(numbers, words, hidden));
  heads = [];
  for l in labels { heads = heads + [dense(h, outputs(l))] }
  return heads
'""")
        run_statement(alice, "SELECT * FROM clicks TO TRAIN alice.zoo/heads WITH train.epoch = 30, seed = 1 "
                      "LABEL clicked, amount, kind INTO m")
        self.assertEqual(dict(self.rows("alice", "SHOW MODEL alice.m"))["digest"],
                         "3c15d3a08030d81c0ab00fc968d85e2f97538ee2cbf88da900afd8b079ad64d3")
        run_statement(alice, "SELECT * FROM clicks TO PREDICT out.p USING m")
        alice.execute("SELECT p_clicked, p_amount, p_kind FROM out ORDER BY a, b")
        predicted = alice.fetchall()
        self.assertEqual([column.type_code for column in alice.description], [25, 701, 20])
        alice.execute("SELECT j ->> 'clicked', (j ->> 'amount')::float8, (j ->> 'kind')::int8 FROM "
                      "(SELECT a, b, totrain.predict('m', r)::json AS j FROM (SELECT a, b, word FROM clicks) AS r) "
                      "AS p ORDER BY a, b")
        self.assertEqual(predicted, alice.fetchall())
        alice.execute("SELECT totrain.component('m', ROW(a, b, word), 2) FROM clicks ORDER BY a, b")
        self.assertEqual([row[1] for row in predicted], [row[0] for row in alice.fetchall()])
        self.refused("alice", "SELECT totrain.component('m', clicks, 1) FROM clicks", errors.Error)
        measured = {row[:2]: row[2] for row in self.rows("alice", "SELECT * FROM clicks TO EVALUATE m")}
        self.assertGreater(measured[("clicked", "Accuracy")], 0.95)
        run_statement(alice, "SELECT a, b, word FROM clicks TO PREDICT put.p WITH bad_rows = 'quarantine' USING m")
        self.assertEqual(self.rows("alice", "SELECT p_clicked, p_amount, p_kind FROM put ORDER BY a, b"), predicted)
        run_statement(alice, "SELECT word, b, a FROM clicks TO PREDICT there.p WITH job.max_workers = 2 USING m")
        self.assertEqual(self.rows("alice", "SELECT p_clicked, p_amount, p_kind FROM there ORDER BY a, b"), predicted)
        select = "SELECT a, b, word, kind FROM clicks TO EVALUATE m"
        self.assertEqual(self.rows("alice", f"{select} WITH job.max_workers = 2"), self.rows("alice", select))

    def test_pictures_are_bytes(self):
        """The model of pictures as bytea is that of the same pictures as texts, and answers alike."""
        alice = self.session("alice")
        alice.execute("""CREATE TABLE pictures AS SELECT i AS id, i % 2 AS y,
            decode(repeat(CASE WHEN i % 2 = 0 THEN '00ff10' ELSE 'ff0020' END, 3) ||
                   lpad(to_hex(i % 200), 2, '0'), 'hex') AS p FROM generate_series(1, 300) AS i""")
        alice.execute("""DEFINE MODEL zoo/small AS $$
            return dense(flatten(conv2d(image(p, 5, 2, 1), 4, 2)), outputs) $$""")
        run_statement(alice, "SELECT p, y FROM pictures TO TRAIN zoo/small WITH train.epoch = 4 "
                      "COLUMN IMAGE(p, 5, 2) LABEL y INTO m")
        alice.execute("SELECT sum((totrain.predict('m', pictures)::int = y)::int), count(*) FROM pictures")
        self.assertEqual(alice.fetchall(), [(300, 300)])
        run_statement(alice, """SELECT array_to_string(ARRAY(SELECT get_byte(p, k) FROM generate_series(0, 9) AS k
            ORDER BY k), ',') AS p, y FROM pictures TO TRAIN zoo/small WITH train.epoch = 4
            COLUMN DENSE(p, 10) LABEL y INTO texts""")
        alice.execute("SELECT totrain.probability('m', pictures) FROM pictures ORDER BY id LIMIT 20")
        answers = alice.fetchall()
        alice.execute("""SELECT totrain.probability('texts', t) FROM (SELECT id, array_to_string(ARRAY(
            SELECT get_byte(p, k) FROM generate_series(0, 9) AS k ORDER BY k), ',') AS p FROM pictures) AS t
            ORDER BY id LIMIT 20""")
        self.assertEqual(alice.fetchall(), answers)
        with self.assertRaisesRegex(errors.Error, 'column "p" holds 3 bytes, where 10 were expected'):
            alice.execute("SELECT totrain.predict('m', t) FROM (SELECT 'abc'::bytea AS p) AS t")

    def test_words_of_arrays_are_in_order(self):
        alice = self.session("alice")
        alice.execute("""CREATE TABLE lines AS SELECT i % 2 AS y, CASE WHEN i % 2 = 1
            THEN ARRAY['a', 'x' || i % 5, 'b'] ELSE ARRAY['b', 'x' || i % 5, 'a'] END::text AS words
            FROM generate_series(1, 400) AS i""")
        run_statement(alice, "SELECT words, y FROM lines TO TRAIN sqlflow_models.StackedBiLSTMClassifier "
                      "WITH model.stack_units = [8], model.dim = 8, train.epoch = 12, train.batch_size = 32, "
                      "optimizer.learning_rate = 0.01 COLUMN VOCABULARY(SEQUENCE(words, 4)) LABEL y INTO m")
        alice.execute("SELECT avg((totrain.predict('m', lines)::int = y)::int) FROM lines")
        self.assertGreater(alice.fetchall()[0][0], 0.95)

    def test_roles_without_rights(self):
        with self.assertRaises(errors.InsufficientPrivilege):
            self.session("mallory").execute(TOWER.format("mallory.zoo/tower"))
        with self.assertRaises(errors.InsufficientPrivilege):
            self.session("mallory").execute("SHOW DEFINITIONS")

    def test_nothing_of_another_roles_is_run(self):
        """A table of mallory's that looks like a definition, with a view, a rule and a trigger around it."""
        mallory = self.session("mallory")
        mallory.execute("""
            CREATE TABLE mallory.seen (who text); GRANT INSERT ON mallory.seen TO PUBLIC;
            GRANT USAGE ON SCHEMA mallory TO PUBLIC;
            CREATE FUNCTION mallory.note(text) RETURNS text LANGUAGE sql AS
              'INSERT INTO mallory.seen VALUES (current_user) RETURNING $1';
            CREATE VIEW mallory."zoo/tower" AS SELECT mallory.note('definition') AS part, 'zoo/tower'::text AS name,
              1::bigint AS position, 0::float8 AS value, 'DEFINE MODEL zoo/tower AS ''return numbers'''::bytea AS data;
            GRANT SELECT ON mallory."zoo/tower" TO PUBLIC""")
        for act in ("SHOW DEFINITION mallory.zoo/tower", TRAIN.format("mallory.zoo/tower", "alice.m"),
                    "SHOW DEFINITIONS", "DROP DEFINITION mallory.zoo/tower"):
            try:
                self.session("alice").execute(act)
            except errors.Error:
                pass
        self.assertEqual(self.rows("mallory", "SELECT * FROM mallory.seen"), [])

    def test_a_statement_is_undone_with_its_transaction(self):
        connection = self.connect("alice", autocommit=False)
        run_statement(connection.cursor(), TOWER.format("alice.zoo/undone"))
        connection.rollback()
        with self.assertRaisesRegex(errors.Error, "there is no definition"):
            self.session("alice").execute("SHOW DEFINITION alice.zoo/undone")

    def test_psql_takes_a_definition_as_it_stands(self):
        output = self.check_psql(TOWER.format("zoo/tower") + ";\nSHOW DEFINITION zoo/tower;\n"
                                 "SELECT * FROM iris TO TRAIN zoo/tower WITH train.epoch = 2 LABEL class INTO m;\n"
                                 "SELECT count(*) FROM iris;\nDROP DEFINITION zoo/tower;\n")
        self.assertIn("zoo/tower|1\n", output)
        self.assertIn("zoo/tower|dropped\n", output)
        failed = self.psql("DEFINE MODEL zoo/bad AS 'a = 1;\n  return dens(a)';")
        self.assertIn('ERROR:  line 2, column 10: there is no operation "dens"', failed.stderr)
        self.assertRegex(failed.stderr, r"LINE 2:   return dens\(a\)';\n +\^\nHINT:  Did you mean dense\?")


class Program(program.Case):
    def test_the_program_defines_shows_trains_and_drops(self):
        self.assertEqual(self.check(TOWER.format("zoo/tower")), [{"definition": "zoo/tower", "version": 1}])
        self.check("SELECT * FROM iris TO TRAIN zoo/tower WITH train.epoch = 2 LABEL class INTO m")
        self.check("SELECT * FROM iris TO PREDICT class USING m")
        self.assertEqual(self.check("DROP DEFINITION zoo/tower"), [{"definition": "zoo/tower", "state": "dropped"}])
        self.refused("SHOW DEFINITION zoo/towr", 2, 'there is no definition "zoo/towr"')

    def test_the_program_writes_and_reads_files_of_definitions(self):
        self.check(TOWER.format("zoo/tower"))
        path = pathlib.Path(self.folder) / "tower.txt"
        self.assertEqual(self.check(f"EXPORT DEFINITION zoo/tower TO '{path}'"),
                         [{"definition": "zoo/tower", "file": str(path), "bytes": path.stat().st_size}])
        self.assertEqual(self.check(f"IMPORT DEFINITION zoo/again FROM '{path}'"), [{"definition": "zoo/again", "version": 1}])
        self.check(f"IMPORT DEFINITION zoo/net FROM '{NETWORK}'")
        shown = [row["value"] for row in self.check("SHOW DEFINITION zoo/net") if row["name"] == "statement"]
        self.assertIn("gru_1 = gru(", shown[0])


harness.main()
