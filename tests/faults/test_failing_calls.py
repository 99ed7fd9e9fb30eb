"""The system refuses one call of a role of a small job, or all of one kind from then on.

    test_failing_calls.py [--runs N] [--seed S] [--role ROLE] [--call CALL] [--all [--every N]] [--once]

The job ends with the digest of the undisturbed one or with an error that says something; the model that was
there stays until another is in its place; nothing is left running; no process dies of a mistake of its own
(SIGSEGV, SIGABRT ...). First the calls of an undisturbed job are counted. Then each run lets the N-th of them
fail: a sample by seed, or every one with --all.
"""

import argparse
import concurrent.futures
import errno
import random
import struct
import sys
import time

import small_job

CALLS = ("memory", "mmap", "read", "write", "send", "sync", "connect", "open", "socket", "thread", "spawn",
         "truncate", "rename", "unlink")
ERRORS = {"memory": errno.ENOMEM, "mmap": errno.ENOMEM, "read": errno.EIO, "write": errno.ENOSPC,
          "send": errno.ECONNRESET, "sync": errno.EIO, "connect": errno.ECONNREFUSED, "open": errno.EMFILE,
          "socket": errno.EMFILE, "thread": errno.EAGAIN, "spawn": errno.EAGAIN, "truncate": errno.EIO,
          "rename": errno.EIO, "unlink": errno.EIO}
ROLES = ("session", "supervise", "master", "worker")
CODES = (1, 2, 3, 4, 5)  # exit codes of docs/cli.md
# Where nothing reaches anybody any more a job waits for its workers: such calls fail once. So do all calls of
# workers: one that cannot work is tried again and again, with pauses, while the job waits.
ONCE = ("send", "connect", "socket")


def counts_of(run):
    """Role, call -> how often; of roles that ran."""
    counts = {}
    for role in ROLES:
        file = run.calls / f"{role}.counts"
        if file.exists():
            numbers = struct.unpack_from(f"{len(CALLS)}Q", file.read_bytes())
            counts.update({(role, call): number for call, number in zip(CALLS, numbers)})
    return counts


def judge(place, run, code, errors):
    """The outcome of the run: "same", "error" or "late error"; AssertionError for any that may not be."""
    assert code is not None, "it does not end"
    run.wait_until_gone()
    digest = small_job.digest_of(run.path)
    crashes = run.crashes()
    assert not crashes, "somebody crashed: " + crashes[0]
    if code == 0:
        assert digest == place.new, f"it succeeded with digest {digest}"
        return "same"
    assert code in CODES, f"exit code {code}: {errors}"
    assert small_job.said_error(errors) or "cannot" in errors or "memory" in errors, f"no error is said: {errors!r}"
    assert "is no model" not in errors, f"what cannot be read is taken for another table: {errors}"
    if digest == place.new:
        return "late error"  # the model is there, but its end could not be reported
    assert digest == place.old, f"it failed, and the model's digest is {digest}"
    return "error"


def describe(case):
    role, call, at, lasts = case
    return f"{role}: {call} {at}{' and all after it' if lasts else ''}"


def attempt(place, case):
    """(case, outcome, what was said or is wrong)."""
    role, call, at, lasts = case
    run = small_job.Run(place, f"{role}.{call}.{at}")
    run.start({"LD_PRELOAD": small_job.library("failing_calls"), "TOTRAIN_CALLS": str(run.calls),
               "TOTRAIN_FAILURE": f"role={role},call={call},at={at},errno={ERRORS[call]},lasts={lasts}"})
    code, errors = run.end()
    try:
        outcome = judge(place, run, code, errors)
        run.remove()
        return case, outcome, errors
    except AssertionError as failure:
        return case, "wrong", f"{failure}\n{run.failed()}--- said\n{errors}\n--- log\n{run.log()[-2000:]}"
    finally:
        run.end_what_is_left()


def choose(counts, options):
    """The calls that are to fail."""
    cases = [(role, call, at, lasts) for (role, call), count in counts.items() for at in range(1, count + 1)
             for lasts in ((0,) if call in ONCE or role == "worker" or options.once else (0, 1))
             if options.role in (None, role) and (not options.call or call in options.call)]
    if options.all:
        return [case for case in cases if case[1] != "memory" or case[2] % options.every == 0]
    # Each kind of call of each role as often as any other, however many there are.
    chance, kinds = random.Random(options.seed), {}
    for case in cases:
        kinds.setdefault(case[:2], []).append(case)
    chosen = set()
    while kinds and len(chosen) < min(options.runs, len(cases)):
        chosen.add(chance.choice(kinds[chance.choice(sorted(kinds))]))
    return sorted(chosen)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--role", choices=ROLES)
    parser.add_argument("--call", choices=CALLS, action="append")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="of allocations, with --all")
    parser.add_argument("--once", action="store_true", help="one call, and none after it")
    parser.add_argument("--show", action="store_true", help="what was said in each run")
    parser.add_argument("--workers", type=int, default=2, help="runs side by side")
    parser.add_argument("--at", type=int, help="this call alone, with --role and --call")
    options = parser.parse_args()
    place = small_job.Place()
    try:
        run = small_job.Run(place, "counted")
        run.start({"LD_PRELOAD": small_job.library("failing_calls"), "TOTRAIN_CALLS": str(run.calls)})
        code, errors = run.end()
        assert judge(place, run, code, errors) == "same", errors
        counts = counts_of(run)
        for role in ROLES:
            told = {call: counts.get((role, call), 0) for call in CALLS}
            print(f"{role:10}" + ", ".join(f"{call} {count}" for call, count in told.items() if count))
            assert told["memory"] and told["open"], f"the library was not loaded into the {role}"
        cases = choose(counts, options)
        if options.at:
            cases = [(options.role, options.call[0], options.at, lasts) for lasts in (0, 1)]
        started, outcomes, wrong = time.monotonic(), {}, []
        with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
            for case, outcome, said in pool.map(lambda case: attempt(place, case), cases):
                outcomes[outcome] = outcomes.get(outcome, 0) + 1
                if options.show and outcome != "wrong":
                    print(f"{describe(case)}: {outcome}: {said.strip()}", flush=True)
                if outcome == "wrong":
                    wrong.append(case)
                    print(f"WRONG: {describe(case)}: {said}", flush=True)
        print(f"{len(cases)} runs in {time.monotonic() - started:.0f} s: "
              + ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
        sys.exit(1 if wrong else 0)
    finally:
        place.remove()


if __name__ == "__main__":
    main()
