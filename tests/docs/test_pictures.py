"""docs/pictures are what the program draws today.

    TOTRAIN_BUILD=build/release tests/docs/test_pictures.py --write

draws them anew: look at them before committing them.
"""

import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "site"))
from pictures import draw_pictures  # noqa: E402
from program import Program  # noqa: E402

STORED = ROOT / "docs" / "pictures"
BUILD = pathlib.Path(os.environ["TOTRAIN_BUILD"]).resolve()
OF_ONE_RUN = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z|<tspan> (?:seconds|job) .*|<tr><td>seconds</td>.*"
                        r"|(?<=<tr>)<td class=\"number\">\d+</td><td class=\"number\">[\d.]+</td>")


def without_chance(text):
    """Without times of day, seconds (also those behind an epoch) and the number of the job."""
    return OF_ONE_RUN.sub("", text)


def draw(folder):
    with tempfile.TemporaryDirectory(prefix="totrain-pictures.") as place:
        program = Program(BUILD, pathlib.Path(place))
        program.run(f".import {ROOT}/examples/data/customers.csv customers", "table")
        draw_pictures(folder, program)


class Pictures(unittest.TestCase):
    def test_they_are_what_the_program_draws(self):
        with tempfile.TemporaryDirectory(prefix="totrain-pictures.") as name:
            drawn = pathlib.Path(name)
            draw(drawn)
            self.assertEqual({path.name for path in STORED.iterdir()}, {path.name for path in drawn.iterdir()})
            stale = [path.name for path in sorted(drawn.iterdir())
                     if without_chance(path.read_text()) != without_chance((STORED / path.name).read_text())]
        self.assertEqual(stale, [], "draw them anew: tests/docs/test_pictures.py --write")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        shutil.rmtree(STORED)
        draw(STORED)
    else:
        unittest.main(verbosity=2)
