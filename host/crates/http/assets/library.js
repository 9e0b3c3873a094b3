// Enhancements of the library's pages: they follow drawings, keep their place while pages are arranged, and wait for
// PDFs. Everything works without the script, too.
"use strict";

// The pauses before a rejected stream is requested again, in milliseconds.
const RETRY_DELAYS_MS = [2000, 5000, 10_000, 20_000, 40_000];
// The time between two polls of a visible tab without a stream, in milliseconds.
const POLL_INTERVAL_MS = 4000;
// The addresses of streams whose operations have ended, which are not followed again.
const ended = new Set();
// Stops following the current operation; null while none is followed.
let leave = null;
let refreshing = null;

const main = document.querySelector("#main");
const heard = document.createElement("p");
heard.className = "visually-hidden";
heard.setAttribute("role", "status");
main.append(heard);

removeDoneKeyword();
showScriptButtons();
follow();
arrangeTiles();
window.addEventListener("pagehide", () => leave?.());
window.addEventListener("pageshow", (event) => event.persisted && refreshAndFollow());
document.addEventListener("visibilitychange", () => (document.hidden ? leave?.() : refreshAndFollow()));

// Removes the message keyword from the address, so that reloading the page does not show the message again.
function removeDoneKeyword() {
  const address = new URL(location.href);
  if (!address.searchParams.has("done")) return;
  address.searchParams.delete("done");
  history.replaceState(history.state, "", address);
}

// A hidden tab has no stream, so its page may be outdated.
async function refreshAndFollow() {
  if (!nextToFollow()) return;
  await refresh();
  follow();
}

function nextToFollow() {
  const places = [...document.querySelectorAll("[data-follow]")];
  return places.map((place) => place.dataset.follow).find((address) => !ended.has(address));
}

// Shows the progress of drawings. A browser allows six connections to a server, so only one of its tabs has a stream.
// Other visible tabs poll for changes, and hidden tabs do nothing.
function follow() {
  if (leave || document.hidden || !nextToFollow()) return;
  const leaving = new AbortController();
  const polling = setInterval(async () => {
    await refresh();
    if (!nextToFollow()) leave?.();
  }, POLL_INTERVAL_MS);
  leaving.signal.addEventListener("abort", () => clearInterval(polling));
  leave = () => {
    leave = null;
    leaving.abort();
  };
  const streams = () => {
    clearInterval(polling);
    return followEach(leaving.signal);
  };
  // Browsers have locks where pages come over https or from this machine.
  if (navigator.locks) navigator.locks.request("linepress-stream", { signal: leaving.signal }, streams).catch(() => {});
  else streams();
}

// Follows one operation after the other until all have ended.
async function followEach(leaving) {
  let refused = 0;
  for (let address; !leaving.aborted && (address = nextToFollow()); ) {
    const outcome = await stream(address, leaving, () => (refused = 0));
    if (outcome === "ended") {
      ended.add(address);
      await refreshing;
      if ((await refresh()) === "failed") warn("The drawing has ended. Reload the page to see it.");
    } else if (outcome === "refused") {
      const taken = await refresh();
      if (taken === "signed out") break;
      if (refused === RETRY_DELAYS_MS.length) {
        warn("This page no longer follows the drawing. Reload it to see how far it is.");
        break;
      }
      await pause(RETRY_DELAYS_MS[refused], leaving);
      refused += 1;
    }
  }
  if (!leaving.aborted) leave?.();
}

// Resolves when the operation has ended, the server rejects the stream, or the page is left.
function stream(address, leaving, opened) {
  return new Promise((resolve) => {
    const source = new EventSource(address);
    // The events of an operation that waits for others do not say how many are left.
    const waiting = setInterval(() => document.querySelector("[data-waits]") && refresh(), POLL_INTERVAL_MS);
    const close = (outcome) => {
      clearInterval(waiting);
      source.close();
      resolve(outcome);
    };
    let seen = null;
    leaving.addEventListener("abort", () => close("left"));
    source.addEventListener("open", opened);
    source.addEventListener("progress", (event) => {
      const state = JSON.parse(event.data);
      const done = state.completed + state.failed;
      const bar = document.querySelector("#progress");
      if (bar) {
        bar.max = state.total;
        bar.value = done;
        bar.closest(".progress").querySelector("[data-ended]").textContent = done;
      }
      if (seen !== null && seen !== done) refresh();
      seen = done;
    });
    source.addEventListener("end", () => close("ended"));
    // The browser reopens a stream that breaks off, but not one that was rejected.
    source.addEventListener("error", () => source.readyState === EventSource.CLOSED && close("refused"));
  });
}

