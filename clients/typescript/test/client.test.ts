// The hand-made layer with a `fetch` that plays the server.
import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { ApiError, Linepress, OperationFailed, OperationTimeout } from "../src/index.ts";
import type { ErrorCode, Operation } from "../src/index.ts";

type Reply = Response | Error;
const BOOK = { book: { title: "A", pages: [{ title: "One" }] } };

/** A client of a server that plays one reply after the other, and the last one again and again. */
function client(...replies: (() => Reply)[]) {
  const requests: { method: string; url: string; headers: Headers; body: string }[] = [];
  const pauses: number[] = [];
  const linepress = new Linepress({
    url: "https://books.example.com/",
    key: "key_1",
    sleep: async (seconds) => void pauses.push(seconds),
    async fetch(request) {
      const { method, url, headers } = request;
      requests.push({ method, url, headers, body: await request.text() });
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      const played = reply?.();
      if (played instanceof Response) return played;
      throw played;
    },
  });
  return { linepress, requests, pauses };
}

function refusal(status: number, code: ErrorCode, headers: Record<string, string> = {}) {
  const error = { code, message: "Sentence.", request_id: "req_1" };
  return () => Response.json({ error }, { status, headers });
}

const lost = () => new TypeError("fetch failed");

function operation(status: Operation["status"], completed = 0, failed = false): Operation {
  const error = failed ? ({ code: "generation_refused", message: "Declined." } as const) : null;
  const state = failed ? ("failed" as const) : ("succeeded" as const);
  return {
    id: "op_1",
    type: "book.create",
    status,
    progress: { completed, failed: failed ? 1 : 0, total: 2 },
    credits: { charged: 2, refunded: 0 },
    resource: { type: "book", id: "book_1", url: "https://books.example.com/api/v1/books/book_1" },
    items: [{ type: "page", id: "page_1", title: "One", status: state, error, note: null, instruction: null, progress: null }],
    error: null,
    url: "https://books.example.com/api/v1/operations/op_1",
    created_at: "2026-11-21T09:30:00.000Z",
    started_at: null,
    finished_at: null,
  };
}

function state(...which: Parameters<typeof operation>) {
  return () => Response.json({ operation: operation(...which) }, { headers: { "preference-applied": "wait" } });
}

test("an error is thrown with what the server says", async () => {
  const { linepress } = client(refusal(404, "not_found"));
  await assert.rejects(linepress.rest.get("/books/{id}", { params: { path: { id: "book_1" } } }), (error) => {
    assert(error instanceof ApiError);
    assert.deepEqual([error.status, error.code, error.requestId], [404, "not_found", "req_1"]);
    assert.match(error.message, /Sentence. \(not_found, request req_1\)/);
    return true;
  });
});

test("an error of a proxy is an ApiError", async () => {
  const { linepress } = client(() => new Response("Bad gateway", { status: 502 }));
  await assert.rejects(linepress.rest.get("/me"), (error) => error instanceof ApiError && error.code === "unknown");
});

test("an order is repeated with its key", async () => {
  const busy = refusal(503, "overloaded", { "retry-after": "7" });
  const { linepress, requests, pauses } = client(lost, busy, refusal(402, "insufficient_credits"));
  await assert.rejects(linepress.createBook(BOOK), (error) => error instanceof ApiError && error.status === 402);
  assert.equal(requests.length, 3);
  assert.equal(new Set(requests.map(({ headers }) => headers.get("idempotency-key"))).size, 1);
  assert(requests.every(({ headers, body }) => headers.has("idempotency-key") && body === JSON.stringify(BOOK)));
  assert(pauses[0] !== undefined && pauses[0] > 0.3 && pauses[0] < 0.7);
  assert.equal(pauses[1], 7);
});

test("a key of the program is used", async () => {
  const { linepress, requests } = client(refusal(402, "insufficient_credits"));
  await assert.rejects(linepress.createBook(BOOK, { idempotencyKey: "order-17" }));
  assert.equal(requests[0]?.headers.get("idempotency-key"), "order-17");
});

test("a change without key is not repeated unless the server refused it", async () => {
  const params = { path: { id: "book_1" } };
  const first = client(lost);
  await assert.rejects(first.linepress.rest.delete("/books/{id}", { params }), TypeError);
  assert.equal(first.requests.length, 1);
  const second = client(refusal(503, "overloaded", { "retry-after": "1" }));
  await assert.rejects(second.linepress.rest.post("/operations/{id}/cancel", { params }), ApiError);
  assert.equal(second.requests.length, 1);
  const third = client(refusal(429, "rate_limited", { "retry-after": "1" }), () => new Response(null, { status: 204 }));
  await third.linepress.rest.delete("/books/{id}", { params });
  assert.equal(third.requests.length, 2);
});

