"""The client."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import httpx

from . import _files, _waiting
from ._files import Artwork
from ._retries import RetryingTransport
from .errors import raise_for_error
from .rest.api.books import create_book, plan_book, replace_book_cover_image
from .rest.api.pages import create_artwork_upload, import_page, replace_page_image
from .rest.client import AuthenticatedClient
from .rest.models import (
    Aspect,
    Audience,
    Backs,
    Book,
    BookAccepted,
    BookPlan,
    BookPlanBody,
    CoverImageForm,
    CoverStyle,
    Edition,
    GenerationRequest,
    ImageForm,
    ImportForm,
    NewPlan,
    Operation,
    Page,
    Part,
)
from .rest.types import UNSET, Unset

_T = TypeVar("_T")

_TIMEOUT = httpx.Timeout(200.0, connect=10.0)
"""The server responds within 180 seconds, unless its operator changed that."""


class Linepress:
    """A client of one server with the API key of one account.

    Without `url` and `key`, the environment variables `LINEPRESS_URL` and `LINEPRESS_KEY` are used. Errors of the server are
    raised as the classes of `linepress.errors`. Requests are repeated up to `max_retries` times where that has no second effect.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float | httpx.Timeout = _TIMEOUT,
        max_retries: int = 5,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        url = url or os.environ.get("LINEPRESS_URL")
        key = key or os.environ.get("LINEPRESS_KEY")
        if not url or not key:
            raise ValueError("Name the server and the API key, as arguments or in LINEPRESS_URL and LINEPRESS_KEY.")
        transport = RetryingTransport(transport or httpx.HTTPTransport(), max_retries)
        hooks = {"response": [raise_for_error]}
        timeout = httpx.Timeout(timeout)
        self.rest = AuthenticatedClient(
            base_url=f"{url.rstrip('/')}/api/v1",
            token=key,
            timeout=timeout,
            httpx_args={"transport": transport, "event_hooks": hooks},
        )
        """The client for the functions of `linepress.rest.api`."""
        # Upload addresses contain a token, so the key is not sent to them.
        self._without_key = httpx.Client(timeout=timeout, transport=transport, event_hooks=hooks)

    def plan_book(
        self,
        theme: str,
        page_count: int,
        *,
        audience: Audience | None = None,
        aspect: Aspect | None = None,
        language: str | None = None,
        title: str | None = None,
        notes: str | None = None,
        character_ids: Sequence[str] | None = None,
    ) -> BookPlan:
        """Returns page concepts, the price, and the request that orders the book. Costs nothing."""
        plan = NewPlan(
            theme=theme,
            page_count=page_count,
            audience=_given(audience),
            aspect=_given(aspect),
            language=_given(language),
            title=_given(title),
            notes=_given(notes),
            character_ids=_listed(character_ids),
        )
        return plan_book.sync(client=self.rest, body=BookPlanBody(book_plan=plan)).book_plan

    def create_book(self, request: GenerationRequest, *, idempotency_key: str | None = None) -> BookAccepted:
        """Orders a book: the `generation_request` of a plan, as it is or edited.

        A program that may be restarted stores a key from `new_key` before the call and repeats it: the order is then accepted
        once.
        """
        return create_book.sync(client=self.rest, body=request, idempotency_key=_given(idempotency_key))

    def wait(
        self,
        operation: Operation | str,
        *,
        timeout: float | None = None,
        progress: Callable[[Operation], None] | None = None,
        check: bool = True,
    ) -> Operation:
        """Returns the operation when it has ended.

        `progress` is called with each change. After `timeout` seconds, `OperationTimeout` is raised, and the operation continues.
        If a drawing failed, `OperationFailed` is raised, unless `check` is false.
        """
        id = operation if isinstance(operation, str) else operation.id
        return _waiting.wait(self.rest, id, timeout=timeout, progress=progress, check=check)

    def import_page(
        self,
        picture: Artwork,
        title: str,
        *,
        caption: str | None = None,
        aspect: Aspect | None = None,
        character_ids: Sequence[str] | None = None,
    ) -> Page:
        """Makes a page of a finished picture. Costs nothing."""
        form = ImportForm(
            image=_files.artwork(picture),
            title=title,
            caption=_given(caption),
            aspect=_given(aspect),
            character_ids=_listed(character_ids),
        )
        return import_page.sync(client=self.rest, body=form).page

    def replace_page_image(self, page_id: str, picture: Artwork) -> Page:
        """Replaces the picture of a page with a finished one. Costs nothing."""
        return replace_page_image.sync(page_id, client=self.rest, body=ImageForm(image=_files.artwork(picture))).page

    def replace_cover_image(self, book_id: str, picture: Artwork, *, style: CoverStyle | None = None) -> Book:
        """Replaces the cover of a book with a finished picture. Costs nothing. Only the style `color` keeps its colors."""
        form = CoverImageForm(image=_files.artwork(picture), style=_given(style))
        return replace_book_cover_image.sync(book_id, client=self.rest, body=form).book

    def upload(self, picture: Artwork) -> str:
        """Sends a picture and returns its id, which `source_upload_id` and `upload_id` name."""
        upload = create_artwork_upload.sync(client=self.rest).artwork_upload
        self._without_key.put(upload.url, content=_files.artwork(picture).payload.read())
        return upload.id

    def download_pdf(
        self,
        book_id: str,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        edition: Edition | None = None,
        part: Part | None = None,
        backs: Backs | None = None,
    ) -> Path:
        """Saves the PDF of a book. The file appears under its name when it is complete."""
        parameters = {"format": format, "edition": edition, "part": part, "backs": backs}
        return _files.download(self.rest.get_httpx_client(), f"/books/{book_id}/pdf", parameters, Path(path))

    def download_package(
        self,
        book_id: str,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        edition: Edition | None = None,
        backs: Backs | None = None,
    ) -> Path:
        """Saves a ZIP archive with all files for a printer, by default Amazon KDP."""
        parameters = {"format": format, "edition": edition, "backs": backs}
        return _files.download(self.rest.get_httpx_client(), f"/books/{book_id}/package", parameters, Path(path))

    def close(self) -> None:
        """Closes the connections."""
        self._without_key.close()
        self.rest.get_httpx_client().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _given(value: _T | None) -> _T | Unset:
    return UNSET if value is None else value


def _listed(values: Sequence[str] | None) -> list[str] | Unset:
    return UNSET if values is None else list(values)
