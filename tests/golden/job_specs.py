"""Golden job specs: NAME.job.json holds what differs from the job spec of the case that it names.

    {
        "like": "train_iris",
        "statement": "SELECT ...",
        "training": {"epochs": 3}
    }

is train_iris.job.json, which is whole, with another statement and with other epochs. Objects are compared member by
member, everything else as a whole; "without" names members that the other one has and this one has not.

    job_specs.py FOLDER OUT     writes all of them whole, as the fuzzer of job specs begins with them
"""
import json
import pathlib
import sys

WHOLE = {"train": "train_iris", "predict": "predict_by_workers", "evaluate": "predict_by_workers"}
LIKE, WITHOUT = "like", "without"


def difference(spec, other):
    """The part of spec that tells it from the other one."""
    found = {}
    gone = [name for name in other if name not in spec]
    if gone:
        found[WITHOUT] = gone
    for name, value in spec.items():
        if name in other and isinstance(value, dict) and isinstance(other[name], dict):
            inner = difference(value, other[name])
            if inner:
                found[name] = inner
        elif name not in other or not is_same(value, other[name]):
            found[name] = value
    return found


def is_same(one, other):
    """1, 1.0 and true are three values; members may stand in any order: the one that is whole has theirs."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def merged(found, other):
    """The whole of which found is the difference; members in the order of the other."""
    spec = {name: value for name, value in other.items() if name not in found.get(WITHOUT, [])}
    for name, value in found.items():
        if name in (LIKE, WITHOUT):
            continue
        spec[name] = merged(value, other[name]) if isinstance(other.get(name), dict) else value
    return spec


def printed(value, indent=""):
    """A line a member, and a line an item of a list of objects."""
    more = indent + "  "
    if isinstance(value, dict):
        lines = [f"{more}{json.dumps(name)}: {printed(inner, more)}" for name, inner in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        lines = [more + json.dumps(item, ensure_ascii=False) for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


def reduced(case, text, folder):
    """The text of the golden file of a job spec that the program wrote."""
    spec = json.loads(text)
    name = WHOLE[spec["kind"]]
    if case == name:
        return text
    other = json.loads((folder / f"{name}.job.json").read_text())
    return printed({LIKE: name, **difference(spec, other)}) + "\n"


def whole(path):
    spec = json.loads(path.read_text())
    if LIKE not in spec:
        return spec
    return merged(spec, whole(path.with_name(f"{spec[LIKE]}.job.json")))


def problems_of(text, path):
    """The problems of a job spec that the program wrote, where the golden file is at path."""
    found = json.loads(text)
    if not path.exists():
        return [f"{path.name} is not there"]
    wanted = whole(path)
    problems = []
    if not is_same(found, wanted):
        problems.append(f"{path.name}: the program writes {json.dumps(difference(found, wanted))}, where the file "
                        f"has {json.dumps(difference(wanted, found))}")
    elif reduced(path.name.removesuffix(".job.json"), text, path.parent) != path.read_text():
        problems.append(f"{path.name} holds what it need not, or differs in its form: write it with --write")
    return problems


def main():
    folder, out = map(pathlib.Path, sys.argv[1:])
    for path in sorted(folder.glob("*.job.json")):
        (out / path.name).write_text(json.dumps(whole(path), indent="\t"))


if __name__ == "__main__":
    main()
