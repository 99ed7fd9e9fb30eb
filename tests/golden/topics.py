"""Topics: files of golden tests that read from top to bottom, each statement with its answer behind it.

    Arguments of BUCKET, and what is wrong with them.       what the topic is about

    === tables                                              how the database looks for the statements
    query: a REAL 150 reals; y INTEGER 150 integers         (tests/unit/described_catalog.h)

    === error_bucket_empty                                  a name, once in all topics
    SELECT * FROM t TO TRAIN ... COLUMN BUCKET(a, []) ...;
    --- error                                               which answer it is, then its text
    ERROR:  BUCKET accepts from 1 to 999 bounds, not 0

    === bucket_of_ages, like train_iris: a bucket a decade  what differs from another's answer (plan_differences.py), a remark

An empty line before "===" belongs to no text. Tables hold until there are others.
"""
import pathlib
import re

HEAD = re.compile(r"=== ([a-z][a-z0-9_]*)(?:, like ([a-z][a-z0-9_]*))?(?:: (\S.*))?")
TABLES = "tables"


class Wrong(Exception):
    """A topic that cannot be read, or a name that is not there."""


class Case:
    """A statement, the tables it finds, and its answers by name: as they are written, so differences where it is
    like another."""

    def __init__(self, name, like=None, remark=None, tables="", statement="", answers=None):
        self.name, self.like, self.remark, self.tables, self.statement = name, like, remark, tables, statement
        self.answers = answers or {}

    def head(self):
        return "=== " + self.name + (f", like {self.like}" if self.like else "") + (
            f": {self.remark}" if self.remark else "") + "\n"

    def text(self):
        return self.head() + self.statement + "".join(f"--- {name}\n{text}" for name, text in self.answers.items())


class Topic:
    def __init__(self, path, about, cases):
        self.path, self.about, self.cases = path, about, cases

    def text(self):
        parts, tables = [self.about], ""
        for case in self.cases:
            if case.tables != tables:
                tables = case.tables
                parts.append(f"=== {TABLES}\n{tables}")
            parts.append(case.text())
        return "\n".join(parts)


def sections(text):
    """The text before the first "===", and (line, text behind it) of each."""
    parts = re.split(r"^(=== .*)\n", text, flags=re.MULTILINE)
    for i in range(0, len(parts) - 1, 2):
        if not parts[i].endswith("\n\n"):
            raise Wrong(f"no empty line before {parts[i + 1]}")
        parts[i] = parts[i][:-1]
    return parts[0], list(zip(parts[1::2], parts[2::2]))


def read_answers(case, text, known):
    case.statement, *answers = re.split(r"^--- (.*)\n", text, flags=re.MULTILINE)
    for name, answer in zip(answers[::2], answers[1::2]):
        if name not in known or name in case.answers:
            raise Wrong(f"{case.name} has two answers {name}" if name in known else
                        f"{case.name} has an answer {name}; there are {', '.join(known)}")
        case.answers[name] = answer


def read(path, known):
    """known: the names of answers."""
    try:
        about, parts = sections(path.read_bytes().decode(errors="surrogateescape"))
        topic, tables = Topic(path, about, []), ""
        for line, text in parts:
            head = HEAD.fullmatch(line)
            if not head:
                raise Wrong(f"cannot read {line}")
            if head[1] == TABLES:
                tables = text
                continue
            case = Case(*head.groups(), tables)
            read_answers(case, text, known)
            topic.cases.append(case)
    except Wrong as wrong:
        raise Wrong(f"{path.name}: {wrong}") from None
    return topic


def write(topic):
    topic.path.write_bytes(topic.text().encode(errors="surrogateescape"))


class Collection:
    """The topics of a folder. `known`: which answers there may be; the first is that of a statement that gives none."""

    def __init__(self, folder, known):
        self.answers = known
        self.topics = [read(path, known) for path in sorted(pathlib.Path(folder).glob("*.txt"))]
        self.cases = {}
        for topic in self.topics:
            for case in topic.cases:
                if case.name in self.cases:
                    raise Wrong(f"{topic.path.name}: there is another {case.name}")
                self.cases[case.name] = case
        for name in self.cases:
            self.followed(name)

    def followed(self, name):
        """Its name, that of the statement which it is like, and so on."""
        names = []
        while name:
            if name not in self.cases:
                raise Wrong(f"{names[-1]} is like {name}, which there is not")
            if name in names:
                raise Wrong(f"{name} is like itself")
            names.append(name)
            name = self.cases[name].like
        return names

    def chosen(self, names):
        """[(topic, cases)] of those whose name, or whose topic's, is among the names; all where there are none."""
        for name in names:
            if name not in self.cases and name not in [topic.path.stem for topic in self.topics]:
                raise Wrong(f"there is neither a topic nor a statement {name}")
        found = [(topic, [case for case in topic.cases
                          if not names or topic.path.stem in names or case.name in names]) for topic in self.topics]
        return [(topic, cases) for topic, cases in found if cases]

    def whole(self, name):
        """The answers as the program prints them."""
        return self.cases[name].answers

    def reduced(self, case, found):
        """The answers as the topic has them."""
        return found

    def is_same(self, case, answer, wanted, found):
        return found == wanted

    def update(self, found):
        """Statements have other answers."""
        for name, answers in found.items():
            self.cases[name].answers = answers
