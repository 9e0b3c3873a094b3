// The conformance suite of MCP against a server: its scenarios that need no tools of their own, in both eras, and those of
// the authorization server.
//
// conformance.mjs ADDRESS EMAIL PASSWORD

import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import { Person } from './person.mjs';

const [address, email, password] = process.argv.slice(2);

// What the suite has beside these asks for tools, prompts and resources with names and answers of its own
// (`test_simple_text`, `test://static-text` and so on), which no server but one made for it has.
const SCENARIOS = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  '2026-07-28': ['server-stateless', 'tools-list', 'caching', 'http-header-validation', 'dns-rebinding-protection'],
};

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

/** An access token, for which the person consents. */
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

/** The suite sends no token: this adds one, and changes nothing else. */
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

/** Runs the suite; `watch` is handed what it prints, as it comes. Returns all of it, or fails with it. */
function suite(args, watch = () => {}) {
  return new Promise((resolve, reject) => {
    const child = spawn('npx', ['--no', 'conformance', ...args]);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => watch((said += text)));
    }
    child.on('close', (code) => (code === 0 ? resolve(said) : reject(new Error(`${args.join(' ')}:\n${said}`))));
  });
}

const server = await proxy(await token());
const url = `http://127.0.0.1:${server.address().port}/mcp`;
for (const [version, scenarios] of Object.entries(SCENARIOS)) {
  for (const scenario of scenarios) {
    await suite(['server', '--url', url, '--scenario', scenario, '--spec-version', version]);
    console.log(`conformance ${version} ${scenario}: passed`);
  }
}
server.close();

// The suite prints the address of an authorization and waits for its callback.
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
console.log('conformance of the authorization server: passed');
