"""The pages of docs/tasks and docs/from on PostgreSQL: each statement runs, and gives what the page shows.

    TOTRAIN_BUILD=build/release tests/own-folder /usr/bin/python3 tests/postgres/test_pages.py
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import harness

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
import tutorial  # noqa: E402  pylint: disable=wrong-import-position


def pages():
    for folder in ("tasks", "from"):
        for page in sorted((tutorial.ROOT / "docs" / folder).glob("*.md")):
            if "```sql" in page.read_text(encoding="utf-8"):
                yield page


class Pages(harness.Case):
    @classmethod
    def prepare(cls, connection):
        """The extension alone: a page imports its tables itself."""
        connection.cursor().execute("CREATE EXTENSION totrain")

    def import_table(self, text):
        """Runs the page's first command, with the address of this database in place of the file."""
        words = tutorial.opening(text, "sh program").splitlines()[0].split()
        words[1] = f"dbname={self.database}"
        with tempfile.TemporaryDirectory(prefix="totrain-pages-") as folder:
            pathlib.Path(folder, "examples").symlink_to(tutorial.ROOT / "examples")
            environment = {**os.environ, **self.server.variables(), "TOTRAIN_STATE": f"{folder}/state",
                           "PATH": f"{harness.BUILD.resolve()}:{os.environ['PATH']}"}
            subprocess.run(["bash", "-ec", " ".join(words)], cwd=folder, env=environment, check=True,
                           capture_output=True, timeout=harness.DEADLINE)

    def run_page(self, page):
        text = page.read_text(encoding="utf-8")
        self.import_table(text)
        connection = self.connect()
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute("LOAD 'totrain'")
        for block in tutorial.steps(text, "postgres"):
            for statement in tutorial.statements(block.body):
                cursor.execute(statement)
            if block.output:
                names = [column.name for column in cursor.description]
                self.assertIsNone(tutorial.difference(block.output.body, names, cursor.fetchall()), block.body)


def test_of(page):
    return lambda self: self.run_page(page)


for place in pages():
    setattr(Pages, f"test_{place.parent.name}_{place.stem.replace('-', '_')}", test_of(place))

if __name__ == "__main__":
    harness.main()
