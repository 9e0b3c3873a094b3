// A person works through every MCP app in a host, with the results of the running server.
import assert from "node:assert/strict";
import { connect, failure, holdResults, HOST_CAPABILITIES, replaceResult, serve, show } from "./app-host.mjs";
import { findsNothingGrave, IS_THOROUGH, LOOKS, SCHEMES, WIDTHS } from "./looks.mjs";
import { takePicture } from "./pictures.mjs";

const DRAWING_TIMEOUT_MS = 60_000;

export async function showsApps(browser, address) {
  const key = await makesAKey(browser, address);
  const pages = await serve();
  try {
    const { client, tools } = await connect(address, key, "auto");
    const context = await browser.newContext({ viewport: { width: 1280, height: 1600 } });
    const conversation = { address, client, tools, pages, context };
    const book = await ordersFromThePlan(conversation);
    await ordersAPlanOnce(conversation);
    await improvesPages(conversation, book);
    await promisesAChangeOnlyIfTheServerDoes(conversation, book);
    await leavesPanelsWhileOrdersArePlaced(conversation, book);
    await keepsMessagesInView(browser, conversation, book);
    await keepsWhatIsTypedWhileAPageIsDrawn(conversation, book);
    await showsWhatTheClientCanDo(conversation, book);
    await opensFiles(conversation, book);
    await context.close();
    await client.close();
    await appsAreAccessible(browser, { address, key, pages }, book);
  } finally {
    pages.server.close();
  }
}

