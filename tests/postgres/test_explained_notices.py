"""EXPLAIN of TRAIN looks at the rows in the server, too, for any role that may read them."""

import harness


class ExplainedNotices(harness.Case):
    def explained(self, statement, **options):
        done = self.psql("EXPLAIN " + statement, "-qAt", **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return [line.partition("|")[2] for line in done.stdout.splitlines() if line.startswith("notice|")]

    def test_it_says_what_train_says(self):
        self.execute("CREATE TABLE t AS SELECT 2 AS constant, CASE WHEN g % 10 > 0 THEN g * 7 % 83 + 18 ELSE -999 END AS age, "
                     "to_char(date '2024-01-01' + g % 300, 'YYYYMMDD')::int AS day, (g * 13 % 97)::float8 AS y "
                     "FROM generate_series(0, 499) g")
        train = "SELECT * FROM t -- all\n TO TRAIN XGBRegressor WITH test_size = 0 LABEL y INTO m"
        before = self.explained(train)
        after = [row["detail"] for row, in self.execute(f"SELECT * FROM totrain.rows($${train}$$)") if row["name"] == "notice"]
        self.assertEqual(before, [notice for notice in after if "no better than" not in notice])
        self.assertEqual(len(before), 3, before)
        self.execute("INSERT INTO t SELECT constant, age, day, y FROM t, generate_series(1, 3)")
        self.assertEqual([", in a sample of 1,000 rows" in notice for notice in self.explained(train)], [True] * 3)


if __name__ == "__main__":
    harness.main()
