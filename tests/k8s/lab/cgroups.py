"""The lab's control groups: one tree below every hierarchy that the machine has mounted.

Nothing but these folders outlives the lab's namespaces when it is killed; they
are empty then, and removed at the end and before the next start.
"""

import os
import pathlib
import time

V2_CONTROLLERS = ("cpuset", "cpu", "io", "memory", "hugetlb", "pids")  # a kubelet asks for all that there are


def mounts():
    """(folder, is version 2) of each mounted hierarchy."""
    found = []
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        _, folder, kind, *_ = line.split()
        if kind in ("cgroup", "cgroup2"):
            found.append((pathlib.Path(folder), kind == "cgroup2"))
    return found


def make(name):
    """The group `name` ("lab/node") in every hierarchy, able to hold processes and groups."""
    for top, second in mounts():
        group = top
        for part in pathlib.PurePosixPath(name).parts:
            if second:
                enable_controllers(group)
            group = group / part
            group.mkdir(exist_ok=True)
            copy_cpuset(group)
        if second:
            enable_controllers(group)


def enable_controllers(group):
    there = (group / "cgroup.controllers").read_text().split()
    wanted = " ".join("+" + controller for controller in V2_CONTROLLERS if controller in there)
    (group / "cgroup.subtree_control").write_text(wanted)


def copy_cpuset(group):
    """A new cpuset of version 1 has no processor and no memory, and takes no process."""
    for name in ("cpuset.cpus", "cpuset.mems"):
        file = group / name
        if file.exists() and not file.read_text().strip():
            file.write_text((group.parent / name).read_text())


def memory_peak(process):
    """The most bytes that were ever charged to the control group of a process, page cache and all. One that has ended
    is in no group but the root."""
    groups = pathlib.Path(f"/proc/{process}/cgroup").read_text(encoding="ascii").splitlines()
    for group in filter(None, (line.split(":", 2)[2].lstrip("/") for line in groups)):
        for top, second in mounts():
            peak = top / group / ("memory.peak" if second else "memory.max_usage_in_bytes")
            if peak.exists():
                return int(peak.read_text(encoding="ascii"))
    raise FileNotFoundError(f"process {process} is in no group that counts memory")


def remains(name):
    """The folders of the group, the deepest first."""
    found = []
    for top, _ in mounts():
        for folder, _, _ in os.walk(top / name, topdown=False):
            found.append(pathlib.Path(folder))
    return found


def remove(name, seconds=30):
    """Removes the group with all below it. Its processes have been killed; the last may still be leaving."""
    end = time.monotonic() + seconds
    while True:
        for folder in remains(name):
            try:
                folder.rmdir()
            except OSError:
                pass
        if not remains(name):
            return
        if time.monotonic() > end:
            raise OSError(f"control groups cannot be removed: {', '.join(map(str, remains(name)))}")
        time.sleep(0.02)
