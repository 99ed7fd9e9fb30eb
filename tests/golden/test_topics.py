"""Topics hold what a program answers, and no less than all of it."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

import cases
import plan_differences
import plan_topics
import topics


def plan(model="m", layers="4 inputs", settings=(), defaults=("a.x = 1", "a.y = 2, 3", "b.z = none"), end=("where",)):
    lines = [("model", model), ("layers", layers), *settings, ("defaults", ", ".join(defaults))]
    return "".join(f"{name:38}{text}\n" for name, text in [*lines, *((name, "here") for name in end)])


def job(name="m", epochs=1, statement="TRAIN m"):
    return f'{{"name": "{name}", "statement": "{statement}", "training": {{"epochs": {epochs}, "seed": 0}}}}\n'


def base_text(answer="", name="base"):
    return f"About.\n\n=== tables\nquery: a REAL\n\n=== {name}\nTRAIN m;\n{answer}"


FOUND = {
    "base": {"plan": plan(), "job": job()},
    "other": {"plan": plan(layers="5 inputs", settings=[("a.x", "7")], defaults=("a.y = 2, 3", "b.z = none")),
              "job": job(epochs=9, statement="TRAIN other")},
    "wrong": {"error": "ERROR:  no\n"},
}
WRITTEN = f"""About.

=== tables
query: a REAL

=== base
TRAIN m;
--- plan
{"model":38}m
{"layers":38}4 inputs
defaults
    a.x = 1
    a.y = 2, 3
    b.z = none
{"where":38}here
--- job
{job()}
=== other, like base: what it is for
TRAIN other;
--- plan
{"layers":38}5 inputs
{"a.x":38}7
--- job
{{
  "training": {{
    "epochs": 9
  }}
}}

=== wrong
TRAIN;
--- error
ERROR:  no
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write(WRITTEN)

    def write(self, text, name="one"):
        (self.folder / f"{name}.txt").write_text(text)

    def check(self, found, *names, options=()):
        """The text that is printed, and the number of statements that are wrong."""
        def examine(_, chosen):
            for case in chosen:
                yield dict(found[case.name]), []
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            count, wrong = cases.check(plan_topics.Plans(self.folder), examine, options, names)
        self.assertGreater(count, 0)
        return printed.getvalue(), wrong

    def changed(self, name, **answers):
        return {**FOUND, name: {answer: text for answer, text in {**FOUND[name], **answers}.items() if text}}


class Answers(Folder):
    def test_what_the_topic_says_is_right(self):
        self.assertEqual(self.check(FOUND), ("", 0))

    def test_any_other_byte_is_wrong(self):
        for name, answers in FOUND.items():
            for answer, text in answers.items():
                for place in range(len(text)):
                    other = text[:place] + ("\n" if text[place] == "~" else "~") + text[place + 1:]
                    if answer == "job":
                        other = text.replace('"seed": 0', '"seed": 0.0') if place else text.replace('"seed": 0', "")
                        other = other if place else other.replace(", }", "}")
                    with self.subTest(name=name, answer=answer, place=place):
                        self.assertEqual(self.check(self.changed(name, **{answer: other}))[1], 1)

    def test_an_answer_that_is_gone_or_new_is_wrong(self):
        for name, answer, text in (("base", "job", None), ("other", "job", None), ("wrong", "error", None),
                                   ("other", "plan", None), ("base", "error", "ERROR:  x\n"), ("wrong", "job", job())):
            with self.subTest(name=name, answer=answer):
                self.assertEqual(self.check(self.changed(name, **{answer: text}))[1], 1)

    def test_a_default_that_changes_is_wrong_in_all_statements_that_have_it(self):
        found = {**FOUND, "base": {**FOUND["base"], "plan": plan(defaults=("a.x = 1", "a.y = 2, 3", "b.z = 5"))},
                 "other": {**FOUND["other"], "plan": plan(layers="5 inputs", settings=[("a.x", "7")],
                                                          defaults=("a.y = 2, 3", "b.z = 5"))}}
        self.assertEqual(self.check(found)[1], 2)
        printed, _ = self.check(found, options=["--write"])
        self.assertIn("-    b.z = none\n+    b.z = 5\n", printed)
        self.assertIn("1 statements have changed", printed)
        self.assertEqual((self.folder / "one.txt").read_text(), WRITTEN.replace("    b.z = none", "    b.z = 5"))
        self.assertEqual(self.check(found), ("", 0))

    def test_a_base_that_changes_alone_leaves_the_others_what_they_say(self):
        found = self.changed("base", plan=plan(end=("where", "when")))
        self.check(found, "base", options=["--write"])
        self.assertIn("without when\n", (self.folder / "one.txt").read_text())
        self.assertEqual(self.check(found), ("", 0))

    def test_more_than_has_to_be_said_is_wrong(self):
        self.write(WRITTEN.replace(f"{'layers':38}5", f"{'model':38}m\n{'layers':38}5"))
        printed, wrong = self.check(FOUND)
        self.assertEqual(wrong, 1)
        self.assertIn("says what it need not", printed)

    def test_a_statement_without_an_answer_is_wrong_until_it_is_written(self):
        self.write(WRITTEN.replace("--- error\nERROR:  no\n", "") + "\n=== new\nTRAIN new;\n")
        found = {**FOUND, "new": {**FOUND["other"], "job": job(epochs=9, statement="TRAIN new")}}
        printed, wrong = self.check(found)
        self.assertEqual(wrong, 2)
        self.assertIn("it has no answer", printed)
        self.check(found, options=["--write"])
        self.assertEqual(self.check(found), ("", 0))
        self.assertIn("=== new, like base\nTRAIN new;\n--- plan\n", (self.folder / "one.txt").read_text())

    def test_a_statement_that_is_another_one_afterwards_is_like_no_training(self):
        found = self.changed("other", plan="SELECT 1;\n", job=None)
        self.check(found, options=["--write"])
        self.assertIn("=== other: what it is for\nTRAIN other;\n--- plan\nSELECT 1;\n",
                      (self.folder / "one.txt").read_text())

    def test_one_statement_or_one_topic_is_chosen(self):
        self.write(base_text("--- error\nx\n", "away"), "two")
        found = {**FOUND, "away": {"error": "x\n"}, "wrong": {"error": "ERROR:  new\n"}}
        for names, wrong in (((), 1), (("one",), 1), (("two",), 0), (("other", "base"), 0), (("wrong", "two"), 1)):
            self.assertEqual(self.check(found, *names)[1], wrong, names)
        self.check(found, "other", options=["--write"])
        self.assertEqual((self.folder / "one.txt").read_text(), WRITTEN)
        with self.assertRaisesRegex(topics.Wrong, "neither a topic nor a statement none"):
            self.check(found, "none")
        self.assertIn("=== other\nTRAIN other;\n--- plan\n" + FOUND["other"]["plan"],
                      self.check(found, "other", options=["--show"])[0])


