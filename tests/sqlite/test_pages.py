"""The pages of docs/start, docs/tasks and docs/from: each statement runs on SQLite and gives what the page shows, each
command of a shell works, and each made-up table is the one that tools/example-data writes.

    TOTRAIN_BUILD=build/release tests/own-folder /usr/bin/python3 tests/sqlite/test_pages.py --write [PAGE...]

writes what the pages show anew: read the difference before committing it.
"""

import filecmp
import re
import subprocess
import sys
import unittest

import harness
from test_tutorial import Page, tutorial

FOLDERS = ("start", "tasks", "from")
ANEW = "--write" in sys.argv
NAMED = [name for name in sys.argv[1:] if not name.startswith("-")]


def pages():
    """Those with statements, and with --write PAGE... those that it names."""
    for folder in FOLDERS:
        for path in sorted((tutorial.ROOT / "docs" / folder).glob("*.md")):
            if "```sql" in path.read_text() and (not NAMED or path.stem in NAMED):
                yield path


class Runs(Page):
    """One process runs a page's statements; the program runs them one by one where the page is written."""

    columns = 112

    def check_unshown(self, shown):
        """These pages show what is worth reading, and not each training's table."""

    @unittest.skipUnless(ANEW, "Python shows the same, in one process")
    def test_the_program_shows_what_the_page_shows(self):
        super().test_the_program_shows_what_the_page_shows()

    test_the_stock_sqlite3 = None


class Examples(harness.Case):
    def test_the_made_up_tables_are_written_by_their_tool(self):
        subprocess.run([str(tutorial.ROOT / "tools" / "example-data"), str(self.folder)], check=True)
        written = sorted(path.name for path in self.folder.glob("*.csv"))
        self.assertEqual(len(written), 5)
        for name in written:
            self.assertTrue(filecmp.cmp(self.folder / name, tutorial.ROOT / "examples" / "data" / name, shallow=False), name)


for place in pages():
    title = re.sub(r"\W", "", f"{place.parent.name}_{place.stem}".title())
    globals()[title] = type(title, (Runs, harness.Case), {"page": place, "__module__": __name__})

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
