"""Files that are sent and received."""

from __future__ import annotations

import io
import os
import uuid
from collections.abc import Mapping
from pathlib import Path

import httpx

from .rest.types import File

Artwork = str | os.PathLike[str] | bytes
"""The path of a PNG, JPEG or WebP, or its bytes."""


def artwork(picture: Artwork) -> File:
    """Returns a picture as the generated functions take it."""
    if isinstance(picture, bytes):
        return File(io.BytesIO(picture), "artwork")
    path = Path(picture)
    return File(io.BytesIO(path.read_bytes()), path.name)


def download(client: httpx.Client, address: str, parameters: Mapping[str, str | None], target: Path) -> Path:
    """Saves a response. The file appears under its name when it is complete; an existing one is replaced then."""
    given = {name: value for name, value in parameters.items() if value is not None}
    partial = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    try:
        with client.stream("GET", address, params=given) as response, partial.open("xb") as file:
            for chunk in response.iter_bytes():
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target
