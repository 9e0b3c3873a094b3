// A user of the web pages, who signs up, creates a key, orders a book, watches it being drawn, downloads it, shows it to
// somebody, and looks at every page in the widths of a phone and a desktop, in light and dark colors.
//
//     node walk.mjs <address of the server> <path of Chromium> <a landscape picture> [--every-look]
import assert from "node:assert/strict";
import crypto from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import { chromium } from "playwright-core";
import { administers } from "./admin.mjs";
import { showsApps } from "./apps.mjs";
import { followsDrawings } from "./live.mjs";
import { everyLook, watched } from "./looks.mjs";

const [address, program, picture] = process.argv.slice(2);
// Chromium has no sandbox for the user root.
const browser = await chromium.launch({ executablePath: program, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });

// The pages to check: public ones, and those of the account, which are added during the walk. Add new pages here.
const visited = new Map([
  ["front", "/"],
  ["sign-in", "/sign-in"],
  ["sign-up", "/sign-up"],
]);

async function main() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true });
  const { page, check } = await watched(context, address);
  await step("signs up", () => signsUp(page));
  await step("makes a key and uses it", () => usesAKey(page));
  await step("turns a second factor on, signs in with it, and turns it off", () => usesASecondFactor(page));
  await step("connects an app and disconnects it", () => connectsAnApp(page));
  await step("makes a character", () => makesACharacter(page));
  await step("plans, changes and orders a book, and watches it", () => makesABook(page));
  await step("arranges its pages", () => arrangesPages(page));
  await step("drags a page and cancels once", () => dragsAPage(page));
  await step("goes through its pages with keys", () => reviewsWithKeys(page));
  await step("selects pages to be drawn again", () => selectsPages(page));
  await step("downloads it", () => downloads(page));
  await step("has a paperback printed", () => printsAPaperback(page));
  await step("copies texts for the shop", () => copiesTextsForTheShop(context, page));
  await step("shows the book to somebody who comments on it", () => showsTheBook(page));
  await step("prints one sheet", () => printsASheet(context));
  await step("uses long words and forced colors", () => usesLongWordsAndForcedColors(page));
  await step("brings own artwork", () => bringsArtwork(page));
  await step("deletes a page, undoes it, and restores it from the bin", () => deletesAPage(page));
  check();
  // A browser logs a refused request as an error.
  await step("keeps the photograph of a refused form", () => keepsAPhotograph(page));
  await step("follows drawings", () => followsDrawings(context, address, visited.get("book"), visited.get("page")));
  const person = await context.storageState();
  await step("looks at every page", () => everyLook(browser, address, person, visited));
  await step("administers the server", () => administers(browser, address));
  await step("uses the apps of the server in a conversation", () => showsApps(browser, address));
  await step("signs out", () => signsOut(page));
  await context.close();
  await step("uses the pages without scripts", () => withoutAScript(person));
}

async function step(name, work) {
  try {
    await work();
    console.log(`ok: ${name}`);
  } catch (error) {
    throw new Error(`a user who ${name}: ${error.stack ?? error}`);
  }
}

async function go(page, path) {
  const response = await page.goto(address + path);
  assert.equal(response.status(), 200, path);
}

function here(page) {
  return new URL(page.url()).pathname;
}

async function signsUp(page) {
  await go(page, "/");
  await page.getByRole("link", { name: "Make an account" }).click();
  await page.getByLabel("E-mail address").fill("ada@example.com");
  await page.getByLabel("Password").fill("crayons and some paper");
  await page.getByRole("main").getByRole("button").click();
  await page.waitForURL("**/library");
  await page.getByRole("heading", { name: "No books yet" }).waitFor();
  for (const section of ["library", "library/characters", "library/pages"]) {
    visited.set(`empty-${section.split("/").pop()}`, `/${section}`);
  }
  const empty = await page.context().storageState();
  await everyLook(browser, address, empty, new Map([...visited].filter(([name]) => name.startsWith("empty-"))));
  for (const name of [...visited.keys()]) if (name.startsWith("empty-")) visited.delete(name);
}

