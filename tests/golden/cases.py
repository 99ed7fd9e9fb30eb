"""The common parts of golden tests: statements of topics (topics.py), and a program whose answers are compared.

    run_X.py PROGRAM FOLDER [--write | --show] [TOPIC | NAME]...

Without names all statements are compared. --write has the topics say what the program answers, and prints what has
changed, the same change of several statements once: read it before committing it. --show prints whole answers.
"""
import difflib
import pathlib
import re
import subprocess
import sys

import topics


def run(*command):
    """Standard output, standard error, and the exit code."""
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    return done.stdout.decode(), done.stderr.decode(errors="backslashreplace"), done.returncode


def problems_of_exit(code, error):
    problems = [] if code in (0, 2, 5) else [f"exit code {code}"]
    if (code == 0) != (error == ""):
        problems.append(f"exit code {code}, but the error is {error!r}")
    return problems


def parts_of(text):
    """Lines, cut where they list something."""
    return [part for line in text.splitlines() for part in re.split(r", | {2,}", line.strip())]


def change_of(before, after):
    """The lines that are gone (- ...) and those that are new (+ ...), and the parts before them: only the first is
    compared."""
    old, new = parts_of(before), parts_of(after)
    change, places = [], []
    for what, first, end, new_first, new_end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what != "equal":
            change += [f"- {part}" for part in old[first:end]] + [f"+ {part}" for part in new[new_first:new_end]]
            places += [re.split(" = |: ", old[first - 1])[0]] if first else []
    return tuple(change), places


def difference(name, before, after):
    return list(difflib.unified_diff(before.splitlines(), after.splitlines(), name, "found", lineterm=""))


def print_written(before, after):
    """Texts by statement. Changes that several have in common come first, once."""
    groups = {}
    for name, text in after.items():
        if before[name] != text:
            change, places = change_of(before[name], text)
            groups.setdefault(change, []).append((name, places))
    for change, group in sorted(groups.items(), key=lambda group: -len(group[1])):
        names = [name for name, _ in group]
        if len(group) > 1:
            places = sorted({place for _, behind in group for place in behind})
            print(f"{len(group)} statements: {shortened(names)}")
            print(*(f"    {part}" for part in change), f"    behind {shortened(places)}", sep="\n")
        else:
            print(*difference(names[0], before[names[0]], after[names[0]]), sep="\n")
    print(f"{sum(map(len, groups.values()))} statements have changed")


def shortened(names):
    return ", ".join(names[:3]) + (f" and {len(names) - 3} others" if len(names) > 3 else "")


def compare(collection, case, found):
    """The problems of the answers found."""
    wanted = collection.whole(case.name)
    if not wanted:
        return ["it has no answer: write it with --write"]
    problems = []
    for answer in {**wanted, **found}:
        texts = wanted.get(answer), found.get(answer)
        if None in texts or not collection.is_same(case, answer, *texts):
            problems += difference(f"{case.name}, {answer}", *(text or "" for text in texts)) or [f"{answer} is empty"]
    if not problems and collection.reduced(case, found) != case.answers:
        problems = ["it says what it need not, or in another form: write it with --write"]
    return problems


def write(collection, found):
    before = {name: case.text() for name, case in collection.cases.items()}
    collection.update(found)
    for topic in collection.topics:
        topics.write(topic)
    print_written(before, {name: case.text() for name, case in collection.cases.items()})


def check(collection, examine, options, names):
    """The number of statements, and of those with which something is wrong."""
    wrong, all_found = 0, {}
    for topic, cases in collection.chosen(names):
        for case, (found, problems) in zip(cases, examine(topic, cases), strict=True):
            found = all_found[case.name] = {name: found[name] for name in collection.answers if found.get(name)} or {
                collection.answers[0]: ""}
            if not options:
                problems += compare(collection, case, found)
            if "--show" in options:
                print(topics.Case(case.name, statement=case.statement, answers=found).text())
            if problems:
                wrong += 1
                print(f"{topic.path.name}: {case.name}:", *problems, sep="\n")
    if "--write" in options and not wrong:
        write(collection, all_found)
    return len(all_found), wrong


def main(collection_of, examine):
    """collection_of(folder); examine(topic, cases) gives for each ({name: answer}, [what is wrong besides])."""
    folder, names = pathlib.Path(sys.argv[2]), [word for word in sys.argv[3:] if not word.startswith("--")]
    options = [word for word in sys.argv[3:] if word.startswith("--")]
    if len(options) > 1 or not set(options) <= {"--write", "--show"}:
        sys.exit(__doc__)
    try:
        count, wrong = check(collection_of(folder), examine, options, names)
    except topics.Wrong as problem:
        print(problem)
        return 1
    print(f"{count} statements, {wrong} wrong")
    return 1 if wrong or not count else 0
