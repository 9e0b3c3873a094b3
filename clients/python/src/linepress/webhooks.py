"""Verification of the events that the server sends to webhooks, by the convention of Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import LinepressError

TOLERANCE_SECONDS = 300
"""The age up to which a message is accepted. Older ones may be repetitions by an attacker."""


class InvalidWebhook(LinepressError):
    """A request that does not come from the server, or is too old. A receiver responds with 400 and ignores it."""


@dataclass(frozen=True)
class Event:
    """An event. Every attempt to send it has the same `id`, by which a receiver recognizes a repetition."""

    id: str
    type: str
    timestamp: str
    data: dict[str, Any]


def verify(
    body: bytes | str,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> Event:
    """Returns the event in a request of the server; raises `InvalidWebhook` for any other request.

    `body` must be the body as it was received. While a secret is rotated, `secrets` may be the old one or both.
    """
    content = body.encode() if isinstance(body, str) else body
    names = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = (names[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise InvalidWebhook(f"The header {missing} is missing.") from None
    _check_age(timestamp, tolerance, time.time() if now is None else now)
    signed = f"{id}.{timestamp}.".encode() + content
    known = [secrets] if isinstance(secrets, str) else secrets
    expected = [hmac.new(_key(secret), signed, hashlib.sha256).digest() for secret in known]
    if not _is_any_valid(signatures, expected):
        raise InvalidWebhook("No signature of the request is that of a known secret.")
    try:
        event = json.loads(content)
        return Event(id, event["type"], event["timestamp"], event["data"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidWebhook("The body is not an event.") from error


def _check_age(timestamp: str, tolerance: float, now: float) -> None:
    if not (timestamp.isascii() and timestamp.isdecimal()):
        raise InvalidWebhook("The header webhook-timestamp is not a time in seconds.")
    if abs(now - int(timestamp)) > tolerance:
        raise InvalidWebhook("The request is too old, or the clock of this machine is wrong.")


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise ValueError("The secret of a webhook is `whsec_` and base64.") from None


def _is_any_valid(signatures: str, expected: Sequence[bytes]) -> bool:
    """Compares each signature of the header with each expected one, in constant time."""
    found = False
    for signature in signatures.split():
        version, _, value = signature.partition(",")
        try:
            given = base64.b64decode(value, validate=True)
        except ValueError:
            continue
        for right in expected:
            found |= version == "v1" and hmac.compare_digest(given, right)
    return found
