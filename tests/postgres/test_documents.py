"""The statements in documents of SQLFlow run unchanged in PostgreSQL, and train the models that they train in
SQLite."""

import pathlib
import sys

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden" / "documents"))
import documents  # noqa: E402  pylint: disable=wrong-import-position

TYPES = {int: "bigint", float: "double precision", str: "text"}


class Documents(harness.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        cursor = connection.cursor()
        for schema in documents.SCHEMAS:
            cursor.execute(f"CREATE SCHEMA {schema}")
        for (schema, table), (columns, rows) in documents.make_tables().items():
            declared = ", ".join(f'"{column}" {TYPES[type(cell)]}' for column, cell in zip(columns, rows[0]))
            cursor.execute(f"CREATE TABLE {schema}.{table} ({declared})")
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {schema}.{table} VALUES ({marks})", rows)

    def rows(self, statement):
        return [row for row, in self.execute(f"SELECT * FROM totrain.rows($t${statement}$t$)")]

    def test_statements_run_unchanged_and_train_the_same_models(self):
        golden = (documents.FOLDER / "sqlflow.txt").read_text()
        trained = 0
        for title, statement in documents.read():
            with self.subTest(title, statement=statement):
                if " TO " not in statement.replace("\n", " ") and not statement.startswith("SHOW"):
                    self.execute(statement)
                    continue
                rows = self.rows(statement)
                if "TO TRAIN" not in statement:
                    continue
                text = documents.shown(list(rows[0]), [tuple(row.values()) for row in rows])
                self.assertIn(f"{statement};\n\n{text}\n", golden)
                trained += 1
        self.assertGreaterEqual(trained, 25)


if __name__ == "__main__":
    harness.main()