test("retries end", async () => {
  const limited = client(refusal(429, "rate_limited", { "retry-after": "1" }));
  await assert.rejects(limited.linepress.rest.get("/me"), (error) => error instanceof ApiError && error.retryAfter === 1);
  assert.equal(limited.requests.length, 6);
  const long = client(refusal(429, "rate_limited", { "retry-after": "3600" }));
  await assert.rejects(long.linepress.rest.get("/me"), ApiError);
  assert.equal(long.requests.length, 1);
});

test("waiting reports each change once", async () => {
  const running = state("running", 1);
  const { linepress, requests } = client(state("queued"), running, running, state("succeeded", 2));
  const seen: [string, number][] = [];
  const onProgress = ({ status, progress }: Operation) => void seen.push([status, progress.completed]);
  assert.equal((await linepress.wait("op_1", { onProgress })).status, "succeeded");
  assert.deepEqual(seen, [["queued", 0], ["running", 1], ["succeeded", 2]]);
  assert(requests.every(({ headers }) => headers.get("prefer") === "wait=2"));
});

test("a failed drawing is an error unless it is not to be checked", async () => {
  const { linepress } = client(state("partially_succeeded", 1, true));
  await assert.rejects(linepress.wait("op_1"), (error) => {
    assert(error instanceof OperationFailed);
    assert.equal(error.message, "1 of 2 drawings failed (op_1). One: Declined.");
    return error.operation.status === "partially_succeeded";
  });
  assert.equal((await linepress.wait(operation("running"), { check: false })).progress.failed, 1);
});

test("a timeout and a signal leave the operation", async () => {
  const { linepress } = client(state("running"));
  await assert.rejects(linepress.wait("op_1", { timeout: 0 }), (error) => {
    return error instanceof OperationTimeout && error.operation.id === "op_1";
  });
  await assert.rejects(linepress.wait("op_1", { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("a download appears when it is complete", async () => {
  const folder = await mkdtemp(join(tmpdir(), "linepress-"));
  const target = join(folder, "book.pdf");
  const broken = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("%PDF-")),
    pull: (controller) => controller.error(new Error("lost")),
  });
  await assert.rejects(client(() => new Response(broken)).linepress.downloadPdf("book_1", target), /lost/);
  assert.deepEqual(await readdir(folder), []);
  await writeFile(target, "an older one");
  const { linepress, requests } = client(() => new Response("%PDF-1.7"));
  await linepress.downloadPdf("book_1", target, { edition: "kdp", part: "cover" });
  assert.equal(await readFile(target, "utf8"), "%PDF-1.7");
  assert.deepEqual(await readdir(folder), ["book.pdf"]);
  assert.equal(requests[0]?.url, "https://books.example.com/api/v1/books/book_1/pdf?edition=kdp&part=cover");
});

test("an upload is sent without the key", async () => {
  const times = { expires_at: "2026-11-21T10:30:00.000Z", created_at: "2026-11-21T09:30:00.000Z" };
  const artwork_upload = { id: "upl_1", url: "https://books.example.com/uploads/token", max_bytes: 100, ...times };
  const made = () => Response.json({ artwork_upload }, { status: 201 });
  const { linepress, requests } = client(made, () => new Response(null, { status: 204 }));
  assert.equal(await linepress.upload(new TextEncoder().encode("picture")), "upl_1");
  const [first, second] = requests;
  assert.deepEqual([second?.method, second?.url, second?.body], ["PUT", artwork_upload.url, "picture"]);
  assert.equal(first?.headers.get("authorization"), "Bearer key_1");
  assert(!second?.headers.has("authorization"));
});

test("a picture that cannot be read is named, and nothing is sent", async () => {
  const { linepress, requests } = client(lost);
  await assert.rejects(linepress.importPage("missing/fox.png", { title: "A fox" }), /missing\/fox\.png/);
  assert.deepEqual(requests, []);
});

test("a client needs a server and a key", () => {
  assert.throws(() => new Linepress({ url: "https://books.example.com", key: "" }), /LINEPRESS_KEY/);
});
