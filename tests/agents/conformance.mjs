// Runs the MCP conformance suite against a server: the scenarios that need no special tools, in both eras, and those
// for the authorization server.
//
// conformance.mjs ADDRESS EMAIL PASSWORD

import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Person } from './person.mjs';

const [address, email, password] = process.argv.slice(2);

// The other scenarios of the suite require special tools, prompts and resources (`test_simple_text`,
// `test://static-text` and so on), which only a server written for the suite provides.
const SCENARIOS = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  '2026-07-28': ['server-stateless', 'tools-list', 'caching', 'http-header-validation', 'dns-rebinding-protection'],
};

// Checks of features that this server does not declare: it has tools and prompts, but no resources.
const NOT_DECLARED = [
  'sep-2549-resources-list-caching-hints',
  'sep-2549-resources-templates-list-caching-hints',
];

const CALLBACK_PORT = 33419;
const CALLBACK = `http://127.0.0.1:${CALLBACK_PORT}/callback`;

const json = async (response) => {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  return response.json();
};

const client = await json(
  await fetch(`${address}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Conformance', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
  }),
);

/** Obtains an access token with the consent of the user. */
async function token() {
  const verifier = randomBytes(32).toString('base64url');
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    resource: `${address}/mcp`,
    state: 'x',
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  });
  const person = new Person(email, password, CALLBACK);
  const answered = await person.decide(`${address}/oauth/authorize?${asked}`);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: answered.get('code'),
    redirect_uri: CALLBACK,
    client_id: client.client_id,
    code_verifier: verifier,
    resource: `${address}/mcp`,
  });
  return (await json(await fetch(`${address}/oauth/token`, { method: 'POST', body }))).access_token;
}

/** A proxy that only adds the token, because the suite sends none. */
function proxy(bearer) {
  const target = new URL(address);
  const server = http.createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${bearer}` };
    const { hostname, port } = target;
    const onward = http.request({ hostname, port, method: request.method, path: request.url, headers }, (back) => {
      response.writeHead(back.statusCode, back.headers);
      back.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/**
 * Runs the suite; `watch` receives its output so far, whenever there is more. Fails unless all checks passed, except
 * for undeclared features and for checks that the suite calls untestable because the server lacks a tool made for tests.
 */
async function suite(args, watch = () => {}) {
  const results = mkdtempSync(join(tmpdir(), 'conformance-'));
  const child = spawn('npx', ['--no', 'conformance', ...args, '--output-dir', results]);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => watch((said += text)));
  }
  await once(child, 'close');
  const files = readdirSync(results, { recursive: true }).filter((file) => file.endsWith('checks.json'));
  const checks = files.flatMap((file) => JSON.parse(readFileSync(join(results, file), 'utf8')));
  const [passed, failed, untestable] = [[], [], []];
  for (const check of checks) {
    if (check.status === 'SUCCESS') passed.push(check);
    else if (check.status === 'FAILURE') {
      const isNothing = check.details?.untestable || NOT_DECLARED.includes(check.id);
      (isNothing ? untestable : failed).push(check);
    }
  }
  const what = args[0] === 'server' ? `${args[6]} ${args[4]}` : args[0];
  console.log(`conformance ${what}: ${passed.length} passed`);
  for (const check of untestable) console.log(`  not tested: ${check.id}: ${check.errorMessage}`);
  if (failed.length || !passed.length) {
    throw new Error(failed.map((check) => `${check.id}: ${check.errorMessage} ${JSON.stringify(check.details)}`).join('\n') || said);
  }
}

const server = await proxy(await token());
const url = `http://127.0.0.1:${server.address().port}/mcp`;
for (const [version, scenarios] of Object.entries(SCENARIOS)) {
  for (const scenario of scenarios) {
    await suite(['server', '--url', url, '--scenario', scenario, '--spec-version', version]);
  }
}
server.close();

// The suite prints an authorization address and waits for the callback.
let isAsked = false;
const watch = async (said) => {
  const shown = said.match(/https?:\/\/\S*\/oauth\/authorize\?\S+/);
  if (!shown || isAsked) return;
  isAsked = true;
  const person = new Person(email, password, CALLBACK);
  const answered = await person.decide(shown[0]);
  await fetch(`${CALLBACK}?${answered}`);
};
const about = ['--url', address, '--client-id', client.client_id, '--resource', `${address}/mcp`];
await suite(['authorization', ...about, '--port', String(CALLBACK_PORT)], watch);