function pause(milliseconds, leaving) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    leaving?.addEventListener("abort", () => (clearTimeout(timer), resolve()));
  });
}

// Fetches the page and replaces the parts that have changed. Only one request runs at a time.
function refresh() {
  refreshing ??= takeChanges().finally(() => (refreshing = null));
  return refreshing;
}

async function takeChanges() {
  const response = await requestPage(canonicalAddress());
  if (response?.redirected) {
    warn("You are signed out. Reload the page to sign in again.");
    return "signed out";
  }
  if (!response?.ok) return "failed";
  const page = parsed(await response.text());
  const wasDrawing = Boolean(document.querySelector("[data-follow]"));
  takeParts(page);
  document.querySelector("#warning")?.remove();
  if (wasDrawing && !document.querySelector("[data-follow]")) announceEnd();
  return "taken";
}

// The address to fetch. A page with a rejected form has the address of the form, so it names its own; lists have their
// cursor in the query.
function canonicalAddress() {
  const address = new URL(main.dataset.address ?? location.href, location.href);
  address.searchParams.delete("done");
  address.hash = "";
  return address;
}

// Requests a page, or posts a form whose response is a page. Resolves with null if the server was not reached.
function requestPage(address, form) {
  const method = form ? "POST" : "GET";
  return fetch(address, { method, body: form, headers: { Accept: "text/html" } }).catch(() => null);
}

function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

// Replaces the changed parts of the page, except those in which the user types or has typed, or drags.
function takeParts(page) {
  for (const fresh of page.querySelectorAll("[data-part], .credits")) {
    const name = fresh.dataset.part;
    const old = document.querySelector(name ? `[data-part="${CSS.escape(name)}"]` : ".credits");
    if (!old || old.classList.contains("dragged") || isTypedIn(old) || withoutKeys(old) === withoutKeys(fresh)) continue;
    replace(old, fresh);
  }
  document.title = page.title;
  arrangeTiles();
  showScriptButtons();
}

function isTypedIn(part) {
  if (part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) return true;
  return [...part.querySelectorAll("input, textarea")].some((field) => field.value !== field.defaultValue);
}

// Replaces a part with its new version. Opened details stay open, and the focus is restored.
function replace(old, fresh) {
  const active = old.contains(document.activeElement) ? document.activeElement : null;
  const part = document.importNode(fresh, true);
  const drawers = part.querySelectorAll("details");
  old.querySelectorAll("details").forEach((drawer, index) => drawers[index] && (drawers[index].open = drawer.open));
  old.replaceWith(part);
  if (active) counterpart(part, active)?.focus({ preventScroll: true });
  return part;
}

function counterpart(part, element) {
  const like = (other) => ["href", "form", "name", "value"].every((name) => other.getAttribute(name) === element.getAttribute(name));
  return [...part.querySelectorAll(element.localName)].find(like);
}

// Ignores the idempotency keys and CSRF tokens of forms, which differ each time the page is rendered.
function withoutKeys(part) {
  const copy = part.cloneNode(true);
  for (const key of copy.querySelectorAll("[name=idempotency_key], [name=csrf_token]")) key.remove();
  for (const drawer of copy.querySelectorAll("details")) drawer.removeAttribute("open");
  copy.removeAttribute("draggable");
  return copy.outerHTML;
}

// Announces the end of a drawing in the title, for users who look at another tab, and to screen readers; the message
// about its start is removed.
function announceEnd() {
  const state = document.querySelector("#status .badge, #status .error")?.textContent.trim().replace(/\.$/, "") || "It is drawn";
  document.title = `${state} · ${document.title}`;
  heard.textContent = `${state}.`;
  for (const notice of main.querySelectorAll(":scope > .notice.good")) notice.remove();
}

function warn(words) {
  const warning = document.querySelector("#warning") ?? document.createElement("p");
  warning.id = "warning";
  warning.className = "notice warn";
  warning.setAttribute("role", "alert");
  if (warning.textContent !== words) warning.textContent = words;
  main.prepend(warning);
}

