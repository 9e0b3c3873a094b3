// Enhancements of all pages. Everything works without the script, too.
"use strict";

// Sends a form once, however often its button is pressed. The server ensures the same by idempotency keys.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
  const button = event.submitter;
  if (button && button.dataset.busy) {
    button.dataset.label = button.innerHTML;
    button.textContent = button.dataset.busy;
    button.setAttribute("aria-busy", "true");
  }
});

// A form can be sent again after the user has returned to it by the back button.
window.addEventListener("pageshow", allowSending);

function allowSending() {
  for (const form of document.forms) delete form.dataset.sent;
  for (const button of document.querySelectorAll("button[data-label]")) {
    button.innerHTML = button.dataset.label;
    button.removeAttribute("data-label");
    button.removeAttribute("aria-busy");
  }
}

// A line that wraps in its field has no line breaks.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.isComposing && event.target.matches("textarea[data-line]")) event.preventDefault();
});

arrangeDraft();
saveDraft();
checkFiles();
color();
listenToKeys();

function setText(selector, text) {
  const element = document.querySelector(selector);
  if (element && element.textContent !== String(text)) element.textContent = text;
}

function credits(number) {
  return number === 1 ? "1 credit" : `${number} credits`;
}

// Moves, adds and removes the pages of a plan without a request to the server.
function arrangeDraft() {
  const form = document.querySelector("[data-draft]");
  if (!form) return;
  const rows = form.querySelector("[data-rows]");
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    const row = button && button.closest("[data-row]");
    if (button && button.dataset.add !== undefined) {
      event.preventDefault();
      if (rows.children.length >= Number(button.dataset.most) || !rows.children.length) return form.requestSubmit(button);
      const added = rows.lastElementChild.cloneNode(true);
      for (const field of added.querySelectorAll("input, textarea")) {
        field.value = "";
        field.removeAttribute("aria-invalid");
        field.removeAttribute("aria-describedby");
      }
      for (const error of added.querySelectorAll(".error, [data-photo]")) error.remove();
      for (const button of added.querySelectorAll("[data-first-photo]")) button.textContent = button.dataset.firstPhoto;
      rows.append(added);
      renumber();
      added.querySelector("input").focus();
    } else if (row && button.dataset.remove !== undefined) {
      event.preventDefault();
      const next = row.nextElementSibling || row.previousElementSibling;
      if (!next) return form.requestSubmit(button);
      row.remove();
      renumber();
      next.querySelector("[data-remove]").focus();
    } else if (row && button.dataset.move) {
      event.preventDefault();
      if (button.dataset.move === "-1") row.previousElementSibling.before(row);
      else row.nextElementSibling.after(row);
      renumber();
      if (!button.disabled) button.focus();
      else row.querySelector("[data-move]:not(:disabled)").focus();
    }
  });

  function renumber() {
    const all = [...rows.children];
    all.forEach((row, index) => {
      row.id = `page-${index}`;
      row.querySelector("[data-number]").textContent = index + 1;
      const [up, down] = row.querySelectorAll("[data-move]");
      const remove = row.querySelector("[data-remove]");
      up.disabled = index === 0;
      down.disabled = index === all.length - 1;
      up.value = `up:${index}`;
      down.value = `down:${index}`;
      remove.value = `remove:${index}`;
      for (const button of row.querySelectorAll("[data-verb]")) button.value = `${button.dataset.verb}:${index}`;
      up.setAttribute("aria-label", `Move page ${index + 1} earlier`);
      down.setAttribute("aria-label", `Move page ${index + 1} later`);
      remove.setAttribute("aria-label", `Take page ${index + 1} out`);
      for (const field of row.querySelectorAll("input, textarea")) {
        const id = `page-${index}-${field.name.replace("page_", "")}`;
        const label = row.querySelector(`label[for="${CSS.escape(field.id)}"]`);
        if (label) label.htmlFor = id;
        field.id = id;
      }
    });
    // The server computes the price again, and rejects an order at a different one.
    const field = form.querySelector("[data-price]");
    const price = Number(field.dataset.coverPrice) + all.length * Number(field.dataset.pagePrice);
    const button = form.querySelector("[data-order]");
    const isTooExpensive = price > Number(button.dataset.balance);
    field.value = price;
    setText("[data-count]", all.length);
    for (const words of form.querySelectorAll("[data-price-words]")) words.textContent = credits(price);
    button.disabled = isTooExpensive || all.length === 0;
    form.querySelector("[data-too-dear]").hidden = !isTooExpensive;
    form.dispatchEvent(new Event("input"));
  }
}

