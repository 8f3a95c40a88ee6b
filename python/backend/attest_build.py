"""The build backend of the package (PEP 517, PEP 660): a pure wheel, by the standard library alone."""

import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "pyproject.toml").read_text()  # tomllib is newer than Python 3.9


def _value(key):
    return re.search(rf'^{key} = "(.*)"$', TEXT, re.MULTILINE).group(1)


NAME = f"attest-{_value('version')}"
INFO = f"{NAME}.dist-info"
EPOCH = (1980, 1, 1, 0, 0, 0)


def metadata():
    lines = ["Metadata-Version: 2.1", "Name: attest", f"Version: {_value('version')}", f"Summary: {_value('description')}"]
    lines += ["License: MIT", f"Requires-Python: {_value('requires-python')}"]
    lines += [f"Classifier: {c}" for c in re.findall(r'^    "(.*)",$', TEXT, re.MULTILINE)]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text()]
    return "\n".join(lines)


def entry_points():
    return f'[pytest11]\nattest = {_value("attest")}\n'


def _sources():
    return {f"attest/{path.name}": path.read_bytes() for path in sorted((ROOT / "attest").iterdir()) if path.suffix == ".py" or path.name == "py.typed"}


def _write_wheel(directory, files):
    files = {
        **files,
        f"{INFO}/METADATA": metadata().encode(),
        f"{INFO}/WHEEL": b"Wheel-Version: 1.0\nGenerator: attest\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{INFO}/entry_points.txt": entry_points().encode(),
    }
    record = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}\n")
    files[f"{INFO}/RECORD"] = ("".join(record) + f"{INFO}/RECORD,,\n").encode()
    wheel = f"{NAME}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, _sources())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {"attest.pth": f"{ROOT}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    name = f"{NAME}.tar.gz"
    files = {**_sources(), "backend/attest_build.py": Path(__file__).read_bytes()}
    files.update({part: (ROOT / part).read_bytes() for part in ("pyproject.toml", "README.md")})
    files["PKG-INFO"] = metadata().encode()
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo(f"{NAME}/{path}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    return name