async function usesAKey(page) {
  await go(page, "/account/keys");
  await page.getByLabel("What is it for?").fill("A test");
  await page.getByRole("button", { name: "Make a key" }).click();
  const key = await page.locator("#made").innerText();
  const api = { headers: { Authorization: `Bearer ${key}` } };
  const me = await fetch(`${address}/api/v1/me`, api);
  assert.equal((await me.json()).account.email, "ada@example.com");
  await page.getByRole("link", { name: "Rotate A test" }).click();
  await page.getByLabel("The present secret stops working").selectOption({ label: "at once" });
  await page.getByRole("button", { name: "Rotate the key" }).click();
  const rotated = { headers: { Authorization: `Bearer ${await page.locator("#made").innerText()}` } };
  assert.equal((await fetch(`${address}/api/v1/me`, rotated)).status, 200);
  assert.equal((await fetch(`${address}/api/v1/me`, api)).status, 401);
  await page.getByRole("link", { name: "Revoke A test" }).click();
  await page.getByRole("button", { name: "Revoke the key" }).click();
  await page.waitForURL("**/account/keys*");
  assert.equal((await fetch(`${address}/api/v1/me`, rotated)).status, 401);
  await makesAKeyWithLimits(page);
  await makesAWebhook(page);
  for (const part of ["", "/keys", "/webhooks", "/requests", "/apps", "/password", "/second-factor"]) visited.set(`account${part.replace("/", "-")}`, `/account${part}`);
}

async function makesAWebhook(page) {
  await go(page, "/account/webhooks");
  await page.getByLabel("Address").fill("https://shop.example.com/events");
  await page.getByRole("button", { name: "Make a webhook" }).click();
  assert.match(await page.locator("#made").innerText(), /^whsec_/);
  await page.getByRole("link", { name: "Webhooks", exact: true }).last().click();
  await page.getByRole("link", { name: "https://shop.example.com/events" }).click();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("A test is on its way.").waitFor();
  visited.set("webhook", here(page));
}

async function makesAKeyWithLimits(page) {
  await page.getByLabel("What is it for?").fill("The shop");
  await page.getByLabel("change and delete them").uncheck();
  await page.getByText("Limits", { exact: true }).click();
  await page.getByLabel("The most it may spend, in credits").fill("20");
  await page.getByLabel("The limit is for").selectOption("day");
  await page.getByLabel("The last day on which it is valid").fill("2999-12-30");
  await page.getByLabel("The networks from which it may be used").fill("203.0.113.0/24\n2001:db8::/32");
  await page.getByRole("button", { name: "Make a key" }).click();
  await page.locator("#made").waitFor();
  await page.getByText("0 of at most 20 credits spent today").waitFor();
  await page.getByText("31 December 2999, 00:00 UTC").waitFor();
  visited.set("account-rotate-key", await page.getByRole("link", { name: "Rotate The shop" }).getAttribute("href"));
}

async function usesASecondFactor(page) {
  const password = "crayons and some paper";
  await go(page, "/account/second-factor");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Show a key for the app" }).click();
  await page.getByRole("img", { name: "QR code with the key" }).waitFor();
  const key = await page.locator("code.secret").innerText();
  await page.getByLabel("The code that the app shows").fill(codeOf(key, 0));
  await page.getByRole("button", { name: "Turn the second factor on" }).click();
  const recoveryCode = await page.locator("ul.secret code").first().innerText();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  await page.getByLabel("E-mail address").fill("ada@example.com");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/sign-in/code");
  const pending = await page.context().storageState();
  await everyLook(browser, address, pending, new Map([["sign-in-code", "/sign-in/code"]]));
  // The code of the next time step, because the current one has confirmed the key.
  await page.getByLabel("Code").fill(codeOf(key, 1));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/library");
  const protectedAccount = await page.context().storageState();
  await everyLook(browser, address, protectedAccount, new Map([["second-factor-on", "/account/second-factor"]]));
  await go(page, "/account/second-factor");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByLabel("A code of the app, or a recovery code").fill(recoveryCode);
  await page.getByRole("button", { name: "Turn the second factor off" }).click();
  await page.getByText("The second factor is off.").waitFor();
}

