"""The statements in documents of SQLFlow run unchanged, and give the output that tests/golden/documents has."""

import pathlib
import sys

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden" / "documents"))
import documents  # noqa: E402  pylint: disable=wrong-import-position


class Documents(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("PRAGMA synchronous = OFF")
        for (schema, table), (columns, rows) in documents.make_tables().items():
            kinds = [{int: "INTEGER", float: "REAL", str: "TEXT"}[type(cell)] for cell in rows[0]]
            declared = ", ".join(f"{column} {kind}" for column, kind in zip(columns, kinds))
            self.attach([schema])
            self.run_all(f"CREATE TABLE {schema}.{table} ({declared})")
            self.database.executemany(f"INSERT INTO {schema}.{table} VALUES ({', '.join('?' * len(columns))})", rows)

    def attach(self, schemas):
        """These alone: SQLite takes ten."""
        for _, name, _ in self.run_all("PRAGMA database_list"):
            if name not in ("main", "temp"):
                self.run_all(f"DETACH {name}")
        for schema in schemas:
            self.run_all(f"ATTACH '{self.folder / schema}.db' AS {schema}")

    def run_statement(self, statement):
        self.attach([schema for schema in documents.SCHEMAS if f"{schema}." in statement])
        cursor = self.database.execute(statement)
        return [column[0] for column in cursor.description], cursor.fetchall()

    def test_statements_run_unchanged(self):
        documents.compare(self, self.run_statement)


if __name__ == "__main__":
    harness.main()
