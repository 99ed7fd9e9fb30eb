"""DataFrames as tables: their rows are those of a table with the same values, to the last bit."""

import datetime
import decimal
import os
import sqlite3
import unittest

import harness  # before pandas: without Arrow it takes pyarrow away

import numpy
import pandas
import polars

import totrain
from totrain import _frames
from totrain._progress import watched
from totrain._run import Session


class Values(harness.Case):
    """Values of SQL for each kind of column."""

    def setUp(self):
        super().setUp()
        self.database = self.connect(":memory:")

    def rows(self, frame):
        with _frames.table(Session(self.database), frame, "df") as place:
            return self.database.execute(f"SELECT * FROM {place}").fetchall()

    def column(self, values):
        return [value for value, in self.rows({"v": values})]

    def test_rows_and_series_are_frames(self):
        self.assertEqual(self.rows({"a": 1, "b": "x"}), [(1, "x")])
        self.assertEqual(self.rows([{"a": 1}, {"a": 2, "b": "x"}]), [(1, None), (2, "x")])
        self.assertEqual(self.rows({"a": pandas.Series([1.5, None]), "b": pandas.Series(["x", None])}), [(1.5, "x"), (None, None)])
        self.assertEqual(self.rows(pandas.DataFrame({"a": pandas.arrays.SparseArray([0, 2])})), [(0,), (2,)])

    def test_cells_that_are_no_values_name_their_column(self):
        for frame in (pandas.DataFrame({"k": [[1, 2]] * 3}), {"k": [{"a": 1}]}, pandas.DataFrame({"k": [{1}, {2}]})):
            with self.subTest(frame), self.assertRaisesRegex(totrain.Error, 'column "k": it has a (list|dict|set), where numbers'):
                self.rows(frame)

    def test_numbers_of_numpy_are_what_they_are(self):
        for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"):
            with self.subTest(kind):
                values = numpy.array([0, 1, 100], dtype=kind)
                self.assertEqual([(type(v), v) for v in self.column(values)],
                                 [(float if "float" in kind else int, v) for v in (0, 1, 100)])
        self.assertEqual(self.column(numpy.array([-2**63, 2**63 - 1])), [-2**63, 2**63 - 1])
        self.assertEqual(self.column(numpy.array([2**64 - 1], dtype="uint64")), [float(2**64 - 1)])
        self.assertEqual(self.column(numpy.array([True, False])), [1, 0])
        self.assertEqual(self.column(numpy.array([1.5, numpy.nan, numpy.inf])), [1.5, None, float("inf")])
        self.assertEqual(self.column(numpy.array([1.5, -2], dtype="float16")), [1.5, -2.0])

    def test_arrays_that_do_not_lie_side_by_side_are_read_where_they_are(self):
        table = numpy.arange(12.0).reshape(4, 3)
        self.assertEqual(self.column(table[:, 1]), [1.0, 4.0, 7.0, 10.0])
        self.assertEqual(self.column(table[::-1, 0]), [9.0, 6.0, 3.0, 0.0])
        self.assertEqual(self.column(numpy.array([1, 2], dtype=">i4")), [1, 2])

    def test_lists_take_the_kind_of_their_values(self):
        self.assertEqual(self.column([1, None, True]), [1, None, 1])
        self.assertEqual(self.column([1, 2.5, None]), [1.0, 2.5, None])
        self.assertEqual(self.column([2**70, 1]), [float(2**70), 1.0])
        self.assertEqual(self.column(["größe", None, "", "größe"]), ["größe", None, "", "größe"])
        self.assertEqual(self.column([1, "a"]), ["1", "a"])
        self.assertEqual(self.column([None, None]), [None, None])
        self.assertEqual(self.column([decimal.Decimal("1.25"), None]), [1.25, None])
        self.assertEqual(self.column([datetime.date(2024, 5, 1), datetime.datetime(2024, 5, 1, 12, 30)]),
                         ["2024-05-01", "2024-05-01 12:30:00"])
        self.assertEqual(self.column([]), [])

    def test_columns_of_pandas(self):
        frame = pandas.DataFrame({
            "whole": pandas.array([1, None, 3], dtype="Int64"), "flag": pandas.array([True, None, False], "boolean"),
            "word": pandas.Categorical(["b", None, "a"]), "code": pandas.Categorical([7, 9, 7]),
            "text": ["x", None, "y"], "when": pandas.to_datetime(["2024-05-01", None, "2024-05-01 12:00:00.5"],
                                                                                   format="ISO8601"),
            "zone": pandas.to_datetime(["2024-05-01 01:00+01:00"] * 3), "real": [1.5, None, 2.0]})
        self.assertEqual(self.rows(frame), [
            (1, 1, "b", 7, "x", "2024-05-01", "2024-05-01", 1.5), (None, None, None, 9, None, None, "2024-05-01", None),
            (3, 0, "a", 7, "y", "2024-05-01 12:00:00.5", "2024-05-01", 2.0)])
        self.assertEqual(self.rows(pandas.DataFrame(numpy.arange(6.0).reshape(3, 2))), [(0.0, 1.0), (2.0, 3.0), (4.0, 5.0)])

    def test_columns_of_polars(self):
        frame = polars.DataFrame({
            "whole": [1, None, 3], "real": [1.5, None, 2.0], "flag": [True, None, False], "text": ["x", None, "ÿ"],
            "day": [datetime.date(2024, 5, 1), None, datetime.date(2024, 5, 2)],
            "word": polars.Series(["b", None, "a"], dtype=polars.Categorical)})
        self.assertEqual(self.rows(frame), [(1, 1.5, 1, "x", "2024-05-01", "b"), (None,) * 6,
                                            (3, 2.0, 0, "ÿ", "2024-05-02", "a")])

    @unittest.skipIf(harness.WITHOUT_ARROW, "pyarrow is taken away")
    def test_columns_of_arrow(self):
        import pyarrow
        frame = pyarrow.table({
            "whole": [1, None, 3], "real": [1.5, None, 2.0], "flag": [True, None, False], "text": ["x", None, "ÿ"],
            "small": pyarrow.array([1, 2, None], pyarrow.int8()), "day": [datetime.date(2024, 5, 1), None, None],
            "word": pyarrow.array(["b", None, "a"]).dictionary_encode()})
        expected = [(1, 1.5, 1, "x", 1, "2024-05-01", "b"), (None, None, None, None, 2, None, None),
                    (3, 2.0, 0, "ÿ", None, None, "a")]
        self.assertEqual(self.rows(frame), expected)
        self.assertEqual(self.rows(pyarrow.concat_tables([frame, frame])), expected * 2)

    def test_names_may_be_anything(self):
        with _frames.table(Session(self.database), {'a "b"': [1], "select": [2]}, "my frame") as place:
            self.assertEqual(place, 'temp."my frame"')
            cursor = self.database.execute(f"SELECT * FROM {place}")
            self.assertEqual([column[0] for column in cursor.description], ['a "b"', "select"])
            cursor.close()

    def test_what_cannot_be_a_table_is_said(self):
        for frame, error in (({"a": [object()]}, 'column "a": it has a object, where numbers'),
                             ({"a": [1], "b": [1, 2]}, "the columns differ in length"),
                             ({}, "the frame has no columns"), ([1, 2], "a list is no frame"),
                             ({"a": numpy.zeros((2, 2))}, 'column "a": it has 2 dimensions'),
                             (pandas.DataFrame([[1, 2]], columns=["a", "a"]), 'two columns are called "a"'),
                             ({f"c{i}": [1] for i in range(2001)}, "2001 columns, where 2000 can be read")):
            with self.subTest(error), self.assertRaisesRegex(totrain.Error, error):
                self.rows(frame)

    def test_a_temporary_table_of_the_name_is_left_alone(self):
        self.database.execute("CREATE TEMP TABLE df (x)")
        with self.assertRaisesRegex(totrain.Error, 'there is a temporary table "df"'):
            self.rows({"a": [1]})
        self.assertEqual(self.database.execute("SELECT * FROM df").fetchall(), [])

    def test_a_key_that_nobody_gave_opens_nothing(self):
        for key in ("1", "0", "-1", "", "nothing"):
            with self.subTest(key), self.assertRaisesRegex(sqlite3.OperationalError, "there is no frame of this key"):
                self.database.execute(f"CREATE VIRTUAL TABLE temp.x USING totrain_frame({key})")

    def test_the_table_is_gone_afterwards_also_after_an_error(self):
        with self.assertRaises(sqlite3.OperationalError):
            totrain.train({"x": [1]}, "TO TRAIN LinearClassifier LABEL nothing INTO m", connection=self.database)
        self.assertEqual(self.database.execute("SELECT name FROM temp.sqlite_master").fetchall(), [])


