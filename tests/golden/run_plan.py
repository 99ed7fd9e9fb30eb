"""Plan every case and compare with the files beside it.

    run_plan.py PROGRAM FOLDER SCHEMAS [--write]

A case NAME.sql describes its query in comments (tests/unit/described_catalog.h)
and has NAME.plan (EXPLAIN's text, PREDICT's SQL) and, when it makes a job,
NAME.job.json, which its schema in SCHEMAS must take, that of its kind of model or scoring.schema.json; or
NAME.error, what a person sees.
A job spec holds only what differs from another case's (job_specs.py).
--write makes the files new: read the difference before committing it.
"""
import json
import pathlib
import sys

import cases
import job_specs
from check_schema import check



OPTIONAL = {"reading", "keeps_codes", "direction", "groups", "source", "words_max", "rule", "bounds", "cross", "rows", "model_part", "dimension", "part", "list", "element", "combiner", "weighted", "notices", "roles", "hint", "others", "old_model", "weights", "concat"}  # what only some jobs have


def spoil(job):
    """The same job with each member taken away that must be there, and with one too many."""
    def places(value):
        if isinstance(value, dict):
            yield value
            for inner in value.values():
                yield from places(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from places(inner)
    count = len(list(places(job)))
    for index in range(count):
        for name in list(list(places(job))[index]):
            if name in OPTIONAL:
                continue
            spoiled = json.loads(json.dumps(job))
            del list(places(spoiled))[index][name]
            yield f"without {name}", spoiled
        spoiled = json.loads(json.dumps(job))
        list(places(spoiled))[index]["surplus"] = 1
        yield "with a surplus member", spoiled


def check_job(job, schemas):
    spec = json.loads(job)
    name = spec["model"]["family"] if spec["kind"] == "train" else "scoring"
    schema = json.loads((schemas / f"{name}.schema.json").read_text())
    problems = list(check(spec, schema))
    for what, spoiled in spoil(spec):
        if not list(check(spoiled, schema)):
            problems.append(f"the schema takes a job {what}")
    return problems


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    schemas = pathlib.Path(sys.argv[3])

    def examine(case):
        plan, error, problems = cases.run(program, case)
        job = cases.run(program, "--job", case)[0]
        return (plan, job, error), problems + (check_job(job, schemas) if job else [])
    return cases.main(folder, (".plan", ".job.json", ".error"), examine, {".job.json": job_specs})


if __name__ == "__main__":
    sys.exit(main())
