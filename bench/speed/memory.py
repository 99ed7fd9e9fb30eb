"""Peak memory of a process and all that it starts, sampled every 20 ms.

A sample is the sum over the processes of their anonymous and shared memory
pages (a page that several map is counted once), and the pages of the job's
files that they map, the spool above all. Pages of programs and libraries are
left out, and so is the kernel's cache of files that nobody maps.
"""

import pathlib
import subprocess
import time

PERIOD = 0.020


def descendants(pid):
    found, new = [], [pid]
    while new:
        pid = new.pop()
        found.append(pid)
        for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                new += [int(child) for child in children.read_text().split()]
            except OSError:
                pass  # it has just ended
    return found


def kilobytes(line):
    return int(line.split()[1])


def process_memory(pid, folder):
    """Kilobytes of (anonymous and shared pages, mapped pages of files under folder)."""
    pages = mapped = 0
    inside = False
    with open(f"/proc/{pid}/smaps_rollup") as lines:
        for line in lines:
            if line.startswith(("Pss_Anon:", "Pss_Shmem:")):
                pages += kilobytes(line)
    with open(f"/proc/{pid}/maps") as lines:
        if not any(folder in line for line in lines):
            return pages, 0
    with open(f"/proc/{pid}/smaps") as lines:
        for line in lines:
            if "-" in line.split(" ", 1)[0]:  # the head of a mapping
                inside = folder in line
            elif inside and line.startswith("Pss:"):
                mapped += kilobytes(line)
            elif inside and line.startswith("Anonymous:"):
                mapped -= kilobytes(line)  # written privately: counted above
    return pages, mapped


def sample(pid, folder):
    total = 0
    for process in descendants(pid):
        try:
            total += sum(process_memory(process, folder))
        except (OSError, ProcessLookupError):
            pass  # it has just ended
    return total


def peak(command, environment, folder):
    """Megabytes (10^6 bytes) at most while the command runs, and the number of samples."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    most = count = 0
    while process.poll() is None:
        started = time.monotonic()
        most = max(most, sample(process.pid, str(folder)))
        count += 1
        time.sleep(max(0, PERIOD - (time.monotonic() - started)))
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return most * 1024 / 1e6, count
