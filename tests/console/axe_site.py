"""axe-core over pages of the site, at two widths, light and dark, and its search without a server. Run by run_axe."""

import json
import pathlib
import sys
import unittest

import chromium

SCRIPT = pathlib.Path(sys.argv.pop()).read_text(encoding="utf-8")
SITE = pathlib.Path(sys.argv.pop()).resolve()

PAGES = ("index.html", "tutorial.html", "start/pictures.html", "start/which-model.html", "tasks/explain.html", "from/scikit-learn.html",
         "language.html", "models/xgbclassifier.html", "security.html", "decisions/index.html")
SERIOUS = ("serious", "critical")


class Site(unittest.TestCase):
    def page(self, width, theme):
        page = chromium.Page(width=width, theme=theme)
        self.addCleanup(page.close)
        return page

    def open(self, page, name):
        address = (SITE / name).as_uri()
        page.open(address)
        page.wait_for(f"location.href === {json.dumps(address)} && document.readyState === 'complete'", name)

    def test_nothing_serious_is_found(self):
        for theme in ("light", "dark"):
            for width in (1280, 400):
                page = self.page(width, theme)
                for name in PAGES:
                    with self.subTest(name, width=width, theme=theme):
                        self.open(page, name)
                        page.value(f"{SCRIPT}; 0")
                        found = page.value("axe.run(document, { preload: false }).then((result) => JSON.stringify(result.violations.map((one) => "
                                           "[one.impact, one.id, one.nodes.map((node) => node.html.slice(0, 120) + (node.any[0]?.message || ''))])))")
                        self.assertEqual([one for one in json.loads(found) if one[0] in SERIOUS], [])
                        self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)
                self.assertEqual(page.problems(), [])

    def test_search_finds_a_page_without_a_server(self):
        page = self.page(1280, "light")
        self.open(page, "index.html")
        page.value("document.querySelector('.md-search__input').focus()")
        page.type("threshold")
        page.wait_for("[...document.querySelectorAll('.md-search-result__link')].some((link) => link.href.includes('tasks/threshold.html'))",
                      "the page about thresholds")


if __name__ == "__main__":
    unittest.main()
