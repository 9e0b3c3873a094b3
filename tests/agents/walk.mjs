// An agent on the TypeScript SDK that starts without any data: it discovers the server, registers, has its user sign in
// and consent, and orders a book.
//
// walk.mjs ADDRESS EMAIL PASSWORD MODE
// MODE is the SDK's name for the way to negotiate the protocol: `legacy`, or `auto` for the newest version.

import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { Person } from './person.mjs';

const CALLBACK = 'http://localhost:33418/callback';
const [address, email, password, mode] = process.argv.slice(2);
const person = new Person(email, password, CALLBACK);
let answered;

/** The data that a client stores between two runs. */
const kept = {};
const provider = {
  redirectUrl: CALLBACK,
  clientMetadata: { client_name: 'TypeScript agent', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' },
  state: () => 'a-state-of-its-own',
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
  saveDiscoveryState: (state) => void (kept.discovery = state),
  discoveryState: () => kept.discovery,
  redirectToAuthorization: async (url) => void (answered = await person.decide(url.href)),
};

const transport = () => new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { authProvider: provider });
const agent = () => new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });

const first = transport();
let client = agent();
await assert.rejects(client.connect(first), UnauthorizedError);
assert.equal(answered.get('iss'), address);
assert.equal(answered.get('state'), 'a-state-of-its-own');
await first.finishAuth(answered);
client = agent();
await client.connect(transport());

const { tools } = await client.listTools();
const list = JSON.stringify(tools);
const tokens = encode(list).length;
console.log(`tools/list: ${list.length} bytes, ${tokens} tokens of o200k_base`);
assert.ok(list.length < 48_000 && tokens < 12_000);

const call = (name, args = {}) => client.callTool({ name, arguments: args });
const done = async (name, args) => {
  const answer = await call(name, args);
  assert.ok(!answer.isError, JSON.stringify(answer));
  return answer.structuredContent;
};

const before = (await done('get_account')).account.credits.available;
const plan = (await done('plan_book', { theme: 'The sea', page_count: 2 })).book_plan;
const price = plan.credit_estimate.credits;
const book = { ...plan.generation_request.book, idempotency_key: `typescript-${mode}` };
const refused = await call('create_book', book);
assert.ok(refused.isError);
assert.equal(refused.structuredContent.error.code, 'confirmation_required');
assert.equal(refused.structuredContent.credits_required, price);
const made = await done('create_book', { ...book, confirm_credits: price });
const { replayed, ...again } = await done('create_book', { ...book, confirm_credits: price });
assert.equal(replayed, true);
assert.deepEqual(again, made);
let operation = made.operation;
while (['queued', 'running'].includes(operation.status)) {
  operation = (await done('wait_for_operation', { operation_id: operation.id })).operation;
}
assert.equal(operation.status, 'succeeded');
assert.equal((await done('get_account')).account.credits.available, before - price);
const link = await done('get_book_pdf', { book_id: made.book.id });
const shown = (await call('get_book_pdf', { book_id: made.book.id })).content.at(-1);
assert.equal(shown.type, 'resource_link');
assert.equal(shown.size, link.byte_size);

// The prompts, with a book that a completion offers.
const { prompts } = await client.listPrompts();
assert.ok(prompts.some(({ name }) => name === 'review_book'));
const reference = { type: 'ref/prompt', name: 'review_book' };
const typed = { name: 'book', value: made.book.title.slice(0, 3).toLowerCase() };
const offered = (await client.complete({ ref: reference, argument: typed })).completion.values;
const named = `${made.book.title} (${made.book.id})`;
assert.ok(offered.includes(named), JSON.stringify(offered));
const prompt = await client.getPrompt({ name: 'review_book', arguments: { book: named } });
assert.ok(prompt.messages[0].content.text.includes(made.book.id));
const pdf = Buffer.from(await (await fetch(link.url)).arrayBuffer());
assert.ok(pdf.subarray(0, 5).equals(Buffer.from('%PDF-')));
assert.equal(pdf.length, link.byte_size);

// An invalid access token is refreshed without the user.
const old = kept.tokens;
kept.tokens = { ...old, access_token: 'expired' };
answered = undefined;
await done('get_account');
assert.equal(answered, undefined);
assert.notEqual(kept.tokens.access_token, 'expired');
assert.notEqual(kept.tokens.refresh_token, old.refresh_token);
await client.close();
