"""Pictures and a report in Debian's Chromium, where that is installed: words lie beside each other and within their
picture, no page is wider than a telephone, and paper has room for each table.

    TOTRAIN_BUILD=build/release /usr/bin/python3 tests/console/test_looks.py
"""

import json
import pathlib
import unittest

import chromium

PICTURES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "pictures"
REPORT = PICTURES / "report.html"
PAPER = 718  # A4 with its margins, in pixels

# Pairs of texts of a picture of which one covers the other, and texts that leave the picture.
WRONG_TEXTS = """(() => {
  const wrong = [];
  for (const svg of document.querySelectorAll('svg')) {
    const edge = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
    texts.forEach(([words, box], number) => {
      if (box.left < edge.left || box.right > edge.right || box.top < edge.top || box.bottom > edge.bottom)
        wrong.push(words + ' leaves the picture');
      for (const [others, other] of texts.slice(number + 1))
        if (Math.min(box.right, other.right) - Math.max(box.left, other.left) > 1 &&
            Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 3)
          wrong.push(words + ' covers ' + others);
    });
  }
  return JSON.stringify(wrong);
})()"""

# Cells whose one short word needs several lines; dates may break at their hyphens.
BROKEN_WORDS = """JSON.stringify([...document.querySelectorAll('td, th')].filter((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return cell.textContent.length <= 30 && /^[\\w.()]+$/.test(cell.textContent) && range.getClientRects().length > 1;
}).map((cell) => cell.textContent))"""

TOO_WIDE = """JSON.stringify([...document.querySelectorAll('table')].filter((table) => table.getBoundingClientRect().right > innerWidth)
  .map((table) => table.textContent.slice(0, 60)))"""


@unittest.skipUnless(chromium.is_there(), "chromium is not installed")
class Looks(unittest.TestCase):
    def setUp(self):
        self.page = chromium.Page()
        self.addCleanup(self.page.close)

    def open(self, path):
        self.page.open(path.as_uri())
        self.page.wait_for(f"location.href === {json.dumps(path.as_uri())} && document.readyState === 'complete'", path.name)

    def found(self, expression):
        return json.loads(self.page.value(expression))

    def open_details(self):
        self.page.value("document.querySelectorAll('details').forEach((part) => { part.open = true; })")

    def test_words_of_pictures_lie_beside_each_other(self):
        for path in sorted(PICTURES.glob("*.svg")):
            with self.subTest(path.name):
                self.open(path)
                self.assertEqual(self.found(WRONG_TEXTS), [])

    def test_a_report_fits_a_screen_a_telephone_and_paper(self):
        self.open(REPORT)
        self.open_details()
        self.assertEqual((self.found(WRONG_TEXTS), self.found(BROKEN_WORDS), self.found(TOO_WIDE)), ([], [], []))
        self.page.resize(390, 844)
        self.assertLessEqual(self.page.value("document.documentElement.scrollWidth"), 390)
        self.assertEqual(self.found(BROKEN_WORDS), [])
        self.page.resize(PAPER, 1000)
        self.page.call("Emulation.setEmulatedMedia", media="print")
        self.assertEqual((self.found(BROKEN_WORDS), self.found(TOO_WIDE)), ([], []))


if __name__ == "__main__":
    unittest.main(verbosity=2)
