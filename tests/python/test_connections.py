"""Connections of all kinds of builds: with and without loading of extensions, with SQLite inside, of SQLAlchemy."""

import sqlite3

import pysqlite3
import sqlalchemy

import harness
import totrain
from totrain import _sqlite


class Connections(harness.Case):
    def test_connect_gives_a_connection_that_knows_the_statements(self):
        connection = self.connect()
        harness.load_iris(connection)
        names = [row[0] for row in connection.execute(f"SELECT * FROM iris {harness.TRAIN}")]
        self.assertEqual(names[:2], ["loss", "Accuracy"])
        self.assertEqual(type(connection), sqlite3.Connection)

    def check_the_same_text_after_a_training(self, execute):
        """PREDICT and EVALUATE of a model that became one of other columns, and of another kind."""
        harness.load_iris(execute.connection)
        for columns, model, label in (("sepal_length", "LinearRegressor", "petal_width"),
                                      ("sepal_length, petal_length", "LinearRegressor", "petal_width"),
                                      ("sepal_length, petal_length", "LinearClassifier", "class")):
            execute(f"SELECT {columns}, {label} FROM iris TO TRAIN {model} LABEL {label} INTO m")
            self.assertEqual(len(execute("SELECT * FROM iris LIMIT 3 TO PREDICT g USING m")), 3)
            self.assertEqual(len(execute("SELECT * FROM iris TO EVALUATE m")), 1)

    def test_the_same_text_runs_after_a_training_on_a_connection_of_ours(self):
        connection = self.connect()

        def execute(sql):
            return connection.execute(sql).fetchall()

        execute.connection = connection
        self.check_the_same_text_after_a_training(execute)

    def test_the_same_text_runs_after_a_training_by_run_on_any_connection(self):
        connection = sqlite3.connect(self.path) if hasattr(sqlite3.Connection, "enable_load_extension") else self.connect()
        self.addCleanup(connection.close)
        totrain.load(connection)

        def execute(sql):
            return totrain.run(connection, sql).rows

        execute.connection = connection
        self.check_the_same_text_after_a_training(execute)

    def test_options_of_sqlite3_connect_are_taken(self):
        connection = self.connect(isolation_level=None, check_same_thread=False)
        self.assertIsNone(connection.isolation_level)

    def test_loading_again_is_nothing(self):
        connection = self.connect()
        totrain.load(connection)
        self.assertEqual(connection.execute("SHOW MODELS").fetchall(), [])

    def test_a_python_that_loads_no_extensions_is_served_by_sqlites_own_function(self):
        connection = sqlite3.connect(self.path)
        self.addCleanup(connection.close)
        _sqlite._load_by_address(connection)
        self.assertEqual(connection.execute("SHOW MODELS").fetchall(), [])
        with self.assertRaisesRegex(sqlite3.OperationalError, "not authorized"):
            connection.execute("SELECT load_extension('nothing')")
        connection.close()
        with self.assertRaisesRegex(sqlite3.ProgrammingError, "closed database"):
            _sqlite._load_by_address(connection)

    def test_an_address_that_sqlite_does_not_confirm_is_not_used(self):
        real, library = _sqlite._address, _sqlite._open_library()
        self.addCleanup(setattr, _sqlite, "_address", real)
        _sqlite._address = lambda connection: real(connection) + 8
        with self.assertRaisesRegex(totrain.Error, "hides its SQLite: install pysqlite3-binary"):
            _sqlite._check_address(library)

    def test_what_is_no_connection_is_refused(self):
        with self.assertRaisesRegex(totrain.Error, "takes a connection of sqlite3, not str"):
            totrain.load(self.path)
        with self.assertRaisesRegex(totrain.Error, "builtins.int is no connection that totrain knows"):
            totrain.run(7, "SHOW MODELS")

    def test_errors_are_the_drivers_with_caret_and_hint(self):
        connection = self.connect()
        harness.load_iris(connection)
        with self.assertRaisesRegex(sqlite3.OperationalError, r"(?s)LINE 1: .*\^.*Did you mean class\?"):
            totrain.run(connection, "SELECT * FROM iris TO TRAIN LinearClassifier LABEL klass INTO m")

    def test_parameters_of_the_select_are_bound(self):
        connection = self.connect()
        harness.load_iris(connection)
        result = totrain.run(connection, f"SELECT * FROM iris WHERE class < ? {harness.TRAIN}", (2,))
        self.assertIn("100", result["detail"])


