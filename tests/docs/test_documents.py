"""Rules for every document: run by ctest as `docs_documents`.

- No line is longer than 120 characters, so that a terminal and a diff can show it. Commands and SQL
  to be copied (fenced blocks) may be longer, and so may attributes.md, columns.md, metrics.md, models.md and
  other-tools.md, which are printed, and rows of docs/from, which set a statement beside another tool's.
- The README has at most 80 lines.
- Each link to a file or to a heading leads there.
- Each source file that a page names by its path is there, unless NAME stands for a part of it.
- The navigation of the site names pages that are there, and each page of docs/start, docs/tasks and docs/from once.
- Each decision has its number, a date, a status, a context and a decision, and stands in the index. A page may have
  several, each a section, behind a list of contents.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from problems import report  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "docs" / "decisions"
LONGEST = 120
README_LINES = 80
MADE_FOR_SITE = {"index.md", "examples.md", "map.md", "CONTRIBUTING.md", "CHANGELOG.md"}
FOLDERS = sorted(path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "." and path.name != "build")
PRINTED = {"docs/attributes.md", "docs/columns.md", "docs/metrics.md", "docs/models.md", "docs/other-tools.md"}


def documents():
    found = [*ROOT.glob("*.md")]
    for folder in ("docs", "tests", "examples"):
        found += (ROOT / folder).rglob("*.md")
    return sorted(found)


def prose(text):
    """(number, line) of what is not in a fenced block."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(text):
    """The names that headings have in links."""
    for _, line in prose(text):
        if line.startswith("#"):
            words = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            yield words.replace(" ", "-")


def long_lines(name, text):
    if name not in PRINTED:
        for number, line in prose(text):
            if len(line) > LONGEST and not (name.startswith("docs/from/") and line.startswith("|")):
                yield f"{name}:{number}: {len(line)} characters, {LONGEST} fit"


def broken_links(path, name, text):
    for number, line in prose(text):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if "://" in target:
                continue
            file, _, anchor = target.partition("#")
            to = path.parent / file if file else path
            if not to.exists():
                yield f"{name}:{number}: {target} leads nowhere"
            elif anchor and anchor not in anchors(to.read_text()):
                yield f"{name}:{number}: {file or name} has no heading for #{anchor}"


def missing_sources(name, text):
    """The history may name what there was."""
    if name == "CHANGELOG.md":
        return
    for number, line in enumerate(text.splitlines(), 1):
        for path in re.findall(rf"(?<![\w/.-])((?:{'|'.join(FOLDERS)})/[\w/-]+\.(?:c|h|py|cmake))\b", line):
            if "NAME" not in path and not (ROOT / path).exists():
                yield f"{name}:{number}: there is no {path}"


def navigation_problems():
    """Pages that the site's navigation names and docs/ lacks, and pages that it lacks; the site itself adds a few."""
    name = "tools/site/mkdocs.yml"
    named = re.findall(r"^ +- (?:[^:\n]+: )?([\w/-]+\.md)$", (ROOT / name).read_text(), flags=re.M)
    for page in named:
        if page not in MADE_FOR_SITE and not (ROOT / "docs" / page).exists():
            yield f"{name}: there is no docs/{page}"
    for folder in ("start", "tasks", "from"):
        for path in sorted((ROOT / "docs" / folder).glob("*.md")):
            if named.count(f"{folder}/{path.name}") != 1:
                yield f"{name}: {folder}/{path.name} is named {named.count(f'{folder}/{path.name}')} times"


def decisions_of(path):
    """(number, level of its heading, text) of each decision on a page."""
    text = path.read_text()
    if "\n## Contents\n" not in text:
        return [(path.name[:4], "#", text)]
    sections = [part for part in re.split(r"^(?=## )", text, flags=re.M)[1:] if not part.startswith("## Contents\n")]
    return [(part[3:7], "##", part) for part in sections]


def decision_problems():
    index = (DECISIONS / "README.md").read_text()
    for path in sorted(DECISIONS.glob("[0-9]*.md")):
        for number, level, text in decisions_of(path):
            for expected in (rf"\A{level} {number}: ", r"^Date: 20\d\d-\d\d-\d\d.*Status: ", rf"^{level}# Context$",
                             rf"^{level}# Decision$"):
                if not re.search(expected, text, flags=re.M):
                    yield f"docs/decisions/{path.name}: nothing of {number} matches {expected}"
            place = path.name if level == "#" else f"{path.name}#{next(anchors(text))}"
            if f"[{number}]({place})" not in index:
                yield f"docs/decisions/README.md: {number} is not listed as ({place})"


def main():
    problems = []
    for path in documents():
        name, text = path.relative_to(ROOT).as_posix(), path.read_text()
        problems += long_lines(name, text)
        problems += broken_links(path, name, text)
        problems += missing_sources(name, text)
    problems += decision_problems()
    problems += navigation_problems()
    lines = len((ROOT / "README.md").read_text().splitlines())
    if lines > README_LINES:
        problems.append(f"README.md: {lines} lines, {README_LINES} are enough")
    print(f"{len(documents())} documents")
    report(problems)


main()
