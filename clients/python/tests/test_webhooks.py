import base64
import hashlib
import hmac

import pytest

from linepress.webhooks import InvalidWebhook, verify

SECRET = "whsec_" + base64.b64encode(bytes([7] * 32)).decode()
OTHER = "whsec_" + base64.b64encode(bytes([9] * 32)).decode()
NOW = 1_700_000_000
BODY = b'{"type": "page.ready", "timestamp": "2026-11-21T09:30:00.000Z", "data": {"page_id": "page_1"}}'


def signature(secret: str, timestamp: int = NOW, id: str = "evt_1", body: bytes = BODY) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def headers(*signatures: str, timestamp: int | str = NOW) -> dict[str, str]:
    return {"Webhook-Id": "evt_1", "webhook-timestamp": str(timestamp), "webhook-signature": " ".join(signatures)}


def test_the_signature_of_the_server_is_accepted() -> None:
    # The server's own test has the same secret, id, time, body and signature.
    header = headers("v1,GqnIyT0X4C9oyYvLX5EyFQtS+t+fN9Pqwke1FMv3Nfc=")
    with pytest.raises(InvalidWebhook, match="not an event"):
        # The signature is right, and the body has no data.
        verify('{"type":"page.ready"}', header, SECRET, now=NOW)


def test_an_event_is_returned() -> None:
    event = verify(BODY, headers(signature(SECRET)), SECRET, now=NOW + 299)
    assert (event.id, event.type, event.data) == ("evt_1", "page.ready", {"page_id": "page_1"})


def test_one_of_several_signatures_and_secrets_is_enough() -> None:
    both = headers(signature(OTHER), signature(SECRET))
    assert verify(BODY, both, SECRET, now=NOW)
    assert verify(BODY, headers(signature(SECRET)), [OTHER, SECRET], now=NOW)
    assert verify(BODY, headers("v2,AAAA", "v1,", "v1,%", signature(SECRET)), SECRET, now=NOW)


@pytest.mark.parametrize(
    "header",
    [
        headers(signature(OTHER)),
        headers("v1," + signature(SECRET)[3:].swapcase()),
        headers(signature(SECRET).replace("v1,", "v2,")),
        headers(signature(SECRET, timestamp=NOW - 1)),
        headers(signature(SECRET, id="evt_2")),
        headers(""),
        headers(signature(SECRET, NOW - 301), timestamp=NOW - 301),
        headers(signature(SECRET, NOW + 301), timestamp=NOW + 301),
        headers(signature(SECRET), timestamp="soon"),
        {"webhook-id": "evt_1", "webhook-timestamp": str(NOW)},
    ],
)
def test_another_request_is_refused(header: dict[str, str]) -> None:
    with pytest.raises(InvalidWebhook):
        verify(BODY, header, SECRET, now=NOW)


def test_a_changed_body_is_refused() -> None:
    with pytest.raises(InvalidWebhook):
        verify(BODY.replace(b"page_1", b"page_2"), headers(signature(SECRET)), SECRET, now=NOW)


def test_a_malformed_secret_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="whsec_"):
        verify(BODY, headers(signature(SECRET)), "whsec_%", now=NOW)
