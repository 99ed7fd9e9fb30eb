"""What golden tests share: a case NAME.sql, a program that is run on it, and files beside it that say what it prints.

With --write the files are made new: read the difference before committing it.
"""
import difflib
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
    if found:
        path.write_text(found)
    elif path.exists():
        path.unlink()


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
    wrong = 0
    for case in cases:
        texts, problems = examine(case)
        for suffix, found in zip(suffixes, texts, strict=True):
            path, form = case.with_suffix(suffix), forms.get(suffix)
            if "--write" in sys.argv:
                write(path, form.reduced(case.stem, found, folder) if form and found else found)
            elif form and found:
                problems += form.problems_of(found, path)
            else:
                problems += compare(path, found)
        if problems:
            wrong += 1
            print(f"{case.name}:", *problems, sep="\n")
    for path in strays(folder, suffixes):
        wrong += 1
        print(f"{path.name}: there is no case of this name")
    print(f"{len(cases)} cases, {wrong} wrong")
    return 1 if wrong or not cases else 0
