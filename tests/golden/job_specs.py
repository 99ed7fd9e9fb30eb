"""Job specs in topics: differences from the job spec of another statement, which this one is like.

    {
      "training": {"epochs": 3}
    }

is the other job spec, of this statement, with other epochs. Objects are compared member by member, everything else as a
whole; "without" names members that the other one has and this one has not. The text of the statement is said where it
is another one. The job spec of a statement that is like no other stands as the program prints it.
"""
import json

WITHOUT = "without"


def difference(spec, other):
    """The part of spec that tells it from the other one, members in the order of the other."""
    found = {}
    gone = [name for name in other if name not in spec]
    if gone:
        found[WITHOUT] = gone
    for name in [name for name in other if name in spec] + [name for name in spec if name not in other]:
        value = spec[name]
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
        if name != WITHOUT:
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


def said(statement):
    """The text of a statement in its job spec."""
    return statement.strip().removesuffix(";")


def reduced(text, statement, other):
    """The text in the topic of a job spec that the program printed, where the other one (or None) is whole."""
    if other is None:
        return text
    return printed(difference(json.loads(text), {**json.loads(other), "statement": said(statement)})) + "\n"


def whole(text, statement, other):
    """A job spec that the topic's text stands for."""
    if other is None:
        return text
    return json.dumps(merged(json.loads(text), {**json.loads(other), "statement": said(statement)}), indent="\t")
