"""Plan every statement of the topics, and compare.

    run_plan.py PROGRAM FOLDER [--write | --show] [TOPIC | NAME]...      (cases.py)

The plan is EXPLAIN's text, or PREDICT's SQL; the job spec is that of a statement that makes a job; an error is what a
person sees.
"""
import re
import sys

import cases
import plan_topics


def answers_of(printed):
    """{name: ({answer: text}, exit code)} of what the program printed."""
    parts = re.split(r"^=== (.*)\n", printed, flags=re.MULTILINE)[1:]
    found = {}
    for name, text in zip(parts[::2], parts[1::2]):
        answers = re.split(r"^--- (.*)\n", text, flags=re.MULTILINE)[1:]
        found[name] = dict(zip(answers[::2], answers[1::2]))
    return found


def main():
    program = sys.argv[1]

    def examine(topic, chosen):
        names = [case.name for case in chosen] if len(chosen) < len(topic.cases) else []
        printed, error, code = cases.run(program, topic.path, *names)
        found = answers_of(printed)
        for case in chosen:
            answers = found.get(case.name, {})
            ended = answers.pop("exit", "").strip()
            if not ended:
                yield answers, [f"the program ended with {code} and said:", error]
            else:
                yield answers, cases.problems_of_exit(int(ended), answers.get("error", ""))
    return cases.main(plan_topics.Plans, examine)


if __name__ == "__main__":
    sys.exit(main())
