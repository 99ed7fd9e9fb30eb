"""The rules that a program can check: run by ctest as `tidy`.

- sources are laid out as clang-format lays them out;
- functions that cannot be used safely are not used, or only in the file that makes them safe;
- half of all functions fit in 15 lines, nine in ten in 70;
- database, BLAS, TLS and event-loop headers stay in the folders that own them;
- nothing unfinished is marked in the code;
- a comment begins with its noun, or is a sentence (comment_rules.py);
- a text for users begins with its subject or a verb (text_rules.py);
- a test in Python does not pause, and reads nothing once that changes by itself (steady_rules.py).
"""

import pathlib
import re
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import comment_rules  # noqa: E402
import text_rules  # noqa: E402
from problems import report  # noqa: E402
from steady_rules import problems_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["base", "params", "kinds", "parser", "definition", "planner", "jobspec", "codegen", "inputs", "scoring", "arithmetic", "graph", "runtime", "k8s",
           "extension", "cli", "forecast", "interop", "lazy", "report", "console", "tests"]
COMMENTED = [*FOLDERS, "bench", "python", "tools", "cmake", "docs", "debian", "examples", ".ci",
             "CMakeLists.txt", "Makefile"]
BANNED = ["strcpy", "strcat", "sprintf", "vsprintf", "gets", "strtok", "system", "popen", "alloca",
          "atoi", "atol", "atof", "sleep", "usleep", "nanosleep", "tmpnam", "mktemp", "rand",
          "srand", "setenv", "putenv"]
# header: path prefixes that may include it
OWNED = {
    "sqlite3.h": ["extension/sqlite/", "runtime/data/", "cli/", "tests/"],
    "sqlite3ext.h": ["extension/sqlite/"],
    "cblas.h": ["bench/speed/gemm.c"],
    "event2/": ["runtime/", "console/server.c", "tests/unit/test_connection.c", "tests/unit/test_dial.c", "tests/unit/test_tls.c"],
    "openssl/": ["runtime/", "k8s/client/base64.c"],
    "curl/": ["k8s/client/http.c", "lazy/curl.h"],
    "yaml.h": ["k8s/client/kubeconfig.c"],
    "interop/onnx/onnx-ml.pb-c.h": ["interop/onnx/onnx_file.c", "interop/onnx/onnx_read.h"],
}
# words that one file alone may use, and what stands for them elsewhere
CONFINED = [(r"cJSON_Add\w+", "base/json.c", "json_add")]
UNFINISHED = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]


def sources():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            yield path, path.relative_to(ROOT).as_posix()


def commented():
    """(name, text) of the files whose comments are looked at; texts of other languages have none."""
    for top in COMMENTED:
        path = ROOT / top
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                yield file.relative_to(ROOT).as_posix(), file.read_bytes().decode(errors="replace")


def texts_for_users():
    """(name, text) of the sources whose strings users see, and of their pages."""
    for path, name in sources():
        if not name.startswith("tests/"):
            yield name, path.read_text()
    for path in sorted((ROOT / "docs").rglob("*.md")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith("docs/decisions/") and path.stem not in text_rules.FOR_DEVELOPERS:
            yield name, path.read_text()


def check_format(problems):
    program = shutil.which("clang-format-14")
    if not program:
        problems.append("clang-format-14 is not installed")
        return
    paths = [str(path) for path, _ in sources()]
    run = subprocess.run([program, "--dry-run", "-Werror", *paths], capture_output=True, text=True)
    for line in run.stderr.splitlines():
        if "error:" in line:
            problems.append(line.replace(str(ROOT) + "/", ""))


def without_comments_and_strings(text):
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text,
                  flags=re.S)


def check_words(name, text, problems):
    code = without_comments_and_strings(text)
    for number, line in enumerate(code.splitlines(), 1):
        for word in BANNED:
            if re.search(rf"(?<![\w.>]){word}\s*\(", line):
                problems.append(f"{name}:{number}: {word}() is banned")
        for word, home, instead in CONFINED:
            if name != home and re.search(rf"\b{word}\s*\(", line):
                problems.append(f"{name}:{number}: {word} belongs to {home}; use {instead}*()")
    for number, line in enumerate(text.splitlines(), 1):
        for word in UNFINISHED:
            if re.search(rf"\b{word}\b", line):
                problems.append(f"{name}:{number}: {word}")
        included = re.match(r'#\s*include\s*[<"]([^>"]+)', line)
        for header, owners in OWNED.items():
            if included and included.group(1).startswith(header) and \
                    not any(name.startswith(owner) for owner in owners):
                problems.append(f"{name}:{number}: {header} is not to be included here")


def function_lengths(text):
    """Lines from the opening brace in the first column to the closing one."""
    start = None
    for number, line in enumerate(text.splitlines()):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            yield number - start - 1
            start = None


def main():
    problems, lengths = [], []
    check_format(problems)
    for path, name in sources():
        text = path.read_text()
        check_words(name, text, problems)
        if not name.startswith("tests/"):
            lengths.extend(function_lengths(text))
    for path in sorted((ROOT / "tests").rglob("*.py")):
        problems.extend(problems_of(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")))
    for name, text in texts_for_users():
        problems.extend(text_rules.problems_of(name, text))
    for name, text in commented():
        problems.extend(comment_rules.problems_of(name, text))
    median = statistics.median(lengths)
    short = sum(length <= 70 for length in lengths) / len(lengths)
    print(f"{len(lengths)} functions: median {median:.0f} lines, {short:.1%} within 70, "
          f"longest {max(lengths)}")
    if median > 15:
        problems.append(f"half of the functions should fit in 15 lines, the median is {median}")
    if short < 0.9:
        problems.append("nine in ten functions should fit in 70 lines")
    report(problems)


main()
