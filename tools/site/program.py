"""The built program on one database of its own: results of statements, as a terminal shows them and in colour."""

import fcntl
import os
import pty
import struct
import subprocess
import termios

COLUMNS = 104


class Program:
    def __init__(self, build, folder):
        self.path, self.folder = build / "totrain", folder
        self.database = folder / "site.db"
        self.environment = {**os.environ, "TOTRAIN_STATE": str(folder / "state"), "HOME": str(folder), "COLUMNS": str(COLUMNS),
                            "TERM": "xterm-256color"}

    def command(self, *words):
        """The standard output of the program with these arguments."""
        done = subprocess.run([str(self.path), *map(str, words)], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, check=False)
        if done.returncode:
            raise SystemExit(f"totrain {' '.join(map(str, words))}\n{done.stderr}")
        return done.stdout

    def run(self, statement, form):
        if form == "table":
            return self.on_terminal("--progress=none", "--color=never", "-c", statement)
        return self.command(self.database, "--progress=none", f"--format={form}", "-c", statement)

    def on_terminal(self, *words):
        """Its output on a terminal."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
        process = subprocess.Popen([str(self.path), str(self.database), *words], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
        os.close(ours)
        if process.wait():
            raise SystemExit(f"totrain {' '.join(words)}\n{shown.decode()}")
        return shown.decode().replace("\r\n", "\n")