class Nobody:
    """Shows no progress."""

    def update(self, state):
        pass

    def finish(self, state):
        pass


class Training(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect()
        harness.load_iris(self.database)
        self.database.execute(f"SELECT * FROM iris {harness.TRAIN}").fetchall()
        self.iris = harness.read_iris()

    def test_a_frame_trains_the_model_of_a_table_with_its_rows(self):
        expected = self.digest(self.database)
        arrays = {name: numpy.array(values) for name, values in self.iris.items()}
        for frame in (self.iris, arrays, pandas.DataFrame(self.iris), polars.DataFrame(self.iris)):
            with self.subTest(type(frame)):
                model = totrain.train(frame, harness.TRAIN)
                self.assertEqual(self.digest(model.connection), expected)
                self.assertEqual(model.result["name"][0], "loss")

    def how_it_is_read(self, frame, statement):
        """The notice of a statement with verbose = 2."""
        with watched(self.database, "sqlite", Nobody()) as state:
            totrain.train(frame, statement, connection=self.database)
        return next(notice for notice in state.notices if notice.startswith("rows are read by"))

    def test_a_large_frame_is_read_by_several_threads_and_trains_the_same_model(self):
        rows = 30000
        i = numpy.arange(rows)
        frame = {"a": numpy.where(i % 17 == 0, numpy.nan, (i * 7919 % 1009) / 8), "b": i * 31 % 101,
                 "c": [None if k % 13 == 0 else f"word {k % 29}" for k in range(rows)],
                 "d": [f"2024-0{k % 9 + 1}-1{k % 7}" for k in range(rows)], "y": (i * 7919 % 1009 > 500)}
        self.database.execute("CREATE TABLE t (a REAL, b INTEGER, c TEXT, d TEXT, y INTEGER)")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", zip(
            [None if value != value else value for value in frame["a"].tolist()], frame["b"].tolist(), frame["c"],
            frame["d"], map(int, frame["y"])))
        self.database.commit()
        several = "rows are read by [0-9]+ readers" if len(os.sched_getaffinity(0)) > 1 else "by one reader"
        train = "TO TRAIN DNNClassifier WITH hidden_units = [8], epochs = 1, verbose = 2 LABEL y INTO m"
        for select, read in (("SELECT * FROM {}", several), ("SELECT c, y AS y, a AS b FROM {}", several),
                             ("SELECT a, b + 1 AS b, y FROM {}", "the SELECT is more than|there is one processor"),
                             ("SELECT rowid AS id, a, y FROM {}", "the SELECT is more than|computed or hidden|there is one processor")):
            with self.subTest(select):
                self.database.execute(f"{select.format('t')} {train}").fetchall()
                expected = self.digest(self.database)
                self.assertRegex(self.how_it_is_read(frame, f"{select.format('df')} {train}"), read)
                self.assertEqual(self.digest(self.database), expected)

    def test_a_value_that_is_refused_in_a_large_frame_is_named_with_its_row(self):
        frame = {"a": numpy.arange(30000.0), "y": numpy.arange(30000) % 2}
        frame["a"][17] = numpy.inf
        with self.assertRaisesRegex(sqlite3.OperationalError, "row 18"):
            totrain.train(frame, "TO TRAIN LinearClassifier LABEL y INTO m")

    def test_a_column_that_is_hidden_stays_hidden_in_a_large_frame(self):
        frame = {"a": numpy.arange(30000.0), "b": numpy.arange(30000.0) % 7, "y": numpy.arange(30000) % 2}

        def hide(action, _table, column, _schema, _trigger):
            return sqlite3.SQLITE_IGNORE if action == sqlite3.SQLITE_READ and column == "b" else sqlite3.SQLITE_OK
        self.database.set_authorizer(hide)
        self.addCleanup(self.database.set_authorizer, None)
        train = "TO TRAIN LinearClassifier WITH epochs = 1, verbose = 2 LABEL y INTO m"
        self.assertRegex(self.how_it_is_read(frame, train), "computed or hidden|there is one processor")

    def test_a_statement_with_its_own_select_finds_the_frame_by_its_name(self):
        self.database.execute(f"SELECT * FROM iris WHERE class > 0 {harness.TRAIN.replace(' m', ' few')}").fetchall()
        model = totrain.train(pandas.DataFrame(self.iris), f"SELECT * FROM flowers WHERE class > 0 {harness.TRAIN}",
                              connection=self.database, name="flowers")
        self.assertEqual(self.digest(self.database), self.digest(self.database, "few"))
        self.assertEqual(model.name, '"m"')

    def test_words_and_missing_values_train_as_in_a_table(self):
        frame = pandas.DataFrame({"city": ["Bern", "Rome", None, "Oslo"] * 50, "size": [1.0, None, 3.0, 4.0] * 50,
                                  "y": [0, 1, 0, 1] * 50})
        other = sqlite3.connect(self.path)
        frame.to_sql("t", other, index=False)
        other.close()
        train = "TO TRAIN DNNClassifier WITH epochs = 5 LABEL y INTO words"
        self.database.execute(f"SELECT * FROM t {train}").fetchall()
        model = totrain.train(frame, train)
        self.assertEqual(self.digest(model.connection, "words"), self.digest(self.database, "words"))

    def test_predictions_come_in_the_order_of_the_frame_and_with_its_index(self):
        model = totrain.Model(self.database, "m")
        expected = [row[-1] for row in self.database.execute("SELECT * FROM iris TO PREDICT guess USING m")]
        frame = pandas.DataFrame(self.iris).drop(columns="class")
        frame.index = [f"flower {i}" for i in range(150)]
        shuffled = frame.sample(frac=1, random_state=1)
        predicted = model.predict(shuffled)
        self.assertEqual(list(predicted.index), list(shuffled.index))
        self.assertEqual(predicted.loc[frame.index].tolist(), expected)
        self.assertEqual(model.predict(polars.DataFrame(self.iris)).to_list(), expected)
        self.assertEqual(model.predict(self.iris), expected)
        self.assertEqual(model.predict("iris"), expected)

    def test_more_outputs_make_a_frame(self):
        model = totrain.Model(self.database, "m")
        frame = model.predict(pandas.DataFrame(self.iris), outputs=["probability", "probabilities"])
        self.assertEqual(list(frame.columns), ["prediction", "probability", "probabilities"])
        first = frame["probabilities"].iloc[0]
        self.assertEqual(set(first), {"0", "1", "2"})
        self.assertAlmostEqual(sum(first.values()), 1)

    def test_components_are_a_frame(self):
        numbers = ", ".join(set(self.iris) - {"class"})
        self.database.execute(f"SELECT {numbers} FROM iris TO TRAIN PCA WITH n_components = 2 INTO pca").fetchall()
        expected = [row[-2:] for row in self.database.execute("SELECT * FROM iris TO PREDICT USING pca")]
        model = totrain.Model(self.database, "pca")
        frame = model.predict(pandas.DataFrame(self.iris))
        self.assertEqual(list(frame.columns), ["component_1", "component_2"])
        self.assertEqual([tuple(row) for row in frame.itertuples(index=False)], expected)
        self.assertEqual(model.predict("iris").rows, expected)
        both = model.predict("iris", outputs=["score"])
        self.assertEqual(both.columns, ["component_1", "component_2", "score"])

    def test_a_forecast_has_a_frame_of_what_comes_and_predicts_days_of_a_frame(self):
        days = pandas.date_range("2025-01-01", periods=60)
        frame = pandas.DataFrame({"shop": ["b"] * 60 + ["a"] * 60, "day": list(days) * 2,
                                  "sales": [float(10 * (i // 60) + i % 60 % 7) for i in range(120)]})
        model = totrain.train(frame, "TO TRAIN SeasonalNaive WITH forecast.time = 'day', forecast.group = 'shop', "
                                     "forecast.horizon = 7 LABEL sales INTO m")
        coming = model.forecast(2, level=0.8)
        self.assertEqual(coming.columns, ["shop", "day", "sales", "lower", "upper"])
        self.assertEqual([row[:3] for row in coming.rows],
                         [("a", "2025-03-02", 14.0), ("a", "2025-03-03", 15.0), ("b", "2025-03-02", 4.0), ("b", "2025-03-03", 5.0)])
        self.assertEqual(len(model.forecast().to_pandas()), 14)
        asked = pandas.DataFrame({"shop": ["b", "a", "c"], "day": pandas.to_datetime(["2025-03-03", "2025-03-02", "2025-03-02"])},
                                 index=[7, 8, 9])
        guesses = model.predict(asked)
        self.assertEqual(list(guesses.index), [7, 8, 9])
        self.assertEqual(guesses.tolist()[:2], [5.0, 14.0])
        self.assertTrue(pandas.isna(guesses[9]))

    def test_a_model_is_judged_explained_and_described(self):
        model = totrain.Model(self.database, "m")
        frame = pandas.DataFrame(self.iris)
        self.assertEqual(model.evaluate(frame).rows, model.evaluate("iris").rows)
        self.assertEqual(model.evaluate("iris", metrics=["Accuracy"]).columns[:2], ["loss", "Accuracy"])
        self.assertEqual(sum(model.evaluate(frame, report="confusion")["rows"]), 150)
        self.assertEqual(set(model.explain(frame)["input"]), set(self.iris) - {"class"})
        self.assertEqual(len(model.history()), 20)
        self.assertGreater(len(model.describe()), 3)

    def test_results_are_frames(self):
        result = totrain.run(self.database, "SELECT class, count(*) AS n FROM iris GROUP BY class")
        self.assertEqual(result.to_pandas()["n"].tolist(), [50, 50, 50])
        self.assertEqual(result.to_polars()["n"].to_list(), [50, 50, 50])
        self.assertEqual(result.to_dicts()[0], {"class": 0, "n": 50})
        mixed = totrain.run(self.database, "SELECT 1 AS v, NULL AS w UNION ALL SELECT 'a', 2.5")
        self.assertEqual(mixed.to_pandas()["v"].tolist(), [1, "a"])
        self.assertEqual(len(totrain.run(self.database, "SELECT class FROM iris LIMIT 0").to_pandas()), 0)
        if harness.WITHOUT_ARROW:
            self.assertRaises(ImportError, result.to_arrow)
            return
        self.assertEqual(result.to_arrow()["n"].to_pylist(), [50, 50, 50])
        self.assertEqual(polars.DataFrame(result)["n"].to_list(), [50, 50, 50])
        self.assertRaisesRegex(totrain.Error, 'column "v": ', mixed.to_arrow)
        mixed = totrain.run(self.database, "SELECT 'a' AS word, NULL AS v UNION ALL SELECT 'b', 2.5")
        self.assertIn('<th style="text-align:left">word</th><th style="text-align:right">v</th>', mixed._repr_html_())
        self.assertIn("<td", totrain.run(self.database, "SELECT 1 AS v")._repr_html_())
        self.assertEqual(repr(result).splitlines()[0], "class  n")

    def test_a_statement_that_trains_nothing_is_refused(self):
        with self.assertRaisesRegex(totrain.Error, "has no INTO"):
            totrain.train(self.iris, "SELECT * FROM df TO PREDICT USING m", connection=self.database)


harness.main()
