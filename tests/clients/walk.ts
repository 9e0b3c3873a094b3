// Plans, orders and prints a book, and imports a page, with the types that openapi-typescript generates.
//
// walk.ts ADDRESS KEY PICTURE
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { argv } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

import createClient from "openapi-fetch";

import type { components, paths } from "./api.ts";

type Operation = components["schemas"]["Operation"];
type Pages = components["schemas"]["NewBook"]["pages"];

const [address, key, picture] = argv.slice(2) as [string, string, string];
const client = createClient<paths>({
  baseUrl: `${address}/api/v1`,
  headers: { authorization: `Bearer ${key}` },
});

/** Returns the data of a successful reply; throws the error of any other. */
function success<T>(reply: { data?: T; error?: components["schemas"]["Error"] }): T {
  if (reply.data === undefined) throw new Error(reply.error?.error.message ?? "no content");
  return reply.data;
}

const once = () => ({ "Idempotency-Key": crypto.randomUUID() });

async function wait(operation: Operation): Promise<void> {
  while (operation.status === "queued" || operation.status === "running") {
    await sleep(200);
    const path = { id: operation.id };
    ({ operation } = success(await client.GET("/operations/{id}", { params: { path } })));
  }
  assert.equal(operation.status, "succeeded");
}

const planned = await client.POST("/book_plans", {
  body: { book_plan: { theme: "A woodland day", page_count: 2, audience: "child", aspect: "landscape" } },
});
const plan = success(planned).book_plan;
assert.equal(plan.credit_estimate.credits, 2);

const form = new FormData();
form.set("image", new Blob([await readFile(picture)]), "fox.png");
form.set("title", "A fox, by hand");
const imported = await client.POST("/pages/import", {
  body: { image: "", title: "A fox, by hand" },
  bodySerializer: () => form,
});
const own = success(imported).page;

// An imported page in addition to the planned ones, which costs nothing.
const pages: Pages = [...plan.generation_request.book.pages, { page_id: own.id }];
const created = await client.POST("/books", {
  params: { header: once() },
  body: { book: { ...plan.generation_request.book, pages } },
});
const { book, operation } = success(created);
assert.equal(operation.credits.charged, 2);
await wait(operation);

const drawn = await client.POST("/books/{id}/pages", {
  params: { path: { id: book.id }, header: once() },
  body: { page: { title: "An owl at dusk" }, position: 1 },
});
const added = success(drawn);
assert("operation" in added);
await wait(added.operation);

const formats = success(await client.GET("/print_formats")).print_formats;
const format = formats.find((one) => one.aspect === book.aspect)?.id;
const pdf = await client.GET("/books/{id}/pdf", {
  params: { path: { id: book.id }, query: { format } },
  parseAs: "arrayBuffer",
});
assert.equal(Buffer.from(success(pdf)).toString("latin1", 0, 5), "%PDF-");

const refused = await client.GET("/books/{id}", { params: { path: { id: "book_of_nobody" } } });
assert.equal(refused.error?.error.code, "not_found");
