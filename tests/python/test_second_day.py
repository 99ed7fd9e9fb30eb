"""The second day with a model (tests/second_day.py) in Python: files to DataFrames, DataFrames to a database."""

import pickle
import sqlite3

import harness  # before pandas

import pandas

import second_day
import totrain


class SecondDay(harness.Case):
    def test_from_files_to_a_database_without_the_extension(self):
        second_day.write_files(self.folder)
        connection = self.connect()
        for name in second_day.TABLES:
            pandas.read_csv(self.folder / f"{name}.csv").to_sql(name, connection, index=False)
        connection.executescript(second_day.VIEW["sqlite"])
        facts = pandas.read_sql("SELECT * FROM facts", connection).set_index("customer")
        inputs = second_day.INPUTS.split(", ")
        old = facts[(facts.month < 7) & (facts.index % 4 > 0)][[*inputs, "churned"]]
        test = facts[(facts.month < 7) & (facts.index % 4 == 0)][[*inputs, "churned"]]

        # Three models by keywords; the statement of the walk trains the same bits of the same rows.
        for name, kind, attributes in (("linear", "LinearClassifier", {}),
                                       ("boosted", "XGBClassifier", {"num_boost_round": 30, "max_depth": 3}),
                                       ("forest", "RandomForestClassifier", {"n_estimators": 20, "max_depth": 6})):
            totrain.train(old, model=kind, label="churned", into=name, connection=connection, **attributes)
            digest = self.digest(connection, name)
            totrain.run(connection, second_day.STEPS[name])
            self.assertEqual(self.digest(connection, name), digest)
        for name in ("auto", "compare", "final", "thresholds", "explain", "watch"):
            totrain.run(connection, second_day.STEPS[name])
        second_day.check(self, lambda sql: connection.execute(sql).fetchall())

        # Scores have the frame's index; a process that is sent the model opens the file.
        model = totrain.Model(connection, "churn")
        first = model.predict(test, outputs=["probability"])
        self.assertEqual(list(first.index), list(test.index))
        sent = pickle.loads(pickle.dumps(model))
        self.addCleanup(sent.connection.close)
        self.assertTrue(sent.predict(test, outputs=["probability"]).equals(first))
        self.assertEqual(model.predict(test.iloc[0].to_dict()), [first["prediction"].iloc[0]])
        self.assertEqual(model.explain(test)["input"][:2], [name for name, in connection.execute(
            "SELECT input FROM reasons ORDER BY importance DESC LIMIT 2")])

        totrain.run(connection, second_day.STEPS["again"])
        self.assertFalse(model.predict(test, outputs=["probability"]).equals(first))
        totrain.run(connection, second_day.STEPS["back"])
        self.assertTrue(model.predict(test, outputs=["probability"]).equals(first))

        exported = connection.execute("SELECT totrain_export_text('churn', 'sqlite')").fetchone()[0]
        connection.close()
        plain = sqlite3.connect(self.path)
        self.addCleanup(plain.close)
        plain.executescript("CREATE VIEW churn_rows AS SELECT * FROM facts;" + exported)
        found = dict(plain.execute("SELECT customer, prediction FROM churn_predictions"))
        self.assertEqual([found[customer] for customer in test.index], first["prediction"].tolist())


harness.main()
