// Pictures of the MCP apps for people to look at. A picture without contents is an error.
import assert from "node:assert/strict";
import fs from "node:fs";

// Even a single line of text has more colors than this, because its edges are smooth.
const MIN_COLORS = 16;
// The time in which an app notices that all of it is visible, and moves its messages back to the top.
const SETTLING_MS = 600;

// Saves a picture of an app in its frame. The window becomes as high as the page first: a picture that is higher than
// its window leaves the frame empty. Each part of the frame that is about as high as the window must have contents.
export async function takePicture(page, name) {
  const window = page.viewportSize();
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width: window.width, height });
  await page.waitForTimeout(SETTLING_MS);
  const placeholders = page.frameLocator("iframe").locator(".placeholder:not([hidden])", { hasText: "Loading…" });
  await placeholders.first().waitFor({ state: "detached" });
  const frame = await page.locator("iframe").boundingBox();
  const picture = await page.screenshot();
  fs.mkdirSync("pictures", { recursive: true });
  fs.writeFileSync(`pictures/${name}.png`, picture);
  const parts = Math.max(1, Math.floor(frame.height / window.height));
  for (let at = 0; at < parts; at += 1) {
    const partHeight = Math.floor(frame.height / parts);
    const colors = await countColors(page, picture, { ...frame, y: frame.y + at * partHeight, height: partHeight });
    assert.ok(colors >= MIN_COLORS, `part ${at + 1} of ${parts} of the picture ${name} is blank: ${colors} colors`);
  }
  await page.setViewportSize(window);
}

// Counts the colors in a part of a picture. The browser decodes it.
function countColors(page, picture, part) {
  return page.evaluate(async ([base64, { x, y, width, height }]) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]), x, y, width, height);
    const context = new OffscreenCanvas(width, height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return new Set(new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)).size;
  }, [picture.toString("base64"), part]);
}
