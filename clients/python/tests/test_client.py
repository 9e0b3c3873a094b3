"""The hand-made layer against a transport that plays the server."""

import inspect
import json
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest

from linepress import ApiError, Linepress, LinepressError, OperationFailed, OperationTimeout, _retries, errors
from linepress.rest import api
from linepress.rest.api.books import delete_book, get_book
from linepress.rest.api.operations import cancel_operation
from linepress.rest.api.pages import regenerate_page
from linepress.rest.models import ErrorCode, GenerationRequest, PageRegeneration, PageRegenerationBody
from linepress.rest.types import UNSET

Handler = Callable[[httpx.Request], httpx.Response]
BOOK: dict[str, Any] = {"book": {"title": "A", "pages": [{"title": "One"}]}}


class Server(httpx.BaseTransport):
    """Plays one reply after the other, and the last one again and again."""

    def __init__(self, *replies: httpx.Response | Exception | Handler) -> None:
        self.replies = list(replies)
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, httpx.Response) else reply(request)


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pauses: list[float] = []
    monkeypatch.setattr(_retries.RetryingTransport.__init__, "__defaults__", (pauses.append,))
    return pauses


def client(*replies: httpx.Response | Exception | Handler) -> tuple[Linepress, Server]:
    server = Server(*replies)
    return Linepress("https://books.example.com/", "key_1", transport=server), server