// The code that an authenticator app shows for a key, this number of time steps from now (RFC 6238).
function codeOf(key, steps) {
  const digits = [...key.replaceAll(" ", "")].map((digit) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(digit));
  const bits = digits.map((digit) => digit.toString(2).padStart(5, "0")).join("");
  const secret = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const mac = crypto.createHmac("sha1", secret).update(counter).digest();
  const number = mac.readUInt32BE(mac.at(-1) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

async function connectsAnApp(page) {
  // The callback address of the app.
  const app = http.createServer((_, response) => response.end("Back in the app"));
  await new Promise((resolve) => app.listen(0, "127.0.0.1", resolve));
  const callback = `http://127.0.0.1:${app.address().port}/callback`;
  const registered = await fetch(`${address}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ client_name: "Paper Agent", redirect_uris: [callback], token_endpoint_auth_method: "none" }),
  });
  const { client_id } = await registered.json();
  const verifier = crypto.randomBytes(32).toString("base64url");
  const code_challenge = crypto.createHash("sha256").update(verifier).digest("base64url");
  const asked = { response_type: "code", client_id, redirect_uri: callback, state: "s", code_challenge, code_challenge_method: "S256" };
  const consent = `/oauth/authorize?${new URLSearchParams(asked)}`;
  visited.set("consent", consent);
  // The user ends at the app, which is another host.
  const other = await page.context().newPage();
  await go(other, consent);
  await other.getByRole("heading", { name: "Connect Paper Agent?" }).waitFor();
  await other.getByLabel("The most it may spend").fill("5");
  await other.getByRole("button", { name: "Connect", exact: true }).click();
  await other.waitForURL(`${callback}?*`);
  const answered = new URL(other.url()).searchParams;
  await other.close();
  app.close();
  assert.deepEqual([answered.get("state"), answered.get("iss")], ["s", address]);
  const redeemed = await fetch(`${address}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code", code: answered.get("code"), redirect_uri: callback, client_id, code_verifier: verifier,
    }),
  });
  const { access_token } = await redeemed.json();
  const tools = () =>
    fetch(`${address}/mcp`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${access_token}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
  assert.equal((await tools()).status, 200);
  await go(page, "/account/apps");
  await page.getByText("Paper Agent").first().waitFor();
  await everyLook(browser, address, await page.context().storageState(), new Map([["apps-connected", "/account/apps"]]));
  await page.getByRole("link", { name: /Disconnect/ }).click();
  await page.getByRole("button", { name: "Disconnect it" }).click();
  await page.waitForURL("**/account/apps*");
  assert.equal((await tools()).status, 401);
}

async function makesACharacter(page) {
  await go(page, "/library/characters");
  await page.getByRole("link", { name: "Make your first character" }).click();
  const form = page.getByRole("form", { name: "Have it drawn" });
  await form.getByLabel("Name").fill("Pip");
  await form.getByLabel("What it looks like").fill("A small hedgehog with a striped scarf");
  await form.getByRole("button", { name: "Draw it for 1 credit" }).click();
  // The picture appears without a reload of the page.
  await page.getByRole("img", { name: "Line drawing of Pip" }).waitFor({ timeout: 60_000 });
  await page.getByRole("link", { name: "Put it in a new book" }).click();
  assert.ok(await page.getByRole("checkbox", { name: "Pip" }).isChecked());
  await page.goBack();
  visited.set("character", here(page));
  visited.set("characters", "/library/characters");
  visited.set("archived-characters", "/library/characters/archived");
  visited.set("new-character", "/library/characters/new");
}

