"""Check every golden job spec against its schema, and the schemas against job specs that are spoiled.

    run_schemas.py FOLDER SCHEMAS

A job spec of FOLDER's topics, which run_plan.py compares with what the program writes, must be taken by its schema in
SCHEMAS: that of its kind of model, or scoring.schema.json. The same job with one member less, or with one too many,
must not.
"""
import json
import pathlib
import sys

import plan_topics
from check_schema import check

OPTIONAL = {"reading", "keeps_codes", "direction", "groups", "source", "words_max", "rule", "bounds", "cross", "rows", "model_part", "dimension", "part", "list", "element", "combiner", "weighted", "notices", "roles", "hint", "others", "old_model", "weights", "concat", "offset", "intervals", "pairs", "weight", "freeze", "holidays", "fold_scores", "minimised", "by_head", "width", "channels"}  # members of some jobs only
OPTIONAL_PATHS = {"$.inputs[].label"}  # likewise, with a name that all jobs have elsewhere


def objects(value, path="$"):
    """(path, object) of all objects in it; the items of a list have one path."""
    if isinstance(value, dict):
        yield path, value
        for name, inner in value.items():
            yield from objects(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner, f"{path}[]")


def spoil(spec, seen):
    """Has each member taken away in turn that must be there, and then one too many. A schema judges an object by the
    names of its members alone (chooses_objects), so objects that were seen with these names are passed over."""
    for path, value in list(objects(spec)):
        names = tuple(sorted(value))
        if (path, names) in seen or path.startswith("$.calls.nodes"):  # arguments of operations have any names
            continue
        seen.add((path, names))
        for name in names:
            if name not in OPTIONAL and f"{path}.{name}" not in OPTIONAL_PATHS:
                kept = value.pop(name)
                yield f"without {path}.{name}"
                value[name] = kept
        value["surplus"] = 1
        yield f"with a surplus member in {path}"
        del value["surplus"]


def chooses_objects(schema):
    """Whether it takes one object or another: there the members of one could make up for those of the other."""
    if isinstance(schema, dict):
        return "properties" in json.dumps(schema.get("anyOf", [])) or any(map(chooses_objects, schema.values()))
    return False


class Schema:
    def __init__(self, path):
        self.document = json.loads(path.read_text())
        self.seen = set()

    def problems(self):
        return ["has a choice of objects, which run_schemas.py cannot check"] if chooses_objects(self.document) else []

    def problems_of(self, spec):
        problems = list(check(spec, self.document))
        return problems + [f"the schema takes a job {what}" for what in spoil(spec, self.seen)
                           if not list(check(spec, self.document))]


def main():
    folder, schemas = map(pathlib.Path, sys.argv[1:])
    known = {path.name.removesuffix(".schema.json"): Schema(path) for path in schemas.glob("*.schema.json")}
    found = {f"{name}.schema.json": schema.problems() for name, schema in known.items()}
    jobs = plan_topics.Plans(folder).jobs()
    for name, job in jobs.items():
        spec = json.loads(job)
        found[name] = known[spec["model"]["family"] if spec["kind"] == "train" else "scoring"].problems_of(spec)
    for name, problems in found.items():
        if problems:
            print(f"{name}:", *problems, sep="\n")
    unused = [name for name, schema in known.items() if not schema.seen]
    print(f"{len(jobs)} job specs, {sum(map(bool, found.values()))} wrong of them and of the schemas, schemas without a job: {unused}")
    return 1 if any(found.values()) or unused else 0


if __name__ == "__main__":
    sys.exit(main())
