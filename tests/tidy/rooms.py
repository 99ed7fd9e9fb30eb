"""Folders as rooms, by their includes: run by ctest as `tidy_rooms`.

- an include in quotes is the path of a file from the root of the project;
- no folder includes, over any number of others, a folder that includes it;
- of each header of another folder that a file includes it uses at least one name (or, of one that a header includes,
  a file that includes this header does);
- each .c has a header of its own, and includes it; some file includes each header;
- what the files of one folder share (*_parts.h) no other folder includes;
- no folder has more than 40 files, but those that are listed, each of which has;
- docs/architecture.md names only files that exist, and functions that some code names.
"""

import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from problems import report  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["base", "lazy", "params", "kinds", "report", "parser", "definition", "planner", "jobspec", "codegen", "inputs", "scoring", "arithmetic", "graph", "forecast", "interop", "runtime", "k8s",
           "extension", "console", "cli", "bench", "tests"]
GENERATED = {"parser/grammar.h", "definition/syntax_grammar.h", "interop/onnx/onnx-ml.pb-c.h"}
# Headers that are included for what they do (define what PostgreSQL wants, bring cmocka), not for a name of theirs.
FOR_EFFECT = {"extension/postgres/server/session/compat.h", "tests/check.h"}
# Names that headers bring from a library's header, or make by a macro, are not read.
ENCODERS = ("bucket", "date_number", "date_word", "element", "hash", "id", "number", "text", "words")
BROUGHT = {"base/json.h": {"cJSON"}, "lazy/pq.h": {"PGconn", "PGresult"},
           "inputs/encoders.h": {f"{name}_encoder" for name in ENCODERS},
           "extension/sqlite/api/api.h": {"sqlite3", "sqlite3_context", "sqlite3_stmt", "sqlite3_value"}}
# A .c without a header of its own declares nothing, or what another header must declare.
# Headers that are written before their .c: others are built against them.
AHEAD = {"runtime/learn/trees/growth/tree_split.h"}
NO_HEADER = {
    # Programs: main() is called by the system alone.
    "cli/main.c", "bench/elastic/master.c", "bench/postgres/rows.c", "bench/speed/gemm.c", "bench/speed/generate.c",
    "bench/speed/scan.c", "bench/speed/server_rows.c",
    # One source, compiled for an instruction set: a row of the header of the variants.
    "base/sums/hash_avx2.c", "base/sums/hash_avx512.c", "arithmetic/products_avx2.c", "arithmetic/products_avx512.c",
    # An encoder: a row of inputs/encoders.h.
    "inputs/encoders/bucket.c", "inputs/encoders/date.c", "inputs/encoders/element.c", "inputs/encoders/hash.c", "inputs/encoders/id.c", "inputs/encoders/number.c",
    "inputs/encoders/text.c", "inputs/encoders/words.c",
    # A kind of picture: a row of report/picture.c, declared in picture_kinds.h. A form of a card: card.h.
    "report/picture_classes.c", "report/picture_curves.c", "report/picture_dependence.c", "report/picture_forecast.c",
    "report/picture_inputs.c", "report/picture_points.c", "report/picture_residuals.c", "report/card_html.c", "report/card_markdown.c",
    # Parts of manifest.h.
    "k8s/objects/manifest_member.c", "k8s/objects/manifest_schedule.c",
    # The parts of one compiler: definition/compiler.h.
    "definition/compile_arithmetic.c", "definition/compile_calls.c", "definition/compile_heads.c", "definition/compile_lists.c", "definition/compile_names.c",
    "definition/compile_values.c",
    # Operations: rows of graph/operations/operations.h.
    "graph/operations/activations.c", "graph/operations/arithmetic.c",
    "graph/operations/attention.c", "graph/operations/batch_norm.c", "graph/operations/cosine.c",
    "graph/operations/dense_each.c", "graph/operations/functions.c", "graph/operations/matmul.c",
    "graph/operations/maximum.c", "graph/operations/one_hot.c", "graph/operations/select.c",
    "graph/operations/labels.c", "graph/operations/steps.c", "graph/operations/where.c",
    "graph/operations/concat.c", "graph/operations/constant.c", "graph/operations/convolution.c", "graph/operations/norms.c",
    "graph/operations/pooling.c", "graph/operations/recurrent.c",
    "graph/operations/dense.c", "graph/operations/dropout.c", "graph/operations/embedding.c",
    "graph/operations/inputs.c", "graph/operations/shapes.c",
    # Functions that the database finds by their names and no C code calls.
    "extension/sqlite/init.c", "extension/postgres/server/module.c", "extension/postgres/server/functions/functions.c",
    "extension/postgres/server/functions/exchange.c", "extension/postgres/server/functions/forecast_models.c", "extension/postgres/server/functions/forecast_series.c",
    "extension/postgres/server/jobs/job_log.c",
    "extension/postgres/server/functions/kept_rows.c", "extension/postgres/server/functions/model_rows.c", "extension/postgres/server/functions/new_name.c",
    "extension/postgres/server/functions/plan_support.c", "extension/postgres/server/statements/run.c", "extension/postgres/server/staging/stage.c",
    "extension/postgres/server/staging/stage_shard.c", "extension/postgres/server/jobs/submit.c",
}
FILES_MOST = 40  # in a folder; one with more falls into rooms
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)


