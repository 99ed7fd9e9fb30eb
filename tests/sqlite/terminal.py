"""The program on a pseudo-terminal, as a person has it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import harness


class Terminal:
    """expect() waits for output, without control sequences; `raw` has all of it."""

    def __init__(self, case, *arguments, columns=80, **environment):
        self.ours, theirs = pty.openpty()
        self.resize(columns)
        wanted = {**os.environ, "TERM": "xterm", "XDG_STATE_HOME": str(case.folder / "xdg"),
                  "XDG_CONFIG_HOME": None, "HOME": str(case.folder), **environment}
        self.process = subprocess.Popen(
            [harness.PROGRAM, case.path, *arguments], stdin=theirs, stdout=theirs, stderr=theirs,
            env={name: value for name, value in wanted.items() if value is not None},
            cwd=case.folder, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(theirs)
        self.seen = self.begun = self.raw = ""
        case.addCleanup(self.close)
        self.expect("totrain> ")

    def resize(self, columns, lines=24):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def cook(self):
        """The mode of a terminal that no editor has: lines, echo."""
        mode = termios.tcgetattr(self.ours)
        mode[0] |= termios.ICRNL
        mode[3] |= termios.ICANON | termios.ECHO
        termios.tcsetattr(self.ours, termios.TCSANOW, mode)

    def state(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.ours)

    def read(self, end):
        ready, _, _ = select.select([self.ours], [], [], max(0, end - time.monotonic()))
        if not ready:
            raise AssertionError(f"not within {harness.DEADLINE} s; seen: {self.seen!r}")
        try:
            data = os.read(self.ours, 65536).decode("utf-8", "replace")
        except OSError:  # the other side was closed
            data = ""
        self.raw += data
        # A control sequence may come in two reads: its beginning waits for the rest.
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.begun + data)
        begun = re.search(r"\x1b(\[[0-9;?]*)?$", text)
        self.begun = begun.group(0) if begun else ""
        self.seen += text[:len(text) - len(self.begun)]
        return data

    def expect(self, text):
        """Everything up to and with the text."""
        end = time.monotonic() + harness.DEADLINE
        while text not in self.seen:
            if not self.read(end):
                raise AssertionError(f"it ended; seen: {self.seen!r}")
        before, _, self.seen = self.seen.partition(text)
        return before + text

    def type(self, keys):
        """Much is typed while what it echoes is read: both sides' buffers are small."""
        keys, end = keys.encode(), time.monotonic() + harness.DEADLINE
        while keys:
            readable, writable, _ = select.select([self.ours], [self.ours], [], harness.DEADLINE)
            if readable:
                self.read(end)
            if writable:
                keys = keys[os.write(self.ours, keys[:512]):]

    def run(self, line, text):
        self.type(line + "\r")
        return self.expect(text)

    def end(self):
        self.type("\x04")
        return self.process.wait(timeout=harness.DEADLINE)
