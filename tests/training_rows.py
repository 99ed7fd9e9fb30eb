"""The rows that TRAIN ends with: (name, value, part, detail)."""


def cells_of(row):
    return tuple(row.values()) if isinstance(row, dict) else tuple(row)


def facts(rows):
    """By name: what was measured on the training rows, and what is known of the job, as numbers.
    Metrics of one of several labels are left out: they have it as detail."""
    found = {}
    for name, value, part, detail in map(cells_of, rows):
        if name != "notice" and (part is None or (part == "training" and detail is None)):
            found[name] = value if detail is None else int(detail)
    return found


def validated(rows):
    """By name: what was measured on the rows that were held out."""
    return {name: value for name, value, part, detail in map(cells_of, rows) if part == "validation" and detail is None}


def crossed(rows):
    """By name: mean and deviation of what was measured on folds."""
    found = {}
    for name, value, part, _ in map(cells_of, rows):
        if part in ("folds", "deviation"):
            found[name] = (*found.get(name, ()), value)
    return found


def notices(rows):
    return [detail for name, _, _, detail in map(cells_of, rows) if name == "notice"]