// Sends forms that arrange pages without leaving the page, one after the other.
let arranging = Promise.resolve();
document.addEventListener(
  "submit",
  (event) => {
    const form = event.target;
    if (form.dataset.stay === undefined) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    form.querySelector("[name=order]")?.remove();
    arranging = arranging.then(() => arrange(form.action, body, event.submitter));
  },
  true,
);

async function arrange(action, body, button) {
  const neighbor = button?.name === "page" ? button.closest(".tile")?.nextElementSibling?.id : null;
  const response = await requestPage(action, body);
  if (!response) return warn("The server was not reached. Reload the page and try again.");
  const page = parsed(await response.text());
  const [old, fresh] = [document.querySelector("#pages"), page.querySelector("#pages")];
  // The user was signed out in the meantime, or the book was deleted.
  if (!old || !fresh) return location.reload();
  const active = document.activeElement;
  const pages = replace(old, fresh);
  takeParts(page);
  arrangeTiles();
  showNotices(page);
  // The response does not know the choices in the print panel, which the address of the page names.
  if (canonicalAddress().search) refresh();
  const before = button && counterpart(pages, button);
  if (!button || (active !== document.body && active?.isConnected)) return;
  // Focus a remaining button: the first page cannot be moved earlier, and a page that was taken out is gone.
  const next = before?.disabled ? before.closest(".tools").querySelector("button:not(:disabled)") : before;
  const instead = neighbor && document.getElementById(neighbor)?.querySelector("[name=page]");
  (next ?? instead ?? pages.querySelector(".tile:last-child [name=page]") ?? pages.querySelector("a"))?.focus({ preventScroll: true });
}

// Sends a form with a photograph without leaving the page, so that the chosen file remains if the form is refused.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.dataset.keepsFile === undefined) return;
  event.preventDefault();
  sendFile(form, new FormData(form, event.submitter));
});

async function sendFile(form, body) {
  const response = await requestPage(form.action, body);
  if (response?.redirected) return location.assign(response.url);
  const page = response && parsed(await response.text().catch(() => ""));
  const fresh = page?.querySelector(`form[action="${form.getAttribute("action")}"]`);
  if (!fresh) {
    allowSending();
    return warn(page?.querySelector("main p")?.textContent ?? "The server was not reached. Try again.");
  }
  const refused = document.importNode(fresh, true);
  const fileField = (parent) => parent.querySelector("[type=file]").closest(".field");
  fileField(refused).replaceWith(fileField(form));
  form.replaceWith(refused);
  showNotices(page);
  refused.querySelector("[aria-invalid]")?.focus({ preventScroll: true });
}

// Shows the messages at the top of a response's page, in place of those that are shown or in addition to them.
function showNotices(page, inAddition = false) {
  const shown = [...main.querySelectorAll(":scope > .notice")];
  if (inAddition && shown.some((notice) => page.querySelector("main > .notice")?.textContent === notice.textContent)) return;
  if (!inAddition) for (const notice of shown) notice.remove();
  const notices = [...page.querySelectorAll("main > .notice")].map((notice) => document.importNode(notice, true));
  main.querySelector(".crumbs").after(...notices);
  const refusal = notices.find((notice) => notice.matches(".bad"));
  if (refusal) refusal.scrollIntoView({ block: "center" });
  else heard.textContent = notices.map((notice) => notice.textContent.trim()).join(" ");
}

// Lets the pages of a book be dragged with a mouse. The buttons do the same.
function arrangeTiles() {
  const list = document.querySelector("[data-sortable]");
  if (!list || !matchMedia("(pointer: fine)").matches) return;
  for (const tile of list.children) tile.draggable = true;
  if (list.dataset.arranged) return;
  list.dataset.arranged = "yes";
  let dragged = null;
  let before = [];
  let isDropped = false;
  list.addEventListener("dragstart", (event) => {
    dragged = event.target.closest(".tile");
    before = [...list.children];
    isDropped = false;
    dragged.classList.add("dragged");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.id);
  });
  list.addEventListener("dragover", (event) => {
    if (!dragged) return;
    event.preventDefault();
    const over = event.target.closest(".tile");
    if (!over || over === dragged) return;
    const tiles = [...list.children];
    if (tiles.indexOf(dragged) < tiles.indexOf(over)) over.after(dragged);
    else over.before(dragged);
  });
  list.addEventListener("drop", (event) => {
    if (!dragged) return;
    // Firefox would navigate to the dropped text.
    event.preventDefault();
    isDropped = true;
  });
  list.addEventListener("dragend", () => {
    if (!dragged) return;
    dragged.classList.remove("dragged");
    dragged = null;
    const after = [...list.children];
    // The drag was canceled by Escape or ended outside of the list: nothing is moved.
    if (!isDropped) return list.append(...before);
    if (after.every((tile, index) => tile === before[index])) return;
    const form = document.getElementById(list.dataset.sortable);
    const order = document.createElement("input");
    order.type = "hidden";
    order.name = "order";
    order.value = after.map((tile) => tile.dataset.id).join(",");
    form.append(order);
    form.requestSubmit();
  });
}

