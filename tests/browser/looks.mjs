// Requirements for every page: it loads nothing from other sites, logs no error, is accessible, and does not overflow.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";

const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const WIDTHS = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 } };
export const SCHEMES = { day: "light", night: "dark" };

// Each width and each color scheme once, or with the argument --every-look each width in each color scheme, with screenshots.
export const IS_THOROUGH = process.argv.includes("--every-look");
export const LOOKS = Object.keys(WIDTHS)
  .flatMap((width) => Object.keys(SCHEMES).map((scheme) => ({ width, scheme })))
  .filter(({ width, scheme }) => IS_THOROUGH || (width === "phone") === (scheme === "day"));

// Opens a new page; returns it with a function that fails if the page logged an error or loaded from another site.
export async function watched(context, address) {
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${address}/`)) complaints.push(`${page.url()}: asks ${request.url()}`);
  });
  return { page, check: () => assert.deepEqual(complaints, []) };
}

// Checks every page in the looks, and may save a screenshot of each in the folder `pictures`.
export async function everyLook(browser, address, person, pages) {
  fs.mkdirSync("pictures", { recursive: true });
  for (const { width, scheme } of LOOKS) {
    const [viewport, colorScheme] = [WIDTHS[width], SCHEMES[scheme]];
    // axe is injected into the pages, so their content security policy is bypassed; another test covers the policy.
    const settings = { viewport, colorScheme, reducedMotion: "reduce", bypassCSP: true };
    for (const [name, path] of pages) {
      const isForAnyone = ["front", "sign-in", "sign-up", "review"].includes(name);
      const context = await browser.newContext({ ...settings, storageState: isForAnyone ? undefined : person });
      const { page, check } = await watched(context, address);
      const look = `${name} (${width}, ${scheme})`;
      const response = await page.goto(address + path, { waitUntil: "load" });
      assert.equal(response.status(), 200, look);
      // Waits for every picture, including those further down.
      await page.evaluate(() => Promise.all([...document.images].map((image) => ((image.loading = "eager"), image.decode()))));
      if (IS_THOROUGH) {
        await page.screenshot({ path: `pictures/${name}-${width}-${scheme}.png`, fullPage: true });
      }
      await findsNothingGrave(page, viewport.width, look);
      check();
      await context.close();
    }
  }
}

// Fails if a page or a frame is wider than its window, or has a serious problem of accessibility.
export async function findsNothingGrave(page, width, look) {
  const across = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(across <= width, `${look} is ${across} pixels wide`);
  // Closed sections are checked as well.
  await page.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  const grave = violations.filter((violation) => ["serious", "critical"].includes(violation.impact));
  const descriptions = grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`);
  assert.deepEqual(descriptions, [], look);
}
