"""Models of XGBoost and LightGBM in a server: bytes by functions, files by the program.

tests/exchange has what their programs made, the rows and the sums that they predict.
"""

import json
import pathlib
import shutil

import psycopg2
from psycopg2 import errors

import harness
import program
import roles

STORED = pathlib.Path(__file__).resolve().parents[1] / "exchange"
FILES = sorted(path for path in STORED.iterdir() if path.suffix in (".json", ".ubj", ".txt") and path.stem != "rows")
TWO = (STORED / "xgboost_two.json").read_bytes()
IMPORT = "SELECT totrain.import_model(%s, %s)"


def servers_file(case, name):
    """Where the server may read it, which is another user than the one these files are of."""
    copy = case.server.folder / name
    shutil.copyfile(STORED / name, copy)
    copy.chmod(0o644)
    return str(copy)


class Functions(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE rows (number serial, a text, b text, c text, d text, colour text)")
        with open(STORED / "rows.txt", encoding="utf-8", newline="\n") as file:
            for line in file:
                cursor.execute("INSERT INTO rows (a, b, c, d, colour) VALUES (%s, %s, %s, %s, %s)",
                               [cell or None for cell in line.rstrip("\n").split("\t")])

    def setUp(self):
        super().setUp()
        self.cursor = self.connect().cursor()

    def value(self, sql, *values):
        self.cursor.execute(sql, values)
        return self.cursor.fetchone()[0]

    def refused(self, pattern, sql, *values):
        with self.assertRaisesRegex(psycopg2.Error, pattern):
            self.cursor.execute(sql, values)

    def test_each_file_predicts_the_sums_of_its_program(self):
        for path in FILES:
            with self.subTest(path.name):
                self.value(IMPORT, "m", path.read_bytes())
                sums = [[float(value) for value in line.split()]
                        for line in (STORED / f"{path.stem}.sums").read_text().splitlines()]
                self.cursor.execute("SELECT totrain.logits('m', r), totrain.predict('m', r) FROM rows r ORDER BY number")
                for (logits, prediction), expected in zip(self.cursor.fetchall(), sums, strict=True):
                    found = logits if logits is not None else [float(prediction)]
                    for value, theirs in zip(found, expected, strict=True):
                        self.assertLessEqual(abs(value - theirs), 1e-6 * max(1, abs(theirs)))

    def test_bytes_go_out_and_come_back_as_the_same_model(self):
        for path, name in zip(("xgboost_two.json", "xgboost_number.ubj", "lightgbm_three.txt"),
                              ("xgboost", "xgboost_ubj", "lightgbm"), strict=True):
            with self.subTest(name):
                self.value(IMPORT, "m", (STORED / path).read_bytes())
                self.value("SELECT totrain.import_model('back', totrain.export_model('m', %s), %s)", name, name)
                self.assertEqual(self.digest("back"), self.digest("m"))

    def test_a_network_of_onnx_predicts_and_is_gone_on_from(self):
        expected = json.loads((STORED / "onnx" / "expected.json").read_text())["mlp"]
        self.value(IMPORT, "net", (STORED / "onnx" / "mlp.onnx").read_bytes())
        self.cursor.execute("CREATE TABLE points (number serial, x float8[], label float8)")
        for row, (output,) in zip(expected["inputs"]["x"], expected["outputs"], strict=True):
            self.cursor.execute("INSERT INTO points (x, label) VALUES (%s, %s)", (row, output))
        self.cursor.execute("SELECT totrain.predict('net', p)::float8, label FROM points p ORDER BY number")
        for found, wanted in self.cursor.fetchall():
            self.assertLessEqual(abs(found - wanted), 1e-5 * max(1, abs(wanted)))
        self.cursor.execute("SHOW MODEL net")
        self.cursor.execute(dict(self.cursor.fetchall())["graph"].replace("zoo/copy", "zoo/net"))
        self.cursor.execute("SELECT * FROM totrain.run($$SELECT array_to_string(x, ',') AS x, label FROM points TO TRAIN zoo/net "
                            "WITH train.epoch = 2, train.freeze = 'dense_1' LABEL label USING net INTO tuned$$)")
        exported = bytes(self.value("SELECT totrain.export_model('tuned', 'onnx')"))
        self.assertTrue(exported.startswith(b"\x08\x0a"))
        self.refused("(?s)node .* operator set 17.*it is read of x", IMPORT, "m",
                     (STORED / "onnx" / "erf.onnx").read_bytes())

    def test_an_import_is_part_of_the_transaction(self):
        self.cursor.execute("BEGIN; SAVEPOINT s")
        self.value(IMPORT, "m", TWO)
        self.cursor.execute("ROLLBACK TO s")
        self.assertIsNone(self.value("SELECT to_regclass('m')::text"))
        self.value(IMPORT, "m", TWO)
        self.cursor.execute("ROLLBACK")
        self.assertNotIn("m", self.tables())
        self.cursor.execute("BEGIN READ ONLY")
        self.refused("is read-only", IMPORT, "m", TWO)
        self.cursor.execute("ROLLBACK")
        self.assertNotIn("m", self.tables())

    def test_a_model_of_the_name_becomes_an_older_version(self):
        self.assertEqual(self.value(IMPORT, "m", TWO), 1)
        first = self.digest("m")
        self.assertEqual(self.value(IMPORT, "m", (STORED / "lightgbm_two.txt").read_bytes()), 2)
        self.assertNotEqual(self.digest("m"), first)
        self.cursor.execute("SELECT * FROM totrain.run('ROLLBACK MODEL m TO 1')")
        self.assertEqual(self.digest("m"), first)

    def test_files_of_the_server_go_by_its_own_functions(self):
        """The server's functions read its files for the roles that may use them; and psql hands over a file of the
        client's."""
        self.value("SELECT totrain.import_model('m', pg_read_binary_file(%s))", servers_file(self, "xgboost_two.ubj"))
        output = self.check_psql(f"\\set content `base64 -w0 '{STORED}/xgboost_two.ubj'`\n"
                                 "SELECT totrain.import_model('n', decode(:'content', 'base64'), 'xgboost');\n")
        self.assertEqual(output, "1\n")
        self.assertEqual(self.digest("n"), self.digest("m"))
        exported = self.check_psql("SELECT convert_from(totrain.export_model('m', 'lightgbm'), 'UTF8')")
        self.assertTrue(exported.startswith("tree\nversion=v4\n"), exported[:50])

    def test_statements_in_the_server_say_what_to_use_instead(self):
        self.value(IMPORT, "m", TWO)
        for statement, function in ((f"IMPORT MODEL n FROM '{STORED}/xgboost_two.json'", "import_model"),
                                    ("EXPORT MODEL m TO '/nowhere/m.json'", "export_model"),
                                    ("IMPORT DEFINITION zoo/n FROM '/nowhere/m.onnx'", "import_model")):
            self.refused(f"(?s)no statement reads or writes files.*totrain.{function}", statement)
            self.refused(f"(?s)no statement reads or writes files.*totrain.{function}",
                         "SELECT totrain.rows(%s)", statement)
        self.refused("(?s)no statement reads or writes files.*SHOW DEFINITION has the statement",
                     "EXPORT DEFINITION zoo/mlp TO '/nowhere/mlp.txt'")
        self.assertNotIn("n", self.tables())

    def test_mistakes_say_what_is_wrong(self):
        take = "SELECT totrain.import_model(%s, %s, %s)"
        self.refused('(?s)there is no format "pmml".*Formats are xgboost', take, "m", TWO, "pmml")
        self.refused('no model of the format "lightgbm"', take, "m", TWO, "lightgbm")
        self.refused('the name "totrain_m" is reserved', take, "totrain_m", TWO, None)
        self.refused('no schema "nowhere"', take, "nowhere.m", TWO, None)
        self.refused("at most 63 are possible", take, "m" * 64, TWO, None)
        self.refused("is not a valid name of a model", take, "a.b.c", TWO, None)
        self.refused("it is not a model of XGBoost, LightGBM or ONNX", take, "m", b"", None)
        self.refused("no JSON at byte 300", take, "m", TWO[:300], None)
        self.refused('"rows" exists', take, "rows", TWO, None)
        self.refused("more than the 268435456 bytes",
                     "SELECT totrain.import_model('m', convert_to(repeat('{', 268435457), 'UTF8'))")
        self.refused('there is no model "m"', "SELECT totrain.export_model('m', 'xgboost')")
        self.cursor.execute("SELECT * FROM totrain.run('SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 1 "
                            "LABEL class INTO line')")
        self.refused("has no trees that could be exported", "SELECT totrain.export_model('line', 'xgboost')")
        for sql in ("SELECT totrain.import_model('m', NULL)", "SELECT totrain.import_model(NULL, 'x')",
                    "SELECT totrain.export_model(NULL, 'xgboost')", "SELECT totrain.export_model('m', NULL)"):
            self.assertIsNone(self.value(sql))
        self.assertNotIn("m", self.tables())

    def test_damaged_bytes_are_refused_and_the_session_lives(self):
        backend = self.value("SELECT pg_backend_pid()")
        for path in FILES + [STORED / "onnx" / "pictures.onnx"]:
            content = path.read_bytes()
            step = max(1, len(content) // 25)
            for at in range(0, len(content), step):
                for bad in (content[:at], content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1:]):
                    try:
                        self.value(IMPORT, "m", bad)
                    except psycopg2.Error as error:
                        self.assertIn(type(error), (errors.FeatureNotSupported,
                                                    errors.InvalidParameterValue, errors.ProgramLimitExceeded), error)
        self.assertEqual(self.value("SELECT pg_backend_pid()"), backend)


class Rights(roles.Roles):
    def take(self, user, model):
        cursor = self.session(user)
        cursor.execute(IMPORT, (model, TWO))
        return cursor.fetchone()[0]

    def give(self, user, model):
        cursor = self.session(user)
        cursor.execute("SELECT totrain.export_model(%s, 'lightgbm')", (model,))
        return bytes(cursor.fetchone()[0])

    def test_who_may_train_may_import_where_he_may_train(self):
        self.assertEqual(self.take("alice", "alice.m"), 1)
        self.assertEqual(self.execute("SELECT tableowner FROM pg_tables WHERE schemaname = 'alice'"), [("alice",)])
        self.assertGreater(len(self.give("alice", "alice.m")), 1000)

    def test_others_may_neither(self):
        self.take("alice", "alice.m")
        for user, model in (("mallory", "mallory.m"), ("watcher", "m")):
            with self.assertRaisesRegex(errors.InsufficientPrivilege, "import_model|schema totrain"):
                self.take(user, model)
            with self.assertRaisesRegex(errors.InsufficientPrivilege, "export_model|schema totrain"):
                self.give(user, "alice.m")

    def test_the_model_of_another(self):
        self.take("alice", "alice.m")
        with self.assertRaisesRegex(errors.InsufficientPrivilege, "permission denied for schema alice"):
            self.take("bob", "alice.n")
        self.execute("GRANT USAGE, CREATE ON SCHEMA alice TO bob")
        digest = self.digest("alice.m")
        with self.assertRaisesRegex(errors.InsufficientPrivilege, "permission denied for table alice.m"):
            self.give("bob", "alice.m")
        with self.assertRaises(errors.InsufficientPrivilege):
            self.take("bob", "alice.m")
        self.assertEqual(self.digest("alice.m"), digest)
        self.execute("GRANT SELECT ON alice.m TO bob")
        self.assertEqual(self.give("bob", "alice.m"), self.give("alice", "alice.m"))


class Program(program.Case):
    def test_the_program_exchanges_files_with_the_server(self):
        path = pathlib.Path(self.folder) / "m.ubj"
        self.check(f"IMPORT MODEL m FROM '{STORED}/xgboost_two.json'")
        self.execute(f"SELECT totrain.import_model('f', pg_read_binary_file('{servers_file(self, 'xgboost_two.json')}'))")
        self.assertEqual(self.digest("m"), self.digest("f"))
        self.check(f"EXPORT MODEL m TO '{path}'")
        self.assertEqual(path.read_bytes(), bytes(self.execute("SELECT totrain.export_model('m', 'xgboost_ubj')")[0][0]))


harness.main()
