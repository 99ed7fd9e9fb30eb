"""The same on PostgreSQL: psycopg, psycopg2 and SQLAlchemy, inside and outside of transactions."""

import pathlib
import pickle
import sys

import numpy
import pandas
import psycopg
import psycopg2
import sqlalchemy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "postgres"))
import server  # noqa: E402  pylint: disable=wrong-import-position

import harness
import totrain
from kernel import Kernel, errors, text_of
from totrain import _frames, _run

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
            harness.copy_iris(connection)

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

    # ----- DataFrames -----

    def digest(self, connection, model="m"):
        return totrain.run(connection, f"SELECT digest FROM totrain.models WHERE relation = '{model}'::regclass").rows[0][0]

    def temporary_tables(self, connection):
        return totrain.run(connection, "SELECT relname FROM pg_class WHERE relpersistence = 't' AND relkind = 'r'").rows

    def test_a_frame_trains_the_model_of_a_table_with_its_rows(self):
        with self.open(psycopg, True) as connection:
            totrain.run(connection, f"{SELECT} {harness.TRAIN}")
            expected = self.digest(connection)
        frame = pandas.DataFrame(harness.read_iris())
        for driver in (psycopg, psycopg2):
            for autocommit in (True, False):
                with self.subTest(driver.__name__, autocommit=autocommit):
                    self.tearDown()
                    connection = self.open(driver, autocommit)
                    model = totrain.train(frame, harness.TRAIN, connection=connection)
                    self.assertEqual(model.result["name"][0], "loss")
                    self.assertEqual(self.digest(connection), expected)
                    self.assertEqual(self.temporary_tables(connection), [])
                    self.assertEqual(self.there_is_a_model(), autocommit)
                    connection.rollback()

    def test_values_of_a_frame_come_as_they_are(self):
        columns = {
            "whole": [1, None, -2**63], "real": [1.5, None, float("inf")], "flag": [True, None, False],
            "text": ["größe", None, ""], "small": numpy.array([-1, 0, 127], dtype="int8"),
            "single": numpy.array([1.5, numpy.nan, -2], dtype="float32"), "large": numpy.array([1, 2, 2**63], "uint64"),
            "fits": numpy.array([1, 2, 2**63 - 1], "uint64"), 'a "b"': ["2024-05-01", "x", "100%"]}
        columns["flag"] = pandas.array(columns["flag"], dtype="boolean")
        columns["whole"] = pandas.array(columns["whole"], dtype="Int64")
        expected = [(1, 1.5, True, "größe", -1, 1.5, 1.0, 1, "2024-05-01"), (None, None, None, None, 0, None, 2.0, 2, "x"),
                    (-2**63, float("inf"), False, "", 127, -2.0, float(2**63), 2**63 - 1, "100%")]
        for driver in (psycopg, psycopg2):
            session = _run.Session(self.open(driver, True))
            with self.subTest(driver.__name__), _frames.table(session, pandas.DataFrame(columns), "df") as place:
                self.assertEqual(session.run(f"SELECT * FROM {place}").rows, expected)
                self.assertEqual(session.run("SELECT count(*) FROM df").rows, [(3,)])

    def test_rows_larger_than_a_chunk_and_many_chunks_arrive_in_their_order(self):
        session = _run.Session(self.open(psycopg2, True))
        words = ["x" * 300_000, None, "y" * 1_000_000]
        with _frames.table(session, {"n": [1, 2, 3], "word": words}, "df") as place:
            self.assertEqual(session.run(f"SELECT n, word FROM {place}").rows, list(zip([1, 2, 3], words)))
        with _frames.table(session, {"n": numpy.arange(100_000)}, "df") as place:
            self.assertEqual([n for n, in session.run(f"SELECT n FROM {place}").rows], list(range(100_000)))
        with _frames.table(session, {"n": []}, "df") as place:
            self.assertEqual(session.run(f"SELECT n FROM {place}").rows, [])

    def test_a_frame_is_predicted_in_its_order_and_judged(self):
        frame = pandas.DataFrame(harness.read_iris())
        shuffled = frame.sample(frac=1, random_state=1)
        for driver in (psycopg, psycopg2):
            for autocommit in (True, False):
                with self.subTest(driver.__name__, autocommit=autocommit):
                    self.tearDown()
                    connection = self.open(driver, autocommit)
                    model = totrain.train(frame, harness.TRAIN, connection=connection)
                    predicted = model.predict(shuffled.drop(columns="class"))
                    self.assertEqual(list(predicted.index), list(shuffled.index))
                    expected = [int(guess) for guess in model.predict("iris")]
                    self.assertEqual([int(guess) for guess in predicted.loc[frame.index]], expected)
                    self.assertEqual(model.evaluate(frame).rows, model.evaluate("iris").rows)
                    self.assertEqual(self.temporary_tables(connection), [])
                    connection.rollback()

    def test_keywords_arrays_and_places_are_as_in_sqlite(self):
        iris = harness.read_iris()
        array = numpy.array([values for name, values in iris.items() if name != "class"]).T
        for driver, autocommit in ((psycopg, True), (psycopg, False), (psycopg2, True), (psycopg2, False)):
            with self.subTest(driver.__name__, autocommit=autocommit):
                connection = self.open(driver, autocommit)
                model = totrain.train(iris, model="DNNClassifier", label="class", epochs=5, into="m", connection=connection)
                self.assertEqual(model.predict(array), model.predict(iris))
                with self.assertRaisesRegex(totrain.Error, "has 3 columns, where the model takes 4: sepal_length"):
                    model.predict(array[:, 1:])
                with self.assertRaises(driver.Error) as caught:
                    totrain.train(iris, "TO TRAIN LinearClassifier\n  LABEL klass INTO m", connection=connection)
                self.assertIn("LINE 2:   LABEL klass INTO m\n                ^", str(caught.exception))
                connection.rollback()
                with self.assertRaises(driver.Error) as caught:
                    totrain.Model(connection, "nosuch").evaluate(iris)
                self.assertNotIn("LINE", str(caught.exception))
                connection.rollback()
                with self.assertRaisesRegex(totrain.Error, "cannot be pickled: its database is no file"):
                    pickle.dumps(model)
                connection.rollback()
                connection.close()
                self.tearDown()

    def test_after_an_error_the_frame_is_gone(self):
        for autocommit in (True, False):
            with self.subTest(autocommit=autocommit):
                connection = self.open(psycopg, autocommit)
                with self.assertRaisesRegex(psycopg.Error, "klass"):
                    totrain.train({"x": [1, 2]}, "TO TRAIN LinearClassifier LABEL klass INTO m", connection=connection)
                connection.rollback()
                self.assertEqual(self.temporary_tables(connection), [])

    def test_what_cannot_be_a_table_there_is_said(self):
        connection = self.open(psycopg, True)
        connection.execute("CREATE TEMPORARY TABLE df (x int)")
        with self.assertRaisesRegex(totrain.Error, 'there is a temporary table "df"'):
            totrain.train({"x": [1]}, harness.TRAIN, connection=connection)
        with self.assertRaisesRegex(totrain.Error, "1601 columns, where a table of PostgreSQL takes 1600"):
            totrain.train({f"c{i}": [1] for i in range(1601)}, harness.TRAIN, connection=connection, name="wide")
        with self.assertRaisesRegex(psycopg.Error, "0x00"):
            totrain.train({"x": ["a\0b"]}, harness.TRAIN, connection=connection, name="zero")
        self.assertEqual(self.temporary_tables(connection), [("df",)])

    def test_a_frame_on_an_engine_of_sqlalchemy(self):
        engine = sqlalchemy.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(self.address))
        model = totrain.train(harness.read_iris(), f"SELECT * FROM df WHERE class < 2 {harness.TRAIN}", connection=engine)
        self.assertTrue(self.there_is_a_model())
        self.assertEqual({int(guess) for guess in model.predict(harness.read_iris())}, {0, 1})
        engine.dispose()

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
