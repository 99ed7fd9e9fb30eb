"""Pages for those who use a screen reader, whose dialog that searches gets a name, which the theme does not give it; and
for those with a narrow screen, where long names in tables break at their dots and underscores alone."""

import re

CELL_NAME = re.compile(r"(<td><code>)([\w.]+)(</code></td>)")
BEFORE = 'data-md-component="search" role="dialog"'


def make_accessible(html):
    """Mends each page below the folder."""
    for path in html.rglob("*.html"):
        text = path.read_text()
        if BEFORE in text:
            path.write_text(text.replace(BEFORE, f'{BEFORE} aria-label="Search"'))


def make_narrow(html):
    """Lets names in the cells of each page below the folder break."""
    for path in html.rglob("*.html"):
        text = path.read_text()
        narrow = CELL_NAME.sub(lambda found: found[1] + re.sub(r"(?<=[._])(?=\w)", "<wbr>", found[2]) + found[3], text)
        if narrow != text:
            path.write_text(narrow)
