#!/usr/bin/env python3
"""Which tests have a source of the product in their programs, and which lines of it they reach.

    reached.py BUILD [--processes] [--only REGEX] [--jobs N]

BUILD is configured with the preset `coverage`. Builds what the tests run, runs each by itself, and keeps the lines that
it reached in BUILD/reached/TEST.json; a test whose programs are those of the last time is not run again, so that this
can be ended and begun anew at any time. Tests of one program (unit, golden, sim) come first; with --processes also
those of databases and clusters, which take long.

What a process had reached that was killed is not known: a line that no test is said to reach may be reached after all.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
QUICK = {"unit", "golden", "sim"}  # labels of ctest
# Tests whose command names no program of the build: they find these by TOTRAIN_BUILD.
HOSTS = {"postgres": ["totrain", "postgres/totrain.so"], "unit": ["totrain"]}
OTHER_HOSTS = ["totrain", "totrain.so"]
MEASURES = "tests/measured"  # it, and the file that it writes, stand before the command of each test
SEEDS = 20
STATEMENT_LINES = 6  # gcov counts a longer statement at its first line


class Test:
    """One of ctest's: programs are paths inside of the build."""

    def __init__(self, name, programs, command, is_quick):
        self.name, self.programs, self.command, self.is_quick = name, programs, command, is_quick
        self.script = next((pathlib.Path(word) for word in command if word.endswith(".py")), None)


class Build:
    """A build folder that questions are asked about; it need not be built yet."""

    def __init__(self, folder, root=ROOT):
        self.folder, self.root = pathlib.Path(folder).resolve(), root

    def ninja(self, *words):
        shown = subprocess.run(["ninja", "-t", *words], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, check=False)
        return shown.stdout.splitlines()

    @functools.cached_property
    def linked(self):
        """Programs and libraries that are loaded, of the product and of its tests."""
        targets = [line.rsplit(": ", 1) for line in self.ninja("targets", "all")]
        return {name for name, rule in targets if re.match(r"C_(EXECUTABLE|MODULE|SHARED)\w*_LINKER_", rule)}

    @functools.cached_property
    def products(self):
        return sorted(name for name in self.linked if not name.startswith(("tests/", "bench/")))

    @functools.cache
    def sources_of(self, program):
        """Our files that it is made of. Of a library it may have less in it."""
        paths = (pathlib.Path(line) for line in self.ninja("inputs", program) if line.endswith(".c"))
        return frozenset(path.relative_to(self.root).as_posix() for path in paths
                         if path.is_relative_to(self.root) and not path.is_relative_to(self.folder))

    @functools.cached_property
    def product_sources(self):
        return sorted(frozenset().union(*(self.sources_of(program) for program in self.products)))

    @functools.cached_property
    def tests(self):
        """{name: Test} of those that run something of the product."""
        shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=self.folder, stdout=subprocess.PIPE, check=True)
        commands = self.commands()
        found = {}
        for one in json.loads(shown.stdout)["tests"]:
            test = self.test_of(one["name"], {item["name"]: item["value"] for item in one["properties"]},
                                commands.get(one["name"], []))
            if test.programs:
                found[test.name] = test
        return found

    def commands(self):
        """{name: words of the command}. ctest itself tells none of a program that is not built yet."""
        text = (self.folder / "tests/CTestTestfile.cmake").read_text()
        return {name: re.findall(r'"([^"]*)"', words)
                for name, words in re.findall(r"^add_test\(\[=\[(.*?)\]=\] (.*)\)$", text, re.MULTILINE)}

    def test_of(self, name, properties, command):
        labels = set(properties.get("LABELS", ()))
        if command and pathlib.Path(command[0]) == self.folder / MEASURES:
            command = command[2:]
        paths = [pathlib.Path(word) for word in command]
        programs = [path.relative_to(self.folder).as_posix() for path in paths if path.is_relative_to(self.folder)]
        programs = [program for program in programs if program in self.linked]
        is_quick = bool(labels & QUICK and programs)
        if not programs and any(word.startswith("TOTRAIN_BUILD=") for word in properties.get("ENVIRONMENT", [])):
            hosts = next((HOSTS[label] for label in labels if label in HOSTS), OTHER_HOSTS)
            programs = [program for program in hosts if program in self.linked]
        return Test(name, programs, command, is_quick)

    def sources_of_test(self, test):
        return frozenset().union(*(self.sources_of(program) for program in test.programs))

    def parts_of(self, target):
        """The targets that a target only stands for."""
        shown = itertools.takewhile(lambda line: line != "  outputs:", self.ninja("query", target)[2:])
        names = [line.strip() for line in shown if not line.lstrip().startswith("|")]
        return [part for name in names for part in (self.parts_of(name) if name.endswith("/all") else [name])]

    @functools.cached_property
    def all_but_quick_programs(self):
        quick, other = ({program for test in self.tests.values() if test.is_quick == is_quick for program in test.programs}
                        for is_quick in (True, False))
        return [part for part in self.parts_of("all") if part not in quick - other and part != MEASURES]

    def targets_of(self, tests):
        """The targets to be built for the tests: one that starts processes finds more in the build than its
        programs."""
        quick = {program for test in tests if test.is_quick for program in test.programs}
        return [MEASURES, *sorted(quick)] + ([] if all(test.is_quick for test in tests) else self.all_but_quick_programs)


# ---- lines ----

def ranges_of(numbers):
    """"1-3,7" of 1, 2, 3, 7."""
    found = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


