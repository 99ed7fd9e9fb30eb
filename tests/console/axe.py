"""axe-core over each page of the console and a report, at two widths, light and dark: nothing of any impact is found. Run
by run_axe."""

import itertools
import json
import pathlib
import sys

import chromium
import test_page

SCRIPT = pathlib.Path(sys.argv.pop()).read_text(encoding="utf-8")


class Pages(test_page.Case):
    def check_view(self, page, view, heading):
        page.value(f"location.hash = '#{view}'")
        page.wait_for(f"document.getElementById('{heading}').offsetParent", view)
        self.check(page, view)

    def check(self, page, view):
        found = page.value("axe.run(document).then((result) => JSON.stringify(result.violations.map((one) => "
                           "[one.id, one.impact, one.nodes[0].html])))")
        self.assertEqual(json.loads(found), [], view)

    def test_nothing_is_found(self):
        self.train()
        console = self.console()
        for theme, width in itertools.product(("light", "dark"), (1280, 390)):
            page = chromium.Page(width=width, theme=theme)
            self.addCleanup(page.close)
            page.open(console.address)
            page.wait_for("document.getElementById('state')?.textContent === 'Live'", "the page")
            page.value(f"{SCRIPT}; 0")
            for view, heading in (("jobs", "jobs-title"), ("job/1", "job-title"), ("models", "models-title"), ("model/m", "model-title")):
                with self.subTest(view, theme=theme, width=width):
                    self.check_view(page, view, heading)
                    self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)

    def test_nothing_is_found_in_a_report(self):
        self.train()
        report = self.folder / "card.html"
        self.assertEqual(self.run_program("report", self.path, "m", "-o", str(report)).returncode, 0)
        for theme in ("light", "dark"):
            for width in (1280, 400):
                page = chromium.Page(width=width, theme=theme)
                self.addCleanup(page.close)
                page.open(report.as_uri())
                page.wait_for("document.querySelector('#origin')", "the report")
                page.value(f"{SCRIPT}; 0")
                page.value("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
                self.check(page, f"report, {theme}, {width}")
                self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)


if __name__ == "__main__":
    test_page.harness.main()
