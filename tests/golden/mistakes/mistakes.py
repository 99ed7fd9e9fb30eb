"""Typical mistakes, and the whole message that a person sees.

mistakes.sql has a comment and a statement each; NAME.txt, for each way to run them, the same with
what is answered behind it. With TOTRAIN_WRITE=1 a test writes its file anew: read it aloud before
committing it.
"""

import os
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent


def read():
    """(comment, statement) of each."""
    lines = (FOLDER / "mistakes.sql").read_text().splitlines()
    return list(zip(lines[::2], lines[1::2]))


def compare(test, name, answers):
    """Do all mistakes get an answer, and the one that the file has?"""
    cases = read()
    test.assertGreaterEqual(len(cases), 75)
    for (title, statement), answer in zip(cases, answers):
        test.assertTrue(answer.startswith("ERROR:"), f"{title}\n{statement}\n{answer}")
    text = "\n".join(f"{title}\n{statement}\n{answer.rstrip()}\n"
                     for (title, statement), answer in zip(cases, answers))
    path = FOLDER / f"{name}.txt"
    if os.environ.get("TOTRAIN_WRITE"):
        path.write_text(text)
    test.maxDiff = None
    test.assertEqual(text, path.read_text())