def error(status: int, code: str, **headers: str) -> httpx.Response:
    body = {"error": {"code": code, "message": "Sentence.", "request_id": "req_1"}}
    return httpx.Response(status, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def operation(status: str, *, completed: int = 0, failed: bool = False) -> dict[str, Any]:
    item: dict[str, Any] = {"type": "page", "id": "page_1", "title": "One", "note": None, "instruction": None, "progress": None}
    item["status"] = "failed" if failed else "succeeded"
    item["error"] = {"code": "generation_refused", "message": "Declined."} if failed else None
    return {
        "id": "op_1",
        "type": "book.create",
        "status": status,
        "progress": {"completed": completed, "failed": int(failed), "total": 2},
        "credits": {"charged": 2, "refunded": 0},
        "resource": {"type": "book", "id": "book_1", "url": "https://books.example.com/api/v1/books/book_1"},
        "items": [item],
        "error": None,
        "url": "https://books.example.com/api/v1/operations/op_1",
        "created_at": "2026-11-21T09:30:00.000Z",
        "started_at": None,
        "finished_at": None,
    }


def state(status: str, **fields: Any) -> httpx.Response:
    headers = {"Preference-Applied": "wait"}
    return httpx.Response(200, json={"operation": operation(status, **fields)}, headers=headers)


def test_every_code_of_the_document_has_a_class() -> None:
    assert set(errors.ApiError.codes) == set(get_args(ErrorCode))


def test_an_error_is_raised_with_what_the_server_says() -> None:
    linepress, _ = client(error(404, "not_found"))
    with pytest.raises(errors.NotFound, match="Sentence. .not_found, request req_1.") as raised:
        get_book.sync("book_1", client=linepress.rest)
    assert (raised.value.status, raised.value.code, raised.value.request_id) == (404, "not_found", "req_1")


@pytest.mark.parametrize("reply", [httpx.Response(502, text="Bad gateway"), error(418, "code_of_a_newer_server")])
def test_an_unknown_error_is_an_api_error(reply: httpx.Response) -> None:
    linepress, _ = client(reply)
    with pytest.raises(ApiError) as raised:
        get_book.sync("book_1", client=linepress.rest)
    assert type(raised.value) is ApiError


def test_an_order_is_repeated_with_its_key(slept: list[float]) -> None:
    lost = httpx.ReadError("lost")
    linepress, server = client(lost, error(503, "overloaded", retry_after="7"), error(402, "insufficient_credits"))
    with pytest.raises(errors.InsufficientCredits):
        linepress.create_book(GenerationRequest.from_dict(BOOK))
    keys = {request.headers["Idempotency-Key"] for request in server.requests}
    assert len(server.requests) == 3 and len(keys) == 1
    assert all(json.loads(request.content) == BOOK for request in server.requests)
    assert 0.3 < slept[0] < 0.7 and slept[1] == 7


def test_a_key_of_the_program_is_used() -> None:
    linepress, server = client(error(402, "insufficient_credits"))
    with pytest.raises(errors.InsufficientCredits):
        linepress.create_book(GenerationRequest.from_dict(BOOK), idempotency_key="order-17")
    assert server.requests[0].headers["Idempotency-Key"] == "order-17"


def test_a_change_without_key_is_not_repeated_unless_it_was_not_accepted() -> None:
    linepress, server = client(httpx.ReadError("lost"))
    with pytest.raises(httpx.ReadError):
        delete_book.sync("book_1", client=linepress.rest)
    assert len(server.requests) == 1
    linepress, server = client(error(503, "overloaded", retry_after="1"))
    with pytest.raises(errors.Overloaded):
        cancel_operation.sync("op_1", client=linepress.rest)
    assert len(server.requests) == 1
    limited = error(429, "rate_limited", retry_after="1")
    linepress, server = client(httpx.ConnectError("refused"), limited, httpx.Response(204))
    delete_book.sync("book_1", client=linepress.rest)
    assert len(server.requests) == 3


def with_optional_json() -> Iterator[Callable[..., Any]]:
    """The functions of all operations whose body is a JSON object that may be omitted."""
    for module in pkgutil.walk_packages(api.__path__, f"{api.__name__}."):
        if module.ispkg:
            continue
        function: Callable[..., Any] | None = getattr(import_module(module.name), "sync", None)
        if function is not None:
            body = inspect.signature(function).parameters.get("body")
            if body is not None and body.default is UNSET and "None" in str(body.annotation):
                yield function


def test_an_optional_body_may_be_omitted() -> None:
    functions = list(with_optional_json())
    assert regenerate_page.sync in functions and len(functions) >= 8
    for function in functions:
        for omitted in ({}, {"body": None}):
            linepress, server = client(error(404, "not_found"))
            ids = ["id_1"] if "id" in inspect.signature(function).parameters else []
            with pytest.raises(errors.NotFound):
                function(*ids, client=linepress.rest, **omitted)
            assert server.requests[0].content == b"" and "Content-Type" not in server.requests[0].headers
    linepress, server = client(error(404, "not_found"))
    with pytest.raises(errors.NotFound):
        body = PageRegenerationBody(page=PageRegeneration(prompt="A fox"))
        regenerate_page.sync("page_1", client=linepress.rest, body=body)
    assert json.loads(server.requests[0].content) == {"page": {"prompt": "A fox"}}


def test_retries_end() -> None:
    linepress, server = client(error(429, "rate_limited", retry_after="1"))
    with pytest.raises(errors.RateLimited) as raised:
        get_book.sync("book_1", client=linepress.rest)
    assert len(server.requests) == 6 and raised.value.retry_after == 1
    linepress, server = client(error(429, "rate_limited", retry_after="3600"))
    with pytest.raises(errors.RateLimited):
        get_book.sync("book_1", client=linepress.rest)
    assert len(server.requests) == 1


def test_waiting_reports_each_change_once() -> None:
    linepress, server = client(
        state("queued"), state("running", completed=1), state("running", completed=1), state("succeeded", completed=2)
    )
    seen: list[tuple[str, int]] = []
    ended = linepress.wait("op_1", progress=lambda now: seen.append((now.status, now.progress.completed)))
    assert ended.status == "succeeded"
    assert seen == [("queued", 0), ("running", 1), ("succeeded", 2)]
    assert {request.headers["Prefer"] for request in server.requests} == {"wait=2"}


def test_a_failed_drawing_is_an_error_unless_it_is_not_to_be_checked() -> None:
    linepress, _ = client(state("partially_succeeded", failed=True))
    with pytest.raises(OperationFailed, match="1 of 2 drawings failed .op_1.. One: Declined.") as raised:
        linepress.wait("op_1")
    assert raised.value.operation.status == "partially_succeeded"
    assert linepress.wait("op_1", check=False).progress.failed == 1


def test_a_timeout_leaves_the_operation() -> None:
    linepress, _ = client(state("running"))
    with pytest.raises(OperationTimeout) as raised:
        linepress.wait("op_1", timeout=0)
    assert raised.value.operation.id == "op_1"


def test_a_download_appears_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "book.pdf"

    def broken() -> Iterator[bytes]:
        yield b"%PDF-"
        assert not target.exists() and len(list(tmp_path.iterdir())) == 1
        raise httpx.ReadError("lost")

    linepress, _ = client(lambda _: httpx.Response(200, content=broken()))
    with pytest.raises(httpx.ReadError):
        linepress.download_pdf("book_1", target)
    assert list(tmp_path.iterdir()) == []
    target.write_bytes(b"an older one")
    linepress, server = client(httpx.Response(200, content=b"%PDF-1.7"))
    assert linepress.download_pdf("book_1", target, edition="kdp", part="cover") == target
    assert target.read_bytes() == b"%PDF-1.7" and list(tmp_path.iterdir()) == [target]
    assert server.requests[0].url == "https://books.example.com/api/v1/books/book_1/pdf?edition=kdp&part=cover"


def test_an_upload_is_sent_without_the_key(tmp_path: Path) -> None:
    upload = {
        "id": "upl_1",
        "url": "https://books.example.com/uploads/token",
        "max_bytes": 100,
        "expires_at": "2026-11-21T10:30:00.000Z",
        "created_at": "2026-11-21T09:30:00.000Z",
    }
    linepress, server = client(httpx.Response(201, json={"artwork_upload": upload}), httpx.Response(204))
    (tmp_path / "fox.png").write_bytes(b"picture")
    assert linepress.upload(tmp_path / "fox.png") == "upl_1"
    sent = server.requests[1]
    assert (sent.method, sent.url, sent.content) == ("PUT", upload["url"], b"picture")
    assert "Authorization" not in sent.headers and server.requests[0].headers["Authorization"] == "Bearer key_1"


def test_a_client_needs_a_server_and_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LINEPRESS_URL", raising=False)
    with pytest.raises(ValueError, match="LINEPRESS_URL"):
        Linepress(key="key_1")
    assert issubclass(ApiError, LinepressError)
