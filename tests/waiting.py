"""What the tests of all doors share: waiting for something to be so, and the processes of a folder."""

import os
import pathlib
import time

DEADLINE = 120  # seconds: a broken promise, not a slow machine


def wait_for(condition, what, seconds=DEADLINE):
    """The first value of the condition that is true."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.02)


def state_of(pid):
    """R, S, T, Z ...: the kernel's letter; None where the process is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="latin1").rsplit(")", 1)[1].split()[0]
    except OSError:
        return None


def processes_of(folder):
    """Ids of processes whose command line names the folder."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if os.fsencode(str(folder)) in command and state_of(entry.name) not in (None, "Z"):
                found.append(int(entry.name))
    return found