async function makesABook(page) {
  await go(page, "/library/books/new");
  visited.set("new-book", here(page));
  await page.getByLabel("Theme", { exact: true }).fill("A woodland day");
  await page.getByLabel("Pages").and(page.locator("input")).fill("5");
  await page.getByRole("checkbox", { name: "Pip" }).check({ force: true });
  // An example fills the theme, and nothing else.
  await page.getByRole("link", { name: "Pirate cats" }).click();
  assert.equal(await page.getByLabel("Theme", { exact: true }).inputValue(), "Pirate cats");
  assert.equal(await page.getByLabel("Pages").and(page.locator("input")).inputValue(), "5");
  assert.ok(await page.getByRole("checkbox", { name: "Pip" }).isChecked());
  await page.getByLabel("Theme", { exact: true }).fill("A woodland day");
  await page.getByRole("button", { name: "Plan the book" }).click();
  await page.waitForURL("**/library/drafts/draft_*");
  visited.set("plan", here(page));
  visited.set("plan-photo", `${here(page)}/photo?page=1`);
  const order = page.getByRole("button", { name: /^Order for/ });
  assert.equal(await order.textContent(), "Order for 5 credits");
  await leavesThePlan(page);
  const titles = () => page.locator("[name=page_title]").evaluateAll((fields) => fields.map((field) => field.value));
  const [first, second] = await titles();
  await page.getByRole("button", { name: "Move page 2 earlier" }).click();
  assert.deepEqual((await titles()).slice(0, 2), [second, first]);
  await page.getByRole("button", { name: "Take page 5 out" }).click();
  await page.getByRole("button", { name: "Take page 4 out" }).click();
  await page.getByRole("button", { name: "Add a page" }).click();
  await page.locator("[name=page_title]").last().fill("A hot air balloon over the hills");
  assert.equal(await order.textContent(), "Order for 4 credits");
  await lookAtThePlan(page);
  await order.click();
  await page.waitForURL("**/library/books/book_*");
  await page.getByText("Ordered. The pages appear here as they are drawn.").waitFor();
  const unchanged = await page.evaluate(() => (window.before = "here"));
  await page.getByText("Ready to print", { exact: true }).waitFor({ timeout: 120_000 });
  assert.equal(await page.evaluate(() => window.before), unchanged, "the page was not loaded again");
  await page.getByText("Ordered. The pages appear here as they are drawn.").waitFor({ state: "detached" });
  assert.equal(new URL(page.url()).search, "", "a reload does not say it again");
  assert.match(await page.title(), /^Ready to print/);
  assert.equal(await page.locator("#pages .tile img").count(), 4);
  assert.match(await page.locator(".credits").textContent(), /35\s+credits/);
  visited.set("book", here(page));
  visited.set("add-page", `${here(page)}/add`);
  visited.set("page", await page.locator(".tile-link").first().getAttribute("href"));
  visited.set("library", "/library");
  visited.set("pages", "/library/pages");
  visited.set("selecting", "/library/pages?q=a&select=yes");
  visited.set("new-page", "/library/pages/new");
  visited.set("empty-bin", "/library/bin");
}

// Input is preserved, however the user leaves the page.
async function leavesThePlan(page) {
  const plan = here(page);
  const author = page.getByLabel("Author");
  const saved = page.getByText("Saved.", { exact: true });
  await author.fill("Ada");
  await saved.waitFor();
  await page.getByRole("link", { name: "Characters" }).click();
  await page.waitForURL("**/library/characters");
  await page.goBack();
  assert.equal(await author.inputValue(), "Ada");
  // Enter saves without leaving the page.
  const before = await page.evaluate(() => (window.before = "here"));
  await author.fill("Ada L.");
  await author.press("Enter");
  await saved.waitFor();
  assert.equal(await page.evaluate(() => window.before), before, "the page was not loaded again");
  const caption = page.getByLabel("Line below the picture").first();
  const line = await caption.inputValue();
  await caption.press("Enter");
  assert.equal(await caption.inputValue(), line, "a caption is a single line");
  await go(page, "/library");
  visited.set("library-with-a-plan", "/library");
  await page.locator(`a[href="${plan}"]`).click();
  assert.equal(await author.inputValue(), "Ada L.");
  await signedOutWhileEditing(page, author);
}

// A page whose session has ended is not left before its input is saved.
async function signedOutWhileEditing(page, author) {
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await author.fill("Ada Lovelace");
  await page.getByText("You were signed out. Sign in again in another tab").waitFor();
  const plan = here(page);
  await page.getByRole("button", { name: "Save now" }).last().click();
  assert.equal(here(page), plan);
  assert.equal(await author.inputValue(), "Ada Lovelace");
  await page.context().addCookies(cookies);
  await author.press("Enter");
  await page.getByText("Saved.", { exact: true }).waitFor();
}

