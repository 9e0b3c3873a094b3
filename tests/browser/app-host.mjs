// A host of MCP apps, as a client that shows them in a conversation: the bridge of the official SDK in Node.js, and
// each app in a frame without an origin, under the policy that the server declares.
import assert from "node:assert/strict";
import http from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";

const EXTENSION = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };
const HOST = { name: "test", version: "1" };
export const HOST_CAPABILITIES = {
  openLinks: {}, serverTools: {}, message: { text: {} }, updateModelContext: { text: {} },
};

const HOST_PAGE = `<!doctype html><html lang="en"><title>Conversation</title>
<style>body { margin: 0 } iframe { width: 100%; border: 0 }</style>
<body><script>
addEventListener("message", ({ source, data }) => {
  if (source === document.querySelector("iframe").contentWindow) received(data);
});
</script></body></html>`;

// A server of the host's page and of the app in its frame, with the policy of the app as a header.
export async function serve() {
  const shown = { html: "", policy: "" };
  const server = http.createServer((request, response) => {
    const isApp = request.url === "/app";
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    if (isApp) response.setHeader("Content-Security-Policy", shown.policy);
    response.end(isApp ? shown.html : HOST_PAGE);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, shown, address: `http://127.0.0.1:${server.address().port}` };
}

export async function connect(address, key, mode) {
  const client = new Client(HOST, { capabilities: { extensions: EXTENSION }, versionNegotiation: { mode } });
  const authProvider = { token: async () => key };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { authProvider }));
  const { tools } = await client.listTools();
  return { client, tools };
}

// The policy as the specification makes it of what a resource declares.
function policyOf({ connectDomains = [], resourceDomains = [] }) {
  const sources = resourceDomains.join(" ");
  const connections = connectDomains.length === 0 ? "'none'" : connectDomains.join(" ");
  const inline = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'";
  return `${inline}; img-src ${sources}; connect-src ${connections}; object-src 'none'`;
}

// Messages between the bridge and the frame in a page.
class FrameTransport {
  constructor(page) {
    this.page = page;
  }

  async start() {
    await this.page.exposeFunction("received", (message) => this.onmessage?.(message));
  }

  async send(message) {
    const post = (sent) => document.querySelector("iframe").contentWindow.postMessage(sent, "*");
    // The last messages may come after the page is closed.
    await this.page.evaluate(post, message).catch((error) => this.onerror?.(error));
  }

  async close() {
    this.onclose?.();
  }
}

// Calls a tool and shows its result with the app that the tool is linked to. With a result, the app is shown again.
export async function show({ address, client, tools, pages, context }, tool, args, options = {}) {
  const { theme = "light", callId, capabilities = HOST_CAPABILITIES } = options;
  const result = options.result ?? (await client.callTool({ name: tool, arguments: args }));
  const called = tools.find(({ name }) => name === tool);
  const uri = called._meta.ui.resourceUri;
  const { contents } = await client.readResource({ uri });
  const { csp } = contents[0]._meta.ui;
  assert.deepEqual(csp, { connectDomains: [], resourceDomains: [address] });
  Object.assign(pages.shown, { html: contents[0].text, policy: policyOf(csp) });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  const isOwn = (url) => url.startsWith(`${pages.address}/`) || url.startsWith(`${address}/downloads/`);
  page.on("request", (request) => isOwn(request.url()) || complaints.push(`asks ${request.url()}`));
  const shown = { page, app: page.frameLocator("iframe"), opened: [], messages: [], contexts: [], heights: [], result };
  const toolInfo = callId === undefined ? undefined : { id: callId, tool: called };
  const hostContext = { theme, displayMode: "inline", ...(toolInfo && { toolInfo }) };
  const bridge = new AppBridge(client, HOST, capabilities, { hostContext });
  bridge.onopenlink = async ({ url }) => (shown.opened.push(url), {});
  bridge.onmessage = async ({ content }) => (shown.messages.push(content[0].text), {});
  bridge.onupdatemodelcontext = async ({ content }) => (shown.contexts.push(content[0].text), {});
  bridge.addEventListener("sizechange", ({ height }) => {
    shown.heights.push(height);
    const resize = (pixels) => (document.querySelector("iframe").style.height = `${pixels}px`);
    page.evaluate(resize, height).catch(() => {});
  });
  const initialized = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
  await bridge.connect(new FrameTransport(page));
  await page.goto(pages.address);
  await page.evaluate(() => {
    const frame = document.createElement("iframe");
    Object.assign(frame, { title: "App", src: "/app" });
    frame.setAttribute("sandbox", "allow-scripts");
    document.body.append(frame);
  });
  await initialized;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(result);
  const close = async () => {
    assert.deepEqual(complaints, [], uri);
    assert.ok(shown.heights.at(-1) > 40, `${uri} reports its height: ${shown.heights}`);
    assert.deepEqual(await bridge.teardownResource({}), {});
    await page.close();
  };
  return { ...shown, bridge, close };
}

// Holds the results of a tool. Returns a function that releases them.
export function holdResults(bridge, tool) {
  const forward = bridge.oncalltool;
  let release;
  const released = new Promise((resolve) => (release = resolve));
  // The bridge warns of a handler that is replaced, but not of one that is removed first.
  bridge.oncalltool = undefined;
  bridge.oncalltool = async (params, extra) => {
    const result = await forward(params, extra);
    if (params.name === tool && !result.isError) await released;
    return result;
  };
  return release;
}

// Replaces the next result of a tool, after `wait`.
export function replaceResult(bridge, tool, result, wait) {
  const forward = bridge.oncalltool;
  bridge.oncalltool = undefined;
  bridge.oncalltool = async (params, extra) => {
    if (params.name !== tool) return forward(params, extra);
    await wait;
    bridge.oncalltool = undefined;
    bridge.oncalltool = forward;
    return result;
  };
}

// An error of the server as a result of a tool.
export function failure(code, message, details = []) {
  const structuredContent = { error: { code, message, details } };
  return { isError: true, content: [{ type: "text", text: message }], structuredContent };
}
