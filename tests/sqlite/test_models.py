"""Models as tables: versions, going back, renaming, copying, dropping."""

import json
import os
import sqlite3
import unittest.mock

import harness


class Models(harness.Case):

    def setUp(self):
        super().setUp()
        self.make_iris()
        self.database = self.connect(isolation_level=None)

    def train(self, seed=0, into="m"):
        rows = self.run_all(f"SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2, "
                            f"train.seed = {seed} LABEL class INTO {into}")
        return harness.facts(rows)

    def test_each_training_is_a_version_and_the_old_ones_are_kept(self):
        self.assertEqual(self.train(0)["version"], 1)
        self.assertEqual(self.train(1)["version"], 2)
        self.assertEqual(self.train(2)["version"], 3)
        versions = self.run_all("SHOW VERSIONS m")
        self.assertEqual([(row[0], row[3]) for row in versions],
                         [(3, "current"), (2, "kept"), (1, "kept")])
        self.assertEqual(len({row[1] for row in versions}), 3)

    def test_a_model_that_does_not_keep_its_bound_leaves_the_old_one(self):
        self.train(0)
        before = self.run_all("SELECT * FROM m")
        for more, rows in (("train.test_size = 0.2", "of the held-out rows it is 0"), ("train.test_size = 0", "of the training "
                           "rows it is 0"), ("train.folds = 3", "of the folds it is 0"), ("tune.trials = 2, "
                           "optimizer.learning_rate = RANGE(0.01, 0.1), train.test_size = 0.2", "of the held-out rows it is 0")):
            with self.assertRaises(sqlite3.OperationalError) as caught:
                self.run_all(f"SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2, {more}, "
                             "Train.Require = 'Accuracy > 1' LABEL class INTO m")
            self.assertIn("the model is not published: " + rows, str(caught.exception))
            self.assertIn("train.require asks for Accuracy > 1", str(caught.exception))
        with self.assertRaisesRegex(sqlite3.OperationalError, "the model is not published: of the training rows it is"):
            self.run_all("SELECT * FROM iris TO TRAIN LinearClassifier WITH epoch = 2, require = 'Accuracy > 1' "
                         "LABEL class INTO m")
        self.assertEqual(self.run_all("SELECT * FROM m"), before)
        self.run_all("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2, train.require = 'accuracy >= 0.1' "
                     "LABEL class INTO m")
        self.assertEqual(len(self.run_all("SHOW VERSIONS m")), 2)

    def test_each_version_tells_what_it_was_measured_by(self):
        measured = {}
        for version, size in ((1, 0.2), (2, 0), (3, 0.3)):
            rows = self.run_all(f"SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = {version}, "
                                f"train.test_size = {size} LABEL class INTO m")
            part = "validation" if size else "training"
            measured[version] = (part, {row[0]: row[1] for row in rows if row[2] == part})
            self.assertIn("Accuracy", measured[version][1])
        self.run_all("ROLLBACK MODEL m TO 2")
        found = {row[0]: row[4:] for row in self.run_all("SHOW VERSIONS m")}
        for version, (part, metrics) in found.items():
            told = json.loads(metrics)
            self.assertEqual((part, set(told)), (measured[version][0], set(measured[version][1])))
            for name, value in told.items():
                self.assertAlmostEqual(value, measured[version][1][name], 5)
        self.run_all("UPDATE m SET data = json_remove(data, '$.metrics') WHERE part = 'meta'")
        self.assertEqual([row[4:] for row in self.run_all("SHOW VERSIONS m") if row[3] == "current"], [(None, None)])
        self.run_all("UPDATE totrain_versions SET data = 'no meta' WHERE part = 'meta' AND version = 1")
        with self.assertRaises(sqlite3.OperationalError):
            self.run_all("SHOW VERSIONS m")

    def test_going_back_restores_the_very_bits(self):
        self.train(0)
        first = self.run_all("SELECT * FROM m")
        self.train(1)
        second = self.run_all("SELECT * FROM m")
        self.assertEqual(self.run_all("ROLLBACK MODEL m TO 1"), [("m", 1)])
        self.assertEqual(self.run_all("SELECT * FROM m"), first)
        self.assertEqual([(row[0], row[3]) for row in self.run_all("SHOW VERSIONS m")],
                         [(2, "kept"), (1, "current")])
        self.assertEqual(self.run_all("SHOW MODELS FULL")[0][1], 1)
        self.run_all("ROLLBACK MODEL m TO 2")
        self.assertEqual(self.run_all("SELECT * FROM m"), second)
        self.assertEqual(self.train(2)["version"], 3)

    def test_going_back_by_the_beginning_of_a_digest(self):
        self.train(0)
        digest = self.digest(self.database, "m")
        self.train(1)
        self.run_all(f"ROLLBACK MODEL m TO '{digest[:12]}'")
        self.assertEqual(self.digest(self.database, "m"), digest)

    def test_going_back_to_what_is_not_kept_is_an_error(self):
        self.train()
        for version in ("1", "7", "'beef'"):
            with self.assertRaisesRegex(sqlite3.OperationalError, "no version"):
                self.run_all(f"ROLLBACK MODEL m TO {version}")
        self.assertFalse(self.database.in_transaction)

    def test_only_so_many_versions_are_kept(self):
        self.train()
        for seed in range(1, 24):
            self.train(seed)
        versions = [row[0] for row in self.run_all("SHOW VERSIONS m")]
        self.assertEqual(versions, list(range(24, 3, -1)))
        kept = self.run_all("SELECT DISTINCT version FROM totrain_metrics ORDER BY version DESC")
        self.assertEqual([row[0] for row in kept], versions)
        self.assertEqual(self.run_all("ROLLBACK MODEL m TO 4"), [("m", 4)])  # the oldest
        self.assertEqual({row[0] for row in self.run_all("SHOW VERSIONS m")}, set(versions))

    def test_the_environment_says_how_many_versions_are_kept(self):
        def kept_of(said):
            with unittest.mock.patch.dict(os.environ, {"TOTRAIN_KEPT_VERSIONS": said}):
                self.train()
            return sum(row[3] == "kept" for row in self.run_all("SHOW VERSIONS m"))
        self.assertEqual([kept_of(said) for said in ("2", "2", "2", "2", "3", "1")], [0, 1, 2, 2, 3, 1])
        for said in ("0", "many", ""):  # no such number is logged, and loses nothing
            before = kept_of("20")
            self.assertEqual(kept_of(said), before + 1, said)

    def test_sizes_are_those_of_the_data(self):
        self.train()
        sizes = "SELECT (SELECT sum(length(data)) FROM m), (SELECT sum(length(data)) FROM totrain_versions)"
        self.assertEqual(self.run_all("SHOW MODELS FULL")[0][11:], (self.run_all(sizes)[0][0], 0))
        self.train(1)
        self.assertEqual(self.run_all("SHOW MODELS FULL")[0][11:], self.run_all(sizes)[0])
        self.assertGreater(self.run_all(sizes)[0][1], 100)

    def test_a_query_for_more_columns_than_the_model_has_by_now_is_refused(self):
        self.train()
        columns = [row[1] for row in self.run_all("PRAGMA table_info(iris)") if row[1] != "class"]
        fits = "SELECT totrain_fits('m', 'class', {})"
        listed = ", ".join(f"'{column}'" for column in columns)
        self.assertEqual(self.run_all(fits.format(listed)), [(1,)])
        for surplus in ("''", "'x'", "NULL", "'x', ''"):
            with self.assertRaisesRegex(sqlite3.OperationalError, "replaced by one with other columns"):
                self.run_all(fits.format(f"{listed}, {surplus}"))
        with self.assertRaisesRegex(sqlite3.OperationalError, "replaced by one with other columns"):
            self.run_all(fits.format("'', " + listed))

    def test_the_table_alone_is_enough(self):
        self.train()
        expected = self.run_all("SELECT * FROM iris TO PREDICT USING m")
        other = self.connect(str(self.folder / "other.db"), isolation_level=None)
        harness.load_csv(other, "iris")
        other.execute(f"ATTACH '{self.path}' AS source")
        other.execute("CREATE TABLE copied AS SELECT * FROM source.m")
        other.execute("DETACH source")
        self.assertEqual(other.execute("SELECT * FROM iris TO PREDICT USING copied").fetchall(),
                         expected)
        self.assertEqual([row[0] for row in other.execute("SHOW MODELS")], ["copied"])
        self.assertIn(("rows", 150), other.execute("SHOW MODEL copied").fetchall())

    def test_a_renamed_model_keeps_its_versions(self):
        self.train(0)
        self.train(1)
        self.run_all("ALTER TABLE m RENAME TO n")
        self.assertEqual([row[0] for row in self.run_all("SHOW MODELS")], ["n"])
        self.assertEqual([row[0] for row in self.run_all("SHOW VERSIONS n")], [2, 1])
        self.assertEqual(self.train(2, "n")["version"], 3)
        self.assertEqual(self.run_all("SELECT name, version FROM totrain_models"), [("n", 3)])

    def test_a_dropped_model_is_gone(self):
        self.train()
        self.run_all("DROP TABLE m")
        self.assertEqual(self.run_all("SHOW MODELS"), [])
        self.assertEqual(self.train()["version"], 1)

    def test_two_copies_of_a_model_have_versions_of_their_own(self):
        self.train(0)
        self.run_all("CREATE TABLE n AS SELECT * FROM m")
        self.train(1, "m")
        kept = self.run_all("SELECT * FROM m")
        self.train(2, "n")
        self.train(3, "m")
        self.train(4, "n")
        self.run_all("ROLLBACK MODEL m TO 2")
        self.assertEqual(self.run_all("SELECT * FROM m"), kept)

    def test_views_and_triggers_on_a_model_live_on(self):
        self.train(0)
        self.run_all("CREATE VIEW weights AS SELECT name, position, value FROM m "
                     "WHERE part = 'weight'")
        self.assertEqual(len(self.run_all("SELECT * FROM weights")), 15)
        before = self.run_all("SELECT * FROM weights")
        self.train(1)
        self.assertNotEqual(self.run_all("SELECT * FROM weights"), before)

    def test_a_trigger_that_leaves_rows_out_or_changes_them_makes_no_model(self):
        self.train(0)
        self.train(1)
        kept = self.run_all("SELECT * FROM m")
        for trigger in ("BEFORE INSERT ON m BEGIN SELECT raise(ignore)",
                        "BEFORE INSERT ON m WHEN new.part = 'tensor' BEGIN SELECT raise(ignore)",
                        "AFTER INSERT ON m WHEN new.part = 'tensor' BEGIN "
                        "UPDATE m SET data = zeroblob(length(data)) WHERE rowid = new.rowid"):
            self.run_all(f"CREATE TRIGGER meddles {trigger}; END")
            for again in (lambda: self.train(2), lambda: self.run_all("ROLLBACK MODEL m TO 1")):
                with self.assertRaisesRegex(sqlite3.Error, "a trigger on the model's table changes rows of the model"):
                    again()
                self.assertEqual(self.run_all("SELECT * FROM m"), kept)
            self.run_all("DROP TRIGGER meddles")
        self.assertEqual(self.train(3)["version"], 3)

    def test_a_table_that_only_looks_like_a_model_is_not_listed(self):
        self.run_all("CREATE TABLE fake (part, name, position, value, data)")
        self.run_all("INSERT INTO fake VALUES ('meta', 'meta', 0, NULL, '{}')")
        self.assertEqual(self.run_all("SHOW MODELS"), [])
        for statement in ("SELECT * FROM iris TO PREDICT USING fake",
                          "SELECT totrain_predict('fake', 1)", "SHOW TRAIN fake"):
            with self.assertRaises(sqlite3.OperationalError):
                self.run_all(statement)

    def test_damage_is_found_when_the_model_is_loaded(self):
        self.train()
        self.run_all("UPDATE m SET data = zeroblob(length(data)) WHERE part = 'tensor'")
        with self.assertRaises(sqlite3.OperationalError):
            self.run_all("SELECT totrain_predict('m', 5, 3, 1, 0.5)")

    def test_show_jobs_lists_them_and_cancel_refuses_what_has_ended(self):
        job = self.train()["job"]
        rows = self.run_all("SHOW JOBS")
        self.assertEqual([(row[0], row[1], row[2]) for row in rows], [(job, "done", "m")])
        with self.assertRaises(sqlite3.OperationalError):
            self.run_all(f"CANCEL JOB {job}")
        with self.assertRaises(sqlite3.OperationalError):
            self.run_all("CANCEL JOB 99")

    def test_a_long_statement_is_kept_as_far_as_it_fits_and_is_text(self):
        for pad in range(2):  # one of the two is cut within a character
            self.run_all("SELECT *, '" + pad * "-" + 600 * "\u044f" + "' AS word FROM iris TO TRAIN LinearClassifier "
                         "WITH train.epoch = 1 LABEL class INTO m")
        for row in self.run_all("SHOW JOBS"):
            self.assertRegex(row[5], "^SELECT \\*, '-?\u044f+$")

    def test_show_train_has_what_train_returned(self):
        rows = self.run_all("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 3, "
                            "train.test_size = 0.3 LABEL class INTO m")
        result = harness.facts(rows)
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual(shown["Accuracy, training"], result["Accuracy"])
        self.assertTrue(shown["statement"].startswith("SELECT * FROM iris TO TRAIN"))
        self.assertEqual(shown["digest"], self.digest(self.database, "m"))
        self.assertEqual((shown["train.epoch"], shown["train.test_size"], shown["epochs"]), ("3", "0.3", 3))
        self.assertEqual(shown["classes"], "3: 0, 1, 2")
        self.assertIn("best epoch", shown)
        self.assertTrue(shown["input petal_width"].startswith("numeric, mean 1."))

    def test_show_train_is_a_row_an_epoch(self):
        rows = self.run_all("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 3, "
                            "train.test_size = 0.3 LABEL class INTO m")
        cursor = self.database.execute("SHOW TRAIN m")
        self.assertEqual([column[0] for column in cursor.description],
                         ["epoch", "seconds", "train_loss", "validation_loss", "validation_accuracy"])
        shown = cursor.fetchall()
        self.assertEqual([row[0] for row in shown], [1, 2, 3])
        self.assertTrue(all(isinstance(value, float) for row in shown for value in row[1:]))
        self.assertAlmostEqual(shown[-1][3], harness.validated(rows)["loss"])
        self.assertAlmostEqual(shown[-1][4], harness.validated(rows)["Accuracy"])
        self.run_all("SELECT * FROM iris TO TRAIN LinearRegressor WITH train.epoch = 2 LABEL petal_width INTO r")
        cursor = self.database.execute("SHOW TRAIN r")
        self.assertEqual(cursor.description[-1][0], "validation_rmse")
        self.assertEqual([(row[0], *row[3:]) for row in cursor], [(1, None, None), (2, None, None)])

    def test_show_models_is_narrow_and_full(self):
        self.run_all("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 3, train.test_size = 0.3 "
                     "LABEL class INTO m")
        self.run_all("SELECT * FROM iris TO TRAIN KMeans WITH model.n_clusters = 2 INTO k")
        cursor = self.database.execute("SHOW MODELS")
        self.assertEqual([column[0] for column in cursor.description],
                         ["name", "kind", "label", "rows", "metric", "value", "part", "age"])
        clusters, classes = cursor.fetchall()
        self.assertEqual(clusters[:5], ("k", "KMeans", None, 150, "Inertia"))
        self.assertEqual((*classes[:5], classes[6]),
                         ("m", "LinearClassifier", "class", 105, "Accuracy", "validation"))
        self.assertRegex(classes[7], "^[0-9]+ (second|minute)s?$")
        cursor = self.database.execute("SHOW MODELS FULL")
        self.assertEqual([column[0] for column in cursor.description],
                         ["name", "version", "kind", "label", "rows", "metric", "value", "part", "created_at", "digest",
                          "statement", "bytes", "kept_bytes"])
        self.assertEqual(cursor.fetchall()[1][9], self.digest(self.database, "m"))

    def test_notices_are_rows_of_train_and_of_the_model(self):
        rows = self.run_all("SELECT *, 'it' AS same FROM iris TO TRAIN LinearClassifier LABEL class INTO m")
        self.assertEqual(harness.notices(rows),
                         ["column \"same\" is 'it' in all 150 rows. It has no information about the label."])
        self.assertEqual([value for name, value in self.run_all("SHOW MODEL m") if name == "notice"],
                         harness.notices(rows))
        self.assertEqual({type(row[1]) for row in rows if row[1] is not None}, {float})
        rows = self.run_all("SELECT petal_width, class FROM iris WHERE class < 2 AND (class = 0 OR petal_width > 1.6) "
                            "TO TRAIN LinearClassifier LABEL class INTO m")
        self.assertEqual(len(harness.notices(rows)), 1)
        self.assertRegex(harness.notices(rows)[0], "^1 of 2 classes is rare in 5[0-9] rows: 1 has [0-9]\\. So few rows")

    def test_show_jobs_has_the_newest_of_this_database_first(self):
        self.train(0)
        self.train(1)
        other = self.connect(str(self.folder / "other.db"), isolation_level=None)
        harness.load_csv(other, "iris")
        other.execute("SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO elsewhere").fetchall()
        here = [row[2] for row in self.run_all("SHOW JOBS")]
        self.assertEqual(here, ["m", "m"])
        ids = [row[0] for row in self.run_all("SHOW JOBS FULL")]
        self.assertEqual((len(ids), ids), (3, sorted(ids, reverse=True)))
        self.assertEqual([row[2] for row in other.execute("SHOW JOBS")], ["elsewhere"])


harness.main()