// Saves a plan while it is edited, so that nothing is lost when the page is left.
function saveDraft() {
  const form = document.querySelector("[data-autosave]");
  if (!form || !form.querySelector("[data-saved]")) return;
  let timer = 0;
  // The contents that the server has, and the request in progress.
  let saved = fields();
  let saving = null;
  // The reason why the last change is not saved, and whether a button may still send it.
  let problem = "";
  let canSend = true;
  // The key under which this tab stores a change that was not confirmed when the page was left.
  const key = `linepress ${form.dataset.autosave}`;
  finishLastSave();

  function fields() {
    return new URLSearchParams(new FormData(form)).toString();
  }

  // The fields without those that differ each time the page is shown.
  function texts(body) {
    const all = new URLSearchParams(body);
    for (const name of ["csrf_token", "seen", "own"]) all.delete(name);
    return all.toString();
  }

  // Returns null where the browser gives the page no storage.
  function storage() {
    try {
      return sessionStorage;
    } catch {
      return null;
    }
  }

  function storeUnsaved() {
    const body = fields();
    if (body === saved) return;
    try {
      storage()?.setItem(key, body);
    } catch {
      // The storage is full.
    }
  }

  // A reload may overtake the last save of the previous page, and then shows the old texts. That save is sent again,
  // under its own version, and the page is reloaded with its result.
  async function finishLastSave() {
    const body = storage()?.getItem(key);
    if (!body) return;
    if (texts(body) === texts(saved)) return storage().removeItem(key);
    form.inert = true;
    setText("[data-saved]", "Saving your last change…");
    const response = await post(body);
    if (response) storage().removeItem(key);
    if (response && response.status === 204) return location.reload();
    form.inert = false;
    setText("[data-saved]", "Your last change was not saved.");
  }

  // With `keepalive`, the browser finishes a small request after the page was left.
  function post(body) {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const sent = { method: "POST", headers, body, redirect: "manual", keepalive: body.length < 60000 };
    return fetch(form.dataset.autosave, sent).catch(() => null);
  }

  async function send() {
    const body = fields();
    const response = await post(body);
    if (response && response.status === 204) {
      saved = body;
      if (fields() === saved) storage()?.removeItem(key);
      problem = "";
      canSend = true;
      setText("[data-saved]", "Saved.");
      return;
    }
    const isSignedOut = response !== null && response.type === "opaqueredirect";
    const reply = response !== null && response.status === 409 ? await response.json() : null;
    canSend = reply !== null;
    if (reply) problem = reply.problem;
    else if (isSignedOut) problem = "You were signed out. Sign in again in another tab, then go on here: what you typed is still on this page.";
    else problem = "The last change is not saved yet: the server cannot be reached.";
    setText("[data-saved]", problem);
  }

  async function save() {
    clearTimeout(timer);
    while (saving) await saving;
    if (fields() === saved) return;
    saving = send();
    await saving;
    saving = null;
    // Retry a failed request, and then save what was typed in the meantime.
    if (fields() !== saved && (!problem || !canSend)) timer = setTimeout(save, problem ? 5000 : 800);
  }

  form.addEventListener("input", () => {
    setText("[data-saved]", problem);
    clearTimeout(timer);
    timer = setTimeout(save, 800);
  });
  form.addEventListener("change", save);
  document.addEventListener("visibilitychange", () => document.hidden && save());
  window.addEventListener("pagehide", () => {
    storeUnsaved();
    save();
  });
  // Enter in a field saves without leaving the page. A button waits until all changes are saved.
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || !event.target.matches("input, textarea[data-line]")) return;
    event.preventDefault();
    save();
  });
  let isSaved = false;
  form.addEventListener("submit", (event) => {
    if (isSaved || fields() === saved) return;
    event.preventDefault();
    save().then(() => {
      if (fields() !== saved && !canSend) return;
      isSaved = true;
      form.requestSubmit(event.submitter);
      isSaved = false;
    });
  });
}

