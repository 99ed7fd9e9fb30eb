"""init.py PLAN [LOCKED] - the first process of the lab, or of one of its nodes.

It is process 1 of a process namespace: when it ends, in whichever way, the
kernel ends every other process of the lab (or of the node) with SIGKILL, and
with the last of them go the namespaces: mounts, interfaces, routes.

PLAN is a JSON file:

    {"control": PATH of the Unix socket to listen on,
     "lock":    PATH of the file to hold locked, or null,
     "setup":   [[COMMAND, ARGUMENT...], ...]   run one after the other,
     "programs": {NAME: {"command": [...], "log": PATH, "environment": {...}}}}

LOCKED is a descriptor whose lock is let go once `lock` is held: from then on
who looks for the lab finds it.

Programs are started in this order and started again when they end, as a
machine's service manager would. One request a connection, one JSON line each way:

    {"do": "status"}                        {"programs": {NAME: {"pid", "starts"}}}
    {"do": "stop", "name", "signal"}        ends the program and leaves it so; answered once it is gone
    {"do": "start", "name"}                 once more
    {"do": "kill", "name", "signal"}        a signal; what ends by it is started again
    {"do": "end"}                           the connection closes when this process ends

An error is answered by {"error": TEXT}.
"""

import ctypes
import fcntl
import json
import os
import pathlib
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time

PAUSE = 1.0  # seconds between two starts of a program that ends at once
LASTED = 5.0  # seconds; a program that ran for so long does not end at once
REQUEST_MAX = 65536
IN_ATTRIB = 4  # inotify: attributes, among them the number of links


class Program:
    def __init__(self, name, plan):
        self.name = name
        self.plan = plan
        self.process = None
        self.wanted = True
        self.starts = 0  # in a row, each of which ended at once
        self.started = float("-inf")
        self.waiting = []  # connections that are answered when it has ended

    def start(self):
        with open(self.plan["log"], "ab") as log:
            self.process = subprocess.Popen(
                self.plan["command"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                env={**os.environ, **self.plan.get("environment", {})}, start_new_session=True)
        now = time.monotonic()
        self.starts = self.starts + 1 if now - self.started < LASTED else 1
        self.started = now

    def due_in(self, now):
        """Seconds until it has to be started; None when it has not."""
        return max(0.0, self.started + PAUSE - now) if self.wanted and not self.process else None

    def ended(self):
        self.process = None
        for connection in self.waiting:
            answer(connection, {})
        self.waiting = []


def answer(connection, value):
    try:
        connection.sendall(json.dumps(value).encode() + b"\n")
    except OSError:
        pass  # the client has gone
    connection.close()


class Init:
    def __init__(self, plan):
        self.programs = {name: Program(name, entry) for name, entry in plan["programs"].items()}
        self.selector = selectors.DefaultSelector()
        self.ending = False
        self.lock = lock(plan["lock"]) if plan["lock"] else None
        self.wake, self.woken = socket.socketpair()
        for end in (self.wake, self.woken):
            end.setblocking(False)
        signal.set_wakeup_fd(self.woken.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self.end)
        self.selector.register(self.wake, selectors.EVENT_READ, self.drain)
        if self.lock:
            self.selector.register(watch_links(plan["lock"]), selectors.EVENT_READ, self.look_for_lock)
        self.listener = listen(plan["control"])
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept)
        for command in plan["setup"]:
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)

    def end(self, *_):
        self.ending = True

    def look_for_lock(self):
        """Ends if the folder was removed: nobody could find the lab again."""
        if os.fstat(self.lock.fileno()).st_nlink == 0:
            self.end()

    def drain(self):
        try:
            while self.wake.recv(4096):
                pass
        except BlockingIOError:
            pass

    def accept(self):
        connection, _ = self.listener.accept()
        connection.settimeout(5)
        try:
            line = connection.makefile("rb").readline(REQUEST_MAX)
            request = json.loads(line)
            self.obey(connection, request)
        except (OSError, ValueError, KeyError, AttributeError) as error:
            answer(connection, {"error": f"{type(error).__name__}: {error}"})

    def obey(self, connection, request):
        verb = request["do"]
        if verb == "status":
            return answer(connection, {"programs": {
                name: {"pid": program.process.pid if program.process else None, "starts": program.starts}
                for name, program in self.programs.items()}})
        if verb == "end":
            self.kept = connection  # closes with this process
            return self.end()
        program = self.programs[request["name"]]
        if verb == "start":
            program.wanted, program.started = True, float("-inf")
        elif verb in ("stop", "kill"):
            program.wanted = verb == "kill"
            if program.process:
                # not Popen.send_signal(), which may reap
                os.kill(program.process.pid, signal.Signals[request["signal"]])
                if verb == "stop":
                    return program.waiting.append(connection)
        else:
            raise ValueError(f"no request \"{verb}\"")
        return answer(connection, {})

    def reap(self):
        """Also what the programs left behind: orphans come to process 1."""
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            os.waitpid(ended.si_pid, 0)
            for program in self.programs.values():
                if program.process and program.process.pid == ended.si_pid:
                    program.ended()

    def run(self):
        while not self.ending:
            self.reap()
            now = time.monotonic()
            for program in self.programs.values():
                if program.due_in(now) == 0:
                    program.start()
            due = [program.due_in(now) for program in self.programs.values()]
            for key, _ in self.selector.select(min((at for at in due if at is not None), default=None)):
                key.data()


def listen(path):
    """The path may be longer than a socket's address may be. Once it is there, it accepts connections."""
    folder, name = os.path.split(path + ".new")
    directory = os.open(folder, os.O_PATH)
    listener = socket.socket(socket.AF_UNIX)
    pathlib.Path(folder, name).unlink(missing_ok=True)
    listener.bind(f"/proc/self/fd/{directory}/{name}")
    listener.listen(32)
    os.rename(path + ".new", path)
    os.close(directory)
    return listener


def watch_links(path):
    """Readable once the file's links have changed: it may have been removed, alone or with its folder."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_CLOEXEC)
    if descriptor < 0 or libc.inotify_add_watch(descriptor, os.fsencode(path), IN_ATTRIB) < 0:
        raise OSError(ctypes.get_errno(), f"{path} cannot be watched")
    return descriptor


def lock(path):
    """Held until this process ends; F_GETLK tells anybody who holds it."""
    file = open(path, "ab")
    wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    try:
        fcntl.fcntl(file, fcntl.F_SETLK, wanted)
    except OSError:
        sys.exit(f"{path} is locked: another lab runs from this folder")
    return file


def main():
    init = Init(json.loads(pathlib.Path(sys.argv[1]).read_text()))
    if len(sys.argv) > 2:
        # The descriptor has been inherited by others, too: closing it would not do.
        fcntl.flock(int(sys.argv[2]), fcntl.LOCK_UN)
        os.close(int(sys.argv[2]))
    init.run()
    # Process 1 ends, the kernel ends the others.
    os._exit(0)


if __name__ == "__main__":
    main()
