"""The second day with a model (tests/second_day.py), in psql from its first file to its last view."""

import math

import harness
import second_day


class SecondDay(harness.Case):
    types = {"customers": "customer int, joined text, month int, plan text, region text, age int, churned text",
             "orders": "order_id int, customer int, amount numeric", "calls": "customer int, minutes float8, reason text"}

    def copy_files(self, psql):
        second_day.write_files(self.server.folder)
        for name, columns in self.types.items():
            psql(f"CREATE TABLE {name} ({columns});\n\\copy {name} FROM '{self.server.folder}/{name}.csv' CSV HEADER\n")
        psql(second_day.VIEW["postgres"])

    def scored(self):
        return self.execute("SELECT customer, guess, chance FROM scored ORDER BY customer")

    def test_from_files_to_a_view_without_the_extension(self):
        self.copy_files(self.check_psql)
        for name in ("linear", "boosted", "forest", "auto", "compare", "final", "thresholds", "explain", "watch"):
            self.check_psql(second_day.STEPS[name])
        second_day.check(self, self.execute)

        # Inputs are found by their names in the row; totrain.call() prints them for rows that have others.
        self.check_psql("CREATE VIEW scored AS SELECT f.*, totrain.predict('churn', f) AS guess, "
                        "totrain.probability('churn', f) AS chance FROM facts f;")
        first = self.scored()
        self.assertEqual(len(first), second_day.CUSTOMERS)
        call = self.execute("SELECT totrain.call('churn')")[0][0]
        self.assertEqual(self.execute(f"SELECT {call} FROM facts ORDER BY customer"), [(guess,) for _, guess, _ in first])
        self.assertGreater(min(row[2] for row in first if row[1] == "yes"), max(row[2] for row in first if row[1] == "no"))

        # Trained anew the view has the new model, and taken back the old one.
        self.check_psql(second_day.STEPS["again"] + second_day.STEPS["watch again"])
        self.assertNotEqual(self.scored(), first)
        states = [line.split("|")[0::3] for line in self.check_psql("SHOW VERSIONS churn;").splitlines()]
        self.assertEqual(states, [["2", "current"], ["1", "kept"]])
        self.check_psql(second_day.STEPS["back"])
        self.assertEqual(self.scored(), first)

        # The model leaves as SQL, which a database without the extension runs by itself.
        exported = self.execute("SELECT totrain.export_text('churn', 'postgres')")[0][0]
        self.execute("CREATE DATABASE plain TEMPLATE template0")
        self.addCleanup(self.execute, "DROP DATABASE plain WITH (FORCE)")
        self.database, used = "plain", self.database
        self.addCleanup(setattr, self, "database", used)
        self.copy_files(self.check_psql)
        self.check_psql("SET jit = off; CREATE VIEW churn_rows AS SELECT * FROM facts;\n" + exported)
        found = self.execute("SET jit = off; SELECT customer, prediction, probability FROM churn_predictions ORDER BY customer")
        self.assertEqual([row[:2] for row in found], [row[:2] for row in first])
        self.assertTrue(all(math.isclose(row[2], wanted[2], abs_tol=1e-5) for row, wanted in zip(found, first)))


if __name__ == "__main__":
    harness.main()
