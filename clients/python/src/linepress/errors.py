"""The errors of the server, a class for each code."""

from __future__ import annotations

from typing import Any, ClassVar

import httpx


class LinepressError(Exception):
    """An error of this package."""


class ApiError(LinepressError):
    """A response of the server that is an error. Codes of newer servers have no class of their own."""

    codes: ClassVar[dict[str, type[ApiError]]] = {}

    def __init__(self, response: httpx.Response, error: dict[str, Any]) -> None:
        self.status = response.status_code
        self.code = str(error.get("code", "unknown"))
        self.message = str(error.get("message", f"The response is {response.status_code} without a message."))
        self.request_id = error.get("request_id") or response.headers.get("X-Request-Id")
        """The id under which the operator of the server finds the request in the log."""
        self.details: list[dict[str, str]] = error.get("details") or []
        """The fields or parts that are wrong, each with a `field` and a `message`."""
        self.retry_after = retry_after(response)
        """The seconds to wait before the next attempt, if the server names them."""
        super().__init__(f"{self.message} ({self.code}, request {self.request_id})")

    def __init_subclass__(cls, code: str) -> None:
        cls.codes[code] = cls


def retry_after(response: httpx.Response) -> float | None:
    """Returns the seconds of `Retry-After`; the server sends no dates."""
    value = response.headers.get("Retry-After", "")
    return float(value) if value.isdecimal() else None


def raise_for_error(response: httpx.Response) -> None:
    """Raises the error of a response that is one."""
    if response.status_code < 400:
        return
    response.read()
    try:
        error = response.json()["error"]
        code = ApiError.codes.get(error["code"], ApiError)
    except (ValueError, KeyError, TypeError):
        # Of a proxy, perhaps.
        error, code = {}, ApiError
    raise code(response, error)


class InvalidRequest(ApiError, code="invalid_request"):
    """Malformed JSON, header or parameter, or an unknown print format."""


class InvalidPagination(ApiError, code="invalid_pagination"):
    """`limit` is out of bounds, or `after` is not a cursor of this list."""


class IdempotencyKeyRequired(ApiError, code="idempotency_key_required"):
    """The idempotency key is missing or malformed."""


class Unauthorized(ApiError, code="unauthorized"):
    """The API key is missing, wrong, revoked or expired."""


class InsufficientCredits(ApiError, code="insufficient_credits"):
    """The balance is lower than the price. Nothing was created or charged."""


class CreditCapReached(ApiError, code="credit_cap_reached"):
    """The price exceeds what may still be spent with the API key. Nothing was created or charged."""


class InsufficientScope(ApiError, code="insufficient_scope"):
    """The API key may not do this, or not from this network."""


class PlanRequired(ApiError, code="plan_required"):
    """The account has no active Business plan."""


class OperatorRequired(ApiError, code="operator_required"):
    """The function is one of operators."""


class NotFound(ApiError, code="not_found"):
    """The account has no such resource."""


class MethodNotAllowed(ApiError, code="method_not_allowed"):
    """The address exists with other methods."""


class IdempotencyConflict(ApiError, code="idempotency_conflict"):
    """The idempotency key was used for another request."""


class GenerationActive(ApiError, code="generation_active"):
    """The resource is being drawn already."""


class PageLocked(ApiError, code="page_locked"):
    """The page is locked, so its picture does not change."""


class SettingsNotWritable(ApiError, code="settings_not_writable"):
    """The server may not write its settings file."""


class PayloadTooLarge(ApiError, code="payload_too_large"):
    """The body or the file is too large."""


class UnsupportedMediaType(ApiError, code="unsupported_media_type"):
    """The body has a media type that is not accepted here."""


class ValidationFailed(ApiError, code="validation_failed"):
    """Fields are invalid; `details` lists them."""


class AccountLimitReached(ApiError, code="account_limit_reached"):
    """A limit of the account would be exceeded."""


class UnsupportedImage(ApiError, code="unsupported_image"):
    """The file is not a picture that can be printed in this shape."""


class FormatMismatch(ApiError, code="format_mismatch"):
    """The print format, edition or part cannot print this book."""


class BookNotReady(ApiError, code="book_not_ready"):
    """A page or the cover is not ready; `details` lists them."""


class RateLimited(ApiError, code="rate_limited"):
    """There were too many requests in a short time."""


class InternalError(ApiError, code="internal_error"):
    """A fault of the server."""


class PlanningUnavailable(ApiError, code="planning_unavailable"):
    """Nothing can be planned at the moment."""


class GenerationUnavailable(ApiError, code="generation_unavailable"):
    """Nothing can be drawn at the moment. Nothing was charged."""


class PrintingUnavailable(ApiError, code="printing_unavailable"):
    """The PDF was not completed in time. The server continues with it, and it can be requested again."""


class Overloaded(ApiError, code="overloaded"):
    """The server cannot respond in time at the moment."""


class Maintenance(ApiError, code="maintenance"):
    """The server is read-only. Nothing was changed."""
