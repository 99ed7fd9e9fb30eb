"""python -m totrain, and the command totrain: the program that the package brings."""

import os
import sys

from ._files import program_path


def main() -> None:
    """Becomes the program: same process, same terminal, its exit code."""
    program = program_path()
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