class SqliteInside(harness.Case):
    """pysqlite3-binary has its own SQLite in it, as standalone builds of Python have."""

    def open(self, **options):
        connection = pysqlite3.connect(self.path, **options)
        self.addCleanup(connection.close)
        harness.load_iris(connection)
        return connection

    def test_run_serves_bare_statements(self):
        connection = self.open()
        self.assertEqual(totrain.run(connection, f"SELECT * FROM iris {harness.TRAIN}")["name"][0], "loss")
        guesses = totrain.run(connection, "SELECT * FROM iris WHERE class = ? TO PREDICT guess USING m", (1,))
        self.assertEqual(len(guesses), 50)
        self.assertEqual(guesses.columns[-1], "guess")
        with self.assertRaisesRegex(pysqlite3.OperationalError, "there is no model"):
            totrain.run(connection, "SELECT * FROM iris TO EVALUATE nothing")
        with self.assertRaisesRegex(pysqlite3.OperationalError, 'near "SELEC": syntax error'):
            totrain.run(connection, "SELEC 1")

    def test_two_libraries_of_sqlite_take_turns(self):
        one = totrain.connect(self.path)
        other = pysqlite3.connect(self.path)
        self.addCleanup(other.close)
        with self.assertRaisesRegex(pysqlite3.OperationalError, "uses totrain with another SQLite library, [0-9.]+, and this one "
                                                                "is [0-9.]+: close the other one's connections first"):
            totrain.load(other)
        self.assertEqual(one.execute("SELECT totrain_version()").fetchone(), other.execute("SELECT '0.1.0'").fetchone())
        one.close()
        totrain.load(other)
        self.assertEqual(other.execute("SELECT totrain_version()").fetchone()[0], "0.1.0")

    def test_a_connection_of_connect_recognises_them_itself(self):
        # The class that connect() uses there, on a connection whose bare statements SQLite does not see.
        connection = sqlite3.connect(self.path, factory=_sqlite._Connection)
        self.addCleanup(connection.close)
        totrain.load(connection)
        connection.execute("SELECT totrain_config('bare_statements', 'off')").fetchall()
        harness.load_iris(connection)
        connection.execute(f"SELECT * FROM iris {harness.TRAIN}").fetchall()
        cursor = connection.cursor()
        cursor.execute("SELECT * FROM iris LIMIT ? TO PREDICT guess USING m", (3,))
        self.assertEqual([column[0] for column in cursor.description][-1], "guess")
        self.assertEqual(len(cursor.fetchall()), 3)
        with self.assertRaisesRegex(sqlite3.OperationalError, "SHOW MODELS lists the models"):
            connection.execute("SELECT * FROM iris TO EVALUATE n")


class Alchemy(harness.Case):
    def test_every_connection_of_an_enabled_engine_knows_them(self):
        engine = totrain.sqlalchemy.enable(sqlalchemy.create_engine(f"sqlite:///{self.path}"))
        self.addCleanup(engine.dispose)
        harness.load_iris(self.connect())
        with engine.connect() as connection:
            rows = connection.exec_driver_sql(f"SELECT * FROM iris {harness.TRAIN}").fetchall()
            self.assertEqual(rows[0][0], "loss")

    def test_run_and_model_take_engines_and_their_connections(self):
        engine = sqlalchemy.create_engine(f"sqlite:///{self.path}")
        self.addCleanup(engine.dispose)
        harness.load_iris(self.connect())
        self.assertEqual(totrain.run(engine, f"SELECT * FROM iris {harness.TRAIN}")["name"][0], "loss")
        with engine.connect() as connection:
            self.assertEqual(len(totrain.Model(connection, "m").predict("SELECT * FROM iris LIMIT 4")), 4)
        self.assertEqual(totrain.Model(engine, "m").evaluate("iris").columns[0], "loss")

    def test_an_engine_of_another_database_is_told_that_it_needs_nothing(self):
        with self.assertRaisesRegex(totrain.Error, "postgresql needs no enable"):
            totrain.sqlalchemy.enable(sqlalchemy.create_engine("postgresql+psycopg2://nowhere/x"))


harness.main()
