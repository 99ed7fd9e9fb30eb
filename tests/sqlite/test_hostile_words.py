"""Words, texts and crosses of each kind of model with each column function, as SQL and C: rows with words that break
readers, and numbers far away.
"""

import os

import harness
from formula_case import FormulaCase, words


class HostileWords(FormulaCase):
    def test_hostile_rows_of_each_kind_with_each_function(self):
        """A sample; with TOTRAIN_HOSTILE_WORDS, as in `make test-full`, all of them, on so many rows each."""
        every = int(os.environ.get("TOTRAIN_HOSTILE_WORDS", "0"))
        counts = (every // 20 or 30, every or 500)
        plain = self.word_tables(list(words.hostile(counts[1], 7)))
        both = [(kind, form) for kind in words.KINDS for form in words.FORMS]
        for i, (kind, form) in enumerate(both if every else both[::20]):
            with self.subTest(kind=kind, form=form):
                self.run_all(words.form_statement(kind, form, f"m{i}"))
                self.check_word_model(f"m{i}", kind[-1], plain, counts)


if __name__ == "__main__":
    harness.main()
