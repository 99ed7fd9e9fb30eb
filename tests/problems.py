"""How a test that checks rules over files ends: with the problems that it found."""

import sys

SHOWN = 40


def report(problems):
    """Ends the program: with code 1 where there are problems, after the first of them."""
    for problem in problems[:SHOWN]:
        print(problem)
    if problems[SHOWN:]:
        print(f"... and {len(problems) - SHOWN} more")
    sys.exit(1 if problems else 0)
