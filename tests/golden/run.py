#!/usr/bin/python3
"""Run `totrain parse` on every case and compare with the files beside it.

    run.py PROGRAM FOLDER [--write]

A case NAME.sql has NAME.json (what is printed, one line a statement) when it
parses, or NAME.error (what a person sees) when it does not; a case may have
both, when a wrong statement follows right ones. --write makes the files new:
read the difference before committing it.
"""
import difflib
import json
import pathlib
import subprocess
import sys


def run(program, case):
    done = subprocess.run([program, "parse", "-f", case], capture_output=True, timeout=60)
    out, err = done.stdout.decode(), done.stderr.decode(errors="backslashreplace")
    problems = []
    if done.returncode not in (0, 2, 5):
        problems.append(f"exit code {done.returncode}")
    if (done.returncode == 0) != (err == ""):
        problems.append(f"exit code {done.returncode}, but standard error is {err!r}")
    for line in out.splitlines():
        json.loads(line)
    return out, err, problems


def compare(path, found):
    wanted = path.read_text() if path.exists() else ""
    return list(difflib.unified_diff(wanted.splitlines(), found.splitlines(),
                                     str(path), "found", lineterm=""))


def write(path, found):
    if found:
        path.write_text(found)
    elif path.exists():
        path.unlink()


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    cases = sorted(folder.glob("*.sql"))
    wrong = 0
    for case in cases:
        out, err, problems = run(program, case)
        for suffix, found in ((".json", out), (".error", err)):
            if "--write" in sys.argv:
                write(case.with_suffix(suffix), found)
            else:
                problems += compare(case.with_suffix(suffix), found)
        if problems:
            wrong += 1
            print(f"{case.name}:", *problems, sep="\n")
    print(f"{len(cases)} cases, {wrong} wrong")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
