"""Training by keywords, rows of every kind, errors as the user's statement has them, and models that are pickled."""

import io
import pickle
import sys
import traceback
import unittest.mock

import harness  # before pandas

import numpy
import pandas
import polars

import totrain

IRIS = "SELECT * FROM iris"


class Keywords(harness.Case):
    def setUp(self):
        super().setUp()
        self.iris = harness.read_iris()

    def refused(self, pattern, *arguments, **options):
        with self.assertRaisesRegex(totrain.Error, pattern):
            totrain.train(self.iris, *arguments, **options)

    def test_keywords_are_the_statement(self):
        wanted = totrain.train(self.iris, harness.TRAIN)
        model = totrain.train(self.iris, model="DNNClassifier", label="class", hidden_units=[8], epochs=20)
        self.assertEqual(self.digest(model.connection, "model"), self.digest(wanted.connection))
        self.assertEqual(model.predict(self.iris), wanted.predict(self.iris))
        other = totrain.train(pandas.DataFrame(self.iris), model="DNNClassifier", label="class", epochs=None,
                              **{"train.epoch": numpy.int64(20), "model.hidden_units": numpy.array([8])})
        self.assertEqual(self.digest(other.connection, "model"), self.digest(wanted.connection))

    def test_every_clause_has_a_keyword(self):
        connection = self.connect()
        frame = {'my "x"': [1.0, 2, 3, 4] * 10, "c": ["a", "b", "a", "c"] * 10, "Churned?": [0, 1, 0, 1] * 10}
        model = totrain.train(frame, model="LinearClassifier", label="Churned?", columns=["VOCABULARY(c)"], epochs=2,
                              into="my model", connection=connection)
        self.assertEqual(model.name, '"my model"')
        statement = dict(model.describe().rows)["statement"]
        self.assertIn('TO TRAIN LinearClassifier WITH epochs = 2 COLUMN VOCABULARY(c) LABEL "Churned?" INTO "my model"',
                      statement)
        again = totrain.train(frame, model="LinearClassifier", label="Churned?", epochs=3,
                              using='"my model"', into="main.m", connection=connection)
        self.assertEqual(again.name, '"main"."m"')
        self.assertEqual(connection.execute("SELECT version FROM totrain_models WHERE name = 'm'").fetchall(), [(1,)])
        dotted = totrain.train(frame, 'TO TRAIN LinearClassifier LABEL "Churned?" INTO main."a.b"', connection=connection)
        self.assertEqual((dotted.name, len(dotted.predict(frame))), ('"main"."a.b"', 40))
        clusters = totrain.train({"x": [1.0, 2, 9, 10]}, model="KMeans", n_clusters=2)
        self.assertEqual(len(set(clusters.predict({"x": [1.0, 2, 9, 10]}))), 2)

    def test_no_name_is_needed_where_nobody_looks_for_it(self):
        model = totrain.train(self.iris, "TO TRAIN LinearClassifier WITH epochs = 2 LABEL class;")
        self.assertEqual(model.name, '"model"')
        with self.assertRaisesRegex(Exception, "expected .*INTO"):
            totrain.train(self.iris, "TO TRAIN LinearClassifier LABEL class", connection=self.connect())

    def test_mistakes(self):
        self.refused("takes a statement, .* or keywords: model='LinearClassifier', label='y'")
        self.refused("a statement and epochs=", harness.TRAIN, epochs=3)
        self.refused("a statement and model=", harness.TRAIN, model="KMeans")
        self.refused("a statement and into=", harness.TRAIN, into="m")
        self.refused("into='name' is needed", model="KMeans", connection=self.connect())
        self.refused("begins with TRAIN: of a frame it begins with TO TRAIN", "TRAIN XGBClassifier LABEL class INTO m")
        self.refused("the statement is a dict", {"a": 1})
        self.refused("model='a b' is not a valid name of a model", model="a b", label="class")
        self.refused("a dict is no value of an attribute", model="LinearClassifier", label="class", epochs={})
        with self.assertRaises(Exception) as caught:
            totrain.train(self.iris, model="LinearClassifier", label="class", epoch=3, hiden_units=[2])
        self.assertIn("hiden_units", str(caught.exception))
        self.assertIn("HINT:", str(caught.exception))
        self.assertNotIn("LINE", str(caught.exception))


class Rows(harness.Case):
    def setUp(self):
        super().setUp()
        self.iris = harness.read_iris()
        self.model = totrain.train(self.iris, harness.TRAIN)
        self.columns = {name: values for name, values in self.iris.items() if name != "class"}
        self.expected = self.model.predict(self.columns)

    def test_an_array_has_the_inputs_in_their_order(self):
        array = numpy.array(list(self.columns.values())).T
        self.assertEqual(self.model.predict(array), self.expected)
        self.assertEqual(self.model.predict(array[:1].astype("float32")), self.expected[:1])
        self.assertEqual(len(self.model.predict(array, outputs=["probability"])), 150)
        with self.assertRaisesRegex(totrain.Error, "has 3 columns, where the model takes 4: sepal_length, sepal_width, petal"):
            self.model.predict(array[:, :3])
        with self.assertRaisesRegex(totrain.Error, r"has 1 dimension, where rows and columns are 2: values.reshape\(1, -1\)"):
            self.model.predict(array[0])
        quoted = totrain.train({"a\"b'": [1.0, 2, 3, 4], "select": [0.0, 0, 1, 1], "y": [1.0, 2, 3, 4]}, model="LinearRegressor",
                               label="y", into="it's a \"model\"")
        self.assertEqual(quoted.predict(numpy.array([[1, 0], [4, 1]])),
                         quoted.predict({"a\"b'": [1, 4], "select": [0, 1]}))
        with self.assertRaisesRegex(Exception, "there is no model \"nosuch\""):
            totrain.Model(self.model.connection, "nosuch").predict(array)

    def test_one_row_and_lists_of_rows(self):
        rows = [dict(zip(self.columns, row)) for row in zip(*self.columns.values())]
        self.assertEqual(self.model.predict(rows), self.expected)
        self.assertEqual(self.model.predict(rows[70]), self.expected[70:71])

    def test_whatever_has_a_stream_of_arrow(self):
        frame = polars.DataFrame(self.columns)

        class Relation:
            """A stream, and nothing else, as DuckDB's relations are."""

            def __arrow_c_stream__(self, requested_schema=None):
                return frame.__arrow_c_stream__(requested_schema)
        if harness.WITHOUT_ARROW:
            with self.assertRaises(ImportError):
                self.model.predict(Relation())
            return
        self.assertEqual(self.model.predict(Relation()), self.expected)
        with unittest.mock.patch.dict(sys.modules, {"numpy": None}):
            self.assertEqual(self.model.predict(Relation()), self.expected)
        self.assertEqual(self.model.evaluate(polars.DataFrame(self.iris)).rows, self.model.evaluate(self.iris).rows)


