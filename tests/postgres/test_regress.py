"""test_regress.py [--write] [NAME...] - scripts for psql and for several sessions, by PostgreSQL's own tools.

    regress/sql/NAME.sql            psql (pg_regress)            regress/expected/NAME.out
    isolation/specs/NAME.spec       sessions (pg_isolation_regress)  isolation/expected/NAME.out

on a server of their own. --write replaces what is expected by what came out: look at the
difference before committing it.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from harness import BARE, load_csv
from server import SUPERUSER, Server, pg_config

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = pg_config("pkglibdir") / "pgxs" / "src" / "test"
KINDS = {
    "regress": (PROGRAMS / "regress" / "pg_regress", "sql/*.sql"),
    "isolation": (PROGRAMS / "isolation" / "pg_isolation_regress", "specs/*.spec"),
}


def prepare(server, database):
    server.execute(f"CREATE DATABASE {database}")
    connection = server.connect(database)
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION totrain")
    load_csv(connection, "iris")
    cursor.execute(f"ALTER DATABASE {database} SET totrain.progress_interval = -1")
    connection.close()


def run(server, kind, names, output, write):
    program, pattern = KINDS[kind]
    scripts = sorted(path.stem for path in (HERE / kind).glob(pattern))
    chosen = [name for name in scripts if name in names or not names]
    if not chosen:
        return 0
    expected = HERE / kind / "expected"
    expected.mkdir(exist_ok=True)
    for name in chosen if write else []:
        (expected / f"{name}.out").touch()
    prepare(server, kind)
    done = subprocess.run(
        [program, "--use-existing", f"--host={server.socket}", f"--port={server.port}", f"--user={SUPERUSER}",
         f"--dbname={kind}", f"--bindir={pg_config('bindir')}", f"--inputdir={HERE / kind}",
         f"--outputdir={output}", *chosen], check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
    differences = output / "regression.diffs"
    if differences.exists():
        print(differences.read_text())
    for name in chosen if write else []:
        shutil.copy(output / "results" / f"{name}.out", expected / f"{name}.out")
    return done.returncode


def main():
    write = "--write" in sys.argv
    names = [word for word in sys.argv[1:] if word != "--write"]
    with Server(BARE) as server, tempfile.TemporaryDirectory(prefix="totrain-regress-") as folder:
        results = []
        for kind in KINDS:
            output = pathlib.Path(folder) / kind
            output.mkdir()
            results.append(run(server, kind, names, output, write))
    return max(results)


if __name__ == "__main__":
    sys.exit(main())
