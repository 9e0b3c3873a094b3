// A reviewer that refuses prompts with certain words, and has an almost empty page drawn once more.
import { get } from "linepress:host/config@0.1.0";
import { write } from "linepress:host/log@0.1.0";

// The words that are refused unless the settings name others.
const WORDS = ["gun"];

// The size below which the PNG of a page shows almost nothing, in bytes per 1,000 pixels. An empty page has fewer than
// 8, a drawing about 50.
const MIN_BYTES_PER_1000_PIXELS = 8;

// What the picture must show, for the image provider.
const HINT = "The picture was almost empty: draw the subject large, with a background that fills the page.";

export const review = {
  describe() {
    return {
      id: "acme.quilt",
      name: "Quilt",
      version: "0.1.0",
      extra: [],
    };
  },

  reviewPrompt(prompt) {
    const refusal = refusalOf(prompt, wordsOf(get()));
    if (refusal !== undefined) {
      write("debug", "a prompt is refused");
    }
    // A reviewer that asks a model also names `model` and `cost-usd` in `extra`.
    return { refusal, extra: [] };
  },

  // The server takes another redraw of a picture as a pass.
  reviewPicture(picture) {
    const isRedraw = !picture.redrawn && isAlmostEmpty(picture.image.bytes);
    return { verdict: isRedraw ? { tag: "redraw", val: HINT } : { tag: "pass" }, extra: [] };
  },
};

// The sentence for the customer if the prompt or the title contains one of the words.
function refusalOf(prompt, words) {
  const parts = `${prompt.title} ${prompt.text}`.toLowerCase().split(/[\s!-\/:-@[-`{-~]+/);
  const word = parts.find((part) => part && words.includes(part));
  return word && `Please leave this word out: ${word}.`;
}

// Line art is a PNG, whose size grows with the lines. A cover in color may be a JPEG, and passes. A reviewer that looks
// at the lines themselves decodes the picture first, with a library that needs neither a browser nor Node.js.
function isAlmostEmpty(bytes) {
  const isPng = bytes.length >= 24 && [0x89, 0x50, 0x4e, 0x47].every((byte, at) => bytes[at] === byte);
  if (!isPng) {
    return false;
  }
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pixels = header.getUint32(16) * header.getUint32(20);
  return bytes.length * 1000 < pixels * MIN_BYTES_PER_1000_PIXELS;
}

// Reads the only setting, which config.json documents. The exception becomes the `review-error` of the contract.
function wordsOf(settings) {
  const { words = WORDS } = JSON.parse(settings);
  if (!Array.isArray(words) || words.some((word) => typeof word !== "string")) {
    throw { tag: "unavailable", val: "the setting words must be a list of words" };
  }
  return words.map((word) => word.toLowerCase());
}
