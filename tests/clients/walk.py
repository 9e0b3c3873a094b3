"""Plans, orders and prints a book, and imports a page, through the client that openapi-python-client generates.

walk.py ADDRESS KEY PICTURE
"""

import pathlib
import sys
import time
import uuid

from linepress_client import AuthenticatedClient, Client
from linepress_client.api.books import add_book_page, create_book, get_book, get_book_pdf, plan_book
from linepress_client.api.operations import get_operation
from linepress_client.api.pages import create_artwork_upload, get_page_image, import_page, send_artwork
from linepress_client.api.print_ import list_print_formats
from linepress_client.models import (
    Aspect,
    Audience,
    BookPlanBody,
    Error,
    ErrorCode,
    ExistingBookPageBody,
    ExistingPageEntry,
    ImportForm,
    ImportFromUpload,
    NewPlan,
    OperationStatus,
)
from linepress_client.types import File


def key():
    return str(uuid.uuid4())


def success(reply):
    """Returns the successful reply; fails if it is an error."""
    assert not isinstance(reply, Error), reply.error.message
    return reply


def wait(client, operation):
    while operation.status in (OperationStatus.QUEUED, OperationStatus.RUNNING):
        time.sleep(0.2)
        operation = success(get_operation.sync(operation.id, client=client)).operation
    assert operation.status is OperationStatus.SUCCEEDED, operation


def main(address, api_key, picture):
    client = AuthenticatedClient(base_url=f"{address}/api/v1", token=api_key)
    picture = pathlib.Path(picture)

    new_plan = NewPlan(theme="A woodland day", page_count=2, audience=Audience.CHILD, aspect=Aspect.LANDSCAPE)
    plan = success(plan_book.sync(client=client, body=BookPlanBody(book_plan=new_plan))).book_plan
    assert plan.credit_estimate.credits_ == 2

    with picture.open("rb") as file:
        form = ImportForm(image=File(payload=file, file_name=picture.name), title="A fox, by hand")
        own = success(import_page.sync(client=client, body=form)).page
    # An imported page in addition to the planned ones, which costs nothing.
    request = plan.generation_request
    request.book.pages.append(ExistingPageEntry(page_id=own.id))
    accepted = success(create_book.sync(client=client, body=request, idempotency_key=key()))
    assert accepted.operation.credits_.charged == 2
    wait(client, accepted.operation)

    upload = success(create_artwork_upload.sync(client=client)).artwork_upload
    with picture.open("rb") as file:
        # The address contains a token, so the request needs no key.
        token = upload.url.rsplit("/", 1)[1]
        sent = send_artwork.sync_detailed(token, client=Client(base_url=address), body=File(payload=file))
    assert sent.status_code == 204, sent
    page = success(import_page.sync(client=client, body=ImportFromUpload(title="Another", upload_id=upload.id))).page
    attached = success(add_book_page.sync(accepted.book.id, client=client, body=ExistingBookPageBody(page_id=page.id)))
    assert attached.book.page_count == 4

    book = success(get_book.sync(accepted.book.id, client=client)).book
    image = success(get_page_image.sync(book.pages[0].id, client=client))
    assert image.payload.read(8) == b"\x89PNG\r\n\x1a\n"
    formats = success(list_print_formats.sync(client=client)).print_formats
    format_ = next(one.id for one in formats if one.aspect is book.aspect)
    pdf = success(get_book_pdf.sync(book.id, client=client, format_=format_))
    assert pdf.payload.read(5) == b"%PDF-"

    refused = get_book.sync("book_of_nobody", client=client)
    assert isinstance(refused, Error) and refused.error.code is ErrorCode.NOT_FOUND, refused


main(*sys.argv[1:])
