"""The part of JSON Schema (draft 2020-12) that jobspec/*.schema.json use.

    check_schema.py SCHEMA FILE...

A keyword of the schema that is not here is itself an error, so that nothing
is taken for checked that is not.
"""
import json
import pathlib
import sys

ANNOTATIONS = {"$schema", "title", "description"}


def is_type(value, name):
    return {
        "object": lambda: isinstance(value, dict),
        "array": lambda: isinstance(value, list),
        "string": lambda: isinstance(value, str),
        "boolean": lambda: isinstance(value, bool),
        "number": lambda: isinstance(value, (int, float)) and not isinstance(value, bool),
        "integer": lambda: not isinstance(value, bool) and isinstance(value, (int, float))
        and value == int(value),
    }[name]()


def check_type(value, names, *_):
    names = names if isinstance(names, list) else [names]
    if not any(is_type(value, name) for name in names):
        yield f"is no {' or '.join(names)}"


def check_required(value, names, *_):
    yield from (f"lacks {name}" for name in names if isinstance(value, dict) and name not in value)


def check_additional(value, allowed, schema):
    assert allowed is False
    if isinstance(value, dict):
        yield from (f"has {name}" for name in value if name not in schema["properties"])


def limit(kind, fits, measure=lambda value: value):
    def check(value, bound, *_):
        if is_type(value, kind) and not fits(measure(value), bound):
            yield f"is outside its limit {bound}"
    return check


KEYWORDS = {
    "type": check_type,
    "required": check_required,
    "additionalProperties": check_additional,
    "enum": lambda value, words, *_: [] if value in words else [f"is none of {words}"],
    "minimum": limit("number", lambda value, bound: value >= bound),
    "maximum": limit("number", lambda value, bound: value <= bound),
    "exclusiveMaximum": limit("number", lambda value, bound: value < bound),
    "minLength": limit("string", lambda size, bound: size >= bound, len),
    "maxLength": limit("string", lambda size, bound: size <= bound, len),
    "minItems": limit("array", lambda size, bound: size >= bound, len),
    "maxItems": limit("array", lambda size, bound: size <= bound, len),
}


def check(value, schema, path="$"):
    for keyword, argument in schema.items():
        if keyword in ANNOTATIONS:
            continue
        if keyword == "properties":
            for name, inner in argument.items():
                if isinstance(value, dict) and name in value:
                    yield from check(value[name], inner, f"{path}.{name}")
        elif keyword == "items":
            for index, item in enumerate(value if isinstance(value, list) else []):
                yield from check(item, argument, f"{path}[{index}]")
        elif keyword == "anyOf":
            if all(list(check(value, choice)) for choice in argument):
                yield f"{path} is none of {argument}"
        elif keyword in KEYWORDS:
            yield from (f"{path} {problem}"
                        for problem in KEYWORDS[keyword](value, argument, schema))
        else:
            yield f"the schema's keyword {keyword} is not known here"


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
    wrong = 0
    for name in sys.argv[2:]:
        for problem in check(json.loads(pathlib.Path(name).read_text()), schema):
            wrong += 1
            print(f"{name}: {problem}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
