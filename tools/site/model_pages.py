"""A page for each model: what it is, an example that has been run, and its attributes, as the program lists them.

The models are those of docs/models.md, which is printed from the program's tables; names with several tasks have one
page, and other names of a model stand on its page.
"""

import json
import re

from collect import ROOT
from examples import TABLES, example_of

GROUPS = [("Its own", lambda name: "." not in name or name.startswith(("model.", "forecast.", "optimizer.", "linear_optimizer."))),
          ("Training", lambda name: name.startswith("train.")),
          ("Validation and search", lambda name: name.startswith(("validation.", "tune."))),
          ("The job", lambda name: True)]
KINDS = {"network": ("Linear models and networks", "language.md"), "embedding": ("Click-through models", "clicks.md"),
         "trees": ("Trees", "trees.md"), "linear": ("Trees", "trees.md#xgboosts-linear-models"),
         "forecast": ("Forecasts", "forecast.md")}
OTHERS = ("Simple models", "simple-models.md")


class Model:
    def __init__(self, cells):
        self.name, task, self.kind, self.what, self.defaults, self.fixed = cells
        self.tasks, self.other_names = [task], []

    @property
    def page(self):
        return f"models/{self.name.lower()}.md"

    @property
    def guide(self):
        return KINDS.get(self.kind, OTHERS)


def models():
    found = {}
    for line in (ROOT / "docs" / "models.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
        if len(cells) != 6 or cells[0] == "model":
            continue
        model, other = Model(cells), re.match(r"Another name of (\w+)", cells[3])
        if other:
            found[other[1]].other_names.append(model.name)
        elif model.name in found:
            found[model.name].tasks.append(model.tasks[0])
        else:
            found[model.name] = model
    return list(found.values())


def cell(text):
    return str(text).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def attribute_tables(attributes):
    left, lines = list(attributes), []
    for title, belongs in GROUPS:
        rows, left = [row for row in left if belongs(row["name"])], [row for row in left if not belongs(row["name"])]
        if rows:
            lines += ["", f"### {title}", "", "| attribute | default | meaning |", "|---|---|---|"]
            lines += [f"| `{row['name']}` | {cell(row['default'] if row['default'] is not None else '')} "
                      f"| {cell(row['help'])} |" for row in rows]
    return lines


def page_of(model, program):
    """The page; the model's example is run in the program's database."""
    train, use = example_of(model.name, model.kind, model.tasks[0])
    program.run("DROP TABLE IF EXISTS m", "table")
    attributes = json.loads(program.run(f"SHOW ATTRIBUTES FOR {model.name}", "json"))
    title, guide = model.guide
    lines = [f"# {model.name}", "", f"{model.what} For {' and '.join(model.tasks)}. Guide: [{title.lower()}](../{guide})."]
    if model.other_names:
        lines += ["", f"Also called {', '.join(f'`{name}`' for name in model.other_names)}."]
    for statement in filter(None, (train, use)):
        lines += ["", "```sql", f"{statement};", "```", "", "```", program.run(statement, "table").rstrip(), "```"]
    lines += ["", "## Attributes", "", f"`SHOW ATTRIBUTES FOR {model.name}` lists them at the prompt."]
    lines += attribute_tables(attributes)
    if model.fixed:
        fixed = ", ".join(f"`{name}`" for name in model.fixed.split(", "))
        lines += ["", f"Fixed, so that they cannot be set: {fixed}."]
    return "\n".join(lines) + "\n"


def write_pages(pages, program):
    """Writes them; the part of the navigation that lists them, by guide."""
    for table in TABLES:
        program.run(f".import {ROOT}/examples/data/{table}.csv {table}", "table")
    groups = {}
    (pages / "models").mkdir()
    for model in models():
        (pages / model.page).write_text(page_of(model, program))
        groups.setdefault(model.guide[0], []).append({model.name: model.page})
    return [{title: entries} for title, entries in groups.items()]
