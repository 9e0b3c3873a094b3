"""An agent on the Python SDK that starts without any data: it discovers the server, registers, has its user sign in and
consent, and orders a book.

walk.py ADDRESS EMAIL PASSWORD MODE
MODE is the SDK's name for the way to negotiate the protocol: `legacy` or `2026-07-28`.
"""

import asyncio
import sys

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from mcp.types import ElicitResult, PromptReference

from person import Person

CALLBACK = "http://localhost:33418/callback"


class Storage:
    """The data that a client stores between two runs."""

    def __init__(self):
        self.tokens = self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def main(address, email, password, mode):
    person, kept, seen = Person(email, password, CALLBACK), Storage(), {}

    async def show(url):
        seen.update(await person.decide(url))

    async def result():
        assert seen["iss"] == address, seen
        return AuthorizationCodeResult(code=seen["code"], state=seen["state"], iss=seen["iss"])

    metadata = OAuthClientMetadata(client_name="Python agent", redirect_uris=[CALLBACK])
    auth = OAuthClientProvider(f"{address}/mcp", metadata, kept, show, result)
    asked, progress_reports = [], []

    async def ask(context, question):
        asked.append(question.message)
        return ElicitResult(action="accept", content={})

    async def progress(done, total, message):
        progress_reports.append((done, total))

    async with httpx2.AsyncClient(auth=auth, timeout=60) as http:
        transport = streamable_http_client(f"{address}/mcp", http_client=http)
        async with Client(transport, mode=mode, elicitation_callback=ask) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools["create_book"].annotations.read_only_hint is False

            async def call(name, **arguments):
                return await client.call_tool(name, arguments, progress_callback=progress)

            async def done(name, **arguments):
                answer = await call(name, **arguments)
                assert not answer.is_error, answer
                assert answer.content[0].text, answer
                return answer.structured_content

            before = (await done("get_account"))["account"]["credits"]["available"]
            plan = (await done("plan_book", theme="Woodland friends", page_count=2))["book_plan"]
            price = plan["credit_estimate"]["credits"]
            book = plan["generation_request"]["book"]
            key = f"python-{mode}"
            refused = await call("create_book", **book, idempotency_key=key)
            assert refused.is_error, refused
            assert refused.structured_content["error"]["code"] == "confirmation_required", refused
            assert refused.structured_content["credits_required"] == price == 2, refused
            order = {**book, "idempotency_key": key, "confirm_credits": price}
            made = await done("create_book", **order)
            # Only the newer protocol allows a server without sessions to ask the user.
            assert len(asked) == (0 if mode == "legacy" else 1), asked
            again = await done("create_book", **order)
            assert again.pop("replayed") is True and again == made, again
            operation = made["operation"]
            while operation["status"] in ("queued", "running"):
                operation = (await done("wait_for_operation", operation_id=operation["id"]))["operation"]
            assert operation["status"] == "succeeded", operation
            assert progress_reports and progress_reports[-1] == (3, 3), progress_reports
            assert (await done("get_account"))["account"]["credits"]["available"] == before - price
            link = await done("get_book_pdf", book_id=made["book"]["id"])
            shown = (await call("get_book_pdf", book_id=made["book"]["id"])).content[-1]
            assert shown.type == "resource_link" and shown.size == link["byte_size"], shown
            pdf = (await httpx2.AsyncClient(timeout=120).get(link["url"])).content
            assert pdf.startswith(b"%PDF-") and len(pdf) == link["byte_size"], pdf[:20]

            # The prompts, with a book that a completion offers.
            assert "review_book" in {prompt.name for prompt in (await client.list_prompts()).prompts}
            typed = {"name": "book", "value": made["book"]["title"][:3].lower()}
            offered = (await client.complete(PromptReference(name="review_book"), typed)).completion.values
            named = f"{made['book']['title']} ({made['book']['id']})"
            assert named in offered, offered
            prompt = await client.get_prompt("review_book", {"book": named})
            assert made["book"]["id"] in prompt.messages[0].content.text, prompt

            # An expired access token is refreshed without the user.
            first, seen["code"] = kept.tokens, None
            auth.context.token_expiry_time = 1
            await done("get_account")
            assert kept.tokens.access_token != first.access_token
            assert kept.tokens.refresh_token != first.refresh_token


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
