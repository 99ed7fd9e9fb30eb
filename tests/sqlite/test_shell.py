"""The bare statement in the stock sqlite3 shell."""

import harness


class Shell(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()

    def test_the_main_job(self):
        out, err = self.shell(
            harness.TRAIN_IRIS + """
SELECT * FROM iris TO PREDICT iris_predicted.class USING iris_model;
SELECT 'right', sum(p.class = i.class) FROM iris i JOIN iris_predicted p ON i.rowid = p.rowid;
SELECT * FROM iris TO EVALUATE iris_model WITH validation.metrics = 'Accuracy,LogLoss';
SHOW MODELS;
SHOW MODEL iris_model;
SHOW TRAIN iris_model;""")
        self.assertEqual(err, "")
        lines = out.splitlines()
        self.assertEqual(lines[0], "name|value|part|detail")
        self.assertIn("rows|||150", lines)
        self.assertIn("version|||1", lines)
        right = next(int(line.split("|")[1]) for line in lines if line.startswith("right|"))
        self.assertGreater(right, 140)
        self.assertIn("loss|Accuracy|LogLoss|notice", lines)
        self.assertTrue(any(line.startswith("iris_model|DNNClassifier|class|150|Accuracy|0.") for line in lines))
        self.assertIn("label|class", lines)
        self.assertTrue(any(line.startswith("Accuracy, training|") for line in lines))
        self.assertIn("epoch|seconds|train_loss|validation_loss|validation_accuracy", lines)

    def test_statements_over_many_lines_with_comments_and_ordinary_sql_between(self):
        out, err = self.shell("""
SELECT 'before'; -- a comment; with a semicolon
/* TO TRAIN is only a comment here */
SELECT * FROM iris   -- the rows
  WHERE class < 2
TO TRAIN LinearClassifier
  WITH train.epoch = 3
LABEL class INTO m; SELECT 'after' AS x; SHOW MODELS;""")
        self.assertEqual(err, "")
        self.assertIn("before", out)
        self.assertIn("\nx\nafter\n", out)
        self.assertIn("m|LinearClassifier|class|100|", out)

    def test_the_function_form_gives_the_result_as_json(self):
        out, err = self.shell("SELECT json_extract(totrain('SELECT * FROM iris TO TRAIN "
                              "LinearClassifier WITH train.epoch = 3 LABEL class INTO m'), "
                              "'$[0].name') AS first;")
        self.assertEqual((out, err), ("first\nloss\n", ""))

    def test_a_setting_turns_bare_statements_off_and_on(self):
        out, err = self.shell("SELECT totrain_config('bare_statements', 'off') AS x; SHOW MODELS;")
        self.assertEqual(out, "x\noff\n")
        self.assertIn('near "SHOW": syntax error', err)
        out, err = self.shell("SELECT totrain_config('bare_statements', 'off') AS x;"
                              "SELECT totrain_config('bare_statements', 'on') AS x; SHOW JOBS;")
        self.assertEqual(err, "")

    def test_a_program_that_did_not_load_the_extension_is_left_alone(self):
        out, err = self.shell("SHOW MODELS;", load=False)
        self.assertIn('near "SHOW": syntax error', err)

    def test_loading_twice_changes_nothing(self):
        out, err = self.shell(f".load {harness.EXTENSION}\nSELECT totrain_version() > '' AS ok;"
                              "SHOW MODELS;")
        self.assertEqual((out, err), ("ok\n1\n", ""))

    def test_prediction_without_a_target_streams_with_real_column_names(self):
        out, err = self.shell(harness.TRAIN_IRIS +
                              "SELECT sepal_length, sepal_width, petal_length, petal_width FROM "
                              "iris LIMIT 2 TO PREDICT USING iris_model;")
        self.assertEqual(err, "")
        self.assertIn("sepal_length|sepal_width|petal_length|petal_width|class\n5.1|3.5|1.4|0.2|0\n",
                      out)

    def test_explain_shows_the_plan_and_trains_nothing(self):
        out, err = self.shell("EXPLAIN " + harness.TRAIN_IRIS)
        self.assertEqual(err, "")
        self.assertTrue(out.startswith("item|detail\n"))
        self.assertIn("train.epoch|60", out)
        self.assertEqual(self.jobs_started(), [])

    def test_empty_results_have_no_rows(self):
        self.assertEqual(self.shell("SHOW MODELS;"), ("", ""))


harness.main()
