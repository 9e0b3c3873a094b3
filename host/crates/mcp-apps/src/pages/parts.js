// Elements, messages to the user, and pictures. Every text becomes a text node, never markup.

const MAX_PICTURE_CALLS = 4;
// The code of an error that means that there is no picture yet.
const NO_PICTURE = "not_found";

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("aria-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

function find(id) {
  return document.getElementById(id);
}

function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

// A word of the server, such as too_dark, for people.
function plain(word) {
  return word.replaceAll("_", " ");
}

function say(text) {
  // A screen reader would read the same text again.
  if (find("status").textContent !== text) find("status").textContent = text;
}

function showError(error) {
  find("alert").textContent = error.message ?? String(error);
  find("alert").hidden = false;
}

function clearError() {
  find("alert").hidden = true;
  find("alert").textContent = "";
}

function makeButton(label, work, properties = {}) {
  const button = make("button", { type: "button", ...properties }, label);
  button.addEventListener("click", () => runAction(button, work));
  return button;
}

// Does the work of a button, which is disabled meanwhile, and shows an error.
async function runAction(button, work) {
  if (button.getAttribute("aria-disabled") === "true") return;
  // The button remains focusable, so that the keyboard does not lose its place.
  button.setAttribute("aria-disabled", "true");
  clearError();
  try {
    await work();
  } catch (error) {
    showError(error);
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

// A field with its label above it.
function makeField(label, input) {
  return make("label", {}, make("span", {}, label), input);
}

// A button that sends a message to the agent, where the host allows it.
function makeMessageButton(label, text) {
  if (!hostCapabilities.message) return undefined;
  return makeButton(label, () => writeToAgent(text));
}

// Pictures: short-lived links, which are requested when a picture comes into view.

const sources = new WeakMap();
const queued = [];
let running = 0;

const inView = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    inView.unobserve(target);
    queued.push(target);
    fillPictures();
  }
});

// A picture whose link is the result of a tool.
function makePicture(alt, tool, args) {
  const image = make("img", { alt, decoding: "async" });
  sources.set(image, { tool, args, requestedAt: 0 });
  // A link works for some minutes only.
  image.addEventListener("error", () => {
    if (Date.now() - sources.get(image).requestedAt > 60_000) reloadPicture(image);
  });
  inView.observe(image);
  return image;
}

// Requests the picture again, because it was drawn again or its link has expired.
function reloadPicture(image) {
  inView.unobserve(image);
  inView.observe(image);
}

async function fillPictures() {
  while (running < MAX_PICTURE_CALLS && queued.length > 0) {
    running += 1;
    fillPicture(queued.shift()).finally(() => {
      running -= 1;
      fillPictures();
    });
  }
}

async function fillPicture(image) {
  const source = sources.get(image);
  source.requestedAt = Date.now();
  try {
    const { url } = await callTool(source.tool, source.args);
    image.src = url;
  } catch (error) {
    // Without a picture its description is shown. After any other error, the picture that is shown remains.
    if (error.code === NO_PICTURE) image.removeAttribute("src");
  }
}
