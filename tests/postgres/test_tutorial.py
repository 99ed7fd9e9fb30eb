"""The tutorials of docs/ on PostgreSQL, in the stock psql, in psycopg2 and in the program;
README.md in psql."""

import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest.mock

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
import tutorial  # noqa: E402  pylint: disable=wrong-import-position

MARK = "-- the next block --"


class Page:
    """A page on a database that is named as there, and that the page's own commands prepare."""

    settings = {}

    @classmethod
    def prepare(cls, connection):
        """Nothing: the page does all of it."""

    def setUp(self):
        self.database = "mydb"
        self.server.execute("CREATE DATABASE mydb")
        self.addCleanup(self.drop_database)
        folder = tempfile.TemporaryDirectory(prefix="totrain-tutorial-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        pathlib.Path(self.folder, "examples").symlink_to(tutorial.ROOT / "examples")
        pathlib.Path(self.folder, "build").mkdir()
        pathlib.Path(self.folder, "build", "release").symlink_to(harness.BUILD.resolve())
        self.text = self.page.read_text(encoding="utf-8")
        self.blocks = tutorial.steps(self.text, "postgres")
        self.assertGreater(len(self.blocks), 10)
        self.environment = {**os.environ, **self.server.variables(), "LC_ALL": "C.UTF-8", "HOME": self.folder,
                            "TOTRAIN_STATE": f"{self.folder}/state",
                            "PATH": f"{harness.BUILD.resolve()}:{os.environ['PATH']}"}

    def run_lines(self, lines, script=""):
        done = subprocess.run(["bash", "-ec", lines], cwd=self.folder, env=self.environment, input=script, text=True,
                              capture_output=True, timeout=4 * harness.DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def prepare_database(self):
        """Prepares the files as the page does before it starts psql."""
        self.run_lines("".join(tutorial.opening(self.text, "sh psql").splitlines(keepends=True)[:-1]))

    def check_block(self, block, names, rows):
        if block.output:
            self.assertIsNone(tutorial.difference(block.output.body, names, rows), block.body)

    def check_csv(self, shown):
        """A result a block, as CSV, behind the mark."""
        results = shown.split(f"{MARK}\n")[1:]
        for block, result in zip(self.blocks, results, strict=True):
            names, *rows = csv.reader(io.StringIO(result)) if result and block.output else [[]]
            self.check_block(block, names, rows)

    def check_in_psql(self, opening):
        script = "\\set QUIET on\n\\set ON_ERROR_STOP on\n\\pset format csv\n"
        script += "".join(f"\\echo {MARK}\n{block.body}" for block in self.blocks)
        self.check_csv(self.run_lines(opening, script))

    def test_the_stock_psql(self):
        self.check_in_psql(tutorial.opening(self.text, "sh psql"))

    def test_the_program(self):
        self.prepare_database()
        script = ".mode csv\n" + "".join(f"SELECT '{MARK}' AS mark;\n{block.body}" for block in self.blocks)
        self.check_csv(self.run_lines("totrain dbname=mydb --progress=none", script).replace(f"mark\n{MARK}\n", f"{MARK}\n"))

    def test_psycopg2(self):
        self.prepare_database()
        names = {}
        with unittest.mock.patch.dict(os.environ, self.server.variables()):
            exec(tutorial.opening(tutorial.TUTORIAL.read_text(encoding="utf-8"), "python psycopg2"), names)  # pylint: disable=exec-used
        self.addCleanup(names["connection"].close)
        cursor = names["cursor"]
        for block in self.blocks:
            for statement in tutorial.statements(block.body):
                cursor.execute(statement)
            if block.output:
                self.check_block(block, [column.name for column in cursor.description], cursor.fetchall())


class Tutorial(Page, harness.Case):
    page = tutorial.TUTORIAL

    def test_the_readme_in_the_stock_psql(self):
        """With the address of a database in place of the file."""
        self.prepare_database()
        readme = tutorial.README.read_text(encoding="utf-8")
        self.blocks = tutorial.steps(readme, "postgres")
        self.run_lines(tutorial.opening(readme, "sh program").splitlines()[0].replace(" iris.db", " dbname=mydb"))
        self.check_in_psql("psql mydb")


class Sales(Page, harness.Case):
    page = tutorial.SALES


class Networks(Page, harness.Case):
    """The stock psql alone: its trainings take half a second each."""

    page = tutorial.NETWORKS
    test_the_program = test_psycopg2 = None


if __name__ == "__main__":
    harness.main()
