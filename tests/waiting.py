"""The common parts of the tests of all doors: waiting for something to be so, and the processes of a folder."""

import contextlib
import os
import select
import signal
import threading
import time

DEADLINE = 120  # seconds: a broken promise, not a slow machine
SHORTEST_PAUSE, LONGEST_PAUSE = .005, .2  # seconds between two looks at what is waited for
STARTING = 1  # seconds without a command line, of a process that does not end: then it has none

# Fields of /proc/PID/stat, counted from the state on (proc(5), "flags" and "num_threads"), and two of the flags
# (linux/sched.h: PF_EXITING, PF_KTHREAD).
FLAGS, THREADS = 6, 17
EXITING, OF_THE_KERNEL = 0x4, 0x200000


class Kept(threading.local):
    """Resources that a condition opens once and uses each time that wait_for asks it, which closes them: by a key.
    None while this thread waits for nothing."""

    by_key = None


kept = Kept()


@contextlib.contextmanager
def keeping():
    outside, kept.by_key = kept.by_key, {}
    try:
        yield
    finally:
        opened, kept.by_key = kept.by_key.values(), outside
        for one in opened:
            one.close()


def wait_for(condition, what, seconds=DEADLINE):
    """The first value of the condition that is true.

    The longer that takes, the longer are the pauses between two looks: an eighth of the time so far. Looking
    often would take the processor from what is waited for.
    """
    began = time.monotonic()
    with keeping():
        while True:
            value = condition()
            if value:
                return value
            waited = time.monotonic() - began
            if waited > seconds:
                raise AssertionError(f"{what}: not within {seconds} s")
            time.sleep(min(max(waited / 8, SHORTEST_PAUSE), LONGEST_PAUSE))


def read_of(pid, name):
    """The bytes of its /proc/PID/NAME; OSError where the process is gone. Without the layers of Python's files,
    which take longer than the kernel."""
    descriptor = os.open(f"/proc/{pid}/{name}", os.O_RDONLY)
    try:
        parts = [os.read(descriptor, 1 << 16)]
        while parts[-1]:
            parts.append(os.read(descriptor, 1 << 16))
        return b"".join(parts)
    finally:
        os.close(descriptor)


class Reading:
    """A reading of a value that changes by itself: see eventually()."""

    def __init__(self, read, wanted, what):
        self.read, self.wanted, self.what = read, wanted, what
        self.last = None

    def will_do(self):
        self.last = self.read()
        return self.wanted(self.last) if callable(self.wanted) else self.last == self.wanted

    def __str__(self):
        wish = "" if callable(self.wanted) else f", where {self.wanted!r} is wanted"
        return f"{self.what} is {self.last!r}{wish}"


def eventually(read, wanted, what="it", seconds=DEADLINE):
    """The value that `read` gives in the end: `wanted` is a value, or a function that says whether one will do. For
    values that change by themselves after an event: read once, one may be as it was before."""
    reading = Reading(read, wanted, what)
    wait_for(reading.will_do, reading, seconds)
    return reading.last


def stat_of(pid):
    """The fields of its /proc/PID/stat from the state on; None where the process is gone."""
    try:
        return read_of(pid, "stat").decode("latin1").rsplit(")", 1)[1].split()
    except OSError:
        return None


def state_of(pid):
    """R, S, T, Z ...: the kernel's letter; None where the process is gone."""
    fields = stat_of(pid)
    return fields[0] if fields else None


def has_ended(fields):
    """Nothing of it is left but its number: what its last thread held is given back before this is so."""
    return fields is None or (fields[0] in "ZX" and int(fields[THREADS]) <= 1)


def command_of(pid):
    """Its command line, empty where it has none.

    A process that dies loses the memory that the command line is in first, and its files with their locks after that,
    which takes a while on a machine with much to do: nobody is taken for gone before both are. A process that is
    being started has none for a moment, either.
    """
    end = time.monotonic() + DEADLINE
    starting_end = time.monotonic() + STARTING
    while True:
        try:
            command = read_of(pid, "cmdline")
        except OSError:
            return b""
        if command:
            return command
        fields = stat_of(pid)
        if has_ended(fields) or int(fields[FLAGS]) & OF_THE_KERNEL:
            return b""
        if time.monotonic() > (end if int(fields[FLAGS]) & EXITING else starting_end):
            return b""
        time.sleep(0.001)


def processes_of(folder):
    """Ids of processes whose command line names the folder."""
    name = os.fsencode(str(folder))
    return [int(pid) for pid in os.listdir("/proc")
            if pid.isdigit() and name in command_of(pid) and not has_ended(stat_of(pid))]


def children_of(pid):
    """Ids of its first thread's children; OSError where the process is gone."""
    return [int(child) for child in read_of(pid, f"task/{pid}/children").split()]


def wait_until_gone(pids, seconds=DEADLINE):
    """Whether all have ended by then; the kernel says when."""
    end = time.monotonic() + seconds
    for pid in pids:
        try:
            descriptor = os.pidfd_open(pid)
        except OSError:
            continue
        try:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            if not poll.poll(1000 * max(0, end - time.monotonic())) and not has_ended(stat_of(pid)):
                return False
        finally:
            os.close(descriptor)
    return True


def wait_until_nothing_runs(folder, seconds=DEADLINE):
    """Until no process whose command line names the folder is left, nor one that such a one started meanwhile."""
    def left():
        wait_until_gone(processes_of(folder), seconds)
        return [(pid, state_of(pid), command_of(pid)) for pid in processes_of(folder)]
    eventually(left, [], f"what runs of {folder}", seconds)


def end_processes_of(folder):
    """Kills them until there are none: one that is started meanwhile, too."""
    def are_gone():
        pids = processes_of(folder)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return not pids
    wait_for(are_gone, f"the end of all processes of {folder}")


def does_catch(pid, number):
    """Whether a handler of its own has the signal."""
    try:
        status = read_of(pid, "status").decode("latin1")
    except OSError:
        return False
    caught = [line for line in status.splitlines() if line.startswith("SigCgt:")]
    return bool(caught) and bool(int(caught[0].split()[1], 16) >> (number - 1) & 1)


def hurry_processes(pids):
    """Workers among them that TOTRAIN_PACE makes wait do so no more (runtime/process/role/experiment.h)."""
    for pid in pids:
        if does_catch(pid, signal.SIGUSR1):
            try:
                os.kill(pid, signal.SIGUSR1)
            except ProcessLookupError:
                pass


def hurry(folder):
    """A paced job lasts as long as what is done to it meanwhile, on any machine; then its rest is
    computed at once. Those who are still to come are hurried with the next call."""
    hurry_processes(processes_of(folder))