// Lets pictures be dropped on their fields, and prepares them before they are sent: a HEIC photo becomes a JPEG where the browser can
// read it, and a picture beyond the limits of the server becomes smaller.
function checkFiles() {
  for (const field of document.querySelectorAll("[data-most-megabytes]")) {
    const status = document.createElement("p");
    status.className = "hint";
    status.setAttribute("role", "status");
    field.after(status);
    // A phone converts HEIC photos itself if the field does not accept them.
    if (matchMedia("(pointer: fine)").matches) field.accept += ",image/heic,image/heif,.heic,.heif";
    acceptDrops(field);
    field.addEventListener("change", () => prepareFile(field, status));
  }
}

function acceptDrops(field) {
  const zone = field.closest(".field");
  zone.classList.add("drop");
  const mark = (isOver) => zone.classList.toggle("over", isOver);
  for (const name of ["dragenter", "dragover"]) {
    zone.addEventListener(name, (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      mark(true);
    });
  }
  zone.addEventListener("dragleave", (event) => zone.contains(event.relatedTarget) || mark(false));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    mark(false);
    const [file] = event.dataTransfer.files;
    if (!file) return;
    setFile(field, file);
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

function setFile(field, file) {
  const chosen = new DataTransfer();
  chosen.items.add(file);
  field.files = chosen.files;
}

// Files up to this size are sent as they are. The server rejects the few of them that have too many pixels.
const MAX_UNREAD_BYTES = 4_000_000;
// The longer side of a picture that was made smaller, in pixels: as many as every browser's canvas can have.
const SMALLER_SIDE_PIXELS = 4000;
const JPEG_QUALITY = 0.92;

// Until the picture is ready, the form cannot be sent.
async function prepareFile(field, status) {
  const file = field.files[0];
  status.textContent = "";
  field.setCustomValidity("");
  if (!file) return;
  const most = { bytes: Number(field.dataset.mostMegabytes) * 1_000_000, pixels: Number(field.dataset.mostPixels) };
  const isHeic = await hasHeicHeader(file);
  if (!isHeic && file.size <= MAX_UNREAD_BYTES) return;
  field.setCustomValidity("One moment: the picture is being prepared.");
  const bitmap = await createImageBitmap(file).catch(() => null);
  // Another file was chosen meanwhile.
  if (field.files[0] !== file) return bitmap?.close();
  const isTooLarge = file.size > most.bytes || (bitmap && bitmap.width * bitmap.height > most.pixels);
  let problem = "";
  if (bitmap && (isHeic || isTooLarge)) {
    const smaller = await toJpeg(bitmap, file.name);
    if (field.files[0] !== file) return bitmap.close();
    if (smaller) setFile(field, smaller);
    status.textContent = isHeic ? "The HEIC photo was converted to JPEG." : "The picture was made smaller.";
    const { size } = smaller ?? file;
    if (!smaller || size > most.bytes) problem = tooLarge(size, field);
  } else if (isHeic) {
    problem =
      "This browser cannot read HEIC photos. Export the photo as JPEG and choose that. An iPhone takes JPEG photos after Settings, Camera, Formats, Most Compatible.";
  } else if (isTooLarge) {
    problem = tooLarge(file.size, field);
  }
  bitmap?.close();
  field.setCustomValidity(problem);
  if (!problem) return;
  status.textContent = problem;
  field.reportValidity();
}

function tooLarge(bytes, field) {
  return `This picture has ${Math.ceil(bytes / 1_000_000)} MB, and at most ${field.dataset.mostMegabytes} MB can be sent. Choose a smaller one.`;
}

// The type that the browser reports follows from the name of the file, and is empty for a name that it does not know.
async function hasHeicHeader(file) {
  const head = await file.slice(4, 12).text().catch(() => "");
  return /^ftyp(hei[cxms]|hev[cxms]|mif1|msf1)$/.test(head);
}

// Draws the picture upright on white, in its shape.
async function toJpeg(bitmap, name) {
  const scale = Math.min(1, SMALLER_SIDE_PIXELS / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", JPEG_QUALITY));
  return blob && new File([blob], name.replace(/\.\w+$/, "") + ".jpg", { type: "image/jpeg" });
}

// Lets visitors color the picture on the front page.
function color() {
  const scene = document.querySelector("[data-coloring]");
  const palette = document.querySelector("[data-palette]");
  if (!scene || !palette) return;
  const crayons = { berry: "Red", orange: "Orange", sun: "Yellow", leaf: "Green", sky: "Blue", grape: "Purple", none: "White" };
  let chosen = "sky";
  for (const [crayon, name] of Object.entries(crayons)) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = `f-${crayon}`;
    button.setAttribute("aria-label", name);
    button.setAttribute("aria-pressed", String(crayon === chosen));
    button.addEventListener("click", () => {
      chosen = crayon;
      for (const other of palette.children) other.setAttribute("aria-pressed", String(other === button));
    });
    palette.append(button);
  }
  palette.hidden = false;
  scene.dataset.live = "yes";
  scene.setAttribute("role", "group");
  const fill = (region) => {
    for (const crayon of Object.keys(crayons)) region.classList.remove(`f-${crayon}`);
    if (chosen !== "none") region.classList.add(`f-${chosen}`);
  };
  for (const region of scene.querySelectorAll("[data-region]")) {
    region.setAttribute("role", "button");
    region.setAttribute("tabindex", "0");
    region.setAttribute("aria-label", `Color the ${region.dataset.region}`);
    region.addEventListener("click", () => fill(region));
    region.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      fill(region);
    });
  }
}

