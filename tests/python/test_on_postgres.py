"""The same on PostgreSQL: psycopg, psycopg2 and SQLAlchemy, inside and outside of transactions."""

import pathlib
import sys

import psycopg
import psycopg2
import sqlalchemy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "postgres"))
import server  # noqa: E402  pylint: disable=wrong-import-position

import harness
import totrain
from kernel import Kernel, errors, text_of
from totrain import _run

SELECT = "SELECT * FROM iris"


class Postgres(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.server = server.Server({"session_preload_libraries": "totrain"})
        cls.addClassCleanup(cls.server.close)
        cls.address = (f"host={cls.server.socket} port={cls.server.port} user={server.SUPERUSER} "
                       f"dbname={server.DATABASE}")
        with psycopg.connect(cls.address, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION totrain")
            columns = harness.read_iris()
            connection.execute("CREATE TABLE iris (" + ", ".join(
                f"{name} {'int' if name == 'class' else 'float8'}" for name in columns) + ")")
            with connection.cursor().copy("COPY iris FROM STDIN") as copy:
                for row in zip(*columns.values()):
                    copy.write_row(row)

    def tearDown(self):
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS m")

    def open(self, driver, autocommit):
        connection = driver.connect(self.address)
        self.addCleanup(connection.close)
        connection.autocommit = autocommit
        return connection

    def there_is_a_model(self):
        with psycopg.connect(self.address) as connection:
            return connection.execute("SELECT to_regclass('m') IS NOT NULL").fetchone()[0]

    def test_a_connection_that_commits_by_itself_runs_them_bare(self):
        for driver in (psycopg, psycopg2):
            with self.subTest(driver.__name__):
                connection = self.open(driver, True)
                for _ in range(7):  # psycopg would prepare what it has seen five times
                    result = totrain.run(connection, f"{SELECT} {harness.TRAIN}")
                self.assertEqual(result.columns, ["name", "value", "part", "detail"])
                self.assertEqual(result["name"][0], "loss")
                self.assertTrue(self.there_is_a_model())
                self.tearDown()

    def test_elsewhere_the_model_is_part_of_the_transaction(self):
        for driver in (psycopg, psycopg2):
            with self.subTest(driver.__name__):
                connection = self.open(driver, False)
                result = totrain.run(connection, f"{SELECT} {harness.TRAIN}")
                self.assertEqual(result["name"][0], "loss")
                self.assertFalse(self.there_is_a_model())
                connection.rollback()
                self.assertFalse(self.there_is_a_model())
                totrain.run(connection, f"{SELECT} {harness.TRAIN};")
                connection.commit()
                self.assertTrue(self.there_is_a_model())
                self.tearDown()

    def test_parameters_go_by_the_function(self):
        for driver in (psycopg, psycopg2):
            with self.subTest(driver.__name__):
                result = totrain.run(self.open(driver, True), f"{SELECT} WHERE class < $1 {harness.TRAIN}", (2,))
                self.assertIn("100", result["detail"])

    def test_ordinary_statements_are_the_servers(self):
        for autocommit in (True, False):
            connection = self.open(psycopg, autocommit)
            self.assertEqual(totrain.run(connection, "SELECT 1 AS one, 'TO TRAIN' AS text").rows, [(1, "TO TRAIN")])
            with self.assertRaisesRegex(psycopg.errors.SyntaxError, "SELEC"):
                totrain.run(connection, "SELEC 1")

    def test_errors_are_the_drivers(self):
        for autocommit in (True, False):
            with self.assertRaisesRegex(psycopg.Error, "klass"):
                totrain.run(self.open(psycopg, autocommit), f"{SELECT} TO TRAIN LinearClassifier LABEL klass INTO m")

    def test_models_predict_and_are_judged(self):
        connection = self.open(psycopg, True)
        totrain.run(connection, f"{SELECT} {harness.TRAIN}")
        model = totrain.Model(connection, "m")
        guesses = model.predict("iris")
        expected = [value for value, in connection.execute("SELECT totrain.predict('m', iris)::int FROM iris")]
        self.assertEqual([int(guess) for guess in guesses], expected)
        self.assertEqual(sum(model.evaluate("iris", report="confusion")["rows"]), 150)
        self.assertEqual(len(model.history()), 20)
        with self.assertRaisesRegex(totrain.Error, "a DataFrame goes to a connection of SQLite"):
            model.predict(harness.read_iris())

    def test_engines_of_sqlalchemy(self):
        for driver in ("psycopg", "psycopg2"):
            with self.subTest(driver):
                module = {"psycopg": psycopg, "psycopg2": psycopg2}[driver]
                engine = sqlalchemy.create_engine(f"postgresql+{driver}://",
                                                  creator=lambda module=module: module.connect(self.address))
                self.assertEqual(totrain.run(engine, f"{SELECT} {harness.TRAIN}")["name"][0], "loss")
                self.assertTrue(self.there_is_a_model())
                with engine.connect() as connection:
                    self.assertEqual(totrain.Model(connection, "m").evaluate("iris").columns[0], "loss")
                engine.dispose()
                self.tearDown()

    def test_what_is_a_statement_of_totrain_is_told_by_its_parser(self):
        self.assertTrue(_run.is_ours("SHOW MODELS"))
        self.assertTrue(_run.is_ours(f"{SELECT} TO TRAIN"))
        self.assertFalse(_run.is_ours("SELECT 'a TO TRAIN b' -- TO TRAIN x"))

    def test_a_notebook_trains_there_shows_progress_and_cancels(self):
        kernel = Kernel()
        self.addCleanup(kernel.close)
        address = f"postgresql://{server.SUPERUSER}@/{server.DATABASE}?host={self.server.socket}&port={self.server.port}"
        for code in ("%load_ext totrain", f"%totrain {address}", "%%totrain\nSET totrain.progress_interval = '100ms'"):
            self.assertEqual(errors(kernel.run(code)), [])
        outputs = kernel.run(f"%%totrain\n{SELECT} {harness.TRAIN}; {SELECT} TO EVALUATE m")
        self.assertIn("Accuracy", text_of(outputs))
        ended, lines = [], []
        for message in kernel.messages(f"%%totrain\n{SELECT} {harness.TRAIN_LONG}"):
            if message["msg_type"] == "update_display_data":
                lines.append(message["content"]["data"]["text/plain"])
                if "step" in lines[-1]:
                    kernel.manager.interrupt_kernel()
            if message["msg_type"] == "error":
                ended.append(message["content"]["evalue"])
        self.assertEqual(ended, ["interrupted"])
        self.assertRegex(lines[-1], "epoch .* loss ")
        self.assertIn("Accuracy", text_of(kernel.run(f"%%totrain\n{SELECT} TO EVALUATE m")))
        error = errors(kernel.run(f"%%totrain\n{SELECT} TO TRAIN LinearClassifier LABEL klass INTO m"))[0]
        self.assertIn("klass", error["traceback"][0])


harness.main()
