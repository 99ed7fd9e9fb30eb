"""A bill of materials as CycloneDX 1.5: what is in a release, from where, and under which licences.

The files that are handed out, with their digests; the libraries that the wheel brings, as Debian's packages; those that
the packages for Debian depend on, by the same names. The same release gives the same bits: the document's number is
made of its contents.
"""

import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import uuid
import zipfile

from linked import linked, output_of

# Licences by the names of SPDX; their whole texts from Debian are in the wheel (*.dist-info/licenses).
LICENCES = {
    "libbsd0": "BSD-3-Clause", "libcjson1": "MIT", "libcsv3": "LGPL-2.1-or-later", "libcurl4": "curl",
    "libedit2": "BSD-3-Clause", "libevent-2.1-7": "BSD-3-Clause", "libmd0": "BSD-3-Clause", "libpq5": "PostgreSQL",
    "libprotobuf-c1": "BSD-2-Clause", "libspng0": "BSD-2-Clause", "libsqlite3-0": "blessing", "libssl3": "Apache-2.0", "libtinfo6": "X11",
    "libxxhash0": "BSD-2-Clause", "libyaml-0-2": "MIT", "zlib1g": "Zlib",
}
# Loaded when first used, where the system has them (lazy/).
LOADED = ("libpq5", "libcurl4")
VALIDATOR = "cyclonedx-python-lib[json-validation]==11.12.0"
TYPES = {".whl": "application/zip", ".deb": "application/vnd.debian.binary-package"}


def sha256(data):
    return [{"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}]


def package_of(path):
    """(name, version) of the package of Debian that has this file."""
    for line in output_of("dpkg-query", "-S", f"*/{path.resolve().name}").splitlines():
        owners, _, file = line.partition(": ")
        if pathlib.Path(file).resolve() == path.resolve():
            name = owners.split(",")[0].split(":")[0]
            return name, output_of("dpkg-query", "-W", "-f", "${Version}", owners.split(",")[0].strip()).strip()
    raise SystemExit(f"sbom: {path} belongs to no package")


def library(name, version, **more):
    if name not in LICENCES:
        raise SystemExit(f"sbom: the licence of {name} is not known: add it to LICENCES in tools/sbom.py")
    purl = f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch=amd64&distro=debian-12"
    return {"type": "library", "bom-ref": more.pop("reference", purl), "name": name, "version": version, "purl": purl,
            "licenses": [{"license": {"id": LICENCES[name]}}], **more}


def bundled(wheel, build):
    """The libraries in the wheel, by their files there."""
    archive, found = zipfile.ZipFile(wheel), {}
    paths = {path.name.split(".so")[0]: path for file in ("ship/totrain", "totrain.so")
             for _, path in linked(build / file)}
    for name in archive.namelist():
        if name.startswith("totrain.libs/"):
            # auditwheel writes a digest before the first dot: libevent-2-86072908.1.so.7
            stem = re.fullmatch(r"totrain\.libs/(.+)-[0-9a-f]{8}(\..*)", name).expand(r"\1\2").split(".so")[0]
            package, version = package_of(paths[stem])
            found[name] = library(package, version, reference=name, hashes=sha256(archive.read(name)), scope="required",
                                  properties=[{"name": "file", "value": name}])
    return found


def needed(package):
    """Names of the packages that a package for Debian depends on, of which we know the licence."""
    fields = output_of("dpkg-deb", "--field", package, "Depends", "Recommends")
    return {name for name in re.findall(r"(?:^|[,:] ?)([a-z0-9.+-]+)", fields, re.M) if name in LICENCES}


def installed(name):
    return library(name, output_of("dpkg-query", "-W", "-f", "${Version}", f"{name}:amd64").strip(), scope="optional")


def handed_out(path, version):
    return {"type": "file", "bom-ref": path.name, "name": path.name, "version": version,
            "hashes": sha256(path.read_bytes()), "licenses": [{"license": {"id": "Apache-2.0"}}]}


def write(path, version, wheel, packages, build):
    """The document, of the wheel and the packages for Debian of this version."""
    files = [handed_out(file, version) for file in (wheel, *packages)]
    libraries = bundled(wheel, build)
    depends = [{"ref": wheel.name, "dependsOn": sorted(one["bom-ref"] for one in libraries.values())}]
    for package in packages:
        names = needed(package)
        for name in names | set(LOADED):
            libraries.setdefault(name, installed(name))
        depends.append({"ref": package.name, "dependsOn": sorted(libraries[name]["bom-ref"] for name in names)})
    components = files + sorted(libraries.values(), key=lambda one: one["bom-ref"])
    content = {"components": components, "dependencies": depends}
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    document = {"bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{number}", "version": 1,
                "metadata": {"component": {"type": "application", "bom-ref": "totrain", "name": "totrain",
                                           "version": version, "licenses": [{"license": {"id": "Apache-2.0"}}]}},
                **content}
    path.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")


CHECK = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
wrong = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read())
sys.exit(f"sbom: {sys.argv[1]}: {wrong}" if wrong else 0)
"""


def validator(folder):
    """An interpreter that has CycloneDX's own validator, with the schema in it, from PyPI."""
    mark = folder / "installed"
    if not mark.exists() or mark.read_text() != VALIDATOR:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", "--no-compile", VALIDATOR], check=True)
        mark.write_text(VALIDATOR)
    return folder / "bin" / "python"


def check(path, build):
    """SystemExit where the document is not as the schema wants it."""
    done = subprocess.run([validator(build / "python" / "validator"), "-c", CHECK, path], check=False, text=True,
                          capture_output=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr.strip())