async function lookAtThePlan(page) {
  const person = await page.context().storageState();
  const plans = [...visited].filter(([name]) => name.includes("plan"));
  await everyLook(browser, address, person, new Map(plans));
  for (const [name] of plans) visited.delete(name);
}

async function arrangesPages(page) {
  const titles = () => page.locator(".tile-title").allTextContents();
  const before = await titles();
  const last = before.at(-1).replace(/^\s*\d+\s*/, "").trim();
  const earlier = page.getByRole("button", { name: `Move ${last} earlier` });
  await earlier.scrollIntoViewIfNeeded();
  const at = await page.evaluate(() => ((window.before = "here"), window.scrollY));
  await earlier.click();
  await page.getByText("The pages are in their new order.").first().waitFor();
  const [kept, scrolled, focused] = await page.evaluate(() => [window.before, window.scrollY, document.activeElement.ariaLabel]);
  assert.deepEqual([kept, focused], ["here", `Move ${last} earlier`], "the page is not reloaded, and the focus stays");
  // The notice at the top moves the page a little.
  assert.ok(Math.abs(scrolled - at) < 200, `it scrolled from ${at} to ${scrolled}`);
  assert.match((await titles()).at(-2), new RegExp(last));
  await page.getByRole("button", { name: `Take ${last} out of the book` }).click();
  await page.getByText("The page was taken out of the book.").first().waitFor();
  assert.equal((await titles()).length, 3);
  await page.getByRole("link", { name: "Add a page" }).click();
  await page.getByRole("checkbox", { name: last }).check();
  await page.getByRole("button", { name: "Add the chosen pages" }).click();
  await page.getByText("The pages are in the book.").waitFor();
  assert.equal((await titles()).length, 4);
  await page.locator(".tile-link").first().click();
  await page.getByRole("link", { name: "Next page" }).click();
  await page.getByText(/^Page 2 of/).waitFor();
  await page.getByRole("navigation", { name: "The book of the page" }).getByRole("link").nth(1).click();
  await page.waitForURL("**/library/books/book_*");
}

async function dragsAPage(page) {
  const titles = () => page.locator(".tile-title").allTextContents();
  const before = await titles();
  const sent = [];
  page.on("request", (request) => request.url().endsWith("/order") && sent.push(request.url()));
  const [first, last] = [page.locator("#pages .tile").first(), page.locator("#pages .tile").last()];
  const drag = async () => {
    await first.hover();
    await page.mouse.down();
    await last.hover();
    await last.hover();
  };
  await drag();
  await page.keyboard.press("Escape");
  await page.mouse.up();
  assert.deepEqual([await titles(), sent], [before, []], "a drag that was canceled moves nothing");
  await drag();
  await page.mouse.up();
  await page.getByText("The pages are in their new order.").first().waitFor();
  assert.equal(sent.length, 1);
  const name = (title) => title.replace(/^\s*\d+\s*/, "").trim();
  assert.equal(name((await titles()).at(-1)), name(before[0]));
}

// Prints the page of a drawing with the browser.
async function printsASheet(context) {
  const page = await context.newPage();
  await go(page, visited.get("page"));
  await page.emulateMedia({ colorScheme: "dark" });
  for (const format of ["A4", "Letter"]) {
    const pdf = (await page.pdf({ format })).toString("latin1");
    assert.equal(pdf.match(/\/Type\s*\/Page\b(?!s)/g).length, 1, `one sheet of ${format}`);
  }
  // The button prints the picture for print, and shows the one for the screen again afterwards.
  const picture = page.locator("#picture img");
  const shown = await picture.getAttribute("src");
  await page.evaluate(() => {
    window.print = () => {
      const { naturalWidth, naturalHeight } = document.querySelector("#picture img");
      window.printed = Math.max(naturalWidth, naturalHeight);
      window.dispatchEvent(new Event("afterprint"));
    };
  });
  await page.getByRole("button", { name: "Print this page", exact: true }).click();
  await page.waitForFunction(() => window.printed);
  assert.ok((await page.evaluate(() => window.printed)) > 3000, "the picture has the resolution of print");
  assert.equal(await picture.getAttribute("src"), new URL(shown, address).href);
  await page.close();
}

