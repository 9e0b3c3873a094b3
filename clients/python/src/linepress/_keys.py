"""Idempotency keys."""

import uuid


def new_key() -> str:
    """Returns a key for one request, with which it can be repeated without a second effect."""
    return str(uuid.uuid4())
