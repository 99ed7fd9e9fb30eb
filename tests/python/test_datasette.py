"""The plugin of Datasette: pages score rows, and train nothing."""

import asyncio
import os
import sys

import harness

# Datasette takes pysqlite3 where it is installed; bare statements need a Python that links SQLite.
HAS_SQLITE_INSIDE = "TOTRAIN_WITH_PYSQLITE" in os.environ
if not HAS_SQLITE_INSIDE:
    sys.modules["pysqlite3"] = None

from datasette.app import Datasette  # noqa: E402  pylint: disable=wrong-import-position
from datasette.utils.sqlite import sqlite3  # noqa: E402  pylint: disable=wrong-import-position

import totrain  # noqa: E402  pylint: disable=wrong-import-position

PREDICT = "SELECT sepal_length, totrain_predict('m', sepal_length, sepal_width, petal_length, petal_width) AS class FROM iris"


class Plugin(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = sqlite3.connect(self.path)  # the library that the plugin uses
        self.addCleanup(self.database.close)
        harness.load_iris(self.database)
        totrain.run(self.database, f"SELECT * FROM iris {harness.TRAIN}")
        self.expected = [list(row) for row in totrain.run(self.database, PREDICT)]
        self.assertEqual(len(set(row[1] for row in self.expected)), 3)

    def serve(self, *files, **options):
        return Datasette(files, settings={"sql_time_limit_ms": 60000}, **options)

    def ask(self, server, sql, database="test"):
        """The page's answer to this SQL, as JSON."""
        answer = asyncio.run(server.client.get(f"/{database}.json", params={"sql": sql, "_shape": "objects"}))
        return answer.json()

    def rows(self, server, sql):
        answer = self.ask(server, sql)
        self.assertNotIn("error", {key: value for key, value in answer.items() if value})
        return [list(row.values()) for row in answer["rows"]]

    def test_datasette_finds_it_and_pages_score(self):
        for server in (self.serve(self.path), self.serve(immutables=[self.path])):
            self.assertIn('"totrain"', asyncio.run(server.client.get("/-/plugins.json")).text)
            self.assertEqual(self.rows(server, PREDICT), self.expected)
            self.assertEqual(self.rows(server, "SELECT sepal_length, totrain_predict('m', json_object('petal_width', petal_width, "
                                               "'sepal_length', sepal_length, 'sepal_width', sepal_width, 'petal_length', "
                                               "petal_length)) FROM iris"), self.expected)
            if HAS_SQLITE_INSIDE:
                continue
            guessed = self.rows(server, "SELECT * FROM iris TO PREDICT guess USING m")
            self.assertEqual([row[-1] for row in guessed], [row[1] for row in self.expected])

    def test_pages_train_nothing(self):
        for server, database in ((self.serve(self.path), "test"), (self.serve(immutables=[self.path]), "test"),
                                 (self.serve(memory=True), "_memory")):
            for into in ("n", "temp.n"):
                statement = f"SELECT 1 AS x, 1 AS y UNION ALL SELECT 2, 3 TO TRAIN LinearRegressor LABEL y INTO {into}"
                bare = [] if HAS_SQLITE_INSIDE else [statement]
                for sql in (*bare, f"SELECT totrain('{statement}')", f"SELECT TOTRAIN('{statement}')"):
                    self.assertIn("not authorized to use function: totrain", self.ask(server, sql, database)["error"].lower())
        self.assertIn("not authorized", self.ask(self.serve(self.path), "SELECT totrain('SHOW MODELS')")["error"])
        for table in ("totrain_jobs", "totrain_events", "Totrain_Workers"):
            self.assertIn("prohibited", self.ask(self.serve(self.path), f"SELECT * FROM {table}")["error"])
        self.assertFalse((self.state / "jobs" / "2").exists())
        self.assertEqual(self.database.execute("SELECT name FROM totrain_models").fetchall(), [("m",)])

    def test_what_is_served_is_not_changed(self):
        self.database.execute("PRAGMA user_version = 7")
        self.rows(self.serve(self.path), PREDICT)
        self.assertEqual(self.database.execute("PRAGMA user_version").fetchone(), (7,))
        asyncio.run(self.serve(self.path).get_database("test").execute_write("SELECT 1"))
        self.assertEqual(self.database.execute("PRAGMA user_version").fetchone(), (7,))

    def test_who_writes_may_train(self):
        server = self.serve(self.path)
        asyncio.run(server.get_database("test").execute_write(
            "SELECT totrain('SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 2 LABEL class INTO n')"))
        self.assertEqual(self.database.execute("SELECT name FROM totrain_models ORDER BY name").fetchall(), [("m",), ("n",)])


harness.main()