# The second group is a literal, which may hold what looks like a comment.
COMMENT = re.compile(r'(/\*.*?\*/|//[^\n]*)|("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\')', re.S)


def without_comment(match):
    """The replacement of a comment: nothing; a string stays."""
    return match.group(2) or " "


def folder(path):
    return path.rpartition("/")[0]


def read_sources():
    return {path.relative_to(ROOT).as_posix(): path.read_text()
            for name in FOLDERS if (ROOT / name).is_dir()
            for path in sorted((ROOT / name).rglob("*")) if path.suffix in (".c", ".h", ".y")}


def code_of(text):
    return COMMENT_OR_STRING.sub(" ", INCLUDE.sub("", text))


def names_of(header):
    """The names that a header gives to a file that includes it: macros, types, constants of enums, functions, and
    variables."""
    code = code_of(header)
    names = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", code, re.M))
    # Lists of macros make names in the files that use them, out of the words that the list has.
    for body in re.findall(r"^[ \t]*#[ \t]*define[^\n]*(?:\\\n[^\n]*)+", code, re.M):
        names |= set(re.findall(r"\bX?\(\s*([A-Z][A-Z0-9_]+)\b", body))
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", " ", code, flags=re.M)
    names |= set(re.findall(r"\b(?:struct|union|enum)\s+(\w+)\s*\{", code))
    for body in re.findall(r"\benum\b[^{;()]*\{([^}]*)\}", code):
        names |= set(re.findall(r"(?:^|,)\s*(\w+)", body))
    # Names between braces are members and local names.
    while re.search(r"\{[^{}]*\}", code):
        code = re.sub(r"\{[^{}]*\}", ";", code)
    names |= set(re.findall(r"\b(\w+)\s*\(", code)) | set(re.findall(r"\(\s*\*\s*(\w+)\s*\)", code))
    names |= set(re.findall(r"\b(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=[^;]*)?;", code))
    return names - {"", "__attribute__", "__typeof__", "defined", "format", "int", "sizeof"}


def reached(start, arrows):
    seen, waiting = set(), [start]
    while waiting:
        for other in arrows[waiting.pop()]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen


def check_paths(sources, includes, problems):
    for name, headers in includes.items():
        for header in headers:
            if header not in sources and header not in GENERATED:
                problems.append(f'{name}: "{header}" is no path from the root (a system header goes in <>)')
            elif header.endswith("_parts.h") and folder(header) != folder(name) and not name.startswith("tests/"):
                problems.append(f"{name}: {header} is what the files of {folder(header)} share, for nobody else")


def check_cycles(includes, problems):
    arrows, examples = collections.defaultdict(set), {}
    for name, headers in includes.items():
        for header in headers:
            if folder(header) != folder(name):
                arrows[folder(name)].add(folder(header))
                examples.setdefault((folder(name), folder(header)), f"{name} includes {header}")
    ways = {room: reached(room, arrows) for room in list(arrows)}
    for (room, other), example in sorted(examples.items()):
        if room in ways.get(other, ()):
            problems.append(f"{room} and {other} include each other: {example}")
    return len(examples)