// An account of its own with an API key, which the server of this test accepts at /mcp.
async function makesAKey(browser, address) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${address}/sign-up`);
  await page.getByLabel("E-mail address").fill("grace@example.com");
  await page.getByLabel("Password").fill("paper and a lot of glue");
  await page.getByRole("main").getByRole("button").click();
  await page.waitForURL("**/library");
  await page.goto(`${address}/account/keys`);
  await page.getByLabel("What is it for?").fill("MCP apps");
  await page.getByRole("button", { name: "Make a key" }).click();
  const key = await page.locator("#made").innerText();
  await context.close();
  return key;
}

async function call(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result));
  return result.structuredContent;
}

async function balance(client) {
  return (await call(client, "get_account")).account.credits.available;
}

function hasText(app, text) {
  return app.getByText(text).first().waitFor({ timeout: DRAWING_TIMEOUT_MS });
}

// Unfolds a part of a panel. A picture that arrives during the click moves the part away, so the click may miss it.
async function unfold(panel, name) {
  const summary = panel.getByText(name, { exact: true });
  const isOpen = () => summary.evaluate((element) => element.parentElement.open);
  await until(async () => {
    if (!(await isOpen())) await summary.click();
    return isOpen();
  });
}

// Asks for the price of an order and returns it.
async function askPriceOf(app, label) {
  await app.getByRole("button", { name: `${label}: show the price` }).click();
  return priceOf(app, label);
}

// Returns the price that the button shows, which must be the only one with this label.
async function priceOf(app, label) {
  const button = app.getByRole("button", { name: new RegExp(`^${label} for \\d+ credits?$`) });
  await button.waitFor();
  return Number((await button.innerText()).match(/\d+/)[0]);
}

async function ordersFromThePlan(conversation) {
  const { client } = conversation;
  const shown = await show(conversation, "plan_book", { theme: "The sea", page_count: 3 });
  const { page, app, result, messages, contexts, close } = shown;
  await hasText(app, "3 pages. Change what you like, then order.");
  assert.equal(await priceOf(app, "Order the book"), result.structuredContent.book_plan.credit_estimate.credits);
  // A text is never markup.
  const title = "A shy <b>octopus</b>";
  await app.getByLabel("Title", { exact: true }).nth(1).fill(title);
  await app.getByRole("button", { name: "Remove page 3" }).click();
  assert.equal(await askPriceOf(app, "Order the book"), 2);
  await app.getByRole("button", { name: "Add a page" }).click();
  // The new page is focused, and cannot be ordered without a title.
  assert.ok(await app.getByRole("button", { name: "Order the book", exact: true }).isDisabled());
  assert.equal(await app.locator("#needed").innerText(), "Page 3 needs a title.");
  // A title is one line.
  await page.keyboard.press("Enter");
  await page.keyboard.type("A whale");
  assert.equal(await askPriceOf(app, "Order the book"), 3);
  assert.equal(await app.locator("#needed").innerText(), "");
  await app.getByRole("button", { name: "Move page 3 up" }).click();
  await refusesAnOrder(shown);
  const before = await balance(client);
  const price = await priceOf(app, "Order the book");
  await app.getByRole("button", { name: /^Order the book for/ }).click();
  await hasText(app, /^The order has ended: /);
  assert.match(await app.locator("#ordered").innerText(), /was ordered\. \d+ credits left\.$/);
  // The buttons of the plan are gone; the keyboard goes on at the message.
  assert.equal(await app.locator("#ordered:focus").count(), 1);
  assert.equal(await app.locator("#plan button:visible").count(), 0);
  assert.equal(await balance(client), before - price);
  const { books } = await call(client, "list_books");
  assert.equal(books.length, 1);
  const { book } = await call(client, "get_book", { book_id: books[0].id });
  assert.deepEqual([book.pages[0].title, book.pages[1].title, book.pages.length], [title, "A whale", 3]);
  assert.ok(contexts[0].includes(book.id), contexts[0]);
  await app.getByRole("button", { name: "Let the agent continue" }).click();
  await until(() => messages.length > 0);
  assert.ok(messages[0].includes(book.id), messages[0]);
  await close();
  return book;
}

// While an order is in flight nothing can be changed. Its error is in the words of the labels, marks its field until
// that is changed, and keeps the price.
async function refusesAnOrder({ app, bridge }) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  const details = [{ field: "pages[1].prompt", message: "must be shorter" }];
  const refusal = failure("validation_failed", "pages[1].prompt: must be shorter.", details);
  replaceResult(bridge, "create_book", refusal, released);
  const button = app.getByRole("button", { name: /^Order the book for/ });
  const label = await button.innerText();
  await button.click();
  await app.getByRole("button", { name: "Ordering…" }).waitFor();
  assert.equal(await app.locator("#title").isEditable(), false);
  release();
  await hasText(app, "The text “What it shows” of page 2 must be shorter.");
  await app.getByRole("button", { name: label, exact: true }).waitFor();
  assert.equal(await app.locator("#title").isEditable(), true);
  const marked = app.locator("[aria-invalid]");
  assert.equal(await marked.count(), 1);
  const refused = app.locator(".card").nth(1).getByLabel("What it shows");
  assert.equal(await refused.getAttribute("aria-invalid"), "true");
  await refused.fill(`${await refused.inputValue()} `);
  assert.equal(await marked.count(), 0);
}

// A plan that was ordered is shown again, as after a reload of the conversation.
async function ordersAPlanOnce(conversation) {
  const { client } = conversation;
  const args = { theme: "The forest", page_count: 2 };
  const order = async (text, options) => {
    const { app, result, contexts, close } = await show(conversation, "plan_book", args, { callId: 41, ...options });
    await app.getByRole("button", { name: "Order the book for 2 credits" }).click();
    await hasText(app, text);
    await close();
    return { result, context: contexts[0] };
  };
  const before = await balance(client);
  const { result, context } = await order(/^The order has ended: 3 of 3 drawings done\.$/, {});
  assert.equal(await balance(client), before - 2);
  const repeated = await order(/It was ordered before, so nothing was charged now\.$/, { result });
  assert.equal(repeated.context, context);
  assert.equal(await balance(client), before - 2, "a repeat of the order costs nothing");
}

async function improvesPages(conversation, book) {
  const { client } = conversation;
  const { page, app, bridge, contexts, close } = await show(conversation, "get_book", { book_id: book.id });
  await hasText(app, /^3 pages: ready/);
  assert.equal(await app.locator(".tile").count(), 4);
  await picturesAreShown(app, ".tile img", 4);
  await app.getByRole("button", { name: /A shy <b>octopus<\/b>/ }).click();
  const panel = app.locator(".panel");
  await panel.getByRole("heading", { name: /^Page 1: A shy/ }).waitFor();
  const id = book.pages[0].id;
  const detail = async () => (await call(client, "get_page", { page_id: id })).page;
  // With a key, because pictures that arrive move the button.
  await panel.getByRole("button", { name: "Accept this page" }).press("Enter");
  await hasText(app, "The page is accepted.");
  assert.equal((await detail()).locked, true);
  await panel.getByRole("button", { name: "Undo the acceptance" }).press("Enter");
  await hasText(app, "The page can be changed again.");
  assert.equal((await detail()).locked, false);
  await until(() => contexts.at(-1)?.includes(`withdrew the acceptance of page 1 (${id})`));
  const before = await balance(client);
  await unfold(panel, "Draw it again");
  const again = await askPriceOf(panel, "Draw again");
  assert.equal(await balance(client), before, "a price costs nothing");
  await panel.getByRole("button", { name: /^Draw again for/ }).click();
  await hasText(app, "1 of 1 drawing done.");
  assert.equal(await balance(client), before - again);
  assert.ok(contexts.at(-1).includes(book.id), contexts.at(-1));
  await app.getByRole("button", { name: /A shy/ }).click();
  await picturesAreShown(app, ".attempts img", 2);
  await panel.getByRole("button", { name: "Choose attempt 1" }).click();
  await hasText(app, "The picture was changed, free of charge.");
  const { attempts } = await call(client, "list_attempts", { page_id: id });
  assert.deepEqual(attempts.map(({ chosen }) => chosen), [false, true]);
  await until(() => contexts.at(-1).includes(`chose the attempt ${attempts[1].id} for page 1`));
  await unfold(panel, "Change something in it");
  await hasText(panel, "This server cannot change a picture: it draws the page again with your change");
  await panel.getByLabel("What to change").fill("Remove the hat");
  const change = await askPriceOf(panel, "Draw it again with this change");
  await panel.getByRole("button", { name: /^Draw it again with this change for/ }).click();
  await hasText(app, "1 of 1 drawing done.");
  assert.equal(await balance(client), before - again - change);
  // With the keyboard alone.
  await app.locator(".tile").first().focus();
  await page.keyboard.press("Enter");
  await panel.getByRole("heading", { name: /^Cover: / }).waitFor();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  assert.equal(await app.locator(".tile:focus").count(), 1);
  const variables = { "--color-text-primary": "rgb(250, 240, 230)" };
  bridge.setHostContext({ theme: "dark", displayMode: "inline", styles: { variables } });
  await app.locator("html[style*='dark']").waitFor();
  assert.equal(await app.locator("body").evaluate((body) => getComputedStyle(body).color), "rgb(250, 240, 230)");
  await close();
}

// The server of this test cannot change a picture, so the host replaces the statement about one page.
async function promisesAChangeOnlyIfTheServerDoes(conversation, book) {
  const { client } = conversation;
  const { app, bridge, close } = await show(conversation, "get_book", { book_id: book.id });
  await hasText(app, /^3 pages: ready/);
  const result = await client.callTool({ name: "get_page", arguments: { page_id: book.pages[0].id } });
  const key = "linepress/edits-picture";
  assert.equal(result._meta[key], false);
  replaceResult(bridge, "get_page", { ...result, _meta: { [key]: true } });
  await app.locator(".tile").nth(1).click();
  const panel = app.locator(".panel");
  await unfold(panel, "Change something in it");
  await hasText(panel, "Everything else stays as it is.");
  await panel.getByRole("button", { name: "Change the picture" }).waitFor();
  await close();
}

// The panel of an order is closed, and another one is opened, before the result of the order arrives.
async function leavesPanelsWhileOrdersArePlaced(conversation, book) {
  const { client } = conversation;
  const { app, bridge, contexts, close } = await show(conversation, "get_book", { book_id: book.id });
  await hasText(app, /^3 pages: ready/);
  const panel = app.locator(".panel");
  const orderPage = async (number) => {
    await app.locator(".tile").nth(number).click();
    await panel.getByRole("heading", { name: new RegExp(`^Page ${number}: `) }).waitFor();
    await unfold(panel, "Draw it again");
    await askPriceOf(panel, "Draw again");
    const release = holdResults(bridge, "regenerate_page");
    await panel.getByRole("button", { name: /^Draw again for/ }).click();
    return release;
  };
  const before = await balance(client);
  const releaseFirst = await orderPage(1);
  await panel.getByRole("button", { name: "Close" }).click();
  releaseFirst();
  await until(() => contexts.length === 1);
  await hasText(app, "1 of 1 drawing done.");
  const releaseSecond = await orderPage(2);
  await app.locator(".tile").nth(3).click();
  await panel.getByRole("heading", { name: /^Page 3: / }).waitFor();
  releaseSecond();
  await until(() => contexts.length === 2);
  // Each report replaces the one before, so the last one names both orders.
  const orders = contexts[1].split("\n");
  assert.equal(orders.length, 2, contexts[1]);
  for (const [at, number] of [[0, 1], [1, 2]]) {
    const target = `page ${number} (${book.pages[number - 1].id}) of the book ${book.id}`;
    assert.ok(orders[at].includes(target) && orders[at].endsWith("Do not order it again."), orders[at]);
  }
  await panel.getByRole("heading", { name: /^Page 3: / }).waitFor();
  await hasText(app, "1 of 1 drawing done.");
  assert.equal(await balance(client), before - 2);
  assert.equal(await app.locator("#alert").isVisible(), false);
  await close();
}

// On a phone, in a frame at the full height of the app, an error appears where the person is.
async function keepsMessagesInView(browser, conversation, book) {
  const viewport = WIDTHS.phone;
  const context = await browser.newContext({ viewport });
  const { page, app, bridge, close } = await show({ ...conversation, context }, "get_book", { book_id: book.id });
  await hasText(app, /^3 pages: ready/);
  await picturesAreShown(app, ".tile img", 4);
  await app.locator(".tile").nth(3).click();
  const panel = app.locator(".panel");
  const accept = panel.getByRole("button", { name: "Accept this page" });
  await accept.waitFor();
  const message = "There is no such page. list_pages lists what exists.";
  replaceResult(bridge, "update_page", failure("not_found", message));
  await accept.click();
  await app.locator("#alert").getByText("There is no such page.", { exact: true }).waitFor();
  assert.ok((await page.evaluate(() => scrollY)) > 0, "the host is scrolled");
  await until(async () => {
    const { y, height } = await app.locator("#alert").boundingBox();
    return y >= 0 && y + height <= viewport.height;
  });
  const button = await panel.getByRole("button", { name: "Close" }).boundingBox();
  assert.ok(button.height < 50, "the label of the button is on one line");
  await close();
  await context.close();
}

// A panel that is opened while its page is drawn shows the new attempt at the end, and loses no text.
async function keepsWhatIsTypedWhileAPageIsDrawn(conversation, book) {
  const { app, bridge, close } = await show(conversation, "get_book", { book_id: book.id });
  await hasText(app, /^3 pages: ready/);
  const panel = app.locator(".panel");
  const tile = app.locator(".tile").nth(3);
  await tile.click();
  await unfold(panel, "Draw it again");
  await askPriceOf(panel, "Draw again");
  const release = holdResults(bridge, "get_operation");
  await panel.getByRole("button", { name: /^Draw again for/ }).click();
  await panel.waitFor({ state: "detached" });
  await tile.click();
  await unfold(panel, "Draw it again");
  await panel.getByLabel("What it shows").fill("A snail on a stone");
  release();
  await hasText(app, "1 of 1 drawing done.");
  await picturesAreShown(app, ".attempts img", 2);
  await panel.getByText("Attempt 2", { exact: true }).waitFor();
  assert.equal(await panel.getByLabel("What it shows").inputValue(), "A snail on a stone");
  await close();
}

// A client need not call tools or open links for an app.
async function showsWhatTheClientCanDo(conversation, book) {
  const { openLinks, serverTools, ...rest } = HOST_CAPABILITIES;
  const args = { book_id: book.id };
  const withoutLinks = await show(conversation, "get_book_pdf", args, { capabilities: { ...rest, serverTools } });
  await hasText(withoutLinks.app, "This client opens no files from this page");
  assert.equal(await withoutLinks.app.getByRole("button", { name: /^Open/ }).count(), 0);
  await withoutLinks.close();
  for (const [tool, given, text] of [
    ["plan_book", { theme: "The sea", page_count: 2 }, /This client cannot order from this page/],
    ["get_book", args, "This client cannot load the book in this page."],
    ["get_book_pdf", args, "This client cannot load the book in this page."],
  ]) {
    const { app, close } = await show(conversation, tool, given, { capabilities: { ...rest, openLinks } });
    await hasText(app, text);
    assert.equal(await app.getByRole("button", { disabled: false }).count(), 0, tool);
    await close();
  }
}

async function picturesAreShown(app, selector, count) {
  await app.locator(selector).nth(count - 1).waitFor();
  const are = (images) => images.length > 0 && images.every((image) => image.complete && image.naturalWidth > 0);
  await until(() => app.locator(selector).evaluateAll(are));
}

async function until(isDone) {
  const deadline = Date.now() + DRAWING_TIMEOUT_MS;
  while (!(await isDone())) {
    assert.ok(Date.now() < deadline, `${isDone} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function opensFiles(conversation, book) {
  const viewer = await show(conversation, "get_book_pdf", { book_id: book.id });
  const { page, app, opened, close } = viewer;
  await hasText(app, "1 of 4");
  await picturesAreShown(app, "#leaf img", 1);
  await app.getByRole("button", { name: "Forward" }).click();
  await hasText(app, "2 of 4");
  await page.keyboard.press("ArrowRight");
  await hasText(app, "3 of 4");
  const { print_formats: formats } = await call(conversation.client, "list_print_formats");
  const offered = formats.filter(({ id }) => book.print_formats.includes(id));
  const named = offered.map(({ name }) => name);
  assert.deepEqual((await app.locator("#format option").allTextContents()).sort(), named.sort());
  for (const [button, type] of [
    ["Open the PDF", "application/pdf"],
    ["Open this picture", "image/png"],
    ["Open this page as printed", "image/png"],
  ]) {
    const count = opened.length;
    await app.getByRole("button", { name: button }).click();
    await until(() => opened.length > count);
    const response = await fetch(opened.at(-1));
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, type], button);
  }
  await opensAPictureOnce(viewer);
  await explainsARefusedSize(viewer, offered);
  await refusesAShortPaperback(app, named);
  await close();
}

