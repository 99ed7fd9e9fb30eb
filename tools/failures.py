"""The first line that a failed test says, read from its output."""

import re

BEGINS = re.compile(r"(FAIL|ERROR): (\w+)")  # unittest's
ENDS = re.compile(r"[A-Za-z_][\w.]*(Error|Exception|Exit|Expired|Interrupt|Failure|Refused)\b.*")  # a traceback
# cmocka's, of a process that a sanitizer ended, of one that an assert() did
OTHERS = re.compile(r"\[ +ERROR +\] --- (.+)|.*((?:Address|Thread|Leak|UndefinedBehavior)Sanitizer.*|runtime error: .*|Assertion .* failed.*)")
LONGEST = 200  # characters


def first_failure(output):
    """One line: the name of the test function, where there is one, and its message. For an unknown form the last
    line."""
    test, last = "", "no output"
    for line in map(str.strip, output.splitlines()):
        begins = BEGINS.match(line)
        other = OTHERS.match(line)
        if begins:
            test = begins[2] + ": "
        elif other:
            return (other[1] or other[2])[:LONGEST]
        elif test and ENDS.match(line):
            return (test + line)[:LONGEST]
        last = line or last
    return (test + last)[:LONGEST]
