"""What Schemathesis cannot know: what a schema cannot say, and that drawings take a while. Every exception has its reason."""

import itertools
import re
import struct
import zlib

import schemathesis
from schemathesis.openapi.checks import EnsureResourceAvailability, RejectedPositiveData

# What is there only when it has been drawn.
DRAWN = {"get_page_image", "get_book_cover_image", "get_character_image"}

ID = re.compile(r"(char|page)_[0-7][0-9A-HJKMNP-TV-Z]{25}")

# An id may be well formed and name nothing, or nothing that can be used here: a schema cannot say which ids there are.
NAMES_NOTHING = re.compile(r"(^|\.)(character_ids\[\d+\]|page_id)$")


SOURCES = {"image_url", "upload_id"}

# A picture to draw from was uploaded before, there is a provider that takes it, and the page is one outside any book.
DRAWN_FROM = {"page.source_upload_id"}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """False for a failure that is none."""
    if isinstance(failure, EnsureResourceAvailability):
        return not (is_still_being_drawn(case, response) or was_replayed(case))
    if isinstance(failure, RejectedPositiveData):
        return not depends_on_what_there_is(case, response)
    return True


def is_still_being_drawn(case, response):
    """The creation was accepted with 202: the resource is there at once, its image when the operation has ended."""
    operation = case.operation.definition.raw["operationId"]
    return operation in DRAWN and "is still being drawn" in error_of(response).get("message", "")


RESOURCE = re.compile(r'"id":"([a-z]+_[0-9A-HJKMNP-TV-Z]{26})"')
REPLAYED = set()


@schemathesis.hook
def after_call(context, case, response):
    if "idempotency-replayed" in response.headers:
        REPLAYED.update(RESOURCE.findall(response.content.decode()))


def was_replayed(case):
    """A creation that is repeated with its key tells what it told then: its resource may be gone by now."""
    return not REPLAYED.isdisjoint((case.path_parameters or {}).values())


def depends_on_what_there_is(case, response):
    """Whether a request that is valid was refused for what is, or is not, in the account."""
    operation = case.operation.definition.raw["operationId"]
    error = error_of(response)
    code, details = error.get("code"), error.get("details", [])
    if code == "invalid_pagination":
        # Cursors are opaque: only the server can make one.
        return "after" in (case.query or {}) and error["message"].startswith("after ")
    if operation in {"import_page", "replace_page_image", "replace_book_cover_image"}:
        # Bytes made up are no picture, addresses made up lead nowhere, and ids made up name no upload.
        made_up = [detail["field"] in SOURCES or names_nothing(detail) for detail in details]
        return code == "unsupported_image" or bool(made_up) and all(made_up)
    if operation == "add_book_page":
        if code == "idempotency_key_required":
            # Needed to draw a page and not to attach one.
            return "Idempotency-Key" not in (case.headers or {})
        # Only the book knows its shape, how many pages it has, and which.
        own = {"position", "page.aspect"} | DRAWN_FROM
        own = [detail["field"] in own or names_nothing(detail) for detail in details]
        return bool(own) and all(own) or "pages in one book" in error["message"]
    if operation == "reorder_book_pages":
        # Only the book knows which pages it has.
        return bool(details) and all(detail["field"].split("[")[0] == "page_ids" for detail in details)
    if operation in {"get_book_pdf", "check_book_print"}:
        # The book is still being drawn, is of another aspect than the format, or no layout has such a format.
        no_format = code == "invalid_request" and error["message"].startswith("There is no such print format")
        return no_format or code in {"book_not_ready", "format_mismatch"}
    if code == "validation_failed":
        explained = [
            names_nothing(detail) or attaches_twice(detail) or detail["field"] in DRAWN_FROM for detail in details
        ]
        return bool(explained) and all(explained)
    return False


def names_nothing(detail):
    return NAMES_NOTHING.search(detail["field"]) is not None and detail["message"].startswith("names ")


def attaches_twice(detail):
    """Pages are compared by their ids alone, which `uniqueItems` cannot say."""
    return detail["field"] == "book.pages" and detail["message"].startswith("must not name a page twice")


def error_of(response):
    if "application/json" not in response.headers.get("content-type", [""])[0]:
        return {}
    body = response.json()
    return body.get("error", {}) if isinstance(body, dict) else {}


KEY = re.compile(r"[!-~]{1,255}")
KEYS = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Short keys are made again and again, and a key that was used is a conflict: three of four calls get a new one."""
    key = (case.headers or {}).get("Idempotency-Key")
    number = next(KEYS)
    if isinstance(key, str) and KEY.fullmatch(key) and number % 4:
        case.headers["Idempotency-Key"] = f"key-{number}"


@schemathesis.hook
def map_body(context, body):
    """Every other body names no ids: those made up name nothing, and a refused book shows little."""
    return with_picture(without_ids(body) if len(repr(body)) % 2 else body)


def white_page():
    """A PNG of 384 x 512 white pixels."""
    width, height = 384, 512

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\xff" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


WHITE_PAGE = white_page()


def with_picture(body):
    """Text made up is no picture: most forms that have an image get a real one."""
    if isinstance(body, dict) and isinstance(body.get("image"), (str, bytes)) and len(repr(body)) % 4:
        return {**body, "image": WHITE_PAGE}
    return body


def without_ids(value):
    if isinstance(value, list):
        return [without_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"page_id"} and are_ids(value.values()):
        return {"title": "A page"}
    fields = {name: without_ids(field) for name, field in value.items()}
    characters = fields.get("character_ids")
    if isinstance(characters, list) and len(characters) <= 8 and are_ids(characters):
        fields["character_ids"] = []
    return fields


def are_ids(values):
    """Whether the values are different and well formed: whatever else is wrong with a body must stay wrong."""
    values = list(values)
    well_formed = all(isinstance(value, str) and ID.fullmatch(value) for value in values)
    return well_formed and len(set(values)) == len(values)


@schemathesis.deserializer("image/png", "application/pdf")
def file(context, response):
    # Of files a schema says nothing, so any value will do.
    return ""


@schemathesis.check
def files_are_what_they_say(context, response, case):
    """A download begins and ends as its type demands."""
    kind = response.headers.get("content-type", [""])[0]
    if kind == "image/png":
        assert response.content.startswith(b"\x89PNG\r\n\x1a\n") and response.content.endswith(b"IEND\xaeB`\x82")
    if kind == "application/pdf":
        assert response.content.startswith(b"%PDF-") and response.content.rstrip().endswith(b"%%EOF")
