"""Causes of unsteadiness in a test in Python, found in its text: tidy.py reports them for all files below tests.

- A value that changes by itself is read once, after something was done to a process. A test that kills one, or sees
  it end, knows nothing yet of the reaction of others: a job's state, a row of its events, a line of its log come a
  moment later, on a busy machine two. Such a value is waited for (waiting.eventually, wait_for), unless its writer
  has ended, or stands still: then the line, or the one before it, says so: "# settled: WHY".
- A pause. It is too short on a busy machine, and makes all others wait. What it is to wait for is waited for.
"""

import ast
import re

# Done to a process, or seen of one; so is every call that is given a signal.
DISTURBING = {"kill", "killpg", "send_signal", "terminate", "stop", "wait", "communicate"}
DISTURBING_SQL = re.compile(r"\bpg_(terminate|cancel)_backend\b")
# When these have returned, who writes of the job has ended, too. Each function that calls one of them is such a one.
SETTLING = {"end", "ends", "end_everything", "check_nothing_runs"}
SETTLING_WITH_JOB = {"check_same"}  # from tests/cluster/job.py: others of that name compare tables
READING = {"execute", "query", "run_all", "check"}
CHANGING_SQL = re.compile(
    r"\btotrain[._](jobs|events|workers|servers|shards|statistics)\b|\bpg_(stat_activity|locks|prepared_xacts)\b|"
    r"\bFROM (jobs?|events|claim|checkpoints?|workers|servers|batches|shards|journal)\b")
READING_ALL = {"log", "jobs"}  # without arguments: what somebody else writes
WAITING = {"eventually", "wait_for", "wait_for_state"}
SETTLED = re.compile(r"# settled: \w")
# One that lasts until it is cancelled takes 600 seconds.
PAUSE_SQL = re.compile(r"\bpg_sleep\((?!600\))")
# Where waiting is made, and what runs beside the tests and asks again and again.
PAUSING = {"tests/waiting.py", "tests/postgres/keeper.py", "tests/k8s/lab/names.py", "tests/k8s/lab/cgroups.py",
           "tests/tidy/test_steady_rules.py"}
FUNCTIONS = (ast.FunctionDef, ast.Lambda)


def name_of(call):
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def text_of(call):
    return " ".join(part.value for argument in call.args for part in ast.walk(argument)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str))


def calls_in_order(node):
    """Those that are made when it is run, the innermost first: not those of functions that are defined in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, FUNCTIONS):
            yield from calls_in_order(child)
    if isinstance(node, ast.Call):
        yield node


def calls_of(function):
    return [call for statement in function.body for call in calls_in_order(statement)
            if not isinstance(statement, FUNCTIONS)]


def functions_of(tree):
    """Those of the file and of its classes, not of other functions, which are run when these say."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from functions_of(node)


def is_given_a_signal(call):
    return any(isinstance(part, ast.Attribute) and getattr(part.value, "id", "") == "signal" and part.attr.startswith("SIG")
               for argument in call.args for part in ast.walk(argument))


def settles(call, names):
    is_job = bool(call.args) and getattr(call.args[0], "id", "") == "job"
    return name_of(call) in names or is_job and name_of(call) in SETTLING_WITH_JOB


def reads_what_changes(call):
    name = name_of(call)
    if name in READING_ALL:
        return isinstance(call.func, ast.Attribute) and not call.args and not call.keywords
    return name in READING and bool(CHANGING_SQL.search(text_of(call)))


class File:
    """A file of tests: a call of one of its functions that settles or reads does so, too."""

    def __init__(self, text):
        self.lines = text.splitlines()
        self.functions = list(functions_of(ast.parse(text)))
        self.settling = set(SETTLING)
        for function in 2 * self.functions:  # one may call another that stands behind it
            if any(settles(call, self.settling) for call in calls_of(function)):
                self.settling.add(function.name)
        self.reading = {function.name for function in self.functions if self.is_reader(function)}

    @staticmethod
    def is_reader(function):
        calls = calls_of(function)
        return not function.name.startswith("test_") and any(map(reads_what_changes, calls)) and \
            not any(name_of(call) in WAITING | DISTURBING | SETTLING for call in calls)

    def reads(self, call):
        return reads_what_changes(call) or name_of(call) in self.reading

    @staticmethod
    def is_disturbing(call):
        return isinstance(call.func, ast.Attribute) and (
            name_of(call) in DISTURBING or is_given_a_signal(call) or bool(DISTURBING_SQL.search(text_of(call))))

    def read_once(self, function):
        """Lines of it that read what changes, each with that of what was done to a process before."""
        unused = {id(node.value) for node in ast.walk(function) if isinstance(node, ast.Expr)}
        disturbed = None
        for call in calls_of(function):
            if settles(call, self.settling):
                disturbed = None
            elif disturbed and id(call) not in unused and self.reads(call):
                if not self.is_settled(call.lineno):
                    yield call.lineno, disturbed
            elif self.is_disturbing(call):
                disturbed = call.lineno

    def is_settled(self, number):
        return any(SETTLED.search(line) for line in self.lines[max(0, number - 2):number])


def is_pause(call):
    """time.sleep(x), select.select([], [], [], x)."""
    if name_of(call) == "select":
        return len(call.args) == 4 and all(isinstance(list_of, ast.List) and not list_of.elts for list_of in call.args[:3])
    return name_of(call) == "sleep"


def pauses_of(text):
    """Numbers of their lines."""
    yield from (node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and is_pause(node))
    yield from (number for number, line in enumerate(text.splitlines(), 1) if PAUSE_SQL.search(line))


def problems_of(name, text):
    """The problems of the file of that name, below tests."""
    if name not in PAUSING:
        for number in pauses_of(text):
            yield f"{name}:{number}: a pause; wait for what is to be (tests/waiting.py)"
    if not name.rpartition("/")[2].startswith("test_"):
        return
    file = File(text)
    for function in file.functions:
        for number, disturbed in file.read_once(function):
            yield f"{name}:{number}: read once, after line {disturbed}; use eventually(), or say \"# settled: WHY\""
