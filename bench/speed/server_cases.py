"""Rows that parameter servers answer and move, by server_rows.c: rows of 16 floats, skewed ids, Adam, over Unix
sockets, beside one loop over the same table in one process."""
import json
import statistics
import subprocess
import tempfile

PULLED, PUSHED = 1.5e6, 1e6  # rows a second that are wanted
BATCHES = 400


def rows(bench, table):
    for servers in (1, 2):
        measured = []
        for _ in range(bench.runs):
            with tempfile.TemporaryDirectory(prefix="totrain-servers-") as folder:
                done = subprocess.run([bench.build / "bench" / "server_rows", str(servers), str(BATCHES), folder],
                                      check=True, capture_output=True, text=True, timeout=300)
            measured.append(json.loads(done.stdout))
        for what, wanted in (("pulled", PULLED), ("pushed", PUSHED)):
            rate = statistics.median(run[what] for run in measured)
            alone = statistics.median(run["alone_" + what] for run in measured)
            table.ratio(f"parameter servers, {servers}: a million rows {what}", "one process",
                        [(1e6 / run[what], 1e6 / run["alone_" + what]) for run in measured], None)
            table.multiple(f"the same: rows wanted of {rate / 1e6:.2f} million a second (alone {alone / 1e6:.2f})",
                           wanted / rate, "wanted / ours", 1)
