// Pages that follow drawings: they retry after errors, stop requesting at the end, and use few connections of the
// browser.
import assert from "node:assert/strict";

const EVENTS = "**/library/operations/*/events";

export async function followsDrawings(context, address, book, drawn) {
  await anEndedOperationIsNoLongerFollowed(context, address, book);
  await aListIsReloadedFromItsOwnAddress(context, address);
  await aRefusedStreamIsRetried(context, address, drawn);
  await onlyOneTabHasAStream(context, address, book);
}

// The page of a refused form has the address of the form.
async function anEndedOperationIsNoLongerFollowed(context, address, book) {
  const page = await context.newPage();
  await page.goto(address + book);
  const asked = [];
  page.on("request", (request) => request.url().endsWith("/events") && asked.push(Date.now()));
  await page.getByText("Another cover").click();
  await page.getByRole("button", { name: /^Draw the cover/ }).click();
  await page.getByText("It is being drawn.").waitFor();
  // The form is sent although the page disables it while the cover is drawn.
  await page.evaluate(() => {
    const form = document.querySelector("form[action$='/cover/draw']");
    for (const button of form.querySelectorAll("button")) button.disabled = false;
    form.requestSubmit();
  });
  await page.getByText("That did not work.").waitFor();
  await page.getByText("Ready to print", { exact: true }).waitFor({ timeout: 60_000 });
  const ended = Date.now();
  await page.waitForTimeout(3000);
  const after = asked.filter((time) => time > ended).length;
  assert.ok(after <= 2, `${after} requests after the end`);
  // The refused form is still open.
  assert.ok(await page.getByRole("button", { name: /^Draw the cover/ }).isEnabled(), "the cover may be drawn again");
  await page.close();
}

// The address of a list keeps its query, and an ended operation is not followed again although the page still names it.
async function aListIsReloadedFromItsOwnAddress(context, address) {
  const page = await context.newPage();
  let streams = 0;
  const taken = [];
  await page.route(EVENTS, (route) => {
    streams += 1;
    const body = 'event: end\ndata: {"completed":1,"failed":0,"status":"succeeded","total":1}\n\n';
    return route.fulfill({ headers: { "Content-Type": "text/event-stream" }, body });
  });
  await page.route("**/library?*", async (route) => {
    if (route.request().resourceType() === "fetch") taken.push(route.request().url());
    const response = await route.fetch();
    const body = (await response.text()).replace('<ul class="shelf"', '<p data-follow="/library/operations/none/events"></p><ul class="shelf"');
    await route.fulfill({ response, body });
  });
  await page.goto(`${address}/library?kept=yes&done=saved`);
  // A focused element in the list does not prevent the update.
  await page.locator(".book > a").first().focus();
  await page.waitForTimeout(3000);
  assert.equal(streams, 1, "it is followed once");
  assert.deepEqual([...new Set(taken)], [`${address}/library?kept=yes`]);
  assert.equal(new URL(page.url()).search, "?kept=yes");
  await page.close();
}

async function aRefusedStreamIsRetried(context, address, drawn) {
  const page = await context.newPage();
  let asked = 0;
  await page.route(EVENTS, (route) => {
    asked += 1;
    return asked <= 2 ? route.fulfill({ status: 429, headers: { "Retry-After": "5" }, body: "{}" }) : route.continue();
  });
  await page.goto(address + drawn);
  const picture = await page.locator("#picture img").getAttribute("src");
  await page.getByText("Draw it again", { exact: true }).click();
  await page.getByRole("button", { name: /^Draw again for/ }).click();
  await page.waitForFunction((before) => document.querySelector("#picture img").getAttribute("src") !== before, picture, { timeout: 60_000 });
  await page.getByText("It is being drawn.").waitFor({ state: "detached" });
  assert.ok(asked >= 1);
  await page.getByText("Draw it again", { exact: true }).click();
  assert.ok(await page.getByRole("button", { name: /^Draw again for/ }).isEnabled(), "the page may be drawn again");
  await page.close();
}

// A browser opens at most six connections to a server, which endless streams must not occupy.
async function onlyOneTabHasAStream(context, address, book) {
  let streams = 0;
  await context.route(EVENTS, () => {
    streams += 1;
  });
  await context.route(`${address}${book}`, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('<div id="status"', '<div data-follow="/library/operations/none/events"></div><div id="status"');
    await route.fulfill({ response, body });
  });
  const tabs = [];
  for (let tab = 0; tab < 3; tab += 1) {
    const page = await context.newPage();
    await page.goto(address + book);
    tabs.push(page);
  }
  await tabs[0].waitForTimeout(1000);
  assert.equal(streams, 1, "one of three tabs has a stream");
  // Another tab takes over the stream.
  await tabs[0].close();
  await tabs[1].waitForTimeout(1000);
  assert.equal(streams, 2);
  for (const page of tabs.slice(1)) await page.close();
  await context.unroute(EVENTS);
  await context.unroute(`${address}${book}`);
}
