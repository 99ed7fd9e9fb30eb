"""A program's processor time and the most memory that one of its processes had, as one line of JSON.

    python3 -I -S measured.py PROGRAM ARGUMENT...

A process of its own, as the kernel counts what a process was before it became the program as memory of the program:
Python without modules is smaller than any worker.
"""

import json
import os
import sys

null = os.open(os.devnull, os.O_WRONLY)
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
_, status, used = os.wait4(pid, 0)
print(json.dumps({"status": os.waitstatus_to_exitcode(status), "seconds": used.ru_utime + used.ru_stime,
                  "bytes": used.ru_maxrss << 10}))
