"""The numbers that the extension reads in texts, and programs that must read the same: as printed by read_cells."""

import os
import pathlib
import struct
import subprocess

import written_rows

PROGRAM = pathlib.Path(os.environ["TOTRAIN_BUILD"]) / "tests" / "read_cells"
COUNT = int(os.environ.get("TOTRAIN_WRITTEN_ROWS", "1200"))  # beside those that are always read; `make test-full` has 10,000


def packed(text):
    data = text.encode()
    return struct.pack("=I", len(data)) + data


def wanted(reading, texts):
    """'refused', 'null' or a number with all digits, for each text."""
    data = b"".join(struct.pack("=B", reading) + packed(text) for text in texts)
    return subprocess.run([str(PROGRAM)], input=data, capture_output=True, check=True).stdout.decode().split()


def program(language, readings):
    """With columns c0, c1, ... and outputs n0, n1, ..."""
    return subprocess.run([str(PROGRAM), language, *map(str, readings)], capture_output=True, check=True, text=True).stdout


def named():
    """A date with each name, in small letters and capital."""
    names = subprocess.run([str(PROGRAM), "names"], capture_output=True, check=True).stdout.decode().split("\n")[:-1]
    for month, name in (line.split(" ") for line in names):
        text = f"{name}, 3 Mar 2024" if month == "0" else f"3. {name}{'.' * ('.' in month)} 2024"
        yield from (text, text.upper())


def texts():
    return written_rows.texts(COUNT, COUNT) + list(named())


def is_same(found, other):
    words = ("refused", "null")
    return found == other or (found not in words and other not in words and float(found) == float(other))


def check(case, reading, found, cells):
    """No test that reads nothing, or refuses nothing, shows anything."""
    other = wanted(written_rows.READINGS[reading], cells)
    case.assertEqual(len(found), len(other))
    case.assertEqual([], [(reading, text, mine, its) for text, mine, its in zip(cells, found, other) if not is_same(mine, its)])
    case.assertTrue({"refused", "null"} < set(other))
    case.assertGreater(len(set(other)), 20)
