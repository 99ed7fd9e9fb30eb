#!/usr/bin/python3
"""A private PostgreSQL server with the totrain extension of a build tree.

Nothing is installed into the system, and any number of servers run side by
side. PostgreSQL finds its folders relative to its own binary: a private root
holds a copy of that binary, links to the rest of the installation, and the
extension's files, so that CREATE EXTENSION totrain finds them.

    FOLDER/root/usr/lib/postgresql/15/{bin,lib}   as below /usr, mostly links
    FOLDER/root/usr/share/postgresql/15
    FOLDER/data, log                              the cluster, what it says
    FOLDER/socket                                 the Unix socket, mode 0700
    FOLDER/state                                  totrain.state_directory

Everything ends with the process that made the server (keeper.py).

As a command, for pg_regress, benchmarks and people:

    server.py [--tcp] [--set NAME=VALUE]... [--without-extension] --run COMMAND...

runs COMMAND with PGHOST, PGPORT, PGUSER and PGDATABASE of such a server, and
ends with its status. TOTRAIN_BUILD names the build tree.
"""

import argparse
import contextlib
import hashlib
import json
import os
import pathlib
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

import psycopg2

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from waiting import kept  # noqa: E402  pylint: disable=wrong-import-position

BUILD = pathlib.Path(os.environ.get("TOTRAIN_BUILD", HERE.parents[1] / "build" / "release"))
SUPERUSER = "postgres"
DATABASE = "postgres"

# Nothing here has to survive a power cut, only a killed server; what is in shared memory goes with
# the folder even when the server is killed.
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "dynamic_shared_memory_type": "mmap",
    "max_connections": "40",
    "max_wal_size": "1GB",
    "timezone": "UTC",
    "log_line_prefix": "%p %e ",
    "log_timezone": "UTC",
}


# A PostgreSQL that PG_CONFIG names may come with libraries of its own.
BASE_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                    **{name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}}


def pg_config(name):
    program = os.environ.get("PG_CONFIG", "pg_config")
    return pathlib.Path(subprocess.run([program, f"--{name}"], text=True, check=True,
                                       capture_output=True).stdout.strip())


marks = []  # sockets that mark the ports that this process has taken


