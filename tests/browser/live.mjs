// Pages that follow drawings: they never stop for good, never ask without end, and leave the browser its connections.
import assert from "node:assert/strict";

const EVENTS = "**/library/operations/*/events";

export async function followsDrawings(context, address, book, drawn) {
  await anEndedOperationIsFollowedNoLonger(context, address, book);
  await aListIsTakenFromItsOwnAddress(context, address);
  await aRefusedStreamIsAskedForAgain(context, address, drawn);
  await oneTabHasAStream(context, address, book);
}

// The page of a form that was refused stands at the address of the form.
async function anEndedOperationIsFollowedNoLonger(context, address, book) {
  const page = await context.newPage();
  await page.goto(address + book);
  const asked = [];
  page.on("request", (request) => request.url().endsWith("/events") && asked.push(Date.now()));
  await page.getByText("Another cover").click();
  await page.getByRole("button", { name: /^Draw the cover/ }).click();
  await page.getByText("It is being drawn.").waitFor();
  // What the page does not offer while it is drawn is sent all the same.
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
  // The form that was refused came back open.
  assert.ok(await page.getByRole("button", { name: /^Draw the cover/ }).isEnabled(), "the cover may be drawn again");
  await page.close();
}

// The later pages of a list are in the query, and what has ended is not asked for again though the page still names it.
async function aListIsTakenFromItsOwnAddress(context, address) {
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
  // The focus within the list keeps nothing from ending.
  await page.locator(".book > a").first().focus();
  await page.waitForTimeout(3000);
  assert.equal(streams, 1, "it is followed once");
  assert.deepEqual([...new Set(taken)], [`${address}/library?kept=yes`]);
  assert.equal(new URL(page.url()).search, "?kept=yes");
  await page.close();
}

async function aRefusedStreamIsAskedForAgain(context, address, drawn) {
  const page = await context.newPage();
  let asked = 0;
  await page.route(EVENTS, (route) => {
    asked += 1;
    return asked <= 2 ? route.fulfill({ status: 429, headers: { "Retry-After": "5" }, body: "{}" }) : route.continue();
  });
  await page.goto(address + drawn);
  const picture = await page.locator("#picture img").getAttribute("src");
  await page.getByText("Draw it again").click();
  await page.getByRole("button", { name: /^Draw again for/ }).click();
  await page.waitForFunction((before) => document.querySelector("#picture img").getAttribute("src") !== before, picture, { timeout: 60_000 });
  await page.getByText("It is being drawn.").waitFor({ state: "detached" });
  assert.ok(asked >= 1);
  await page.getByText("Draw it again").click();
  assert.ok(await page.getByRole("button", { name: /^Draw again for/ }).isEnabled(), "the page may be drawn again");
  await page.close();
}

// A browser has six connections to a server: streams that never end must not take them all.
async function oneTabHasAStream(context, address, book) {
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
  // Its place goes to another one.
  await tabs[0].close();
  await tabs[1].waitForTimeout(1000);
  assert.equal(streams, 2);
  for (const page of tabs.slice(1)) await page.close();
  await context.unroute(EVENTS);
  await context.unroute(`${address}${book}`);
}
