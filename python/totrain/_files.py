"""Where the program and the extension are."""

import os


def _path(name: str) -> str:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path} is missing: this is not an installed totrain (pip install totrain)")
    return path


def program_path() -> str:
    """The program `totrain`, which trains, and is a shell for SQLite and PostgreSQL."""
    return _path("totrain")


def extension_path() -> str:
    """The extension for SQLite, for programs that load it by themselves."""
    return _path("totrain.so")
