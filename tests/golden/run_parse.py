"""Run `totrain parse` on every statement of the topics, and compare.

    run_parse.py PROGRAM FOLDER [--write | --show] [TOPIC | NAME]...      (cases.py)

What is printed is one line of JSON a statement, or an error as a person sees it; or both, where a wrong statement
follows right ones.
"""
import json
import pathlib
import sys
import tempfile

import cases
import topics


def main():
    program = sys.argv[1]

    def examine(_, chosen):
        for case in chosen:
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "statement.sql"
                path.write_bytes(case.statement.encode(errors="surrogateescape"))
                out, error, code = cases.run(program, "parse", "-f", path)
            for line in out.splitlines():
                json.loads(line)
            yield {"json": out, "error": error}, cases.problems_of_exit(code, error)
    return cases.main(lambda folder: topics.Collection(folder, ("json", "error")), examine)


if __name__ == "__main__":
    sys.exit(main())
