"""Copies the documents into a folder of pages for mkdocs.

Pages keep their names. Links that lead out of docs/ lead to the copies where a page has one, and are plain text where
there is none, such as source files. What GitHub and Python-Markdown read differently is written so that both agree.
"""

import os
import pathlib
import re
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
RENAMED = {"docs/README.md": "map.md", "README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md",
           "CHANGELOG.md": "CHANGELOG.md", "examples": "examples.md", "docs": "map.md"}
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^)\s]+)\)")
FENCE = re.compile(r"^(\s*)```(\S*)[^\n]*$")
ITEM = re.compile(r"^\s*([-*]|\d+\.) ")


def place_of(source):
    """Where the site has a file of the repository; None where it has not."""
    if source in RENAMED:
        return RENAMED[source]
    path = ROOT / source
    if source.startswith("docs/") and (path.suffix == ".md" or source == "docs/pictures/report.html"):
        return source[len("docs/"):]
    if source.startswith("examples/") and path.is_file():
        return source
    return None


def title_of(source):
    """The heading of a page, as it stands in a sentence."""
    heading = re.search(r"^# (.+)$", (ROOT / source).read_text(), flags=re.M)
    return heading[1] if heading else source


def relinked(line, source, page):
    """The line with its links as the page's place wants them."""
    def mended(found):
        label, target = found.groups()
        if "://" in target or target.startswith("#"):
            return found[0]
        if label.startswith("!") and target.endswith(".svg"):  # a picture in each of the site's colours
            return f"{label}({target}#only-light){label}({target[:-4]}-dark.svg#only-dark)"
        file, _, anchor = target.partition("#")
        to = place_of(os.path.normpath(os.path.join(os.path.dirname(source), file)))
        if to is None:
            return label.strip("![]")
        if re.fullmatch(r"\[(?:docs/)?[\w./-]+\.md\]", label):  # a page of the site is called by its title
            label = f"[{title_of(os.path.normpath(os.path.join(os.path.dirname(source), file)))}]" if file else label
        return f"{label}({os.path.relpath(to, os.path.dirname(page) or '.')}{'#' + anchor if anchor else ''})"
    return LINK.sub(mended, line)


def page_of(text, source, page):
    lines, fenced, before = [], False, ""
    if source.startswith("docs/decisions/"):  # search finds pages for users first
        lines += ["---", "search:", "  boost: 0.3", "---", ""]
    for line in text.splitlines():
        fence = FENCE.match(line)
        if fence:
            fenced = not fenced
            lines.append(f"{fence[1]}```{fence[2] if fenced else ''}")
        elif fenced:
            lines.append(line)
        else:
            if ITEM.match(line) and before.strip() and not ITEM.match(before) and not before.startswith(" "):
                lines.append("")  # a list begins behind an empty line
            lines.append(relinked(line, source, page))
        before = line
    return "\n".join(lines) + "\n"


def examples_page():
    lines = ["# Examples", "", "Statements to start from, with the command that imports their table:", ""]
    for path in sorted((ROOT / "examples" / "sql").glob("*.sql")):
        lines.append(f"- [{path.name}](examples/sql/{path.name}): {path.read_text().splitlines()[0].lstrip('- ')}")
    lines += ["", "Tables:", ""]
    for path in sorted((ROOT / "examples" / "data").glob("*.csv")):
        with open(path, encoding="utf-8") as file:
            header = next(file).strip()
            rows = sum(1 for _ in file)
        columns = header if len(header) < 90 else header[:90].rpartition(",")[0] + ", ..."
        lines.append(f"- [{path.name}](examples/data/{path.name}): {rows:,} rows of `{columns}`")
    return "\n".join(lines) + "\n"


def collect(pages):
    """Fills the folder."""
    shutil.copytree(ROOT / "examples", pages / "examples")
    for path in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        source = path.relative_to(ROOT).as_posix()
        page = place_of(source)
        (pages / page).parent.mkdir(parents=True, exist_ok=True)
        (pages / page).write_text(page_of(path.read_text(), source, page))
    (pages / "index.md").write_text(page_of((HERE / "index.md").read_text(), "docs/index.md", "index.md"))
    for name in ("style.css", "focus.js"):
        shutil.copy(HERE / name, pages / name)
    (pages / "examples.md").write_text(examples_page())