// Goes through the pages of a book with the keyboard.
async function reviewsWithKeys(page) {
  await go(page, visited.get("book"));
  await page.locator(".tile-link").first().click();
  await page.getByText(/^Page 1 of/).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByText(/^Page 2 of/).waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.getByText(/^Page 1 of/).waitFor();
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());
  await page.keyboard.press("r");
  assert.match(await focused(), /^Draw again for 1 credit/);
  await page.keyboard.press("f");
  assert.equal(await focused(), "instruction");
  await page.keyboard.type("rx");
  assert.equal(await page.locator("#instruction").inputValue(), "rx", "letters that are typed are not keys");
  await marksPages(page);
  await go(page, visited.get("book"));
}

// Marks two pages with one key each, has them drawn again with one order, and returns one of them to its earlier picture.
async function marksPages(page) {
  await go(page, visited.get("book"));
  await page.locator(".tile-link").first().click();
  await page.getByText(/^Page 1 of/).waitFor();
  await page.keyboard.press("m");
  await page.getByRole("button", { name: "Draw this marked page again for 1 credit" }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByText(/^Page 2 of/).waitFor();
  await page.keyboard.press("m");
  await page.getByRole("button", { name: "Draw these 2 marked pages again for 2 credits" }).waitFor();
  await page.keyboard.press("d");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/library/books/book_*");
  await page.getByText("Ready to print", { exact: true }).waitFor({ timeout: 120_000 });
  await page.locator(".tile-link").first().click();
  await page.getByText(/^Page 1 of/).waitFor();
  assert.equal(await page.locator("#attempts .tile").count(), 2);
  await page.keyboard.press("2");
  await page.getByText("The picture is in use.").waitFor();
  await page.getByText(/^Page 1 of/).waitFor();
  assert.ok(await page.locator("#attempts .tile").nth(1).getByText("In use", { exact: true }).isVisible());
  visited.set("attempts", new URL(page.url()).pathname + new URL(page.url()).search);
}

// Selects pages on the page of the book, and sees their price before they are ordered.
async function selectsPages(page) {
  await go(page, visited.get("book"));
  await page.getByRole("link", { name: "Select several to draw again" }).click();
  await page.locator("#pages").getByRole("checkbox").nth(0).check();
  await page.locator("#pages").getByRole("checkbox").nth(2).check();
  visited.set("selecting-pages", `${visited.get("book")}?select=yes`);
  await page.getByRole("button", { name: "Draw the selected pages again…" }).click();
  await page.getByRole("button", { name: "Draw these 2 pages again for 2 credits" }).waitFor();
  const confirmed = new URL(page.url());
  visited.set("redraw", confirmed.pathname + confirmed.search);
  await page.getByRole("link", { name: "Choose others" }).click();
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.getByRole("link", { name: "Select several to draw again" }).waitFor();
}

async function downloads(page) {
  const [download] = await Promise.all([
    page.waitForEvent("download", { timeout: 120_000 }),
    page.getByRole("link", { name: "Download US Letter", exact: true }).click(),
  ]);
  assert.match(download.suggestedFilename(), /^[a-z0-9-]+-us_letter\.pdf$/);
  const pdf = fs.readFileSync(await download.path());
  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  assert.ok(pdf.length > 20_000);
  await go(page, "/library?select=yes");
  await page.getByRole("checkbox").first().check();
  await page.getByRole("button", { name: "Download…" }).click();
  await page.getByRole("heading", { name: "Download books" }).waitFor();
  const several = new URL(page.url());
  visited.set("book-downloads", several.pathname + several.search);
  await go(page, visited.get("book"));
}

async function printsAPaperback(page) {
  await go(page, visited.get("book"));
  await page.getByText("Have it printed by Amazon KDP").click();
  // Each offered file is downloaded without leaving the page of the book.
  const files = [];
  page.on("download", (file) => files.push(file.suggestedFilename()));
  await page.getByRole("button", { name: "Interior and cover for Amazon KDP" }).first().click();
  await page.getByText("Typesetting…").first().waitFor();
  while (files.length < 2) await page.waitForEvent("download", { timeout: 120_000 });
  assert.match(files[0], /-kdp-interior\.pdf$/);
  assert.match(files[1], /-kdp-cover\.pdf$/);
  const archive = page.waitForEvent("download", { timeout: 120_000 });
  await page.getByRole("link", { name: "Download all (ZIP) for Amazon KDP" }).first().click();
  assert.match((await archive).suggestedFilename(), /-kdp\.zip$/);
  assert.equal(files.length, 3, "the archive is not among the files of the button for both");
  await page.getByRole("link", { name: "Preview for Amazon KDP" }).first().click();
  await page.getByText(/^Page 1 of/).waitFor({ timeout: 120_000 });
  await page.keyboard.press("ArrowRight");
  await page.getByText(/^Pages 2 and 3 of/).waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll(".spread img")].every((image) => image.naturalHeight > 0));
  const preview = new URL(page.url());
  visited.set("preview", preview.pathname + preview.search);
  await go(page, visited.get("book"));
  await page.getByText("Have it printed by Amazon KDP").click();
  await page.getByRole("link", { name: "Check the files for Amazon KDP" }).first().click();
  await page.getByRole("heading", { name: "Print check" }).waitFor({ timeout: 120_000 });
  const checked = new URL(page.url());
  visited.set("print-check", checked.pathname + checked.search);
}

