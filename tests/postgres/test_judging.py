"""Judging a model in a server: reports as rows and as tables, thresholds, the positive class."""

import re

import psycopg2

import harness
from harness import run_statement

ROWS = ("SELECT a, b, (CASE WHEN a + b / 2 + (i * 7919 % 100) / 50.0 > 2 THEN 'fraud' ELSE 'legit' END) AS kind "
        "FROM (SELECT i, (i * 31 % 101) / 50.0 AS a, (i * 17 % 103) / 50.0 AS b FROM generate_series(1, 600) i) s")


class Judging(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        cursor.execute("CREATE TYPE kind AS ENUM ('legit', 'fraud')")
        cursor.execute(f"CREATE TABLE t AS SELECT a, b, kind::kind FROM ({ROWS}) r")
        run_statement(cursor, "SELECT * FROM t TO TRAIN LinearClassifier WITH model.positive = 'fraud', "
                              "train.epoch = 5 LABEL kind INTO m")

    def rows(self, statement):
        return [row for row, in self.execute(f"SELECT * FROM totrain.rows($t${statement}$t$)")]

    def test_reports_are_rows_and_tables_by_session_and_by_workers(self):
        for report in ("confusion", "classes", "roc", "pr", "thresholds", "gain", "calibration"):
            with self.subTest(report):
                found = self.rows(f"SELECT * FROM t TO EVALUATE m WITH evaluate.report = '{report}'")
                for more in ("", ", job.max_workers = 2"):
                    statement = f"SELECT * FROM t TO EVALUATE m WITH evaluate.report = '{report}'{more}"
                    self.assertEqual(self.rows(statement), found)
                    self.rows(f"{statement} INTO r")
                    columns = ", ".join(found[0])
                    self.assertEqual(self.rows_of(f"SELECT {columns} FROM r"), [tuple(row.values()) for row in found])
        types = self.execute("SELECT pg_typeof(bin)::text, pg_typeof(mean_predicted)::text FROM r LIMIT 1")
        self.assertEqual(types, [("bigint", "double precision")])

    def test_drift_intervals_and_dependence_are_rows_and_tables(self):
        moved = "SELECT a + 1 AS a, nullif(b, 0) AS b FROM t"
        self.rows("SELECT * FROM t TO TRAIN LinearClassifier WITH train.epoch = 2, train.test_size = 0 LABEL kind INTO w")
        found = self.rows(f"{moved} TO EVALUATE w WITH evaluate.report = 'drift'")
        self.assertEqual({row["input"] for row in found}, {"(prediction)", "a", "b"})
        by_name = {row["input"]: row for row in found}
        self.assertEqual(by_name["a"]["verdict"], "shifted")
        self.assertAlmostEqual(by_name["a"]["mean_now"] - by_name["a"]["mean_then"], 1, 4)
        self.assertEqual(by_name["b"]["nulls_now"],
                         float(self.execute("SELECT avg((b = 0)::int) FROM t")[0][0]))
        self.rows(f"{moved} TO EVALUATE w WITH evaluate.report = 'drift' INTO r")
        self.assertEqual(self.rows_of(f"SELECT {', '.join(found[0])} FROM r"), [tuple(row.values()) for row in found])
        bounded = "SELECT * FROM t TO EVALUATE m WITH evaluate.interval = 0.9, evaluate.bootstrap = 100"
        found = self.rows(bounded)
        self.assertLess(found[0]["AUC_lower"], found[0]["AUC"])
        self.assertEqual(self.rows(f"{bounded}, job.max_workers = 2"), found)
        self.rows(f"{bounded} INTO r")
        self.assertEqual(self.execute('SELECT "AUC_lower", "AUC_upper" FROM r'),
                         [(found[0]["AUC_lower"], found[0]["AUC_upper"])])
        curve = "SELECT a, b FROM t TO EXPLAIN m WITH explain.columns = 'a', explain.grid = 3 USING partial_dependence"
        points = self.rows(curve)
        self.assertEqual(len(points), 3)
        for point in points:
            mean = self.execute(f"SELECT avg(totrain.probability('m', ROW({point['value']!r}::float8, b))) FROM t")[0][0]
            self.assertAlmostEqual(point["prediction"], mean, 6)
        self.rows(f"{curve} INTO r")
        self.assertEqual(self.execute("SELECT value, prediction FROM r"), [(p["value"], p["prediction"]) for p in points])

    def test_nulls_that_the_model_has_not_learned_are_told(self):
        some = "SELECT nullif(a, 0) AS a, b, kind FROM t"
        nulls = self.execute(f"SELECT count(*) FROM ({some}) q WHERE a IS NULL")[0][0]
        said = f'column "a" is NULL in {nulls} of 600 rows, and was in none that the model learned from'
        self.assertGreater(nulls, 0)
        self.assertIn(said, self.rows(f"{some} TO EVALUATE m")[0]["notice"])
        self.assertEqual(self.rows("SELECT * FROM t TO EVALUATE m")[0]["notice"], "")
        for workers in ("", "WITH job.max_workers = 2 "):
            with self.connect() as connection:
                connection.cursor().execute(f"SELECT * FROM totrain.rows($${some} TO PREDICT told.guess {workers}USING m$$)")
            self.assertIn(said, "".join(connection.notices))

    def test_a_null_behind_the_sample_is_told(self):
        """By the rows that are scored, in the schema that tables are made in: a temporary table of the name is another."""
        late = "SELECT CASE WHEN g < 3000 THEN a END AS a, b, kind FROM generate_series(1, 5) s CROSS JOIN LATERAL " \
               "(SELECT row_number() OVER () + (s - 1) * 600 AS g, t.* FROM t) q"
        said = 'column "a" is NULL in 1 of 3000 rows, and was in none that the model learned from'
        self.assertIn(said, self.rows(f"{late} TO EVALUATE m")[0]["notice"])
        with self.connect() as connection:
            cursor = connection.cursor()
            cursor.execute("CREATE TEMP TABLE late_told (a int)")
            cursor.execute(f"SELECT * FROM totrain.rows($${late} TO PREDICT late_told.guess USING m$$)")
        self.assertIn(said, "".join(connection.notices))

    def test_a_model_keeps_a_threshold_and_a_calibration(self):
        self.rows("SELECT * FROM t TO TRAIN LinearClassifier WITH model.positive = 'fraud', train.epoch = 5, "
                  "train.calibration = 'isotonic', train.threshold = 'recall >= 0.9', train.test_size = 0.3 LABEL kind INTO kept")
        shown = {row["name"]: row["value"] for row in self.rows("SHOW MODEL kept")}
        self.assertRegex(shown["calibration"], "isotonic, by 180 validation rows: [0-9]+ points")
        found = re.fullmatch("fraud from a probability of ([0-9.]+) up: 'recall >= 0.9' on 180 validation rows",
                             shown["threshold"])
        scored = self.execute("SELECT totrain.predict('kept', t), totrain.probability('kept', t), kind::text FROM t")
        self.assertEqual([predicted for predicted, _, _ in scored],
                         ["fraud" if p >= float(found[1]) else "legit" for _, p, _ in scored])
        self.assertNotEqual([p for _, p, _ in scored], [p for p, in self.execute("SELECT totrain.probability('m', t) FROM t")])
        hits = sum(predicted == kind == "fraud" for predicted, _, kind in scored)
        frauds = sum(kind == "fraud" for _, _, kind in scored)
        for more in ("", ", job.max_workers = 2"):
            recall = self.rows(f"SELECT * FROM t TO EVALUATE kept WITH validation.metrics = 'Recall'{more}")[0]["Recall"]
            self.assertAlmostEqual(recall, hits / frauds, 12)
            self.rows(f"SELECT * FROM t TO PREDICT guessed.kind WITH predict.extra_outputs = 'probability'{more} USING kept")
            self.assertEqual(sorted(self.execute("SELECT kind::text, probability FROM guessed")),
                             sorted((predicted, p) for predicted, p, _ in scored))

    def test_several_models_are_measured_on_the_same_rows(self):
        self.rows("SELECT b, kind FROM t TO TRAIN LinearClassifier WITH model.positive = 'fraud' LABEL kind INTO half")
        found = self.rows("SELECT * FROM t TO EVALUATE half, public.m")
        self.assertEqual([row.pop("model") for row in found], ["half", "public.m"])
        self.assertEqual(found, [self.rows(f"SELECT * FROM t TO EVALUATE {name}")[0] for name in ("half", "m")])
        self.rows("SELECT * FROM t TO EVALUATE half, m INTO compared")
        self.assertEqual(self.rows_of('SELECT model, "AUC" FROM compared ORDER BY 2'), [("half", found[0]["AUC"]), ("m", found[1]["AUC"])])
        bare = self.check_psql("SELECT * FROM t ORDER BY random() LIMIT 50 TO EVALUATE m, m;", "-A", "-t").splitlines()
        self.assertEqual((len(bare), len(set(bare))), (2, 1))
        with self.assertRaisesRegex(psycopg2.Error, "totrain.run returns numbers"):
            self.execute("SELECT * FROM totrain.run('SELECT * FROM t TO EVALUATE m, half')")

    def rows_of(self, sql):
        return [tuple(row) for row in self.execute(sql)]

    def test_a_report_is_no_result_of_run(self):
        with self.assertRaisesRegex(psycopg2.Error, "totrain.run returns numbers"):
            self.execute("SELECT * FROM totrain.run('SELECT * FROM t TO EVALUATE m WITH report = roc')")

    def test_the_confusion_matrix_is_that_of_the_predictions(self):
        self.rows("SELECT * FROM t TO PREDICT p.guess USING m")
        counted = self.execute("SELECT kind::text, guess::text, count(*) FROM p GROUP BY 1, 2 ORDER BY 1, 2")
        found = [tuple(row.values()) for row in self.rows("SELECT * FROM t TO EVALUATE m WITH evaluate.report = confusion")]
        self.assertEqual([row for row in found if row[2] > 0], [tuple(row) for row in counted])

    def test_importance_is_rows_or_a_table(self):
        found = self.rows("SELECT * FROM t TO EXPLAIN m")
        self.assertEqual([row["metric"] for row in found], ["AUC", "AUC"])
        self.assertGreater(found[0]["importance"], 0)
        self.assertEqual(self.rows("SELECT b, kind, a FROM t ORDER BY b TO EXPLAIN m"), found)
        self.rows("SELECT * FROM t TO EXPLAIN m INTO why")
        self.assertEqual(self.rows_of("SELECT * FROM why"), [tuple(row.values()) for row in found])
        bare = self.check_psql("SELECT * FROM t TO EXPLAIN m;")
        self.assertEqual([line.split("|")[0] for line in bare.split()], [row["input"] for row in found])

    def test_shap_values_are_of_rows_and_of_their_mean(self):
        self.rows("SELECT * FROM t TO TRAIN XGBClassifier WITH n_estimators = 5 LABEL kind INTO trees")
        found = self.rows("SELECT a, b FROM t TO EXPLAIN trees USING SHAP")
        shares = [row[0] for row in self.execute("SELECT totrain.shap('trees', t) FROM t")]
        for row in found:
            self.assertAlmostEqual(row["importance"], sum(abs(of_row[row["input"]]) for of_row in shares) / len(shares), 12)
        self.assertEqual(self.rows("SELECT b, a FROM t ORDER BY b TO EXPLAIN trees USING SHAP"), found)
        self.rows("SELECT * FROM t TO EXPLAIN trees USING SHAP INTO why")
        self.assertEqual(self.rows_of("SELECT * FROM why"), [tuple(row.values()) for row in found])
        for more in ("", ", job.max_workers = 2"):
            self.rows(f"SELECT * FROM t TO PREDICT p.guess WITH predict.extra_outputs = ['logits', 'shap']{more} USING trees")
            for shap, logits in self.execute("SELECT shap, logits FROM p"):
                self.assertAlmostEqual(sum(shap.values()), logits[0], 5)
        bare = self.check_psql("SELECT * FROM t TO EXPLAIN trees WITH summary.plot_type = bar;")
        self.assertIn("█" * 20, bare)

    def test_rankings_and_survival_are_measured_by_their_columns(self):
        self.execute("CREATE TABLE found AS SELECT 'q' || i % 40 AS query, (i * 31 % 101) / 50.0 AS a, "
                     "(i * 17 % 103) / 50.0 AS b, (i * 31 % 101 + i * 7 % 60) / 50 AS relevance, "
                     "1 + (i * 31 % 101 + i * 7 % 60) / 20.0 AS lower, CASE WHEN i % 3 > 0 THEN "
                     "1 + (i * 31 % 101 + i * 7 % 60) / 20.0 END AS upper FROM generate_series(1, 600) i")
        self.rows("SELECT query, a, b, relevance FROM found TO TRAIN XGBRanker WITH train.group = 'query', "
                  "n_estimators = 5 LABEL relevance INTO ranks")
        self.rows("SELECT a, b, lower, upper FROM found TO TRAIN XGBRegressor WITH objective = 'survival:aft', "
                  "label_upper_bound = 'upper', n_estimators = 5 LABEL lower INTO times")
        for statement, names in (
                ("SELECT query, a, b, relevance FROM found TO EVALUATE ranks WITH validation.metrics = 'NDCG@5,mrr'",
                 ["loss", "NDCG@5", "MRR", "notice"]),
                ("SELECT a, b, lower, upper FROM found TO EVALUATE times WITH validation.metrics = 'aft-nloglik,cindex'",
                 ["loss", "AFTNLogLik", "Concordance", "notice"])):
            found = self.rows(statement)
            self.assertEqual(list(found[0]), names)
            self.assertEqual(self.rows(f"{statement}, job.max_workers = 2"), found)
            self.assertGreater(found[0][names[-2]], .6)
        rounds = self.rows("SHOW TRAIN ranks")
        self.assertIn("validation_ndcg", rounds[0])

    def test_an_array_is_one_input(self):
        self.execute("CREATE TABLE v AS SELECT ARRAY[a, b] AS v, b AS w, kind FROM t")
        self.rows("SELECT * FROM v TO TRAIN LinearClassifier WITH train.epoch = 5 LABEL kind INTO mv")
        self.assertEqual({row["input"] for row in self.rows("SELECT * FROM v TO EXPLAIN mv")}, {"v", "w"})

    def test_a_threshold_decides_predictions_of_the_labels_own_type(self):
        for threshold in (0, 0.3, 0.9):
            for more in ("", ", job.max_workers = 2"):
                self.rows(f"SELECT * FROM t TO PREDICT p.guess WITH predict.threshold = {threshold}, "
                          f"predict.extra_outputs = 'probability'{more} USING m")
                found = self.execute("SELECT pg_typeof(guess)::text, count(*) FILTER "
                                     f"(WHERE (guess = 'fraud') <> (probability >= {threshold})) FROM p GROUP BY 1")
                self.assertEqual([tuple(row) for row in found], [("kind", 0)])
                right = self.execute("SELECT avg((guess = kind)::int)::float8 FROM p")[0][0]
                measured = self.rows("SELECT * FROM t TO EVALUATE m WITH validation.metrics = Accuracy, "
                                     f"evaluate.threshold = {threshold}{more}")
                self.assertAlmostEqual(measured[0]["Accuracy"], right, 12)


if __name__ == "__main__":
    harness.main()
