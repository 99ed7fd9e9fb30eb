"""Runs cells of a notebook in IPython, in a folder with the database shop.db, and writes the cells with what they show to
standard output, as HTML. The tools' Python runs it, with the package for Python in its path.
"""

import contextlib
import html
import io
import re

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

CELLS = ("%load_ext totrain\n%totrain shop.db",
         "%%totrain\nSELECT * FROM customers TO TRAIN XGBClassifier \nWITH max_depth = 3 LABEL churned INTO noted",
         "%%totrain\nSELECT * FROM customers WHERE id <= 3 TO PREDICT guess USING noted",
         'import totrain, totrain.picture\n'
         'model = totrain.Model(totrain.connect("shop.db"), "noted")\n'
         'totrain.picture.importance(model, "SELECT * FROM customers")')
shown = {}  # by the display's id, as a display that is updated shows its last state


class Publisher(DisplayPublisher):
    def publish(self, data, metadata=None, *, transient=None, update=False, **options):
        shown[(transient or {}).get("display_id", f"display {len(shown)}")] = data


class Hook(DisplayHook):
    def write_output_prompt(self):
        """The page numbers the cells."""

    def write_format_data(self, format_dict, md_dict=None):
        shown[f"result {len(shown)}"] = format_dict


def output_of(data):
    if "text/html" in data:
        return data["text/html"]
    text = re.sub(r"\x1b\[[0-9;]*m", "", data.get("text/plain", ""))
    return f"<pre>{html.escape(text)}</pre>" if text.strip() else ""


def main():
    shell = InteractiveShell.instance(display_pub_class=Publisher, displayhook_class=Hook, history_manager=None)
    for number, cell in enumerate(CELLS, 1):
        shown.clear()
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            shell.run_cell(cell).raise_error()
        if said.getvalue().strip():
            shown["said"] = {"text/plain": said.getvalue()}
        outputs = "\n".join(f'<div class="output">{output_of(data)}</div>' for data in shown.values() if output_of(data))
        print(f'<div class="cell"><span class="number">[{number}]</span><pre class="code">{html.escape(cell)}</pre>\n'
              f"{outputs}</div>")


main()
