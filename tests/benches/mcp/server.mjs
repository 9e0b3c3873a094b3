// The peer of the MCP interface: a stateless server on the TypeScript SDK with one tool, whose result is constant. It
// requires no token.
//
// server.mjs RESULT
// RESULT is the tool's result as JSON. Listens on the address in LINEPRESS_LISTEN until it is killed.

import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';

const result = JSON.parse(process.argv[2]);
// The SDK creates a server for each request, as it recommends for servers without sessions.
const make = () => {
  const server = new McpServer({ name: 'peer', version: '1' });
  server.registerTool('get_account', { description: 'A constant.' }, () => result);
  return server;
};
const answer = toNodeHandler(createMcpHandler(make, { legacy: 'reject', responseMode: 'json' }));
const [, host, port] = process.env.LINEPRESS_LISTEN.match(/^(.*):(\d+)$/);
const server = createServer((request, response) => {
  if (request.url === '/mcp') {
    return void answer(request, response);
  }
  response.writeHead(request.url === '/readyz' ? 200 : 404).end();
});
// The connections are idle during the turns of the other side.
server.keepAliveTimeout = 60_000;
server.listen(Number(port), host);
