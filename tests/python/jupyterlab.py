"""JupyterLab in a real Chromium: a cell trains under one's eyes, its stop button ends it, and the old model predicts.

Run by run_jupyterlab, in an environment with the wheel and JupyterLab. Screenshots go into the folder that the first
word names; what was measured is printed and not judged, as it depends on the machine.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import nbformat

from browser import Page, first_match

DATA = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data"
SHOTS = pathlib.Path(sys.argv.pop(1))
CELLS = [
    "%load_ext totrain\n%totrain iris.db",
    "import pandas, totrain\ndatabase = totrain.connect('iris.db')\n"
    "pandas.read_csv('iris.csv').to_sql('iris', database, index=False)",
    "%%totrain\nSELECT * FROM iris TO TRAIN DNNClassifier WITH test_size = 0.2 LABEL class INTO m",
    "%%totrain\nSELECT * FROM iris TO TRAIN DNNClassifier WITH epochs = 1000000, batch_size = 1 LABEL class INTO m",
    "%%totrain\nSELECT * FROM iris LIMIT 3 TO PREDICT guess USING m",
    "totrain.picture.confusion(totrain.Model(database, 'm'), 'iris')",
    "%%totrain\nSELECT * FROM iris TO TRAIN LinearClassifier LABEL klass INTO m",
]


class JupyterLab(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="totrain-lab."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copy(DATA / "iris.csv", self.folder)
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(notebook, self.folder / "first.ipynb")
        self.address = self.start_lab()
        self.page = Page()
        self.addCleanup(self.page.close)

    def start_lab(self):
        own = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_RUNTIME_DIR": "runtime", "TOTRAIN_STATE": "state"}
        lab = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.port=0",
             "--IdentityProvider.token=t", f"--ServerApp.root_dir={self.folder}"], stderr=subprocess.PIPE, text=True,
            env={**os.environ, **{name: str(self.folder / place) for name, place in own.items()}})
        self.addCleanup(lab.wait)
        self.addCleanup(lab.terminate)
        port = first_match(lab.stderr, r"http://(?:localhost|127\.0\.0\.1):(\d+)/")
        return f"http://127.0.0.1:{port}/lab/tree/first.ipynb?token=t"

    def cell(self, number):
        return f"document.querySelectorAll('.jp-Notebook .jp-CodeCell')[{number}]"

    def output(self, number):
        return f"({self.cell(number)}.querySelector('.jp-OutputArea') || {{}}).innerText || ''"

    def run_cell(self, number):
        self.page.click(f"{self.cell(number)}.querySelector('.cm-content')")
        self.page.press_control_enter()

    def wait_for_output(self, number, text):
        self.page.wait_for(f"({self.output(number)}).includes({text!r})", f"{text} of cell {number}")

    def save(self, name):
        self.page.save_screenshot(SHOTS / f"{name}.png")

    def test_the_stop_button_ends_a_training_that_is_shown(self):
        self.page.open(self.address)
        self.page.wait_for(f"document.querySelectorAll('.jp-Notebook .jp-CodeCell').length >= {len(CELLS)}", "the notebook")
        self.page.wait_for("!!document.querySelector('.jp-Notebook-ExecutionIndicator[data-status=idle]')", "the kernel")
        for number, expected in ((0, "iris.db"), (1, "150"), (2, "Accuracy")):
            self.run_cell(number)
            self.wait_for_output(number, expected)
        self.save("trained")
        self.watch_a_training()
        self.stop_it()
        self.run_cell(4)
        self.wait_for_output(4, "guess")
        self.run_cell(5)
        self.page.wait_for(f"!!{self.cell(5)}.querySelector('.jp-OutputArea svg')", "the picture")
        self.save("picture")
        self.run_cell(6)
        self.wait_for_output(6, "HINT")
        self.assertNotIn("Traceback", self.page.value(self.output(6)))
        self.save("error")

    def watch_a_training(self):
        began = time.monotonic()
        self.run_cell(3)
        self.page.wait_for(f"({self.output(3)}).length > 3", "the first output")
        print(f"measured: first output after {time.monotonic() - began:.2f} s", flush=True)
        self.wait_for_output(3, "step")
        self.page.wait_for(f"!!{self.cell(3)}.querySelector('.jp-OutputArea svg path')", "the curve")
        self.page.value("window.updates = []; new MutationObserver(() => window.updates.push(performance.now())).observe("
                        f"{self.cell(3)}.querySelector('.jp-OutputArea'), {{childList: true, subtree: true}}); 1")
        times = self.page.wait_for("window.updates.length > 40 && window.updates", "forty updates")
        gaps = [after - before for before, after in zip(times, times[1:])]
        print(f"measured: updates at most {max(gaps):.0f} ms apart", flush=True)
        self.save("training")

    def stop_it(self):
        began = time.monotonic()
        self.page.click("document.querySelector('[data-jp-item-name=interrupt] jp-button, "
                        "[data-jp-item-name=interrupt] button')")
        self.wait_for_output(3, "interrupted")
        print(f"measured: interrupted after {time.monotonic() - began:.2f} s", flush=True)


unittest.main(verbosity=2)
