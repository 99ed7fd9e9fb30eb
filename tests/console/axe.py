"""axe-core over each page of the console, light and dark: nothing of any impact is found. Run by run_axe."""

import json
import pathlib
import sys

import chromium
import test_page

SCRIPT = pathlib.Path(sys.argv.pop()).read_text(encoding="utf-8")


class Pages(test_page.Case):
    def check(self, page, view, heading):
        page.value(f"location.hash = '#{view}'")
        page.wait_for(f"document.getElementById('{heading}').offsetParent", view)
        found = page.value("axe.run(document).then((result) => JSON.stringify(result.violations.map((one) => "
                           "[one.id, one.impact, one.nodes[0].html])))")
        self.assertEqual(json.loads(found), [], view)

    def test_nothing_is_found(self):
        self.train()
        console = self.console()
        for theme in ("light", "dark"):
            page = chromium.Page(theme=theme)
            self.addCleanup(page.close)
            page.open(console.address)
            page.wait_for("document.getElementById('state')?.textContent === 'Live'", "the page")
            page.value(f"{SCRIPT}; 0")
            for view, heading in (("jobs", "jobs-title"), ("job/1", "job-title"), ("models", "models-title"), ("model/m", "model-title")):
                self.check(page, view, heading)


if __name__ == "__main__":
    test_page.harness.main()
