"""What the package raises by itself."""


class Error(Exception):
    """What the package itself refuses. A statement's errors are those of the database's driver."""
