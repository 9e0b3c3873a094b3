// Elements, messages to the user, and pictures. Every text becomes a text node, never markup.

const MAX_PICTURE_CALLS = 4;
// How long a message is kept in view. An error is kept until the next action.
const MESSAGE_TIME_MS = 8000;
const VIEW_DELAY_MS = 250;
const LOADING = "Loading…";
// The words in the place of a picture that is being drawn, next to which no note says the same.
const DRAWING = "Being drawn";
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

function say(text) {
  // A screen reader would read the same text again.
  if (find("status").textContent === text) return;
  find("status").textContent = text;
  keepMessages();
}

// Says what was ordered. It remains above the progress of the order; an empty text removes it.
function sayOrdered(text) {
  find("ordered").textContent = text;
  keepMessages();
}

function showError(error) {
  find("alert").textContent = error.message ?? String(error);
  find("alert").hidden = false;
  keepMessages();
}

function clearError() {
  find("alert").hidden = true;
  find("alert").textContent = "";
}

// Messages are kept where the person is. In a host that scrolls this page, they are sticky. A host that shows it at its
// full height scrolls outside of it, without events here: an observer finds which part of the page is visible then.

const view = new IntersectionObserver((entries) => {
  const { intersectionRect } = entries.at(-1);
  if (intersectionRect.height > 0) find("messages").style.top = `${Math.max(0, Math.floor(intersectionRect.top))}px`;
});
let keepUntil = 0;
let keeper;

function keepMessages() {
  keepUntil = Date.now() + MESSAGE_TIME_MS;
  if (keeper !== undefined) return;
  find("messages").classList.add("kept");
  findView();
  keeper = setInterval(() => {
    if (Date.now() < keepUntil || !find("alert").hidden) {
      findView();
      return;
    }
    clearInterval(keeper);
    keeper = undefined;
    find("messages").classList.remove("kept");
  }, VIEW_DELAY_MS);
}

// Each observation begins with a report.
function findView() {
  view.unobserve(document.documentElement);
  view.observe(document.documentElement);
}

function makeButton(label, work, properties = {}) {
  const button = make("button", { type: "button", ...properties }, label);
  button.addEventListener("click", () => runAction(button, work));
  return button;
}

// The buttons that the page has disabled, and those whose work is not done yet.
const disabledButtons = new WeakSet();
const busyButtons = new WeakSet();

// Disables or enables a button. It remains focusable, so that the keyboard does not lose its place.
function setDisabled(button, isDisabled) {
  if (isDisabled) disabledButtons.add(button);
  else disabledButtons.delete(button);
  showDisabled(button);
}

function showDisabled(button) {
  button.setAttribute("aria-disabled", String(disabledButtons.has(button) || busyButtons.has(button)));
}

// Does the work of a button, which is disabled meanwhile, and shows an error.
async function runAction(button, work) {
  if (disabledButtons.has(button) || busyButtons.has(button)) return;
  busyButtons.add(button);
  showDisabled(button);
  clearError();
  try {
    await work();
  } catch (error) {
    showError(error);
  } finally {
    busyButtons.delete(button);
    showDisabled(button);
  }
}

// A field with its label above it.
function makeField(label, input) {
  return make("label", {}, make("span", {}, label), input);
}

// A field for one line of text, which wraps in it instead of being cut off.
function makeLine(properties = {}) {
  const field = make("textarea", { rows: 1, className: "line", ...properties });
  field.addEventListener("keydown", (event) => event.key === "Enter" && !event.isComposing && event.preventDefault());
  field.addEventListener("input", () => {
    if (/[\r\n]/.test(field.value)) field.value = field.value.replace(/\s*[\r\n]+\s*/g, " ");
  });
  return field;
}

// A button that sends a message to the agent, where the host allows it.
function makeMessageButton(label, text) {
  if (!hostCapabilities.message) return undefined;
  return makeButton(label, () => writeToAgent(text));
}

// Pictures: short-lived links, which are requested when a picture comes into view.

const LEAF_SHAPES = { portrait: "3 / 4", landscape: "4 / 3", square: "1" };

// Gives all pictures the shape of the book's pages, so that nothing moves when they are loaded.
function adoptShape({ aspect }) {
  document.documentElement.style.setProperty("--leaf", LEAF_SHAPES[aspect] ?? LEAF_SHAPES.portrait);
}

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

// A picture whose link is the result of a tool. `missing` says in words why there may be none.
function makePicture(alt, tool, args, missing = "No picture") {
  const image = make("img", { alt, decoding: "async", hidden: true });
  const placeholder = make("span", { className: "placeholder" }, LOADING);
  const picture = make("span", { className: "picture" }, image, placeholder);
  sources.set(picture, { tool, args, image, placeholder, missing, requestedAt: 0 });
  image.addEventListener("load", () => {
    image.hidden = false;
    placeholder.hidden = true;
  });
  // A link works for some minutes only.
  image.addEventListener("error", () => {
    if (Date.now() - sources.get(picture).requestedAt > 60_000) reloadPicture(picture);
    else showPlaceholder(picture, "The picture cannot be shown.");
  });
  inView.observe(picture);
  return picture;
}

// Changes the description of a picture, and the words that are shown while there is none.
function describePicture(picture, alt, missing) {
  const source = sources.get(picture);
  source.image.alt = alt;
  if (source.placeholder.textContent === source.missing) fillPlaceholder(source.placeholder, missing);
  source.missing = missing;
}

function showPlaceholder(picture, text) {
  const { image, placeholder } = sources.get(picture);
  image.hidden = true;
  fillPlaceholder(placeholder, text);
  placeholder.hidden = false;
}

function fillPlaceholder(placeholder, text) {
  placeholder.textContent = text;
  placeholder.classList.toggle("missing", text !== LOADING);
  placeholder.classList.toggle("being-drawn", text === DRAWING);
}

// Requests the picture again, because it was drawn again or its link has expired.
function reloadPicture(picture) {
  if (sources.get(picture).image.hidden) showPlaceholder(picture, LOADING);
  inView.unobserve(picture);
  inView.observe(picture);
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

async function fillPicture(picture) {
  const source = sources.get(picture);
  source.requestedAt = Date.now();
  try {
    const { url } = await callTool(source.tool, source.args);
    source.image.src = url;
  } catch (error) {
    // After any other error, the picture that is shown remains.
    if (error.code === NO_PICTURE) {
      source.image.removeAttribute("src");
      showPlaceholder(picture, source.missing);
    } else if (source.image.hidden) {
      showPlaceholder(picture, "The picture could not be loaded.");
    }
  }
}
