"""Functions of COLUMN in PostgreSQL: the model is that of SQLite, and totrain.predict does as training did."""

import random

import harness

ROWS = 20_000
TRAIN = ("SELECT * FROM {} TO TRAIN {} WITH train.max_steps = 40, train.batch_size = 512 "
         "COLUMN age, BUCKET(age, [20, 40, 60]), BUCKET(pay, 8), LOG_ROUND(pay, 8), ROUND_IDENTITY(pay, 50), CATEGORY_ID(shop, 30), CATEGORY_HASH(site, 200), "
         "CROSS([site, CATEGORY_ID(shop, 30), BUCKET(age, [20, 40]), BUCKET(pay, 3)], 500) LABEL y INTO m")
PARTS = ("SELECT * FROM {} TO TRAIN DNNLinearCombinedClassifier WITH train.max_steps = 40, train.batch_size = 512, "
         "model.linear_optimizer = 'FTRL', linear_optimizer.l1_regularization_strength = 0.1 "
         "COLUMN pay, CROSS([site, shop], 3000) FOR linear_feature_columns "
         "COLUMN age, EMBEDDING(site, 3), EMBEDDING(CATEGORY_ID(shop, 30), 5) FOR dnn_feature_columns LABEL y INTO m")
CONCAT = ("SELECT * FROM {} TO TRAIN WideAndDeepClassifier WITH train.max_steps = 40, train.batch_size = 512, hidden_units = [8], "
          "model.batch_norm = true COLUMN age, EMBEDDING(CONCAT(HASH(site, 64), BUCKETIZE(pay, num_buckets = 5)) AS g, 4) FOR deep_embeddings "
          "COLUMN EMBEDDING(g, 1), CATEGORY_ID(shop, 30) FOR wide_embeddings LABEL y INTO m")
MODELS = ("LinearClassifier", "DNNClassifier", "DeepFMClassifier")


def made_row(draw):
    age, shop, site = draw.randrange(80), draw.randrange(30), f"s{draw.randrange(100)}.org"
    pay = draw.randrange(100_000) / 8
    return age if draw.random() > 0.02 else None, pay, shop, site, int(age // 20 % 2 + (shop % 3 == 0) + draw.random() > 1.5)


class Columns(harness.Case):
    settings = {**harness.BARE, "max_worker_processes": "16", "max_parallel_workers": "8"}

    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        from psycopg2.extras import execute_values  # Debian's own copy
        draw = random.Random(18)
        cls.rows = [made_row(draw) for _ in range(ROWS)]
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE t (age integer, pay double precision, shop integer, site text, y integer)")
            execute_values(cursor, "INSERT INTO t VALUES %s", cls.rows, page_size=5000)
            cursor.execute("CREATE TABLE backwards AS SELECT * FROM t ORDER BY pay DESC")
            cursor.execute("VACUUM ANALYZE t")
            cursor.execute("VACUUM ANALYZE backwards")
        cls.wanted = {model: cls.digest_of_sqlite(TRAIN.format("t", model)) for model in MODELS}

    @classmethod
    def digest_of_sqlite(cls, sql):
        return cls.train_in_sqlite("t (age INTEGER, pay REAL, shop INTEGER, site TEXT, y INTEGER)", cls.rows, sql)["digest"]

    def test_the_model_is_that_of_sqlite(self):
        for model in MODELS:
            for table, before in (("t", ""), ("backwards", harness.IN_PARALLEL)):
                self.check_psql(f"SET totrain.progress_interval = -1; {before} {TRAIN.format(table, model)};", "-o", "/dev/null")
                self.assertEqual(self.digest("m"), self.wanted[model], (model, table))

    def test_parts_of_a_model_are_those_of_sqlite(self):
        for statement in (CONCAT, PARTS):
            wanted = self.digest_of_sqlite(statement.format("t"))
            for table, before in (("t", ""), ("backwards", harness.IN_PARALLEL)):
                self.check_psql(f"SET totrain.progress_interval = -1; {before} {statement.format(table)};", "-o", "/dev/null")
                self.assertEqual(self.digest("m"), wanted, table)
        self.check_psql("SELECT * FROM t TO PREDICT predicted_by_parts.guess USING m;", "-o", "/dev/null")
        others, = self.execute("SELECT count(*) FROM (SELECT age, pay, shop, site, totrain.predict('m', t, NULL::integer) AS guess FROM t "
                               "EXCEPT ALL SELECT age, pay, shop, site, guess FROM predicted_by_parts) AS others")
        self.assertEqual(others, (0,))

    def test_what_except_leaves_out_is_no_input(self):
        statement = "SELECT * FROM {} TO TRAIN DNNClassifier WITH train.max_steps = 20 COLUMN * EXCEPT (shop, LIKE 'A%'), BUCKET(age, 4) LABEL y INTO m"
        self.check_psql(f"SET totrain.progress_interval = -1; {statement.format('t')};", "-o", "/dev/null")
        self.assertEqual(self.digest("m"), self.digest_of_sqlite(statement.format("t")))
        shown = self.check_psql("SHOW MODEL m;", "-A", "-t")
        self.assertEqual([line.split("|")[0] for line in shown.splitlines() if line.startswith("input ")], ["input BUCKET(age)", "input pay", "input site"])
        plan = self.check_psql(f"EXPLAIN {statement.format('t')};", "-A", "-t")
        self.assertIn("left out by EXCEPT|shop\n", plan)

    def test_predictions_are_those_of_the_function(self):
        self.check_psql(f"SET totrain.progress_interval = -1; {TRAIN.format('t', 'DNNClassifier')};", "-o", "/dev/null")
        self.check_psql("SELECT * FROM t TO PREDICT predicted.guess USING m;", "-o", "/dev/null")
        others, = self.execute("SELECT count(*) FROM (SELECT age, pay, shop, site, totrain.predict('m', t, NULL::integer) AS guess FROM t "
                               "EXCEPT ALL SELECT age, pay, shop, site, guess FROM predicted) AS others")
        self.assertEqual(others, (0,))

    def test_what_functions_make_is_made_again_by_using(self):
        self.check_psql(f"SET totrain.progress_interval = -1; {TRAIN.format('t', 'DeepFMClassifier')};", "-o", "/dev/null")
        before = self.execute("SELECT count(*) FROM t WHERE totrain.predict('m', t, NULL::integer) = y")
        self.check_psql("SET totrain.progress_interval = -1; SELECT * FROM backwards TO TRAIN DeepFMClassifier WITH train.max_steps = 20 "
                        "LABEL y USING m INTO later;", "-o", "/dev/null")
        after = self.execute("SELECT count(*) FROM t WHERE totrain.predict('later', t, NULL::integer) = y")
        self.assertGreater(after[0][0], before[0][0] - ROWS // 20)

    def test_another_number_is_no_id(self):
        self.execute("CREATE TABLE wrong AS SELECT * FROM t; UPDATE wrong SET shop = 30 WHERE pay = (SELECT max(pay) FROM wrong)")
        refused = self.psql(f"{TRAIN.format('wrong', 'LinearClassifier')};")
        self.assertIn('column "shop" holds 30, where a whole number from 0 to 29 was expected', refused.stderr)


if __name__ == "__main__":
    harness.main()
