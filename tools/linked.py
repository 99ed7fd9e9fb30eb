"""The libraries that a program was linked with, and their licences: for the tools that pack it."""

import os
import pathlib
import re
import subprocess


def output_of(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def linked(file):
    """(name, path) of what it was linked with."""
    for line in output_of("ldd", file).splitlines():
        if "not found" in line:
            raise SystemExit(f"{file}: {line.strip()}")
        match = re.match(r"\s*(\S+) => (/\S+) ", line)
        if match:
            yield match.group(1), pathlib.Path(match.group(2))


def licences(paths):
    """(package, text) of what Debian says on the packages that these files belong to."""
    packages = set()
    for line in output_of("dpkg-query", "-S", *{path.resolve().name for path in paths}).splitlines():
        owners, _, file = line.partition(": ")
        if pathlib.Path(file).resolve() in {path.resolve() for path in paths}:
            packages.add(owners.split(",")[0].split(":")[0])
    for package in sorted(packages):
        text = pathlib.Path("/usr/share/doc") / package / "copyright"
        if text.exists():
            yield package, text.read_bytes()
