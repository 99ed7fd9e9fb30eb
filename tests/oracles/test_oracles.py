#!/usr/bin/env python3
"""Random statements with oracles: what must be so whatever table and statement are (statements.py).

    test_oracles.py                            a sample, as the tests run it: TOTRAIN_BUILD says where the build is
    test_oracles.py --count 2000 --seed 7      so many cases from a seed on; all failures are listed
    test_oracles.py --case 1234:label_moves    one case again, with its statements
"""

import argparse
import os
import pathlib
import sqlite3
import sys
import tempfile

import notices
import statements
import weights

SAMPLE, FIRST = 90, 20_000
NAMES = {oracle.__name__: oracle for oracle in statements.ORACLES + statements.SLOW_ORACLES + notices.ORACLES + weights.ORACLES}


def connected(folder):
    database = sqlite3.connect(folder / "oracles.db", isolation_level=None, cached_statements=0)
    database.enable_load_extension(True)
    database.load_extension(str(pathlib.Path(os.environ["TOTRAIN_BUILD"]) / "totrain"))
    database.execute("PRAGMA synchronous = OFF")
    return database


def run_case(folder, seed, oracle):
    """The fault, or None; and the statements."""
    database = connected(folder)
    case = statements.Case(database, seed)
    try:
        return oracle(case), case
    except sqlite3.Error as error:
        return f"{error}", case
    finally:
        database.close()
        (folder / "oracles.db").unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=int(os.environ.get("TOTRAIN_ORACLES", SAMPLE)))
    parser.add_argument("--seed", type=int, default=FIRST)
    parser.add_argument("--case", help="SEED:ORACLE")
    parser.add_argument("--notices", action="store_true", help="of notices alone (notices.py)")
    parser.add_argument("--weights", action="store_true", help="of weights alone (weights.py)")
    parser.add_argument("--slow", action="store_true", help="also of asynchronous workers")
    options = parser.parse_args()
    oracles = statements.ORACLES + (statements.SLOW_ORACLES if options.slow else ())
    cases = [(options.seed + i, oracles[i % len(oracles)]) for i in range(options.count)]
    # Beside the others, whose seeds stay what they are.
    of_notices, of_weights = ([(options.seed + i, kind[i % len(kind)]) for i in range(options.count)]
                              for kind in (notices.ORACLES, weights.ORACLES))
    if options.notices or options.weights:
        cases = of_notices if options.notices else of_weights
    else:
        cases += of_notices[:options.count // 3] + of_weights[:options.count // 6]
    if options.case:
        seed, name = options.case.split(":")
        cases = [(int(seed), NAMES[name])]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="totrain-oracles-") as folder:
        os.environ["TOTRAIN_STATE"] = str(pathlib.Path(folder) / "state")
        for seed, oracle in cases:
            wrong, case = run_case(pathlib.Path(folder), seed, oracle)
            if wrong:
                failed += 1
                print(f"{seed}:{oracle.__name__} {case.model} {case.attributes}: {wrong}", flush=True)
            if options.case:
                print("\n".join(case.statements))
    print(f"{len(cases)} cases, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