def check_use(sources, includes, problems):
    words = {name: set(re.findall(r"\w+", code_of(text))) for name, text in sources.items()}
    offered = {name: names_of(text) | BROUGHT.get(name, set()) for name, text in sources.items() if name.endswith(".h")}
    includes_of_known, includers = collections.defaultdict(list, includes), collections.defaultdict(set)
    for name in includes:
        for header in reached(name, includes_of_known):
            includers[header].add(name)
    for name in includes:
        for header in includes[name]:
            if header in sources and folder(header) != folder(name) and header not in FOR_EFFECT:
                if not any(offered[header] & words[user] for user in {name} | includers[name]):
                    problems.append(f"{name}: includes {header} and uses no name of it")


def check_own_headers(sources, includes, problems):
    includes_of_known = collections.defaultdict(list, includes)
    for name in (name for name in sources if name.endswith(".c") and not name.startswith("tests/")):
        header = name[:-1] + "h"
        if header in sources:
            if header not in reached(name, includes_of_known):
                problems.append(f"{name}: does not include {header}, its own header")
            if name in NO_HEADER:
                problems.append(f"{name}: is listed as a file without a header and has one")
        elif name not in NO_HEADER:
            problems.append(f"{name}: has no header of its own")
    included = {header for headers in includes.values() for header in headers}
    for name in sorted(name for name in sources if name.endswith(".h") and name not in included):
        problems.append(f"{name}: no file includes it")
    for name in sorted(NO_HEADER - set(sources)):
        problems.append(f"{name}: is listed as a file without a header and does not exist")


def check_sizes(sources, problems):
    counts = collections.Counter(folder(name) for name in sources if not name.startswith("tests/"))
    for room, count in sorted(counts.items()):
        if count > FILES_MOST:
            problems.append(f"{room}: {count} files, where {FILES_MOST} are the most: a part of them becomes a room")


def check_document(sources, problems):
    document = (ROOT / "docs" / "architecture.md").read_text()
    tops = "|".join(sorted({path.name for path in ROOT.iterdir() if path.is_dir()}))
    for path in sorted(set(re.findall(rf"(?<![\w/.])((?:{tops})/[\w/.-]*\w\.(?:c|h|y|md|py|sql))\b", document))):
        if not (ROOT / path).exists():
            problems.append(f"docs/architecture.md: {path} does not exist")
    files = {pathlib.PurePath(name).name for name in sources} | {path.name for path in (ROOT / "tests").rglob("*.py")}
    for name in sorted(set(re.findall(r"(?<![\w/.-])([a-z_0-9]+\.(?:c|h|y|py))\b", document)) - files):
        problems.append(f"docs/architecture.md: no file is called {name}")
    # SQL functions stand in strings; models and tables of the examples in these.
    texts = [COMMENT.sub(without_comment, text) for name, text in sources.items() if not name.startswith("tests/")]
    texts += [re.sub(r"--[^\n]*", "", path.read_text())
              for place in ("extension/postgres", "examples/sql") for path in (ROOT / place).glob("*.sql")]
    known = set(re.findall(r"\w+", "\n".join(texts)))
    for function in sorted(set(re.findall(r"`([a-z]\w*_\w+)`", document)) - known):
        problems.append(f"docs/architecture.md: nothing is called {function}")


def main():
    problems = []
    sources = read_sources()
    includes = {name: INCLUDE.findall(text) for name, text in sources.items()}
    check_paths(sources, includes, problems)
    arrows = check_cycles({name: headers for name, headers in includes.items() if not name.startswith("tests/")}, problems)
    check_use(sources, includes, problems)
    check_own_headers(sources, includes, problems)
    check_sizes(sources, problems)
    check_document(sources, problems)
    print(f"{len(sources)} files in {len({folder(name) for name in sources})} folders, {arrows} arrows between folders")
    report(problems)


main()
