"""Roles of one job started by hand, each with its own credentials, and the
network namespaces to put them into.
"""

import json
import os
import shutil
import socket
import subprocess
import threading

PROGRAM = ""
DEADLINE = 90


class Lines:
    """Lines that a thread collects from a descriptor, to be waited for."""

    def __init__(self, file):
        self.lines = []
        self.has_ended = False
        self.changed = threading.Condition()
        self.thread = threading.Thread(target=self._read, args=(file,), daemon=True)
        self.thread.start()

    def _read(self, file):
        try:
            with file:
                for line in file:
                    with self.changed:
                        self.lines.append(line.rstrip("\n"))
                        self.changed.notify_all()
        except OSError:
            pass
        with self.changed:
            self.has_ended = True
            self.changed.notify_all()

    def wait_for(self, is_wanted, what, after=0):
        """The index of the first line from `after` on that is wanted."""
        with self.changed:
            at = after
            while True:
                while at < len(self.lines):
                    if is_wanted(self.lines[at]):
                        return at
                    at += 1
                if self.has_ended or not self.changed.wait(DEADLINE):
                    raise AssertionError(f"no {what} in:\n" + "\n".join(self.lines[-60:]))

    def text(self):
        with self.changed:
            return "\n".join(self.lines)


class Role:
    """`totrain master` or `worker` with its lifeline in our hands."""

    def __init__(self, *arguments, namespace=None, fault=None, pace=None):
        environment = dict(os.environ)
        environment.pop("TOTRAIN_FAULT", None)
        if fault:
            environment["TOTRAIN_FAULT"] = fault
        if pace:
            environment["TOTRAIN_PACE"] = pace
        self.lifeline, theirs = socket.socketpair()
        command = [PROGRAM, *map(str, arguments)]
        if namespace:
            command = ["ip", "netns", "exec", namespace, *command]
        self.process = subprocess.Popen(command, stdin=theirs, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, env=environment)
        theirs.close()
        self.log = Lines(self.process.stderr)
        self.said = Lines(self.lifeline.makefile("r"))

    def wait_log(self, text, after=0):
        return self.log.wait_for(lambda line: text in line, f'"{text}"', after)

    def address(self):
        at = self.wait_log("listens on tcp:")
        return self.log.lines[at].rsplit(" ", 1)[1]

    def wait_step(self, step):
        """The step of the first progress event from `step` on."""
        def is_there(line):
            return line.startswith("{") and json.loads(line)["event"] == "progress" and \
                json.loads(line)["step"] >= step
        return json.loads(self.said.lines[self.said.wait_for(is_there, f"step {step}")])["step"]

    def end(self):
        """Waits for its own end; the exit code."""
        code = self.process.wait(DEADLINE)
        self._close()
        for report in ("Sanitizer", "runtime error"):
            if report in self.log.text():
                raise AssertionError(self.log.text())
        return code

    def _close(self):
        self.lifeline.close()
        self.said.thread.join(DEADLINE)
        self.log.thread.join(DEADLINE)

    def stop(self):
        """Closes the lifeline, as a supervisor's death would."""
        if self.process.returncode is not None:
            return
        self.lifeline.shutdown(socket.SHUT_RDWR)
        try:
            self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._close()


class Namespaces:
    """Namespaces on one switch: a bridge in a namespace of its own, to which
    each of the others has a cable that can be cut."""

    count = 0

    def __init__(self, number):
        Namespaces.count += 1
        self.prefix = f"totrain-{os.getpid()}-{Namespaces.count}"
        self.names = [f"{self.prefix}-{i}" for i in range(number)]
        self.switch = f"{self.prefix}-switch"
        self.made = []
        try:
            self._make()
        except BaseException:
            self.remove()
            raise

    @staticmethod
    def problem():
        """None, or why there can be none here."""
        if os.geteuid() != 0:
            return "network namespaces need root"
        if not shutil.which("ip"):
            return "network namespaces need ip (package iproute2)"
        name = f"totrain-{os.getpid()}-probe"
        run = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
        if run.returncode != 0:
            return f"network namespaces are not allowed here: {run.stderr.strip()}"
        # ip mounts inside; in a chroot, whose root is no mount, it cannot.
        enter = subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], capture_output=True,
                               text=True)
        subprocess.run(["ip", "netns", "del", name], check=True)
        if enter.returncode != 0:
            return f"network namespaces cannot be entered here: {enter.stderr.strip()}"
        return None

    @staticmethod
    def _ip(*arguments):
        subprocess.run(["ip", *arguments], check=True, capture_output=True)

    def _make(self):
        for name in [self.switch, *self.names]:
            self._ip("netns", "add", name)
            self.made.append(name)
            self._ip("-n", name, "link", "set", "lo", "up")
        self._ip("-n", self.switch, "link", "add", "bridge", "type", "bridge")
        self._ip("-n", self.switch, "link", "set", "bridge", "up")
        for i, name in enumerate(self.names):
            self._ip("-n", self.switch, "link", "add", f"cable{i}", "type", "veth", "peer", "name",
                     "eth0", "netns", name)
            self._ip("-n", self.switch, "link", "set", f"cable{i}", "master", "bridge", "up")
            self._ip("-n", name, "addr", "add", f"{self.host(i)}/24", "dev", "eth0")
            self._ip("-n", name, "link", "set", "eth0", "up")

    @staticmethod
    def host(i):
        return f"10.77.0.{i + 1}"

    def cut(self, i):
        self._ip("-n", self.switch, "link", "set", f"cable{i}", "down")

    def mend(self, i):
        self._ip("-n", self.switch, "link", "set", f"cable{i}", "up")

    def remove(self):
        for name in self.made:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
