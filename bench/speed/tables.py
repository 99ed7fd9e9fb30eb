"""The generated tables, each made once for a build."""

import subprocess


def generated(build, name, rows):
    """The database with the table, which is made where it is missing or the generator is newer."""
    made = build / "bench" / f"{name}-{rows}.db"
    generator = build / "bench" / "generate"
    if not made.exists() or made.stat().st_mtime < generator.stat().st_mtime:
        unfinished = made.with_suffix(".tmp")
        unfinished.unlink(missing_ok=True)
        subprocess.run([generator, unfinished, name, str(rows)], check=True)
        unfinished.rename(made)
    return made
