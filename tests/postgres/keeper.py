"""keeper.py FOLDER - holds one PostgreSQL server; ends it whatever happens.

       test process ----- pipe -----> keeper ----- child -----> postmaster

The test asks by lines on the keeper's standard input and gets one JSON line
for each. When the pipe closes - the test has ended, was interrupted, or was
killed - the keeper ends the server and everything whose command line names
FOLDER, and removes FOLDER. Should the keeper itself be killed, the kernel tells
the postmaster to shut down at once (PR_SET_PDEATHSIG).

    start             -> {"pid": N} once connections are accepted
    stop SIGNAL       -> {"pid": N} once the server has ended; SIGNAL as in
                         signal.Signals: SIGINT fast, SIGQUIT immediate, SIGKILL

FOLDER/server.json says what to run (written by server.py): command (a list),
environment, and user, a name, where the keeper is root and the server may not be.
"""

import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from waiting import children_of, processes_of, wait_for, wait_until_gone  # noqa: E402  pylint: disable=wrong-import-position

DEADLINE = 60  # seconds: a broken promise, not a slow machine
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


class Postmaster:
    def __init__(self, folder):
        self.folder = folder
        self.plan = json.loads((folder / "server.json").read_text())
        self.lock_file = folder / "data" / "postmaster.pid"
        self.process = None

    def start(self):
        self.stop(signal.SIGQUIT)
        wait_for(lambda: self.attached() == 0, "the end of an old server's processes", DEADLINE)
        keeper = os.getpid()

        def end_with_the_keeper():
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)
            if os.getppid() != keeper:
                os._exit(1)

        user = self.plan["user"]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                self.plan["command"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.plan["environment"], cwd=self.folder, preexec_fn=end_with_the_keeper,
                **({"user": user, "group": user, "extra_groups": []} if user else {}))
        wait_for(self.is_ready, "a server that is ready", DEADLINE)

    def attached(self):
        """How many processes of an old server, which was killed, are left: they hold the memory that it shared, and a new
        one refuses to start while there are any."""
        lines = self.lines_of_lock_file()
        shared = lines[6].split()[-1:] if len(lines) > 6 else []
        rows = [line.split() for line in pathlib.Path("/proc/sysvipc/shm").read_text().splitlines()[1:]]
        return sum(int(row[6]) for row in rows if row[1:2] == shared)

    def lines_of_lock_file(self):
        try:
            return self.lock_file.read_text().splitlines()
        except FileNotFoundError:
            return []

    def is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError("the server did not start:\n" + (self.folder / "log").read_text()[-4000:])
        lines = self.lines_of_lock_file()
        return len(lines) >= 8 and int(lines[0]) == self.process.pid and lines[7].strip() in ("ready", "standby")

    def stop(self, number):
        """The server has ended, and so have its backends: after SIGKILL they find out by themselves, and until then
        no other server may start over their data."""
        backends = []
        if self.process and number == signal.SIGKILL:
            self.process.send_signal(signal.SIGSTOP)  # it makes no others
            backends = children_of(self.process.pid) if self.process.poll() is None else []
        if self.process:
            self.process.send_signal(number)
            try:
                self.process.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None
        wait_until_gone(backends, DEADLINE)

    def forget(self):
        """A server that was killed leaves its System V segment: it names it in the lock file."""
        self.stop(signal.SIGQUIT)
        for process in processes_of(self.folder):
            try:
                if process != os.getpid():
                    os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        lines = self.lines_of_lock_file()
        if len(lines) >= 7 and len(lines[6].split()) == 2:
            subprocess.run(["ipcrm", "--shmem-id", lines[6].split()[1]], stderr=subprocess.DEVNULL, check=False)


def obey(postmaster):
    for line in sys.stdin:
        verb, *words = line.split()
        try:
            if verb == "start":
                postmaster.start()
                answer = {"pid": postmaster.process.pid}
            else:
                postmaster.stop(signal.Signals[words[0]])
                answer = {}
        except Exception as error:  # the test is told, whatever it is
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the pipe says when it is over
    folder = pathlib.Path(sys.argv[1])
    postmaster = Postmaster(folder)
    try:
        obey(postmaster)
    except BrokenPipeError:
        pass
    finally:
        postmaster.forget()
        for _ in range(5):  # a process that is being ended may still make a file
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.1)


if __name__ == "__main__":
    main()
