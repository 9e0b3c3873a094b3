import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { InvalidWebhook, verifyWebhook } from "../src/index.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const now = 1_700_000_000;
const BODY = '{"type": "page.ready", "timestamp": "2026-11-21T09:30:00.000Z", "data": {"page_id": "page_1", "title": "Füchse"}}';

function signature(secret: string, { timestamp = now, id = "evt_1" } = {}): string {
  const hmac = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"));
  return `v1,${hmac.update(`${id}.${timestamp}.${BODY}`).digest("base64")}`;
}

function headers(signatures: string, timestamp: string | number = now): Record<string, string> {
  return { "Webhook-Id": "evt_1", "webhook-timestamp": String(timestamp), "webhook-signature": signatures };
}

test("the signature of the server is accepted", async () => {
  // The server's own test has the same secret, id, time, body and signature; the body has no data.
  const header = headers("v1,GqnIyT0X4C9oyYvLX5EyFQtS+t+fN9Pqwke1FMv3Nfc=");
  await assert.rejects(verifyWebhook('{"type":"page.ready"}', header, SECRET, { now }), /not an event/);
});

test("an event is returned, from text and bytes, and from headers of both kinds", async () => {
  const header = headers(signature(SECRET));
  const event = await verifyWebhook(BODY, header, SECRET, { now: now + 299 });
  assert.equal(event.id, "evt_1");
  assert.equal(event.type, "page.ready");
  assert.deepEqual(event.data, { page_id: "page_1", title: "Füchse" });
  assert.deepEqual(await verifyWebhook(Buffer.from(BODY), new Headers(header), SECRET, { now }), event);
});

test("one of several signatures and secrets is enough", async () => {
  await verifyWebhook(BODY, headers(`${signature(OTHER)} ${signature(SECRET)}`), SECRET, { now });
  await verifyWebhook(BODY, headers(signature(SECRET)), [OTHER, SECRET], { now });
  await verifyWebhook(BODY, headers(`v2,AAAA v1, v1,% ${signature(SECRET)}`), SECRET, { now });
});

const refused: [string, Record<string, string>][] = [
  ["another secret", headers(signature(OTHER))],
  ["another version", headers(signature(SECRET).replace("v1,", "v2,"))],
  ["another time", headers(signature(SECRET, { timestamp: now - 1 }))],
  ["another id", headers(signature(SECRET, { id: "evt_2" }))],
  ["no signature", headers("")],
  ["an old request", headers(signature(SECRET, { timestamp: now - 301 }), now - 301)],
  ["a request of the future", headers(signature(SECRET, { timestamp: now + 301 }), now + 301)],
  ["a word as time", headers(signature(SECRET), "soon")],
  ["a missing header", { "webhook-id": "evt_1", "webhook-timestamp": String(now) }],
];
for (const [name, header] of refused) {
  test(`${name} is refused`, async () => {
    await assert.rejects(verifyWebhook(BODY, header, SECRET, { now }), InvalidWebhook);
  });
}

test("a changed body is refused", async () => {
  const changed = BODY.replace("page_1", "page_2");
  await assert.rejects(verifyWebhook(changed, headers(signature(SECRET)), SECRET, { now }), InvalidWebhook);
});

test("a malformed secret is a mistake of the program", async () => {
  await assert.rejects(verifyWebhook(BODY, headers(signature(SECRET)), "whsec_%", { now }), TypeError);
});
