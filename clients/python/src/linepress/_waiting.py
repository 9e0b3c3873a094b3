"""Waiting for operations."""

from __future__ import annotations

import time
from collections.abc import Callable

from .errors import LinepressError
from .rest.client import AuthenticatedClient
from .rest.models import Operation, OperationReply

TERMINAL = ("succeeded", "partially_succeeded", "failed")

_LONGEST_REQUEST_SECONDS = 20.0
"""Below the timeouts of usual proxies."""
_PROGRESS_SECONDS = 2.0
"""The time between two reports of progress."""


class OperationFailed(LinepressError):
    """An operation of which at least one drawing failed. Failed drawings are refunded."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation
        failed = [
            f"{item.title or item.type_}: {item.error.message}" for item in operation.items if item.error is not None
        ]
        counts = f"{len(failed)} of {operation.progress.total} drawings failed"
        super().__init__(f"{counts} ({operation.id}). {' '.join(failed)}")


class OperationTimeout(LinepressError):
    """An operation that has not ended in time. It continues, and can be waited for again."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation
        super().__init__(f"The operation {operation.id} has not ended in time. It continues on the server.")


def wait(
    rest: AuthenticatedClient,
    id: str,
    *,
    timeout: float | None,
    progress: Callable[[Operation], None] | None,
    check: bool,
) -> Operation:
    deadline = None if timeout is None else time.monotonic() + timeout
    reported: Operation | None = None
    while True:
        longest = _LONGEST_REQUEST_SECONDS if progress is None else _PROGRESS_SECONDS
        remaining = longest if deadline is None else deadline - time.monotonic()
        seconds = int(max(0, min(longest, remaining)))
        operation, pause = _poll(rest, id, seconds)
        if progress is not None and operation != reported:
            progress(operation)
            reported = operation
        if operation.status in TERMINAL:
            if check and operation.status != "succeeded":
                raise OperationFailed(operation)
            return operation
        if deadline is not None:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise OperationTimeout(operation)
            pause = min(pause, remaining)
        time.sleep(pause)


def _poll(rest: AuthenticatedClient, id: str, seconds: int) -> tuple[Operation, float]:
    """Returns the operation as soon as it has ended, at the latest after these seconds, and the pause before the next poll."""
    headers = {"Prefer": f"wait={seconds}"} if seconds > 0 else {}
    response = rest.get_httpx_client().get(f"/operations/{id}", headers=headers)
    operation = OperationReply.from_dict(response.json()).operation
    # Without the header, the server did not wait: too many clients of the account do.
    has_waited = "Preference-Applied" in response.headers
    pause = 0.0 if has_waited else float(response.headers.get("Retry-After", 2))
    return operation, pause