async function copiesTextsForTheShop(context, page) {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await go(page, visited.get("book"));
  await page.getByText("Have it printed by Amazon KDP").click();
  await page.getByRole("link", { name: "Texts for the shop" }).click();
  const keyword = page.getByLabel("Keyword 2");
  await keyword.fill("bold and easy");
  await page.getByRole("button", { name: "Copy Keyword 2" }).click();
  await page.getByText("Keyword 2 was copied.").waitFor({ state: "attached" });
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "bold and easy");
  visited.set("listing", new URL(page.url()).pathname);
}

// Makes a review link, with which a visitor without an account or a script comments on a page.
async function showsTheBook(page) {
  await go(page, visited.get("book"));
  await page.getByText("Make a link", { exact: true }).click();
  await page.getByLabel("7 days").check();
  await page.getByLabel("Who is it for?").fill("Grandma");
  await page.getByRole("button", { name: "Make the link" }).click();
  const link = await page.getByLabel("Address", { exact: true }).inputValue();
  await page.getByRole("button", { name: "Copy Address" }).click();
  await page.getByText("Address was copied.").waitFor({ state: "attached" });
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const visitor = await context.newPage();
  await go(visitor, new URL(link).pathname);
  await visitor.getByText("Comment on page 2", { exact: true }).click();
  const form = visitor.locator(".tile").nth(1);
  await form.getByLabel("Your name").fill("Grandma");
  await form.getByLabel("Comment", { exact: true }).fill("The fox needs a longer tail");
  await form.getByRole("button", { name: "Send" }).click();
  await visitor.getByText("Your comment was sent.").waitFor();
  await visitor.getByText("The fox needs a longer tail").waitFor();
  visited.set("review", here(visitor));
  await context.close();
  await go(page, visited.get("book"));
  await page.getByRole("heading", { name: "1 not done" }).waitFor();
  await page.getByRole("button", { name: /^Done/ }).click();
  await page.getByText("The comment is marked as done.").first().waitFor();
  await page.getByRole("button", { name: "Not done yet" }).waitFor();
}

