"""The common parts of golden tests: a case NAME.sql, a program that is run on it, and files beside it that have its
output.

With --write the files are made new, and what has changed is printed, the same change of several files once: read it
before committing it.
"""
import difflib
import re
import subprocess
import sys


def run(*command):
    """Standard output, standard error, and what is wrong whatever they are."""
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    error = done.stderr.decode(errors="backslashreplace")
    problems = [] if done.returncode in (0, 2, 5) else [f"exit code {done.returncode}"]
    if (done.returncode == 0) != (error == ""):
        problems.append(f"exit code {done.returncode}, but standard error is {error!r}")
    return done.stdout.decode(), error, problems


def compare(path, found):
    wanted = path.read_text() if path.exists() else ""
    return list(difflib.unified_diff(wanted.splitlines(), found.splitlines(), str(path), "found", lineterm=""))


def write(path, found):
    """The texts before and after."""
    before = path.read_text() if path.exists() else ""
    if found:
        path.write_text(found)
    elif path.exists():
        path.unlink()
    return before, found


def parts_of(text):
    """Lines, cut where they list something: a line of defaults differs from case to case."""
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


def print_written(written):
    """written: {path: (before, after)}. Changes that several files have in common come first, once."""
    groups = {}
    for path, (before, after) in written.items():
        if before != after:
            change, places = change_of(before, after)
            groups.setdefault(change, []).append((path, places))
    for change, files in sorted(groups.items(), key=lambda group: -len(group[1])):
        if len(files) > 1:
            places = sorted({place for _, behind in files for place in behind})
            print(f"{len(files)} files: {shortened([path.name for path, _ in files])}")
            print(*(f"    {part}" for part in change), f"    behind {shortened(places)}", sep="\n")
        else:
            path = files[0][0]
            print(*difflib.unified_diff(*(text.splitlines() for text in written[path]), str(path), "written",
                                        lineterm=""), sep="\n")
    print(f"{sum(map(len, groups.values()))} files have changed")


def shortened(names):
    return ", ".join(names[:3]) + (f" and {len(names) - 3} others" if len(names) > 3 else "")


def strays(folder, suffixes):
    """Files of cases that are gone."""
    return [path for suffix in suffixes for path in sorted(folder.glob("*" + suffix))
            if not path.with_name(path.name[:-len(suffix)] + ".sql").exists()]


def main(folder, suffixes, examine, forms=None):
    """examine(case) gives the text for each of the suffixes, and what is wrong besides. `forms`: modules that keep
    the text of a suffix in another form, with reduced(case, text, folder), problems_of(text, path), and WHOLE,
    whose cases come first, since the others are like them."""
    forms = forms or {}
    whole = {case for form in forms.values() for case in form.WHOLE.values()}
    cases = sorted(folder.glob("*.sql"), key=lambda case: (case.stem not in whole, case.stem))
    wrong, written = 0, {}
    for case in cases:
        texts, problems = examine(case)
        for suffix, found in zip(suffixes, texts, strict=True):
            path, form = case.with_suffix(suffix), forms.get(suffix)
            if "--write" in sys.argv:
                written[path] = write(path, form.reduced(case.stem, found, folder) if form and found else found)
            elif form and found:
                problems += form.problems_of(found, path)
            else:
                problems += compare(path, found)
        if problems:
            wrong += 1
            print(f"{case.name}:", *problems, sep="\n")
    if "--write" in sys.argv:
        print_written(written)
    for path in strays(folder, suffixes):
        wrong += 1
        print(f"{path.name}: there is no case of this name")
    print(f"{len(cases)} cases, {wrong} wrong")
    return 1 if wrong or not cases else 0
