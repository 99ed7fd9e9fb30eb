"""Builds what the lab runs, once: Kubernetes from its Go module, the pause image, Debian's daemons."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import place as places
from control import LabError, Refused

sys.path.insert(0, str(places.ROOT / "tools"))
import oci  # noqa: E402  pylint: disable=wrong-import-position

GO = (1, 24)  # the version that go.mod of k8s.io/kubernetes demands
# A third of the compiler's time goes into inlining and DWARF, which the lab does not need.
COMPILED = "-gcflags=all=-l -dwarf=false"


def prepare(place):
    place.folder.mkdir(parents=True, exist_ok=True)
    version = go_version()
    run([places.ROOT / "tools" / "install-lab-packages", place.packages])
    build_kubernetes(place, version)
    build_pause(place)


def run(command, **options):
    try:
        subprocess.run(list(map(str, command)), check=True, **options)
    except subprocess.CalledProcessError as error:
        raise LabError(f"{pathlib.Path(str(command[0])).name} failed with {error.returncode}") from None


def go_version():
    if not shutil.which("go"):
        raise Refused("the lab is built with Go 1.24 or newer, and there is no go in the PATH "
                      "(Debian 12 has 1.19; https://go.dev/dl/)")
    text = subprocess.run(["go", "version"], capture_output=True, text=True, check=True).stdout
    numbers = re.search(r"go(\d+)\.(\d+)", text)
    if not numbers or tuple(map(int, numbers.groups())) < GO:
        raise Refused(f"the lab is built with Go 1.24 or newer, not {text.strip()}")
    return text


def is_current(result, sources, more=""):
    """Whether `result` was built from these sources; the function returned says that it now is."""
    stamp = result.with_suffix(".built")
    now = hashlib.sha256(more.encode() + b"".join(file.read_bytes() for file in sources)).hexdigest()
    current = result.exists() and stamp.exists() and stamp.read_text() == now
    return current, lambda: stamp.write_text(now)


def linker_flags(source):
    """Kubernetes does not know its version unless its own build says it."""
    required = re.search(r"k8s.io/kubernetes (v(\d+)\.(\d+)\.\d+)", (source / "go.mod").read_text())
    version, major, minor = required.groups()
    names = "k8s.io/component-base/version.git"
    return f"-s -w -X {names}Version={version} -X {names}Major={major} -X {names}Minor={minor}"


def build_kubernetes(place, version):
    source = places.SOURCE / "kubernetes"
    flags = linker_flags(source)
    current, built = is_current(place.kubernetes, [source / name for name in ("main.go", "go.mod", "go.sum")],
                                version + COMPILED + flags)
    if not current:
        print("building Kubernetes from its Go module: minutes the first time, seconds later", flush=True)
        place.kubernetes.parent.mkdir(exist_ok=True)
        half = place.kubernetes.with_suffix(".half")
        run(["nice", "-n", "10", "go", "build", "-mod=readonly", "-trimpath", "-buildvcs=false",
             "-p", os.environ.get("TOTRAIN_LAB_JOBS", str(os.cpu_count())),
             COMPILED, f"-ldflags={flags}", "-o", half, "."],
            cwd=source, env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": ""})
        half.rename(place.kubernetes)
        built()
    if not place.kubectl.is_symlink():
        place.kubectl.symlink_to("kubernetes")


def build_pause(place):
    sources = [places.SOURCE / "pause" / "pause.c", places.ROOT / "tools" / "oci.py"]
    current, built = is_current(place.pause, sources)
    if current:
        return
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "pause"
        run(["gcc", "-O2", "-static", "-s", "-Wall", "-Werror", "-o", program, sources[0]])
        layer = oci.Layer()
        layer.file("pause", program.read_bytes(), 0o755)
        place.pause.write_bytes(oci.image(layer, places.PAUSE, {
            "Entrypoint": ["/pause"], "User": "65532:65532", "WorkingDir": "/"}))
    built()
