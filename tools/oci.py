"""Container images without an engine: the same bits from the same files, whoever builds them and when.

A tree of files becomes one layer; the layer, its configuration and what names
them become one tar that is both an OCI layout (image-spec 1.0: oci-layout,
index.json, blobs/sha256/DIGEST) and a docker-archive (manifest.json), so that
containerd, podman, skopeo and docker load it. Entries are sorted, times are 0,
owners are root.
"""

import gzip
import hashlib
import io
import json
import pathlib
import tarfile

MEDIA = "application/vnd.oci.image."


class Layer:
    """The files of an image, added in any order."""

    def __init__(self):
        self.entries = {}

    def _add(self, path, kind, mode, data=b"", target="", owner=0):
        path = path.strip("/")
        for parent in reversed(pathlib.PurePosixPath(path).parents):
            if str(parent) != "." and str(parent) not in self.entries:
                self.folder(str(parent))
        entry = tarfile.TarInfo(path)
        entry.type, entry.mode, entry.size, entry.linkname = kind, mode, len(data), target
        entry.uid = entry.gid = owner
        self.entries[path] = (entry, data)

    def folder(self, path, mode=0o755, owner=0):
        self._add(path, tarfile.DIRTYPE, mode, owner=owner)

    def file(self, path, data, mode=0o644):
        self._add(path, tarfile.REGTYPE, mode, data)

    def link(self, path, target):
        self._add(path, tarfile.SYMTYPE, 0o777, target=target)

    def tar(self):
        return tar_of(self.entries[path] for path in sorted(self.entries))


def tar_of(entries):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for entry, data in entries:
            tar.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def digest(data):
    return hashlib.sha256(data).hexdigest()


def described(media, data, **more):
    return {"mediaType": MEDIA + media, "digest": "sha256:" + digest(data), "size": len(data), **more}


def text(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def image(layer, name, config):
    """Bytes of the tar. `name` is registry/repository:tag, `config` the image's runtime configuration."""
    plain = layer.tar()
    packed = gzip.compress(plain, 6, mtime=0)
    configuration = text({
        "architecture": "amd64", "os": "linux", "config": config,
        "created": "1970-01-01T00:00:00Z",
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + digest(plain)]},
        "history": [{"created": "1970-01-01T00:00:00Z"}],
    })
    manifest = text({
        "schemaVersion": 2, "mediaType": MEDIA + "manifest.v1+json",
        "config": described("config.v1+json", configuration),
        "layers": [described("layer.v1.tar+gzip", packed)],
    })
    index = text({
        "schemaVersion": 2, "mediaType": MEDIA + "index.v1+json",
        "manifests": [described("manifest.v1+json", manifest, annotations={
            "io.containerd.image.name": name,
            "org.opencontainers.image.ref.name": name.rsplit(":", 1)[1]})],
    })
    blob = "blobs/sha256/{}".format
    archive = Layer()
    for data in (packed, configuration, manifest):
        archive.file(blob(digest(data)), data)
    archive.file("oci-layout", text({"imageLayoutVersion": "1.0.0"}))
    archive.file("index.json", index)
    archive.file("manifest.json", text([{
        "Config": blob(digest(configuration)), "RepoTags": [name], "Layers": [blob(digest(packed))]}]))
    return archive.tar()