// Turns pages with the arrow keys. Letters and digits press links and buttons, and open the forms of a page.
function listenToKeys() {
  const hint = document.querySelector("[data-keys]");
  if (!hint) return;
  hint.hidden = false;
  // People who speak to their computer can turn the letters off.
  const letters = hint.querySelector("button");
  const areOff = () => localStorage.getItem("letter-keys") === "off";
  const label = () => letters && (letters.textContent = areOff() ? "Turn the letters on" : "Turn the letters off");
  label();
  letters?.addEventListener("click", () => {
    localStorage.setItem("letter-keys", areOff() ? "on" : "off");
    label();
  });
  let isEdited = false;
  document.addEventListener("input", () => (isEdited = true));
  const [left, right] = document.querySelector(".spread[dir=rtl]") ? ["next", "prev"] : ["prev", "next"];
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.isComposing) return;
    if (event.target.closest("input, textarea, select, audio, video")) return;
    const neighbor = { ArrowLeft: left, ArrowRight: right }[event.key];
    if (neighbor) {
      if (!isEdited) document.querySelector(`a[rel="${neighbor}"]`)?.click();
      return;
    }
    if (areOff() || !/^[a-z1-9]$/i.test(event.key)) return;
    const tool = document.querySelector(`[data-key="${event.key.toLowerCase()}"]`);
    if (!tool) return;
    event.preventDefault();
    if (tool.matches("a, button")) {
      if (!isEdited) tool.click();
      return;
    }
    const drawer = tool.closest("details");
    if (drawer) drawer.open = true;
    // Focuses the text that is required, or else the button, so that Enter submits the form.
    const field = tool.querySelector("textarea[required], input[required]");
    (field ?? tool.querySelector("button:not([type=button])"))?.focus();
  });
}