def numbers_of(ranges):
    found = set()
    for word in filter(None, ranges.split(",")):
        first, _, last = word.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


class Reached:
    """The records kept of a build."""

    def __init__(self, build):
        self.folder = build.folder / "reached"
        self.kept = {path.stem: json.loads(path.read_text()) for path in self.folder.glob("*.json")}
        self.lines = {}  # {source: {test: lines}}
        self.counted = {}  # {source: lines that can be reached}
        for test, entry in self.kept.items():
            for source, (hit, missed) in entry["lines"].items():
                hit = numbers_of(hit)
                self.lines.setdefault(source, {})[test] = hit
                self.counted.setdefault(source, set()).update(hit, numbers_of(missed))

    def at(self, source, line):
        """The line at which the statement of this one is counted; None for what is not run, as a table."""
        counted = self.counted.get(source, ())
        return next((number for number in range(line, max(0, line - STATEMENT_LINES), -1) if number in counted), None)

    def nearness(self, test, source, line):
        """0: it reaches the line, 1: nothing is known of the test, 2: it reaches the file; None: neither."""
        if test not in self.kept:
            return 1
        hit = self.lines.get(source, {}).get(test)
        if not hit:
            return None
        return 0 if self.at(source, line) in hit else 2


# ---- running the tests ----

def digest_of(build, test):
    """Another one where the test may reach something else than the last time."""
    digest = hashlib.sha256()
    for path in [build.folder / program for program in test.programs] + ([test.script] if test.script else []):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read_counts(build, folder):
    """{source: [lines reached, lines not reached]} of what the processes of a test have counted."""
    counts = [path for path in folder.rglob("*.gcda")]
    for path in counts:
        notes = pathlib.Path("/") / path.relative_to(folder).with_suffix(".gcno")
        path.with_suffix(".gcno").symlink_to(notes)
    if not counts:
        return {}
    shown = subprocess.run(["gcov", "--json-format", "--stdout", *map(str, counts)], cwd=folder, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    hit, known = {}, {}
    for document in shown.stdout.splitlines():
        for file in json.loads(document)["files"]:
            path = pathlib.Path(file["file"])
            if not path.is_relative_to(build.root) or path.is_relative_to(build.folder):
                continue
            source = path.relative_to(build.root).as_posix()
            known.setdefault(source, set()).update(line["line_number"] for line in file["lines"])
            hit.setdefault(source, set()).update(line["line_number"] for line in file["lines"] if line["count"])
    return {source: [ranges_of(lines), ranges_of(known[source] - lines)] for source, lines in hit.items() if lines}


def words_of(build, test):
    """The command that shows what the test reaches: of a simulation's histories the first ones are enough."""
    if not pathlib.Path(test.command[0]).is_relative_to(build.folder):
        return ["ctest", "-R", f"^{re.escape(test.name)}$"]  # with what it has in its environment
    return [re.sub(r"^(\d+)\.\.\d+$", lambda seeds: f"{seeds[1]}..{int(seeds[1]) + SEEDS - 1}", word) for word in test.command]


def run_test(build, test, digest):
    with tempfile.TemporaryDirectory(prefix="totrain-reached.", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o777)  # a database server runs as somebody else
        began = time.monotonic()
        subprocess.run([build.root / "tests/own-folder", *words_of(build, test)], cwd=build.folder / "tests",
                       env={**os.environ, "GCOV_PREFIX": folder}, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        seconds = time.monotonic() - began
        lines = read_counts(build, pathlib.Path(folder))
    entry = {"digest": digest, "seconds": round(seconds, 2), "lines": lines}
    path = build.folder / "reached" / f"{test.name}.json"
    path.with_suffix(".new").write_text(json.dumps(entry))
    path.with_suffix(".new").rename(path)


def is_kept(build, test, digest):
    path = build.folder / "reached" / f"{test.name}.json"
    return path.exists() and json.loads(path.read_text())["digest"] == digest


def bring_up_to_date(build, tests, jobs, say=lambda line: None):
    """Runs those of the tests of which nothing is kept, or something old; the programs are built."""
    (build.folder / "reached").mkdir(exist_ok=True)
    digests = {test.name: digest_of(build, test) for test in tests}
    tests = sorted(tests, key=lambda test: (not test.is_quick, not test.name.startswith("test_")))
    due = [test for test in tests if not is_kept(build, test, digests[test.name])]
    if due:
        say(f"{len(due)} of {len(tests)} tests are run to see what they reach")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda test: run_test(build, test, digests[test.name]), due))


def build_programs(build, tests, jobs):
    """Whether they could be built."""
    return subprocess.run(["cmake", "--build", build.folder, "-j", str(jobs), "--target", *build.targets_of(tests)],
                          stdout=subprocess.DEVNULL, check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--processes", action="store_true", help="also tests of databases and clusters")
    parser.add_argument("--only", default="", metavar="REGEX", help="of the name of a test")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    build = Build(options.build)
    tests = [test for test in build.tests.values()
             if (test.is_quick or options.processes) and re.search(options.only, test.name)]
    if not build_programs(build, tests, options.jobs):
        sys.exit("reached: the build fails")
    bring_up_to_date(build, tests, options.jobs, say=lambda line: print(line, flush=True))
    kept = Reached(build)
    print(f"{len(kept.kept)} tests reach {len(kept.lines)} files; {build.folder / 'reached'} has their lines")


if __name__ == "__main__":
    main()