// Shows the buttons that need a script: for two downloads at once, for printing and for copying.
function showScriptButtons() {
  for (const button of document.querySelectorAll("[data-both], [data-print], [data-copy]")) button.hidden = false;
}

// Prints the drawing of the page as sharp as in a book: the picture on the screen is replaced while it is printed.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-print]");
  const picture = document.querySelector("#picture img");
  if (!button || !picture || button.getAttribute("aria-busy")) return;
  button.setAttribute("aria-busy", "true");
  const shown = picture.src;
  window.addEventListener("afterprint", () => ((picture.src = shown), button.removeAttribute("aria-busy")), { once: true });
  picture.src = button.dataset.print;
  // A device without enough memory prints the picture on the screen.
  await picture.decode().catch(() => ((picture.src = shown), picture.decode().catch(() => {})));
  window.print();
});

// Copies the text of a field.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  field.select();
  // Browsers have a clipboard where pages come over https or from this machine.
  const copied = navigator.clipboard
    ? await navigator.clipboard.writeText(field.value).then(() => true, () => false)
    : document.execCommand("copy");
  const label = button.dataset.words ?? (button.dataset.words = button.textContent);
  button.textContent = copied ? "Copied" : "Press Ctrl+C";
  heard.textContent = copied ? `${field.labels[0].textContent} was copied.` : "The text is selected. Press Ctrl+C.";
  setTimeout(() => (button.textContent = label), 2000);
});

// Fills a field with the text of a link, instead of opening its address, which begins the form again.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-fill]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const field = document.getElementById(link.dataset.fill);
  field.value = link.textContent.trim();
  field.focus();
});

// Shows a message on a link to a slow page until the next page is loaded.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-wait]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const label = link.innerHTML;
  link.textContent = link.dataset.wait;
  link.setAttribute("aria-busy", "true");
  window.addEventListener("pageshow", () => ((link.innerHTML = label), link.removeAttribute("aria-busy")), { once: true });
});

// Waits for a PDF to be typeset, which may take a while. The button shows that, and errors are shown on the page.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-download]");
  const both = event.target.closest("button[data-both]");
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || (!link && !both)) return;
  event.preventDefault();
  if (link) downloadAll([link]);
  else downloadAll([...both.closest("[data-files]").querySelectorAll("a[data-download]:not([data-package])")]);
});

// A refused file does not hold up the others. Their refusals are shown together.
async function downloadAll(links) {
  let refusals = 0;
  for (const link of links) {
    const refusal = await download(link);
    if (refusal) showNotices(refusal, refusals++ > 0);
  }
}

// Asks the server to prepare the PDF. It responds at once for an existing PDF; otherwise `Retry-After` says when to ask
// again. Resolves with the page of a refusal, if there is one.
async function download(link) {
  if (link.getAttribute("aria-busy")) return null;
  const label = link.innerHTML;
  link.setAttribute("aria-busy", "true");
  link.textContent = "Typesetting…";
  heard.textContent = "The PDF is being typeset.";
  const refusal = await prepared(link.href);
  link.removeAttribute("aria-busy");
  link.innerHTML = label;
  if (refusal) return refusal;
  heard.textContent = "The download begins.";
  const file = document.createElement("a");
  file.href = link.href;
  file.download = "";
  file.click();
  return null;
}

// Resolves when the PDF exists, or with the page that says why it cannot be made.
async function prepared(address) {
  const asked = new URL(address);
  asked.searchParams.set("prepare", "yes");
  for (;;) {
    const response = await requestPage(asked);
    if (!response) return parsed(`<main><p class="notice bad" role="alert">The server was not reached. Try again.</p></main>`);
    if (response.status === 204) return null;
    const text = await response.text();
    if (response.status !== 503) return parsed(text);
    await pause(1000 * Number(response.headers.get("Retry-After") ?? 10));
  }
}
