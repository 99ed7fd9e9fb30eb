"""Plan every case and compare with the files beside it.

    run_plan.py PROGRAM FOLDER [--write]

A case NAME.sql describes its query in comments (tests/unit/described_catalog.h)
and has NAME.plan (EXPLAIN's text, PREDICT's SQL) and, when it makes a job,
NAME.job.json; or NAME.error, what a person sees.
A job spec holds only what differs from another case's (job_specs.py).
--write makes the files new: read the difference before committing it.
"""
import pathlib
import sys

import cases
import job_specs


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])

    def examine(case):
        plan, error, problems = cases.run(program, case)
        job = cases.run(program, "--job", case)[0]
        return (plan, job, error), problems
    return cases.main(folder, (".plan", ".job.json", ".error"), examine, {".job.json": job_specs})


if __name__ == "__main__":
    sys.exit(main())
