"""The common parts of the tests of the tutorials in docs/ and of README.md: their blocks, and how
tables are compared with rows.

    ```sql            statements of every door;  ```sql sqlite, ```sql postgres  of one database
    ```               behind it: what the program shows of the block's one statement, as on a terminal of COLUMNS
    ```sh DOOR        how the door is opened;  ```python MODULE  how Python does it

A line `...` stands for rows that are not on the page; a cell that is volatile, as seconds, is not compared, and
neither are the digits that the page leaves out.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.md"
SALES = ROOT / "docs" / "forecast-tutorial.md"
NETWORKS = ROOT / "docs" / "networks-tutorial.md"
FORECAST = ROOT / "docs" / "forecast.md"
README = ROOT / "README.md"
COLUMNS = 100
VOLATILE_COLUMNS = {"seconds", "age", "created_at"}
VOLATILE_ROWS = {"seconds", "expected time", "job"}


class Block:
    def __init__(self, found):
        self.info, self.body, self.place = found[1], found[2], found.span(2)
        self.output = None  # the block behind it


def blocks(text):
    """Those with an info string, each with the output behind it."""
    wanted = []
    for found in re.finditer(r"^```([^\n]*)\n(.*?)^```\n", text, re.M | re.S):
        if found[1]:
            wanted.append(Block(found))
        elif wanted and wanted[-1].output is None and not text[wanted[-1].place[1]:found.start()].strip("`\n"):
            wanted[-1].output = Block(found)
    return wanted


def opening(text, info):
    return next(block.body for block in blocks(text) if block.info == info)


def steps(text, database):
    """The blocks of SQL that this database has: "sqlite" or "postgres"."""
    return [block for block in blocks(text) if block.info in ("sql", f"sql {database}")]


def statements(body):
    """The statements of a block; a semicolon inside of one stands in quotes."""
    return [statement.strip() for statement in re.findall(r"(?:'[^']*'|[^;'])+", body) if statement.strip()]


def rows_of(table):
    """A table of the page: the cells of its header, and of each row; None where rows are left out."""
    header, _, *lines = table.splitlines() if table.count("\n") > 1 else ["", ""]  # one that is still to be written
    rows = []
    for line in lines:
        cells = [cell.strip() for cell in line.split("|")]
        if line == "...":
            rows.append(None)
        elif rows and rows[-1] and not cells[0] and len(cells) > 1:  # a cell goes on
            rows[-1] = [f"{before} {cell}".strip() for before, cell in zip(rows[-1], cells)]
        else:
            rows.append(cells)
    return [cell.strip() for cell in header.split("|")], rows


def is_same(shown, value):
    """The page's text of a cell and the value: to the digits shown, and wherever the lines were broken."""
    text = "" if value is None else repr(value) if isinstance(value, float) else str(value)
    if shown.replace(" ", "") == text.replace(" ", ""):
        return True
    try:
        decimals = min(len(number.partition(".")[2]) for number in (shown, text))  # sqlite3 itself shows 15 digits
        if decimals == 0 and abs(float(shown)) < 10000:  # the program shows five digits, and no zeros behind the point
            return float(shown) == float(f"{float(text):.5g}")
        return abs(float(shown) - float(text)) <= 0.5000001 * 10.0 ** -decimals
    except ValueError:
        return False


def is_row(shown, row, names):
    for column, (cell, value) in enumerate(zip(shown, row)):
        is_volatile = column > 0 and (names[column] in VOLATILE_COLUMNS or str(row[0]) in VOLATILE_ROWS)
        if not is_volatile and not is_same(cell, value):
            return False
    return len(shown) == len(row)


def difference(table, names, rows):
    """None where the result is what the page shows; else what differs."""
    header, shown = rows_of(table)
    if header != list(names):
        return f"columns {list(names)}, the page has {header}"
    left = [list(row) for row in rows]
    may_skip = False
    for row in shown:
        while row and may_skip and left and not is_row(row, left[0], header):
            left.pop(0)
        may_skip = row is None
        if row and (not left or not is_row(row, left.pop(0), header)):
            return f"the page has {row}, and the result is\n" + "\n".join(map(str, rows))
    return None if may_skip or not left else f"the page lacks {left}"


def abridged(table, before):
    """The table, of which the rows are shown that the table before it shows."""
    if "..." not in before.splitlines():
        return table
    wanted = {row[0] for row in rows_of(before)[1] if row}
    header, dashes, *lines = table.splitlines()
    kept = [header, dashes]
    is_wanted = False
    for line in lines:
        first = line.split("|")[0].strip()
        is_wanted = first in wanted if first else is_wanted
        if is_wanted:
            kept.append(line)
        elif kept[-1] != "...":
            kept.append("...")
    return "\n".join(kept) + "\n"
