#!/usr/bin/python3
"""Run `totrain parse` on every case and compare with the files beside it.

    run.py PROGRAM FOLDER [--write]

A case NAME.sql has NAME.json (what is printed, one line a statement) when it
parses, or NAME.error (what a person sees) when it does not; a case may have
both, when a wrong statement follows right ones. --write makes the files new:
read the difference before committing it.
"""
import json
import pathlib
import sys

import cases


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])

    def examine(case):
        out, err, problems = cases.run(program, "parse", "-f", case)
        for line in out.splitlines():
            json.loads(line)
        return (out, err), problems
    return cases.main(folder, (".json", ".error"), examine)


if __name__ == "__main__":
    sys.exit(main())
