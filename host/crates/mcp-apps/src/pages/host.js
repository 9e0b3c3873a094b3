// Messages between this page and its host, by the extension MCP Apps: JSON-RPC 2.0 over postMessage.

const PROTOCOL_VERSION = "2026-01-26";
const HOST = window.parent;
const METHOD_NOT_FOUND = -32601;

// The requests to the host that have no response yet, by their id.
const waiting = new Map();
let lastId = 0;
let hostCapabilities = {};
// The id of the call whose result this page shows, where the host names it. It remains when the page is loaded again.
let toolCallId;

// A call of a tool that has an error as its result.
class ToolError extends Error {
  constructor(result) {
    const text = result.content?.find((block) => block.type === "text")?.text;
    const { error } = result.structuredContent ?? {};
    super(describeError(error ?? {}, text ?? ""));
    this.code = error?.code;
    this.details = error?.details;
    this.creditsRequired = result.structuredContent?.credits_required;
  }
}

function post(message) {
  // A page in a sandbox does not know the origin of its host.
  HOST.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function request(method, params) {
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    post({ id, method, params });
  });
}

// Calls a tool of the server; returns its structured result.
async function callTool(name, args) {
  return readResult(await request("tools/call", { name, arguments: args }));
}

// Returns the structured result of a call. Every tool that the pages call has one, unless the call was not completed.
function readResult(result) {
  if (result?.isError) throw new ToolError(result);
  if (!result?.structuredContent) throw new Error("The client did not complete the call.");
  return result.structuredContent;
}

// Loads a book with all its pages, which may take several calls. `options` are further arguments of the tool.
async function loadWholeBook(id, options = {}) {
  const pages = [];
  let loaded;
  do {
    ({ book: loaded } = await callTool("get_book", { book_id: id, ...options, from_page: pages.length + 1 }));
    if (loaded.pages.length === 0) break;
    pages.push(...loaded.pages);
  } while (pages.length < loaded.page_count);
  return { ...loaded, pages };
}

// Asks the host to open an address, such as that of a file, outside of this page.
async function openLink(url) {
  const result = await request("ui/open-link", { url });
  if (result?.isError) throw new Error("The link was not opened.");
}

// What happened in this page: the last fact about each subject, in the order of the events.
const facts = new Map();

// Reports to the agent what happened here, for its next turn. It starts no turn. Each report replaces the one before,
// so it contains all facts.
function informAgent(fact, subject = fact) {
  facts.delete(subject);
  facts.set(subject, fact);
  if (!hostCapabilities.updateModelContext) return;
  const text = [...facts.values()].join("\n");
  request("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => {});
}

// Writes to the agent in the name of the user.
async function writeToAgent(text) {
  const result = await request("ui/message", { role: "user", content: [{ type: "text", text }] });
  if (result?.isError) throw new Error("The message was not sent.");
}

// Adopts the colors and the theme of the host. Fonts are not adopted: the policy of this page loads none.
function adoptContext({ theme, styles }) {
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (/^--[a-z0-9-]+$/.test(name) && typeof value === "string") root.style.setProperty(name, value);
  }
}

let reportedHeight;

// The host gives the width; the height follows from the contents.
function reportSize() {
  const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
  if (height === reportedHeight) return;
  reportedHeight = height;
  post({ method: "ui/notifications/size-changed", params: { height } });
}

// Connects to the host. `handlers` are called with the arguments of the tool (`input`) and its result (`result`).
async function connect(handlers) {
  const notifications = {
    "ui/notifications/tool-input": (params) => handlers.input?.(params.arguments ?? {}),
    "ui/notifications/tool-result": (params) => handlers.result(params),
    "ui/notifications/tool-cancelled": () => handlers.cancelled?.(),
    "ui/notifications/host-context-changed": adoptContext,
  };
  const requests = {
    ping: () => ({}),
    "ui/resource-teardown": () => {
      handlers.ended?.();
      return {};
    },
  };
  window.addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== HOST || message?.jsonrpc !== "2.0") return;
    const { id, method, params } = message;
    if (method === undefined) {
      const pending = waiting.get(id);
      waiting.delete(id);
      if (message.error) pending?.reject(new Error(message.error.message ?? "The host refused the request."));
      else pending?.resolve(message.result);
    } else if (id === undefined) {
      notifications[method]?.(params ?? {});
    } else if (Object.hasOwn(requests, method)) {
      post({ id, result: requests[method]() });
    } else {
      post({ id, error: { code: METHOD_NOT_FOUND, message: "This page has no such method." } });
    }
  });
  const answer = await request("ui/initialize", {
    appInfo: APP,
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    protocolVersion: PROTOCOL_VERSION,
  });
  hostCapabilities = answer.hostCapabilities ?? {};
  toolCallId = answer.hostContext?.toolInfo?.id;
  adoptContext(answer.hostContext ?? {});
  post({ method: "ui/notifications/initialized", params: {} });
  new ResizeObserver(reportSize).observe(document.documentElement);
}
