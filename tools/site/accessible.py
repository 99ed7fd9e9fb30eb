"""Pages for those who use a screen reader: the dialog that searches gets a name, which the theme does not give it."""

BEFORE = 'data-md-component="search" role="dialog"'


def make_accessible(html):
    """Mends each page below the folder."""
    for path in html.rglob("*.html"):
        text = path.read_text()
        if BEFORE in text:
            path.write_text(text.replace(BEFORE, f'{BEFORE} aria-label="Search"'))