async function usesLongWordsAndForcedColors(page) {
  await go(page, visited.get("book"));
  const before = await page.getByLabel("Title", { exact: true }).inputValue();
  const long = "Rindfleischetikettierungsüberwachungsaufgaben".repeat(4);
  for (const title of [long, before]) {
    await page.getByText("Title, words and characters", { exact: true }).click();
    await page.getByLabel("Title", { exact: true }).fill(title);
    await page.getByLabel(/^What the book is about/).fill(title);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    const [width, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(width <= room, `${width} of ${room} pixels for ${title}`);
  }
  await page.emulateMedia({ forcedColors: "active" });
  await go(page, "/library/books/new");
  const chosen = page.locator(".choice > input:checked + span").first();
  assert.notEqual(await chosen.evaluate((choice) => getComputedStyle(choice).outlineStyle), "none", "the choice is visible");
  await page.emulateMedia({ forcedColors: null });
}

async function bringsArtwork(page) {
  await go(page, "/library/pages/new");
  const form = page.getByRole("region", { name: "Bring your own artwork" });
  const field = form.getByLabel(/^PNG, JPEG or WebP/);
  const heic = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1");
  await field.setInputFiles({ name: "dog.heic", mimeType: "image/heic", buffer: heic });
  await form.getByText("This browser cannot read HEIC photos.").waitFor();
  assert.equal(await field.evaluate((input) => input.validity.customError), true, "the form is not sent");
  const dropped = await page.evaluateHandle(() => {
    const files = new DataTransfer();
    files.items.add(new File(["a picture"], "dog.png", { type: "image/png" }));
    return files;
  });
  await form.locator(".drop").dispatchEvent("drop", { dataTransfer: dropped });
  assert.deepEqual(await field.evaluate((input) => [input.files[0].name, input.validity.customError]), ["dog.png", false]);
  await form.getByLabel("Title").fill("By hand");
  await form.getByLabel(/^PNG, JPEG or WebP/).setInputFiles(picture);
  await form.getByRole("button", { name: "Import it" }).click();
  await page.getByText("Your artwork is a page now.").waitFor();
  visited.set("imported-page", here(page));
}

async function keepsAPhotograph(page) {
  await go(page, "/library/characters/new");
  const form = page.getByRole("form", { name: "Have a photograph drawn" });
  await form.getByLabel(/^PNG, JPEG or WebP/).setInputFiles(picture);
  await form.getByLabel("Name").fill(" ");
  await form.getByLabel("What it looks like").fill("A brown dog");
  await form.locator("button.primary").click();
  await page.getByText("That did not work.").waitFor();
  assert.equal(here(page), "/library/characters/new");
  const field = form.getByLabel(/^PNG, JPEG or WebP/);
  assert.equal(await field.evaluate((input) => input.files.length), 1, "the photograph remains");
  assert.equal(await form.getByLabel("What it looks like").inputValue(), "A brown dog");
}

async function deletesAPage(page) {
  const path = visited.get("imported-page");
  const remove = async () => {
    await go(page, path);
    await page.getByText("Delete the page", { exact: true }).click();
    await page.getByRole("button", { name: "Delete “By hand”" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
  };
  await remove();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForURL(`**${path}*`);
  await remove();
  const bin = new Map([["bin", "/library/bin"]]);
  await everyLook(browser, address, await page.context().storageState(), bin);
  await go(page, "/library/bin");
  await page.getByRole("button", { name: /^Restore.*By hand/ }).click();
  await page.waitForURL(`**${path}*`);
}

async function signsOut(page) {
  await go(page, "/library");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  await page.goto(`${address}/library`);
  assert.equal(here(page), "/sign-in");
}

async function withoutAScript() {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await go(page, "/sign-in");
  await page.getByLabel("E-mail address").fill("ada@example.com");
  await page.getByLabel("Password").fill("crayons and some paper");
  await page.getByRole("button", { name: "Sign in" }).click();
  await go(page, "/library/books/new");
  await page.getByLabel("Theme", { exact: true }).fill("Undersea adventure");
  await page.getByLabel("Pages").and(page.locator("input")).fill("2");
  await page.getByRole("button", { name: "Plan the book" }).click();
  const titles = () => page.locator("[name=page_title]").evaluateAll((fields) => fields.map((field) => field.value));
  const [first, second] = await titles();
  await page.getByRole("button", { name: "Move page 2 earlier" }).click();
  assert.deepEqual(await titles(), [second, first]);
  await page.getByRole("button", { name: "Take page 2 out" }).click();
  await page.getByRole("button", { name: "Order for 1 credit" }).click();
  await page.waitForURL("**/library/books/book_*");
  // The page reloads itself until everything is drawn.
  await page.getByText("Ready to print", { exact: true }).waitFor({ timeout: 60_000 });
  await context.close();
}

try {
  await main();
} finally {
  await browser.close();
}
