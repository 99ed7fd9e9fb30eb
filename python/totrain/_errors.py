"""The errors that the package raises by itself."""


class Error(Exception):
    """An error of the package itself. A statement's errors are those of the database's driver."""