class Reading(Folder):
    def test_what_cannot_be_read_is_named(self):
        for text, problem in (
                (base_text("--- plam\nx\n"), "base has an answer plam; there are plan, job, error"),
                (base_text("--- error\nx\n--- error\nx\n"), "base has two answers error"),
                (base_text("--- error\nx\n", "base, like nobody"), "base is like nobody, which there is not"),
                (base_text("--- error\nx\n", "base, like base"), "base is like itself"),
                (base_text("--- error\nx\n", "Base"), "cannot read === Base"),
                (base_text("--- error\nx\n=== more\n"), "no empty line before === more"),
                (base_text("--- plan\nx\n") + "\n" + base_text().split("\n\n")[2], "there is another base")):
            with self.subTest(problem=problem), self.assertRaisesRegex(topics.Wrong, problem):
                self.write(text)
                plan_topics.Plans(self.folder)

    def test_a_name_is_there_once_in_all_topics(self):
        self.write(base_text("--- error\nx\n"), "two")
        with self.assertRaisesRegex(topics.Wrong, "two.txt: there is another base"):
            plan_topics.Plans(self.folder)

    def test_what_is_made_whole_is_said_in_the_same_words(self):
        plans = plan_topics.Plans()
        for name, case in plans.cases.items():
            self.assertEqual(plans.reduced(case, plans.whole(name)), case.answers, name)

    def test_what_is_read_is_written_again(self):
        for topic in plan_topics.Plans().topics:
            self.assertEqual(topic.text(), topic.path.read_text(), topic.path)


class Differences(unittest.TestCase):
    def test_what_is_left_out_comes_from_the_other(self):
        other = plan()
        for one, said in (
                (plan(), ""),
                (plan(settings=[("a.y", "7")]), f"{'a.y':38}7\ndefaults\n    behind a.x\n    a.y = 2, 3\n"),
                (plan(defaults=("a.w = 0", "a.x = 1", "b.z = none")), None),
                (plan(defaults=("a.x = 1", "a.xx = 0", "a.y = 2, 3", "b.z = none")),
                 "defaults\n    behind a.x\n    a.xx = 0\n"),
                (plan(end=("what", "where")), f"behind defaults\n{'what':38}here\n"),
                (plan(end=()), "without where\n"),
                (plan(settings=[("input a", "x"), ("input b", "y")]), f"{'input a':38}x\n{'input b':38}y\n")):
            with self.subTest(said=said):
                if said is None:
                    self.assertRaises(ValueError, plan_differences.reduced, one, other)
                else:
                    self.assertEqual(plan_differences.reduced(one, other), said)
                    self.assertEqual(plan_differences.whole(said, other), one)

    def test_another_order_cannot_be_said(self):
        with self.assertRaises(ValueError):
            plan_differences.reduced(plan(defaults=("a.y = 2, 3", "a.x = 1", "b.z = none")), plan())

    def test_what_names_nothing_of_the_other_is_wrong(self):
        for text in ("without layer\n", f"behind layer\n{'what':38}here\n", "defaults\n    without a.z\n"):
            with self.subTest(text=text), self.assertRaises(ValueError):
                plan_differences.whole(text, plan())


if __name__ == "__main__":
    sys.exit(unittest.main())
