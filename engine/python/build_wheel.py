"""The build backend: a wheel of pure Python is a zip file with three files of metadata. It needs nothing but Python."""

from __future__ import annotations

import base64
import hashlib
import re
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent


def _field(name: str) -> str:
    found = re.search(rf'^{name} = "(.*)"$', (HERE / "pyproject.toml").read_text(), re.MULTILINE)
    assert found, f"pyproject.toml has no {name}"
    return found[1]


def _metadata() -> str:
    return (
        f"Metadata-Version: 2.1\nName: {_field('name')}\nVersion: {_field('version')}\n"
        f"Summary: {_field('description')}\nRequires-Python: {_field('requires-python')}\n"
        "License: MIT OR Apache-2.0\nDescription-Content-Type: text/markdown\n\n" + (HERE / "README.md").read_text()
    )


def _stem() -> str:
    return f"{_field('name').replace('-', '_')}-{_field('version')}"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # noqa: ANN001
    stem = _stem()
    name = f"{stem}-py3-none-any.whl"
    files = {f"canopy_trees/{path.name}": path.read_bytes() for path in sorted((HERE / "canopy_trees").iterdir()) if path.is_file()}
    files[f"{stem}.dist-info/METADATA"] = _metadata().encode()
    files[f"{stem}.dist-info/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: canopy-trees\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files[f"{stem}.dist-info/RECORD"] = (record + f"{stem}.dist-info/RECORD,,\n").encode()
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            # The same date for everybody: the same sources make the same wheel.
            wheel.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), content)
    return name


def build_sdist(sdist_directory, config_settings=None):  # noqa: ANN001
    stem = _stem()
    name = f"{stem}.tar.gz"
    with tarfile.open(Path(sdist_directory) / name, "w:gz") as archive:
        for path in [HERE / "pyproject.toml", HERE / "README.md", HERE / "build_wheel.py", *sorted((HERE / "canopy_trees").glob("*.py"))]:
            archive.add(path, f"{stem}/{path.relative_to(HERE)}")
    return name
