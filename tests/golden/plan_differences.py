"""Plans in topics: differences from the plan of another statement, which this one is like.

    input a                               numeric: real in all 150 sampled rows
    model.activation                      swish
    defaults
        model.l2 = auto: 1 / training rows
        without train.epoch
    without layers, lanes

is the other plan with these inputs in place of its own, another setting, other defaults, and without two lines. A new
line stands behind the new line above it, or else before the defaults, or behind the line that "behind NAME" names.
Lines of inputs are given together, as those of notices. Defaults are given one a line; what a statement sets has a line
of its own and is no default.
A plan that is like no other says all of it in the same form; what is no list of such lines (SQL) is said as it is.
"""
import re

ITEM_WIDTH = 38
START = "model".ljust(ITEM_WIDTH)
DEFAULTS = "defaults"
TOGETHER = ("input", "label", "notice")
WITHOUT_MAX = 110  # characters of a line
INDENT, BEHIND, WITHOUT = "    ", "behind ", "without "


def is_list(plan):
    """Only the plan of a training lists its settings."""
    return plan.startswith(START) and f"\n{DEFAULTS} " in plan


def is_written_list(text):
    return text.startswith(START) and f"\n{DEFAULTS}\n" in text


def name_of(line):
    item = line.encode()[:ITEM_WIDTH]  # the program pads bytes
    name = item.decode(errors="ignore").rstrip() if item.endswith(b" ") else line
    first = name.partition(" ")[0]
    return first if first in TOGETHER else name


def parse(plan):
    """[(name, its lines)], and for the defaults [(name, its text)]."""
    groups = []
    for line in plan.splitlines():
        name = name_of(line)
        if name == DEFAULTS:
            parts = re.split(r", (?=[a-z_]+\.[a-z0-9_]+ = )", line[ITEM_WIDTH:])
            groups.append((name, [(part.partition(" = ")[0], part) for part in parts]))
        elif groups and groups[-1][0] == name:
            groups[-1][1].append(line)
        else:
            groups.append((name, [line]))
    return groups


def text_of(groups):
    lines = []
    for name, of_name in groups:
        lines += [DEFAULTS.ljust(ITEM_WIDTH) + ", ".join(text for _, text in of_name)] if name == DEFAULTS else of_name
    return "".join(f"{line}\n" for line in lines)


def place(names, behind, before):
    """Where a new name stands."""
    if behind:
        if behind not in names:
            raise ValueError(f"there is no {behind} that something could stand behind")
        return names.index(behind) + 1
    return names.index(before) if before in names else len(names)


def difference(found, other, before=None):
    """([(behind or None, name, what)], names that are gone) between two lists of (name, what)."""
    had, has = dict(other), dict(found)
    names = [name for name in had if name in has]
    given, new, last = [], None, None
    for name, what in found:
        if name not in had:
            where = place(names, new, before)
            behind = None
            if last != (names[where - 1] if where else None):
                behind = last
                where = place(names, behind, before)
            names.insert(where, name)
            given.append((behind, name, what))
            new = name
        elif had[name] != what:
            given.append((None, name, what))
            new = None
        last = name
    return given, [name for name in had if name not in has]


def merge(given, gone, other, before=None):
    for name in gone:
        if name not in dict(other):
            raise ValueError(f"there is no {name} that could be gone")
    found = [(name, what) for name, what in other if name not in gone]
    new = None
    for behind, name, what in given:
        names = [name for name, _ in found]
        if name in names:
            found[names.index(name)] = (name, what)
            new = None
        else:
            found.insert(place(names, behind or new, before), (name, what))
            new = name
    return found


def without_set(groups, names):
    """Defaults that a statement with lines of these names has where nothing is said of them."""
    return [(name, text) for name, text in dict(groups).get(DEFAULTS, []) if name not in names]


def written(given, gone, lines_of):
    lines = []
    for behind, _, what in given:
        lines += [BEHIND + behind] if behind else []
        lines += lines_of(what)
    for name in gone:
        if lines and lines[-1].startswith(WITHOUT) and len(lines[-1]) + len(name) < WITHOUT_MAX:
            lines[-1] += f", {name}"
        else:
            lines.append(WITHOUT + name)
    return lines


def reduced(plan, other):
    """The text in the topic of a plan that the program printed, where the other one (or None) is whole."""
    if other is not None and is_list(plan) != is_list(other):
        raise ValueError("one plan is of a training, the other is not")
    if not is_list(plan):
        return plan
    found, base = parse(plan), parse(other or "")
    names = dict(found)
    inner = written(*difference(names[DEFAULTS], without_set(base, names)), lambda text: [text])
    lines = [DEFAULTS] * bool(inner) + [INDENT + line for line in inner]
    given, gone = difference([(name, lines if name == DEFAULTS else what) for name, what in found],
                             [(name, [] if name == DEFAULTS else what) for name, what in base],
                             DEFAULTS if base else None)
    text = "".join(f"{line}\n" for line in written(given, gone, list))
    if whole(text, other) != plan:
        raise ValueError("a plan's lines stand in an order that this form cannot say")
    return text


def read_written(lines, name_of_line):
    """[(behind, name, [line])] and the names that are gone."""
    given, gone, behind = [], [], None
    for line in lines:
        if line.startswith(BEHIND):
            behind = line.removeprefix(BEHIND)
        elif line.startswith(WITHOUT):
            gone += line.removeprefix(WITHOUT).split(", ")
        else:
            name = name_of_line(line)
            if given and given[-1][1] == name:
                given[-1][2].append(line)
            else:
                given.append((behind, name, [line]))
            behind = None
    return given, gone


def whole(text, other):
    """The plan that the topic's text stands for."""
    if other is not None and not is_list(other) or other is None and not is_written_list(text):
        return text
    base = parse(other or "")
    lines = text.splitlines()
    inner = [line.removeprefix(INDENT) for line in lines if line.startswith(INDENT)]
    given, gone = read_written([line for line in lines if not line.startswith(INDENT)], name_of)
    found = merge(given, gone, base, DEFAULTS if base else None)
    names = dict(found)
    defaults, gone = read_written(inner, lambda line: line.partition(" = ")[0])
    defaults = merge([(behind, name, what[0]) for behind, name, what in defaults], gone, without_set(base, names))
    return text_of([(name, defaults if name == DEFAULTS else what) for name, what in found])
