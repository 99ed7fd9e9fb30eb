"""Random statements over random tables (tests/oracles): PostgreSQL learns the model that SQLite does, bit by bit."""

import pathlib
import sys

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "oracles"))
import statements  # noqa: E402  pylint: disable=wrong-import-position

CASES, FIRST = 20, 30_000
TYPES = {"number": ("REAL", "double precision"), "words": ("TEXT", "text"), "dates": ("TEXT", "text")}


class Oracles(harness.Case):
    def test_postgres_learns_what_sqlite_learns(self):
        for seed in range(FIRST, FIRST + CASES):
            case = statements.Case(None, seed)
            label = case.label(case.scale, case.offset)
            kinds = [TYPES[column.kind] for column in case.table.columns] + [TYPES["words" if case.is_classifier else "number"]]
            names = [column.name for column in case.table.columns] + ["y"]
            rows = case.table.rows_with(label)
            settings = ", ".join(part for part in ("test_size = 0", case.attributes) if part)
            sql = f"SELECT * FROM t TO TRAIN {case.model} WITH {settings} LABEL y INTO m"
            with self.subTest(seed=seed, sql=sql):
                columns = [", ".join(f"{name} {kind[door]}" for name, kind in zip(names, kinds)) for door in range(2)]
                wanted = self.train_in_sqlite(f"t ({columns[0]})", rows, sql)["digest"]
                with self.connect() as connection, connection.cursor() as cursor:
                    cursor.execute(f"DROP TABLE IF EXISTS t; DROP TABLE IF EXISTS m; CREATE TABLE t ({columns[1]})")
                    cursor.executemany(f"INSERT INTO t VALUES ({', '.join(['%s'] * len(names))})", rows)
                self.check_psql(f"{sql};", "-o", "/dev/null")
                self.assertEqual(self.digest("m"), wanted)


if __name__ == "__main__":
    harness.main()