class Errors(harness.Case):
    def setUp(self):
        super().setUp()
        self.iris = harness.read_iris()
        self.database = self.connect()
        harness.load_iris(self.database)
        self.model = totrain.train(self.iris, harness.TRAIN, connection=self.database)

    def caught(self, act):
        """The error; assertRaises() takes its traceback away."""
        try:
            act()
        except Exception as error:  # pylint: disable=broad-exception-caught
            return error
        return self.fail("no error was raised")

    def text_of(self, act):
        """The message; the package has one line of its own in the traceback."""
        error = self.caught(act)
        self.assertIsNone(error.__cause__)
        self.assertTrue(error.__suppress_context__)
        frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
        self.assertEqual(len([name for name in frames if "/totrain/" in name]), 1, frames)
        return str(error)

    def train(self, statement):
        return self.text_of(lambda: totrain.train(self.iris, statement, connection=self.database))

    def test_the_place_is_in_the_statement_that_was_given(self):
        self.assertEqual(self.train("TO TRAIN LinearClassifer LABEL class INTO m").splitlines()[1:3],
                         ["LINE 1: TO TRAIN LinearClassifer LABEL class INTO m", "                 ^"])
        text = self.train("\n  TO TRAIN LinearClassifier\n  WITH epochs = 2\n  LABEL klass\n  INTO m;")
        self.assertIn("LINE 3:   LABEL klass\n                ^\nHINT:", text)
        text = self.train("SELECT *\nFROM df TO TRAIN LinearClassifier LABEL klass INTO m")
        self.assertIn("LINE 2: FROM df TO TRAIN LinearClassifier LABEL klass INTO m\n", text)
        nine = "\n".join(f"  -- {i}" for i in range(8))
        text = self.train(f"TO TRAIN LinearClassifier\n{nine}\nLABEL klass INTO m")
        self.assertIn("LINE 10: LABEL klass INTO m\n               ^", text)
        text = self.train(f"TO TRAIN LinearClassifier\n{nine[:-6]}LABEL klass INTO m")
        self.assertIn("LINE 9: LABEL klass INTO m\n              ^", text)

    def test_no_statement_is_shown_that_nobody_wrote(self):
        frame = {name: values for name, values in self.iris.items() if name != "petal_width"}
        for act in (lambda: self.model.predict(frame), lambda: self.model.evaluate(pandas.DataFrame(frame)),
                    lambda: totrain.picture.confusion(self.model, frame), lambda: self.model.predict("nosuch"),
                    lambda: self.model.evaluate("iris", report="confusoin"), lambda: self.model.explain("iris", using="x"),
                    totrain.Model(self.database, "nosuch").history, totrain.Model(self.database, "nosuch").describe,
                    totrain.Model(self.database, "nosuch").forecast):
            text = self.text_of(act)
            self.assertNotIn("LINE", text)
            self.assertNotIn("totrain_frame_rows", text)
        self.assertIn("LINE 1: SELECT nosuch FROM iris", self.text_of(lambda: self.model.predict("SELECT nosuch FROM iris")))

    def test_a_statement_is_as_it_was_given(self):
        text = self.text_of(lambda: totrain.run(self.database, "SELECT * FROM iris TO EVALUATE n"))
        self.assertIn("LINE 1: SELECT * FROM iris TO EVALUATE n\n", text)

    def test_faults_of_the_package_keep_their_traceback(self):
        class Broken:
            """A frame that fails by itself."""

            def __arrow_c_stream__(self, requested_schema=None):
                raise ZeroDivisionError
        if not harness.WITHOUT_ARROW:
            error = self.caught(lambda: self.model.predict(Broken()))
            self.assertIsInstance(error, ZeroDivisionError)
            self.assertGreater(len(traceback.extract_tb(error.__traceback__)), 3)


class Pickles(harness.Case):
    def test_a_model_of_a_file_is_its_path_and_name(self):
        iris = harness.read_iris()
        model = totrain.train(iris, harness.TRAIN, connection=self.connect())
        again = pickle.loads(pickle.dumps(model))
        self.addCleanup(again.connection.close)
        self.assertEqual(again.predict(iris), model.predict(iris))
        self.assertEqual(again.result.rows, model.result.rows)

    def test_others_say_why(self):
        model = totrain.train(harness.read_iris(), harness.TRAIN)
        with self.assertRaisesRegex(totrain.Error, r"totrain.Model\(\"m\"\) cannot be pickled: its database is no file"):
            pickle.Pickler(io.BytesIO()).dump(model)


harness.main()
