"""Repetition of requests that a server or network could not process."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import httpx

from .errors import retry_after

MAX_DELAY_SECONDS = 60.0
"""The longest wait for the next attempt. An error that asks for more is raised."""

_REPEATABLE_METHODS = {"GET", "HEAD", "PUT", "PATCH"}
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class RetryingTransport(httpx.BaseTransport):
    """Repeats a request after 429, 503 and lost connections, where a repetition has no second effect.

    That is the case for requests with an idempotency key, for methods that are idempotent, and for each request that did not
    reach the server or that it refused with 429.
    """

    def __init__(
        self, inner: httpx.BaseTransport, max_retries: int, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._inner = inner
        self._max_retries = max_retries
        self._sleep = sleep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        # A body from a file could be sent only once.
        request.read()
        repeatable = request.method in _REPEATABLE_METHODS or "Idempotency-Key" in request.headers
        for attempt in range(self._max_retries):
            backoff = 0.5 * 2**attempt * random.uniform(0.75, 1.25)
            try:
                response = self._inner.handle_request(request)
            except httpx.TransportError as error:
                if not repeatable and not isinstance(error, _NOT_SENT):
                    raise
                delay = backoff
            else:
                if response.status_code != 429 and not (repeatable and response.status_code == 503):
                    return response
                named = retry_after(response)
                delay = backoff if named is None else named
                if delay > MAX_DELAY_SECONDS:
                    return response
                response.close()
            self._sleep(delay)
        return self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()