// The button remains disabled while it opens a picture, although the person turns to another leaf meanwhile.
async function opensAPictureOnce({ page, app, bridge, opened }) {
  const button = app.getByRole("button", { name: "Open this picture" });
  const isDisabled = async () => (await button.getAttribute("aria-disabled")) === "true";
  const count = opened.length;
  const release = holdResults(bridge, "get_page_image");
  await button.click();
  await page.keyboard.press("ArrowLeft");
  await hasText(app, "2 of 4");
  assert.ok(await isDisabled());
  release();
  await until(async () => !(await isDisabled()));
  assert.equal(opened.length, count + 1);
}

// An error that begins with the id of a size has its name instead. Sentences with unknown ids are left out, but the
// alert is never empty.
async function explainsARefusedSize({ app, bridge }, formats) {
  const [size, other] = formats.filter(({ id }) => id.includes("_"));
  for (const [ids, expected] of [
    [[size.id, other.id], `${size.name} cannot print this book as it is. This server prints: ${other.name}.`],
    [["old_size", "older_size"], "The server could not do this."],
  ]) {
    const message = `${ids[0]} cannot print this book as it is. This server prints: ${ids[1]}.`;
    const refusal = failure("format_mismatch", message, [{ field: "format", message }]);
    replaceResult(bridge, "get_book_pdf", refusal);
    await app.getByRole("button", { name: "Open the PDF", exact: true }).click();
    await app.locator("#alert").getByText(expected, { exact: true }).waitFor();
  }
}

