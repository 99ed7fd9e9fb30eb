"""Nodes that draw few of many columns are summed in these alone: the trees are those of histograms of all columns, which
interaction constraints of one group with all columns need."""

import harness

COLUMNS = [f"c{i}" for i in range(22)]


class TreeDraws(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        numbers = ", ".join(f"(i * {7919 + 30 * i} + i * i * {3 + i}) % {97 + 13 * i} AS {name}" if i % 5 else
                            f"CASE WHEN i % {7 + i} THEN i * {31 + i} % {53 + i} END AS {name}"
                            for i, name in enumerate(COLUMNS))
        self.run_all(f"""CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
            SELECT {numbers}, 'w' || (i % 41) AS few, 'v' || (i * 7919 % 701) AS many, (i * 7927 % 110 > 50) + (i % 41 > 30) AS kind,
            (i * 7927 % 110) * 0.1 + i % 41 + (i * 7919 % 701 % 3) AS y FROM n""")

    def digest(self, model, settings, label):
        columns = [*COLUMNS, "few", "many"]
        self.run_all(f"SELECT {', '.join(columns)}, {label} FROM t TO TRAIN {model} WITH {settings} LABEL {label} INTO m")
        return dict((row[0], row[1]) for row in self.run_all("SHOW MODEL m"))["digest"]

    def test_trees_are_those_of_all_columns(self):
        group = ", interaction_constraints = '[[" + ", ".join(f'"{name}"' for name in [*COLUMNS, "few", "many"]) + "]]'"
        for model, settings, label in (
                ("XGBRegressor", "n_estimators = 5, colsample_bynode = 0.1, colsample_bytree = 0.8", "y"),
                ("XGBRegressor", "n_estimators = 3, colsample_bylevel = 0.2, objective = 'reg:absoluteerror'", "y"),
                ("RandomForestClassifier", "n_estimators = 5", "kind"),
                ("LGBMRegressor", "n_estimators = 5, feature_fraction_bynode = 0.2, data_sample_strategy = 'goss'", "y")):
            with self.subTest(model=model, settings=settings):
                few = self.digest(model, settings, label)
                self.assertEqual(few, self.digest(model, settings + group, label))
                self.assertEqual(few, self.digest(model, settings + ", job.max_workers = 3", label))


if __name__ == "__main__":
    harness.main()
