// Has a character, a plan and a book with the character made by our plugins for OpenAI.
//
//   node walk.mjs ADDRESS KEY PRISM ANSWERS
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

const [address, key, prism, answers] = process.argv.slice(2);

async function call(path, body) {
  const response = await fetch(path.startsWith("http") ? path : `${address}/api/v1${path}`, {
    method: body ? "POST" : "GET",
    headers: {
      Authorization: `Bearer ${key}`, "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID(),
    },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function wait({ operation }) {
  while (operation.status === "queued" || operation.status === "running") {
    await sleep(200);
    ({ operation } = await call(operation.url));
  }
  assert.equal(operation.status, "succeeded", JSON.stringify(operation));
}

// Prism must refuse invalid requests: otherwise the following requests would prove nothing.
for (const [path, wrong] of [
  ["/images/generations", { model: "gpt-image-2", n: 1 }],
  ["/images/edits", { model: "gpt-image-2", prompt: "A fox", images: "a fox" }],
  ["/chat/completions", { model: "gpt-5", messages: [{ role: "reader", content: "A book" }] }],
]) {
  const response = await fetch(prism + path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wrong),
  });
  assert.equal(response.status, 422, `${path}: ${await response.text()}`);
}

const made = await call("/characters", { character: { name: "Pip", description: "A small hedgehog with a scarf" } });
await wait(made);
const { book_plan: plan } = await call("/book_plans", {
  book_plan: { theme: "A woodland day", page_count: 3, character_ids: [made.character.id] },
});
await wait(await call("/books", plan.generation_request));

const counts = await (await fetch(answers)).json();
console.log(JSON.stringify(counts));
for (const [path, count] of Object.entries(counts)) assert.ok(count > 0, `no request for ${path}`);
