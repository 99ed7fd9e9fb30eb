"""The topics of plans: a statement has an error, or a plan and, where it makes a job, the job's spec.

    plan_topics.py OUT     writes each job spec as OUT/NAME.job.json: the fuzzer of job specs begins with them
"""
import json
import pathlib
import sys

import job_specs
import plan_differences
import topics

FOLDER = pathlib.Path(__file__).resolve().parent / "plan"


class Plans(topics.Collection):
    """All of them, and the whole answers of their statements."""

    def __init__(self, folder=FOLDER):
        super().__init__(folder, ("plan", "job", "error"))
        self.known = {}

    def whole(self, name):
        """The answers as the program prints them, members of a job spec that is like another in any order."""
        if name not in self.known:
            case = self.cases[name]
            others = self.whole(case.like) if case.like else {}
            self.known[name] = {answer: self.whole_of(case, answer, text, others.get(answer))
                                for answer, text in case.answers.items()}
        return self.known[name]

    @staticmethod
    def whole_of(case, answer, text, other):
        try:
            if answer == "job":
                return job_specs.whole(text, case.statement, other)
            return plan_differences.whole(text, other) if answer == "plan" else text
        except ValueError as error:
            raise topics.Wrong(f"{case.name}: {answer}: {error}") from None

    def reduced(self, case, found):
        others = self.whole(case.like) if case.like else {}
        reduced = dict(found)
        if "plan" in found:
            reduced["plan"] = plan_differences.reduced(found["plan"], others.get("plan"))
        if "job" in found:
            reduced["job"] = job_specs.reduced(found["job"], case.statement, others.get("job"))
        return reduced

    def is_same(self, case, answer, wanted, found):
        if answer == "job" and case.like and "job" in self.whole(case.like):
            return job_specs.is_same(json.loads(found), json.loads(wanted))
        return found == wanted

    def update(self, found):
        """Statements have other answers: those of statements that are like them are said anew, and where nothing was
        said yet, or can be, another is chosen that it is like."""
        self.known = {name: found.get(name, self.whole(name)) for name in self.cases}
        for name, case in sorted(self.cases.items(), key=lambda item: len(self.followed(item[0]))):
            self.say(case, self.known[name])

    def say(self, case, found):
        if not case.answers and not case.like:
            case.like = self.nearest(case)
        try:
            case.answers = self.reduced(case, found)
        except ValueError:
            case.like = self.nearest(case)
            case.answers = self.reduced(case, found)
        del self.known[case.name]  # others are like what is said: members of a job spec in its order

    def nearest(self, case):
        """The statement with the least difference, among those that others are like already."""
        def size(like):
            return len(topics.Case(case.name, like, answers=self.tried(case, like)).text())
        liked = sorted({other.like for other in self.cases.values() if other.like} - {case.name})
        return min([None] + [like for like in liked if case.name not in self.followed(like)
                             and self.tried(case, like) is not None], key=size)

    def tried(self, case, like):
        try:
            return self.reduced(topics.Case(case.name, like, statement=case.statement), self.known[case.name])
        except ValueError:
            return None

    def jobs(self):
        """{name: text} of all job specs."""
        return {name: self.whole(name)["job"] for name, case in self.cases.items() if "job" in case.answers}


def main():
    for name, job in Plans().jobs().items():
        (pathlib.Path(sys.argv[1]) / f"{name}.job.json").write_text(job)


if __name__ == "__main__":
    main()