// The book has fewer pages than a printer needs. The error names sizes as the page does.
async function refusesAShortPaperback(app, names) {
  await app.getByLabel("Printer").selectOption({ label: "Amazon KDP" });
  await app.getByRole("button", { name: "Open the PDF of its cover" }).waitFor();
  await app.getByRole("button", { name: "Open the PDF of its inside" }).click();
  const alert = app.locator("#alert");
  await alert.getByText(/^Amazon KDP prints \d+ to \d+ pages of this size, but the book has \d+\./).waitFor();
  const advice = await alert.innerText();
  assert.ok(names.some((name) => advice.includes(name)) && !/_/.test(advice), advice);
}

// What a finger would miss: elements to press that are shown less than 44 pixels wide or high.
function smallTargets(app) {
  return app.locator("button, select, textarea, summary").evaluateAll((elements) => {
    const sizes = elements.map((element) => [element.innerText || element.id, element.getBoundingClientRect()]);
    const isSmall = ([, { width, height }]) => width > 0 && (width < 44 || height < 44);
    return sizes.filter(isSmall).map(([name, { width, height }]) => `${name}: ${width} x ${height}`);
  });
}

// The apps over the older revision of the protocol, in each look of the pages for people. axe is injected, so the
// policy is bypassed here.
async function appsAreAccessible(browser, { address, key, pages }, book) {
  const { client, tools } = await connect(address, key, "legacy");
  for (const { width, scheme } of LOOKS) {
    const context = await browser.newContext({ viewport: WIDTHS[width], reducedMotion: "reduce", bypassCSP: true });
    const conversation = { address, client, tools, pages, context };
    for (const [tool, args, text] of [
      ["plan_book", { theme: "The sea", page_count: 2 }, /^2 pages\./],
      ["get_book", { book_id: book.id }, /^3 pages/],
      ["get_book_pdf", { book_id: book.id }, /^1 of 4/],
    ]) {
      const { page, app, close } = await show(conversation, tool, args, { theme: SCHEMES[scheme] });
      await hasText(app, text);
      if (tool === "get_book") {
        await app.locator(".tile").nth(1).click();
        await app.getByRole("button", { name: "Accept this page" }).waitFor();
        await app.locator("details").evaluateAll((parts) => parts.forEach((part) => (part.open = true)));
        await app.getByRole("button", { name: "Draw again: show the price" }).waitFor();
      }
      const look = `${tool} (${width}, ${scheme})`;
      assert.deepEqual(await smallTargets(app), [], look);
      if (IS_THOROUGH) await takePicture(page, `app-${tool}-${width}-${scheme}`);
      await findsNothingGrave(page.frames()[1], WIDTHS[width].width, look);
      await close();
    }
    await context.close();
  }
  await client.close();
}
