"""The cost of thirty workers that start at once."""

import pathlib
import statistics

from jobs import Job, Setting

WORKERS = 30


def processor_ms(pid):
    """Milliseconds of all threads of the process, so far."""
    threads = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e6


def run(bench):
    """Processor time of thirty workers from exec to their first step, over Unix sockets and over TLS."""
    setting, found = Setting(WORKERS, 1000, 100, WORKERS, least=WORKERS), []
    for name, listen in (("sockets", None), ("TLS", "tcp:127.0.0.1:0")):
        job = Job(bench, f"start-{name}", setting, listen=listen)
        job.wait_for_step(1)
        times = sorted(processor_ms(pid) for pid, (role, _) in job.children().items() if role == "worker")
        job.process.stdin.close()  # nobody waits for it any more
        job.process.wait()
        job.reader.join()
        job.process.stdout.close()
        assert len(times) == WORKERS
        found.append(f"{name}: {statistics.median(times):.1f} ms a worker, {times[-1]:.1f} ms the one that adds up, "
                     f"{sum(times):.0f} ms all")
    return str(setting), "; ".join(found), None
