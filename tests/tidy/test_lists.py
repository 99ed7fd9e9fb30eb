"""Each test is run: a file test_*.py or test_*.c that no list of CMake names would be run by nobody.

    test_lists.py BUILD
"""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from problems import report  # noqa: E402

TESTS = pathlib.Path(__file__).resolve().parents[1]


def commands(build):
    """All words of the commands of ctest, and of the scripts of the project that run tests by hand."""
    shown = subprocess.run(["ctest", "-C", "k8s", "--show-only=json-v1"], cwd=build, stdout=subprocess.PIPE, check=True).stdout
    words = {word for test in json.loads(shown)["tests"] for word in test.get("command", [])}
    scripts = [path for path in TESTS.glob("*/run_*") if path.is_file()]
    return words | {word for path in scripts for word in re.findall(r"test_\w+\.py", path.read_text())}


def never_run(files, words):
    """A program of a test has the name of its source; a script is a word itself, by its path or its name."""
    names = {pathlib.Path(word).name for word in words}
    return [path for path in files if not names & {path.name, path.stem}]


def main():
    problems = []
    if never_run([pathlib.Path("test_a.py"), pathlib.Path("test_b.c"), pathlib.Path("test_c.py")],
                 {"/tests/test_a.py", "/build/test_b", "test_cc.py"}) != [pathlib.Path("test_c.py")]:
        problems.append("a test that nothing runs is not found")
    words = commands(sys.argv[1])
    for folder in sorted({path.parent for path in TESTS.rglob("test_*.[pc]*")}):
        files = sorted(path for path in folder.glob("test_*") if path.suffix in (".py", ".c"))
        missing = never_run(files, words)
        if missing != files:  # a machine without PostgreSQL has no test of it
            problems.extend(f"{path.relative_to(TESTS.parent)}: no list of tests has it, so that nothing runs it"
                            for path in missing)
    report(problems)


if __name__ == "__main__":
    main()