def free_port():
    """A port that stays free between two listeners: the kernel gives it to no client, not even to one that tries to
    connect to it meanwhile, and so would meet itself. Other tests that run beside this one find the datagram port of
    its number in use, and take another."""
    first = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])
    while True:
        port = random.randrange(first // 2, first)
        mark = socket.socket(type=socket.SOCK_DGRAM)
        with socket.socket() as probe:
            try:
                mark.bind(("127.0.0.1", port))
                probe.bind(("127.0.0.1", port))
                marks.append(mark)
                return port
            except OSError:
                mark.close()


def link_all(source, target):
    target.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        (target / entry.name).symlink_to(entry)


def copy_all(source, target):
    """With owners and modes."""
    subprocess.run(["cp", "--archive", "--reflink=auto", source, target], check=True)


def rows_of(connection, sql):
    """None where the statement has none."""
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else None


def quote_setting(value):
    return "'" + str(value).replace("'", "''") + "'"


class Server:
    """A running server. `settings` go into postgresql.conf; `extension`: with totrain's files; `pace`: that of
    its jobs, as in TOTRAIN_PACE."""

    def __init__(self, settings=None, extension=True, tcp=False, pace=None):
        self.user = SUPERUSER if os.getuid() == 0 else None  # root may not run it
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="totrain-pg-"))
        self.root = self.folder / "root"
        self.socket = self.folder / "socket"
        self.state = self.folder / "state"
        self.program = self.folder / "totrain"
        self.pace = pace
        self.port = free_port() if tcp else 5432
        self.keeper = None
        try:
            self.make_root()
            if extension:
                self.add_extension()
            self.make_cluster({**SETTINGS, **({"listen_addresses": "127.0.0.1"} if tcp else {}), **(settings or {})})
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        self.keep()

    # --- the folder ---------------------------------------------------------

    def make_root(self):
        self.folder.chmod(0o755)
        bin_folder, share, library = pg_config("bindir"), pg_config("sharedir"), pg_config("pkglibdir")
        self.bin = self.inside(bin_folder)
        self.bin.mkdir(parents=True)
        for name in ("postgres", "initdb"):
            shutil.copy2(bin_folder / name, self.bin / name)
        link_all(library, self.inside(library))
        self.library = self.inside(library)
        link_all(share, self.inside(share))
        (self.inside(share) / "extension").unlink()
        self.extensions = self.inside(share) / "extension"
        link_all(share / "extension", self.extensions)

    def inside(self, path):
        return self.root / path.relative_to("/")

    def add_extension(self):
        """Copies: the build tree may be where the server's user may not go."""
        built = BUILD / "postgres"
        for path in [*built.glob("totrain.control"), *built.glob("totrain--*.sql")]:
            self.replace(path, self.extensions / path.name)
        for path in (BUILD / "totrain", built / "totrain.so"):
            self.replace(path, self.program if path.name == "totrain" else self.library / path.name)

    @staticmethod
    def replace(source, target):
        target.unlink(missing_ok=True)  # where the system has it installed: a link
        shutil.copy(source, target)

    def make_cluster(self, settings):
        for path in (self.folder, self.socket, self.state):
            path.mkdir(mode=0o700, exist_ok=True)
            if self.user:
                shutil.chown(path, self.user, pwd.getpwnam(self.user).pw_gid)
        self.make_data()
        settings = {"unix_socket_directories": self.socket, "port": self.port, **settings}
        if self.program.exists():
            settings = {"totrain.program": self.program, "totrain.state_directory": self.state, **settings}
        with open(self.folder / "data" / "postgresql.conf", "a", encoding="utf-8") as file:
            file.writelines(f"{name} = {quote_setting(value)}\n" for name, value in settings.items())

    def make_data(self):
        """By initdb once a build tree: each further cluster is a copy of that one."""
        data, initdb = self.folder / "data", pg_config("bindir") / "initdb"
        options = ["--no-sync", "--auth=trust", "--no-instructions", f"--username={SUPERUSER}", "--encoding=UTF8",
                   "--locale=C.UTF-8", "--wal-segsize=1"]  # MB, of which each copy has one
        made_by = repr((str(initdb), initdb.stat().st_mtime_ns, self.user, options))
        kept = BUILD / "clusters" / hashlib.sha256(made_by.encode()).hexdigest()[:16]
        if kept.exists():
            copy_all(kept, data)
            return
        self.run_as_user([self.bin / "initdb", "--pgdata", data, *options])
        kept.parent.mkdir(exist_ok=True)
        part = kept.with_name(f"{kept.name}.{os.getpid()}")
        copy_all(data, part)
        try:
            part.rename(kept)
        except OSError:  # another test was first
            shutil.rmtree(part)

    def environment(self):
        return {**BASE_ENVIRONMENT, "HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.socket),
                **{name: os.environ[name] for name in ("TOTRAIN_PIECE_BYTES",) if name in os.environ},
                **({"TOTRAIN_PACE": self.pace} if self.pace else {})}

    def run_as_user(self, command):
        done = subprocess.run(command, text=True, capture_output=True, cwd=self.folder, check=False,
                              env=BASE_ENVIRONMENT,
                              **({"user": self.user, "group": self.user, "extra_groups": []} if self.user else {}))
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed:\n{done.stdout}{done.stderr}")

    # --- the process --------------------------------------------------------

    def keep(self):
        plan = {"command": [str(self.bin / "postgres"), "-D", str(self.folder / "data")],
                "environment": self.environment(), "user": self.user}
        (self.folder / "server.json").write_text(json.dumps(plan))
        # With a session of its own, so that Ctrl-C at the test does not reach it.
        self.keeper = subprocess.Popen([sys.executable, "-B", HERE / "keeper.py", self.folder], text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def ask(self, line):
        self.keeper.stdin.write(line + "\n")
        self.keeper.stdin.flush()
        answer = json.loads(self.keeper.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def start(self):
        self.pid = self.ask("start")["pid"]

    def stop(self, number=signal.SIGINT):
        """SIGINT: fast; SIGQUIT: immediate; SIGKILL: no shutdown at all."""
        self.ask(f"stop {signal.Signals(number).name}")

    def reload(self):
        self.execute("SELECT pg_reload_conf()")

    def close(self):
        """Ends the server and removes the folder."""
        if self.keeper:
            self.keeper.stdin.close()
            self.keeper.stdout.close()
            self.keeper.wait()
            self.keeper = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # --- clients ------------------------------------------------------------

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def variables(self, database=DATABASE, user=SUPERUSER):
        """For the environment of a client."""
        return {"PGHOST": str(self.socket), "PGPORT": str(self.port), "PGUSER": user, "PGDATABASE": database}

    def connect(self, database=DATABASE, user=SUPERUSER, autocommit=True, **options):
        connection = psycopg2.connect(host=str(self.socket), port=self.port, dbname=database, user=user, **options)
        connection.autocommit = autocommit
        return connection

    def execute(self, sql, database=DATABASE, user=SUPERUSER):
        """Rows of one statement, None where it has none, on a connection of its own. A condition that is waited for
        (waiting.py) keeps it: a new one takes a hundred times as long as the statement."""
        if kept.by_key is not None:
            return self.execute_again(sql, database, user)
        with contextlib.closing(self.connect(database, user)) as connection:
            return rows_of(connection, sql)

    def execute_again(self, sql, database, user):
        """On a new connection where the kept one has broken, as when the server was killed meanwhile."""
        key = (self, database, user)
        old = kept.by_key.pop(key, None)
        connection = old or self.connect(database, user)
        try:
            rows = rows_of(connection, sql)
        except psycopg2.Error:
            has_broken = connection.closed
            connection.close()
            if old and has_broken:
                return self.execute_again(sql, database, user)
            raise
        kept.by_key[key] = connection
        return rows


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", 4)[-1])
    parser.add_argument("--tcp", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--without-extension", action="store_true")
    parser.add_argument("--run", nargs=argparse.REMAINDER, required=True, metavar="COMMAND")
    options = parser.parse_args()
    settings = dict(word.split("=", 1) for word in options.set)
    with Server(settings, not options.without_extension, options.tcp) as server:
        done = subprocess.run(options.run, env={**os.environ, **server.variables(),
                                                "TOTRAIN_PG_FOLDER": str(server.folder)}, check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
