"""Several labels: a model with a head for each, learned by the sum of their losses; docs/definitions.md."""

import json
import random

import harness

HEADS = """DEFINE MODEL zoo/heads (hidden = 16, weights = [1, 1, 1]) AS '
  h = relu(dense(numbers, words, hidden));
  heads = [];
  for l in labels { heads = heads + [dense(h, outputs(l))] }
  return heads
'"""
TRAIN = "SELECT * FROM clicks TO TRAIN zoo/heads WITH train.epoch = 30, seed = 1{} LABEL clicked, amount, kind INTO m"

DIGEST = "3c15d3a08030d81c0ab00fc968d85e2f97538ee2cbf88da900afd8b079ad64d3"


def rows_of_clicks():
    """Numbers, a word, and three labels that follow from them; the first two are NULL in some rows."""
    drawn = random.Random(3)
    for i in range(400):
        a, b = round(drawn.gauss(0, 1), 3), round(drawn.gauss(0, 1), 3)
        word = drawn.choice("xyz")
        yield (a, b, word, ("yes" if a + b > 0 else "no") if i % 5 else None,
               3 * a - b + 2 * (word == "x") + 10 if i % 7 else None, (a > 0) + (b > 0))


class Heads(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE clicks (a REAL, b REAL, word TEXT, clicked TEXT, amount REAL, kind INTEGER)")
        self.database.executemany("INSERT INTO clicks VALUES (?, ?, ?, ?, ?, ?)", rows_of_clicks())
        self.run_all(HEADS)

    def refused(self, pattern, sql):
        with self.assertRaisesRegex(Exception, pattern):
            self.run_all(sql)

    def measures(self, select="SELECT * FROM clicks"):
        return {row[:2]: row[2] for row in self.run_all(f"{select} TO EVALUATE m")}

    def test_each_label_has_a_column_and_a_block(self):
        made = harness.facts(self.run_all(TRAIN.format("")))
        self.assertEqual(self.digest(self.database, "m"), DIGEST)
        self.run_all("SELECT * FROM clicks TO PREDICT out.p WITH extra_outputs = 'score' USING m")
        self.assertEqual([column[1:3] for column in self.run_all("PRAGMA table_info(out)")][-4:],
                         [("p_clicked", "TEXT"), ("p_amount", "REAL"), ("p_kind", "INTEGER"), ("score", "REAL")])
        right, far, same, lost = self.run_all(
            "SELECT avg(p_clicked = clicked), sqrt(avg((p_amount - amount) * (p_amount - amount))), "
            "avg(p_kind = kind), avg(score) FROM out")[0]
        measured = self.measures()
        self.assertAlmostEqual(measured[(None, "Loss")], made["Loss"], delta=1e-9)
        self.assertAlmostEqual(measured[(None, "Loss")], lost, delta=1e-6)
        self.assertAlmostEqual(measured[("clicked", "Accuracy")], right, delta=1e-9)
        self.assertAlmostEqual(measured[("amount", "RMSE")], far, delta=1e-5)
        self.assertAlmostEqual(measured[("kind", "Accuracy")], same, delta=1e-9)
        self.assertGreater(right, 0.95)
        self.assertGreater(same, 0.9)
        self.assertGreater(measured[("amount", "R2")], 0.9)
        self.assertEqual([name for label, name in measured if label == "clicked"], ["Accuracy", "LogLoss", "AUC", "F1"])

    def test_each_epoch_has_the_score_of_each_label(self):
        """SHOW TRAIN ends with what TRAIN measures on the held-out rows, in the same bits with any workers."""
        train = TRAIN.format(", train.test_size = 0.25{}")
        made = {(name, detail): value for name, value, part, detail in self.run_all(train.format(""))
                if part == "validation"}
        shown = self.database.execute("SHOW TRAIN m")
        names, rows = [column[0] for column in shown.description], shown.fetchall()
        self.assertEqual(len(rows), 30)
        self.assertEqual(names, ["epoch", "seconds", "train_loss", "validation_loss", "validation_accuracy of clicked",
                                 "validation_rmse of amount", "validation_accuracy of kind"])
        last = dict(zip(names, rows[-1]))
        self.assertAlmostEqual(last["validation_accuracy of clicked"], made["Accuracy", "clicked"], delta=1e-9)
        self.assertAlmostEqual(last["validation_rmse of amount"], made["RMSE", "amount"], delta=1e-5)
        self.assertAlmostEqual(last["validation_accuracy of kind"], made["Accuracy", "kind"], delta=1e-9)
        self.assertGreater(rows[0][5], rows[-1][5])
        self.run_all(train.format(", job.min_workers = 2, job.max_workers = 2"))
        again = self.run_all("SHOW TRAIN m")
        self.assertEqual([row[2:] for row in again], [row[2:] for row in rows])

    def test_long_labels_in_progress(self):
        """Lines of progress are JSON in UTF-8 with a metric of each label, also where a name is long."""
        labels = ["\u6807" * 20 + "1", "\u6807" * 20 + "2", "\u6807" * 60]
        columns = [f'{old} AS "{new}"' for old, new in zip(("clicked", "amount", "kind"), labels)]
        names = ", ".join(f'"{label}"' for label in labels)
        done = self.run_program(self.path, "--progress=json", "-c", f"SELECT a, b, word, {', '.join(columns)} FROM clicks "
                                f"TO TRAIN zoo/heads WITH train.epoch = 2, train.test_size = 0.25 LABEL {names} INTO m")
        self.assertEqual(done.returncode, 0, done.stderr)
        events = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        self.assertEqual(list(events[-1]["metrics"]),
                         [f"accuracy of {labels[0]}", f"rmse of {labels[1]}", f"accuracy of {labels[2][:38]}"])

    def test_a_row_needs_no_label(self):
        """Without its labels a row has the same predictions, by statement and by function."""
        self.run_all(TRAIN.format(""))
        with_labels = self.run_all("SELECT * FROM clicks TO PREDICT p USING m")
        alone = self.run_all("SELECT a, b, word FROM clicks TO PREDICT p USING m")
        self.assertEqual([row[-3:] for row in with_labels], [row[-3:] for row in alone])
        for call in ("a, b, word", "totrain_named('word', word, 'a', a, 'b', b)"):
            found = self.run_all(f"SELECT totrain_predict('m', {call}), totrain_component('m', {call}, 1) FROM clicks")
            self.assertEqual([tuple(json.loads(row[0]).values()) for row in found], [row[-3:] for row in alone])
            self.assertEqual([row[1] for row in found], [row[-3] for row in alone])
        self.refused("the model takes 3 values after its name, not 2", "SELECT totrain_predict('m', 1, 2)")
        self.refused("component 4, where the model has 3", "SELECT totrain_component('m', 1, 2, 'x', 4)")
        self.refused('no column "word"', "SELECT a, b FROM clicks TO PREDICT p USING m")
        self.refused("none of the labels", "SELECT a, b, word FROM clicks TO EVALUATE m")
        self.refused("the query returns no rows to evaluate", "SELECT * FROM clicks WHERE 0 TO EVALUATE m")
        some = self.measures("SELECT a, b, word, amount FROM clicks")
        self.assertIsNone(some[("clicked", "Accuracy")])
        self.assertEqual(some[("amount", "RMSE")], self.measures()[("amount", "RMSE")])

    def test_workers_score_as_the_session_does(self):
        """The same bits, also if the rows have some of the labels, or none."""
        self.run_all(TRAIN.format(""))
        workers = "job.min_workers = 2, job.max_workers = 2"
        for columns in ("*", "a, b, word, amount"):
            select = f"SELECT {columns} FROM clicks TO EVALUATE m"
            self.assertEqual(self.run_all(f"{select} WITH {workers}"), self.run_all(select))
        for columns in ("*", "word, a, b", "a, 'x' AS kind, b, word, kind AS other"):
            select = f"SELECT {columns} FROM clicks TO PREDICT out.p WITH extra_outputs = 'score'"
            self.run_all(f"{select} USING m INTO alone".replace("out.p", "p"))
            self.run_all(f"{select}, {workers} USING m")
            self.assertEqual(self.run_all("SELECT * FROM out"), self.run_all("SELECT * FROM alone"))
        self.run_all("CREATE TABLE dirty AS SELECT CASE WHEN rowid = 9 THEN '?' ELSE a END AS a, b, word, clicked, kind "
                     "FROM clicks")
        select = "SELECT * FROM dirty TO EVALUATE m WITH evaluate.bad_rows = 'skip'"
        self.assertEqual(self.run_all(f"{select}, {workers}"), self.run_all(select))

    def test_a_missing_label_teaches_the_other_heads_alone(self):
        """Rows that lack a label leave its head as it is without them; the others learn of them."""
        self.run_all("CREATE TABLE halves AS SELECT * FROM clicks WHERE clicked IS NOT NULL")
        train = ("SELECT a, b, clicked, amount FROM {} TO TRAIN zoo/apart WITH train.epoch = 40, model.l2 = 0, "
                 "optimizer.learning_rate = 0.05 LABEL clicked, amount INTO m")
        self.run_all("DEFINE MODEL zoo/apart AS 'return [dense(numbers, outputs(clicked)), "
                     "dense(numbers, outputs(amount))]'")
        self.run_all(train.format("clicks"))
        all_rows = self.measures()
        self.run_all(train.format("halves"))
        halves = self.measures()
        self.assertAlmostEqual(all_rows[("clicked", "Accuracy")], halves[("clicked", "Accuracy")], delta=0.02)
        self.assertNotEqual(all_rows[("amount", "RMSE")], halves[("amount", "RMSE")])

    def test_heads_that_share_nothing_are_models_by_themselves(self):
        """The references are a linear and a logistic regression, which have one best solution each."""
        self.run_all("CREATE TABLE whole AS SELECT a, b, kind > 1 AS big, 2 * a - b + kind AS sum FROM clicks")
        self.run_all("DEFINE MODEL zoo/apart AS 'return [dense(numbers, outputs(big)), dense(numbers, outputs(sum))]'")
        self.run_all("SELECT * FROM whole TO TRAIN zoo/apart WITH train.epoch = 300, model.l2 = 0, "
                     "optimizer.learning_rate = 0.05 LABEL big, sum INTO m")
        measured = self.measures("SELECT * FROM whole")
        self.run_all("SELECT a, b, sum FROM whole TO TRAIN LinearRegressor WITH model.l2 = 0 LABEL sum INTO n")
        wanted = self.run_all("SELECT * FROM whole TO EVALUATE n WITH metrics = 'RMSE'")[0][1]
        self.assertAlmostEqual(measured[("sum", "RMSE")], wanted, delta=0.01 * wanted)
        self.run_all("SELECT a, b, big FROM whole TO TRAIN LinearClassifier WITH model.l2 = 0 LABEL big INTO n")
        wanted = self.run_all("SELECT * FROM whole TO EVALUATE n WITH metrics = 'LogLoss'")[0][1]
        self.assertAlmostEqual(measured[("big", "LogLoss")], wanted, delta=0.02 * wanted + 0.005)

    def test_weights_and_losses_are_arguments(self):
        self.run_all(TRAIN.format(""))
        before = self.measures()
        self.run_all(TRAIN.format(", model.weights = [0.01, 10, 0.01]"))
        after = self.measures()
        self.assertLess(after[("amount", "RMSE")], before[("amount", "RMSE")])
        self.assertGreater(after[("clicked", "LogLoss")], before[("clicked", "LogLoss")])
        self.refused("weights are a list of 3 items", TRAIN.format(", model.weights = [1]"))

    def test_a_label_that_no_row_has_does_not_drift(self):
        self.run_all(TRAIN.format(""))
        drift = " TO EVALUATE m WITH evaluate.report = 'drift'"
        alone = self.run_all("SELECT a, b, word FROM clicks" + drift)
        self.assertEqual([row[0] for row in alone], ["(prediction)", "a", "b", "word"])
        some = self.run_all("SELECT a, b, word, 'yes' AS clicked, amount FROM clicks" + drift)
        self.assertEqual([row[0] for row in some[:2]], ["(prediction)", "clicked"])
        self.assertEqual({row[0]: row[2] for row in some},
                         {"(prediction)": "stable", "clicked": "shifted", "a": "stable", "b": "stable", "word": "stable",
                          "amount": "stable"})

    def test_models_are_compared_by_the_loss_of_all_labels(self):
        self.run_all(TRAIN.format(""))
        self.run_all(TRAIN.format(", model.hidden = 4").replace("INTO m", "INTO n"))
        rows = self.run_all("SELECT * FROM clicks TO EVALUATE m, n")
        self.assertEqual([row[0] for row in rows], ["m", "n"])
        self.assertEqual(rows[0][1], self.measures()[(None, "Loss")])
        self.assertGreater(rows[1][1], rows[0][1])

    def test_layers_of_the_zoo_are_shared(self):
        self.run_all("SELECT * FROM clicks TO TRAIN zoo/shared_bottom WITH model.hidden = [16], train.epoch = 30, seed = 1 "
                     "LABEL kind, amount INTO m")
        measured = self.measures()
        self.assertGreater(measured[("kind", "Accuracy")], 0.9)
        self.assertGreater(measured[("amount", "R2")], 0.9)

    def test_train_returns_the_metrics_of_each_label(self):
        """They are those that EVALUATE measures of the same rows, and lie in the model."""
        rows = self.run_all("SELECT * FROM clicks TO TRAIN zoo/heads WITH train.epoch = 30, seed = 1, "
                            "train.test_size = 0.25 LABEL clicked, amount, kind INTO m")
        made = {(row[3], row[0], row[2]): row[1] for row in rows if row[3] in ("clicked", "amount", "kind")}
        self.assertEqual([name for label, name, part in made if (label, part) == ("clicked", "validation")],
                         ["Accuracy", "LogLoss", "AUC", "F1"])
        self.assertGreater(made[("amount", "R2", "validation")], 0.8)
        shown = dict(self.run_all("SHOW MODEL m"))
        for (label, name, part), value in made.items():
            self.assertEqual(shown[f"{name} of {label}, {part}"], value)
        version = json.loads(self.run_all("SHOW VERSIONS m")[0][5])
        self.assertAlmostEqual(version["AUC of clicked"], made[("clicked", "AUC", "validation")], delta=1e-5)
        rows = self.run_all(TRAIN.format(", train.test_size = 0"))
        made = {(row[3], row[0]): row[1] for row in rows if row[3] in ("clicked", "amount", "kind")}
        measured = self.measures()
        self.assertEqual(set(made), {key for key in measured if key[0]})
        for key, value in made.items():
            self.assertAlmostEqual(measured[key], value, delta=1e-5 * abs(value))

    def test_learning_goes_on(self):
        """USING begins with the weights, words and classes of the old model."""
        self.run_all(TRAIN.format(""))
        before = self.measures()
        self.run_all("CREATE TABLE few AS SELECT * FROM clicks LIMIT 50")
        train = ("SELECT * FROM {} TO TRAIN zoo/heads WITH train.epoch = {}, seed = 1{} LABEL {} USING m INTO tuned")
        labels = "clicked, amount, kind"
        self.run_all(train.format("few", 1, ", optimizer.learning_rate = 1e-9", labels))
        self.run_all("SELECT * FROM clicks TO PREDICT one.p USING m")
        self.run_all("SELECT * FROM clicks TO PREDICT two.p USING tuned")
        self.assertEqual(self.run_all("SELECT p_clicked, p_kind FROM one"), self.run_all("SELECT p_clicked, p_kind FROM two"))
        for (one,), (two,) in zip(self.run_all("SELECT p_amount FROM one"), self.run_all("SELECT p_amount FROM two")):
            self.assertAlmostEqual(one, two, delta=1e-3)
        self.run_all(train.format("clicks", 10, ", train.freeze = 'dense_1*'", labels))
        rows = self.run_all(train.format("(SELECT a, b, word, NULL AS clicked, amount, kind FROM clicks)", 1, "", labels)
                            .replace("INTO tuned", "INTO other"))
        self.assertEqual(harness.notices(rows), ['column "clicked" is NULL in all 400 rows. '
                                                 'It is a label: these rows teach the model nothing else of it.'])
        after = {row[:2]: row[2] for row in self.run_all("SELECT * FROM clicks TO EVALUATE tuned")}
        self.assertLess(after[(None, "Loss")], before[(None, "Loss")])
        digest = self.digest(self.database, "tuned")
        self.run_all(train.format("clicks", 10, ", train.freeze = 'dense_1*', job.min_workers = 2, job.max_workers = 2",
                                  labels))
        self.assertEqual(self.digest(self.database, "tuned"), digest)
        self.run_all(train.format("(SELECT a, b, word, clicked, amount, NULL AS kind FROM clicks)", 1, "", labels))
        for rows, wanted, why in (
                ("few", "clicked, kind", "model \"m\" has 3 labels, and LABEL names 2 of them"),
                ("few", "clicked, amount, word", "model \"m\" has no label \"word\""),
                ("few", "amount, clicked, kind", "has another graph"),
                ("(SELECT a, b, word, clicked, 'much' AS amount, kind FROM clicks)", labels,
                 "label column \"amount\" has type text, and label \"amount\" of model \"m\" has type number"),
                ("(SELECT a, b, word, CASE WHEN a > 1 THEN 'maybe' ELSE clicked END AS clicked, amount, kind FROM clicks)",
                 labels, "label column \"clicked\" has \"maybe\", a class that the old model does not know")):
            self.refused(why, train.format(rows, 1, "", wanted))
        for seed in range(1, 7):  # the row is held out by some of them
            self.refused("has .*a class.* that the old model does not know", train.format(
                "(SELECT a, b, word, CASE WHEN rowid = 399 THEN 'maybe' ELSE clicked END AS clicked, amount, kind "
                "FROM clicks)", 1, ", train.test_size = 0.5", labels).replace("seed = 1", f"seed = {seed}"))
        self.run_all("SELECT a, b, clicked FROM clicks WHERE clicked IS NOT NULL TO TRAIN zoo/mlp LABEL clicked INTO m")
        self.refused("labels", train.format("few", 1, "", labels))

    def test_any_number_of_workers_learns_the_same_model(self):
        for workers in (1, 3):
            self.run_all(TRAIN.format(f", job.min_workers = {workers}, job.max_workers = {workers}"))
            self.assertEqual(self.digest(self.database, "m"), DIGEST)

    def test_it_is_explained_and_shown(self):
        self.run_all(TRAIN.format(""))
        self.assertEqual([row[0] for row in self.run_all("SELECT * FROM clicks TO EXPLAIN m")], ["a", "b", "word"])
        shown = dict(self.run_all("SHOW MODEL m"))
        self.assertEqual(shown["label clicked"], "no input: classes of type text")
        self.assertEqual(shown["label amount"], "no input: a number")
        self.run_all(shown["graph"])  # its steps are a definition that learns the same
        self.run_all(TRAIN.format("").replace("zoo/heads", "zoo/copy").replace("INTO m", "INTO n"))
        self.assertEqual(self.measures(), {row[:2]: row[2] for row in self.run_all("SELECT * FROM clicks TO EVALUATE n")})
        planned = dict(self.run_all("EXPLAIN " + TRAIN.format("")))
        self.assertEqual(planned["label_loss_1"], "label_loss(dense_2, label_1, weight = 1) -> ()")
        self.assertEqual(planned["label_3"], "label(name = 'kind') -> (3)")

    def test_integers_keep_all_their_digits(self):
        self.run_all(f"CREATE TABLE ids AS SELECT a, b, {2 ** 53 + 1} + (a > 0) * 2 AS id, kind FROM clicks")
        self.run_all("SELECT * FROM ids TO TRAIN zoo/heads WITH train.epoch = 2, model.weights = [1, 1] LABEL id, kind INTO m")
        self.run_all("SELECT * FROM ids TO PREDICT out.p USING m")
        self.assertEqual({row[0] for row in self.run_all("SELECT p_id FROM out")}, {2 ** 53 + 1, 2 ** 53 + 3})

    def test_one_value_may_be_that_of_two_labels(self):
        self.run_all("CREATE TABLE twins AS SELECT a, b, a > 0 AS up, a <= 0 AS down FROM clicks")
        self.run_all("DEFINE MODEL zoo/twins AS 'x = dense(numbers, outputs(up)); return [x, x]'")
        self.run_all("SELECT * FROM twins TO TRAIN zoo/twins LABEL up, down INTO m")
        self.assertEqual([row[0] for row in self.run_all("SELECT * FROM twins TO EVALUATE m")],
                         [None] + 4 * ["up"] + 4 * ["down"])
        self.run_all("SELECT * FROM twins TO PREDICT out.p USING m")
        self.run_all("SELECT p_up, p_down FROM out")

    def test_the_sample_may_lack_a_class(self):
        self.run_all("CREATE TABLE more AS SELECT a, b, 0 AS late FROM clicks, (SELECT 1 UNION SELECT 2 UNION SELECT 3)")
        self.run_all("UPDATE more SET late = CASE WHEN rowid > 1100 THEN 2 ELSE rowid % 2 END")
        self.run_all("DEFINE MODEL zoo/three AS 'return [dense(numbers, 3), dense(numbers, 1)]'")
        train = "SELECT a, b, {} AS late, a * b AS c FROM more TO TRAIN zoo/three WITH train.epoch = 1 LABEL late, c INTO m"
        self.run_all(train.format("late"))
        self.refused("its value has the shape .3., and the label asks for .2.", train.format("late > 0"))

    def test_a_loss_of_labels_is_not_measured_without_them(self):
        self.run_all("DEFINE MODEL zoo/own AS 'x = dense(numbers, outputs(kind)); y = dense(numbers, outputs(amount)); "
                     "loss = label_loss(x, label(kind)) + label_loss(y, label(amount)); return [softmax(x), y]'")
        self.run_all("SELECT a, b, kind, amount FROM clicks TO TRAIN zoo/own WITH train.epoch = 2 LABEL kind, amount INTO m")
        self.refused("none of the labels", "SELECT a, b FROM clicks TO EVALUATE m")
        self.run_all("SELECT a, b, kind, amount FROM clicks TO TRAIN zoo/own WITH train.epoch = 2 LABEL kind, amount USING m INTO n")
        self.refused("model \"m\" has no label \"b\"\n.*\n.*\nHINT: +Write LABEL kind, amount.",
                     "SELECT a, b, kind, amount FROM clicks TO TRAIN zoo/own LABEL kind, b USING m INTO n")
        on_workers = " WITH job.max_workers = 2"
        self.refused("none of the labels", "SELECT a, b FROM clicks TO EVALUATE m" + on_workers)
        self.run_all("SELECT a, b FROM clicks TO PREDICT out.p" + on_workers + " USING m")
        self.assertEqual(self.run_all("SELECT p_1, p_4 FROM out"),
                         [row[-4::3] for row in self.run_all("SELECT a, b FROM clicks TO PREDICT p USING m")])

    def test_what_the_rows_have_is_told(self):
        self.run_all(TRAIN.format(""))
        done = self.run_program(self.path, "-c", "SELECT a, b, word || '!' AS word, kind FROM clicks TO EVALUATE m;")
        self.assertIn('column "word": 400 of 400 rows have a value that the model has not learned', done.stderr)

    def test_what_is_no_model_of_several_labels_is_refused(self):
        self.refused("DNNClassifier learns one label",
                     "SELECT * FROM clicks TO TRAIN DNNClassifier LABEL clicked, kind INTO m")
        self.refused('label "Kind" is named twice',
                     "SELECT * FROM clicks TO TRAIN zoo/heads LABEL kind, Kind INTO m")
        self.refused('the label and cannot be an input',
                     "SELECT * FROM clicks TO TRAIN zoo/heads COLUMN kind LABEL clicked, kind INTO m")
        self.refused('column "amount" is the label',
                     "SELECT * FROM clicks TO TRAIN zoo/heads WITH train.sample_weight = 'amount' LABEL kind, amount INTO m")
        self.refused("returns 1 value, and the statement has 2 labels",
                     "SELECT * FROM clicks TO TRAIN zoo/mlp LABEL clicked, kind INTO m")
        self.run_all("CREATE TABLE one AS SELECT a, b, 'x' AS clicked, kind FROM clicks")
        self.refused('label "clicked" has 1 class',
                     "SELECT * FROM one TO TRAIN zoo/heads WITH model.weights = [1, 1] LABEL clicked, kind INTO m")


harness.main()
