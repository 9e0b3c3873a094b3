// The pages of a book at a glance: their faults, and for each the ways to improve it.

// The status of a page or cover that is being drawn. A picture that it has already is still shown.
const BEING_DRAWN = "generating";
const FAILED = "failed";
// The key in the metadata of a page that says whether its picture can be changed, instead of being drawn again.
const EDITS_PICTURE = "linepress/edits-picture";

let book;
// The ids of the accepted pages.
let accepted = new Set();
// The tile of each page by its id, and that of the cover by the id of the book.
const tiles = new Map();
// The open panel, with the tile that it belongs to.
let panel;

connect({
  result: showResult, cancelled: () => say("The call was cancelled."), ended: stopFollowing,
}).catch(showError);

async function showResult(result) {
  let shown;
  try {
    shown = readResult(result);
  } catch (error) {
    say("There is no book to show.");
    showError(error);
    return;
  }
  if (!hostCapabilities.serverTools) {
    say("This client cannot load the book in this page.");
    return;
  }
  try {
    accepted = await loadAccepted(shown.book.id);
    await loadBook(shown.book.id);
    followOperation(shown.operation?.id ?? activeOperation());
  } catch (error) {
    showError(error);
  }
}

// Loads which pages of the book are accepted, that is, locked.
async function loadAccepted(id) {
  const locked = new Set();
  let after;
  do {
    const { pages, meta } = await callTool("list_pages", after ? { book_id: id, after } : { book_id: id });
    for (const page of pages) if (page.locked) locked.add(page.id);
    after = meta.next_cursor;
  } while (after);
  return locked;
}

// Loads the book and shows it.
async function loadBook(id) {
  book = await loadWholeBook(id, { pages: "full" });
  find("heading").textContent = book.title;
  adoptShape(book);
  if (!activeOperation()) say(describeBook());
  showTiles();
  const message = `I have looked at the pages of the book ${book.id}. Please go on.`;
  const button = makeMessageButton("Let the agent continue", message);
  if (button && !find("after").firstChild) find("after").append(button);
}

function describeBook() {
  const failed = book.pages.filter(({ status }) => status === FAILED).length;
  const notDrawn = book.status === "incomplete" && failed > 0 ? `${failed} not drawn` : plain(book.status);
  const cover = book.cover.status === FAILED ? " The cover was not drawn." : "";
  return `${counted(book.page_count, "page")}: ${notDrawn}.${cover}`;
}

function activeOperation() {
  return book.active_operation_id ?? book.pages.find((page) => page.active_operation_id)?.active_operation_id;
}

function followOperation(id) {
  if (!id) return;
  follow(id, {
    changed: () => loadBook(book.id),
    ended: async (operation) => {
      const ordered = [...tiles.values()].filter((tile) => tile.ordered?.id === operation.id);
      const failures = describeFailures(operation);
      for (const tile of ordered) endOrder(tile, failures.length > 0);
      await loadBook(book.id);
      sayOrdered("");
      const names = failures.length > 0 ? ordered.map(({ target }) => `${target.name}:`) : [];
      say([...names, describeProgress(operation), ...failures].join(" "));
      ordered.forEach(showPictures);
      // Another page may still be drawn.
      if (activeOperation() !== id) followOperation(activeOperation());
    },
  });
}

// Ends the order of a tile. A text that was ordered is kept if its drawing failed.
function endOrder(tile, hasFailed) {
  const { texts } = tile.ordered;
  tile.ordered = undefined;
  if (hasFailed) return;
  for (const [name, text] of texts) if (tile.texts.get(name) === text) tile.texts.delete(name);
}

// Loads the pictures of the tile and its panel again.
function showPictures(tile) {
  reloadPicture(tile.image);
  refreshPanel(tile).catch(showError);
}

// What a tile shows: the cover, or a page.
function targets() {
  const { status, prompt } = book.cover;
  const cover = { id: book.id, name: "Cover", title: book.title, status, prompt, faults: [], isCover: true };
  return [
    { ...cover, argument: { book_id: book.id }, image: "get_book_cover_image" },
    ...book.pages.map((page) => ({
      ...page, name: `Page ${page.position}`, argument: { page_id: page.id }, image: "get_page_image", isCover: false,
    })),
  ];
}

function showTiles() {
  const shown = targets();
  for (const id of tiles.keys()) if (!shown.some((target) => target.id === id)) removeTile(id);
  let before = null;
  for (const target of shown) {
    const tile = tiles.get(target.id) ?? makeTile(target);
    updateTile(tile, target);
    if (before ? before.nextElementSibling !== tile.element : find("tiles").firstElementChild !== tile.element) {
      if (before) before.after(tile.element);
      else find("tiles").prepend(tile.element);
    }
    before = tile.element;
    if (panel?.tile === tile) {
      before = panel.element;
      // Moving the panel would take the focus from the field in which the person is typing.
      if (tile.element.nextElementSibling !== before) tile.element.after(before);
    }
  }
}

function removeTile(id) {
  const tile = tiles.get(id);
  if (panel?.tile === tile) closePanel();
  tile.element.remove();
  tiles.delete(id);
}

function makeTile(target) {
  const image = makePicture(describe(target), target.image, target.argument, describeMissing(target));
  const text = make("span", { className: "name" });
  const notes = make("span", { className: "notes" });
  const button = make("button", { type: "button", className: "tile", "aria-expanded": "false" }, image, text, notes);
  // The texts that the person has typed in the panel, by the names of their fields.
  const texts = new Map();
  const tile = { target, image, text, notes, texts, button, element: make("li", {}, button) };
  const toggle = () => (panel?.tile === tile ? closePanel() : openPanel(tile));
  button.addEventListener("click", () => runAction(button, toggle));
  tiles.set(target.id, tile);
  return tile;
}

function updateTile(tile, target) {
  const wasDrawn = tile.target.status === BEING_DRAWN && target.status !== BEING_DRAWN;
  tile.target = target;
  describePicture(tile.image, describe(target), describeMissing(target));
  tile.text.textContent = target.isCover ? target.name : `${target.position}. ${target.title}`;
  const notes = makeNotes(target.faults.map(explainFault));
  if (target.error) notes.unshift(makeNote(target.error.message, "failure"));
  else if (target.status === BEING_DRAWN) notes.unshift(makeNote("Being drawn.", "drawing"));
  if (accepted.has(target.id)) notes.push(makeNote("Accepted.", "accepted"));
  tile.notes.replaceChildren(...notes);
  if (wasDrawn) showPictures(tile);
}

function describe({ name, title }) {
  return `${name}: ${title}`;
}

// The words in the place of a picture that does not exist.
function describeMissing({ status }) {
  if (status === BEING_DRAWN) return DRAWING;
  return status === FAILED ? "Not drawn" : "No picture";
}

function makeNotes(notes) {
  return notes.map((note) => makeNote(note));
}

// A sentence on lines of its own. The space separates it from the next one where only their text is read.
function makeNote(note, className = "") {
  return make("span", { className }, `${note} `);
}

// The panel of a tile, below it.

async function openPanel(tile) {
  closePanel();
  const heading = make("h2", { tabIndex: -1 }, describe(tile.target));
  const contents = make("div", { className: "panel-contents" }, "Loading…");
  const close = makeButton("Close", () => closePanel());
  const head = make("div", { className: "panel-head" }, heading, close);
  const element = make("li", { className: "panel" }, head, contents);
  element.addEventListener("keydown", (event) => event.key === "Escape" && closePanel());
  panel = { tile, element, contents };
  tile.element.after(element);
  tile.button.setAttribute("aria-expanded", "true");
  heading.focus();
  await fillPanel();
}

function closePanel() {
  if (!panel) return;
  const { tile, element } = panel;
  panel = undefined;
  const hadFocus = element.contains(document.activeElement);
  element.remove();
  tile.button.setAttribute("aria-expanded", "false");
  if (hadFocus) tile.button.focus();
}

async function fillPanel() {
  if (!panel) return;
  const { tile, contents } = panel;
  try {
    const { target } = tile;
    const page = target.isCover ? undefined : await loadPage(target.argument);
    const { attempts } = await callTool("list_attempts", target.argument);
    // Another panel may have been opened meanwhile.
    if (panel?.contents !== contents) return;
    const open = new Set([...contents.querySelectorAll("details[open]")].map(({ id }) => id));
    panel.lostFocus = findFocus(contents);
    contents.replaceChildren(...makeContents(tile, page, attempts));
    for (const part of contents.querySelectorAll("details")) if (open.has(part.id)) part.open = true;
  } catch (error) {
    if (panel?.contents !== contents) return;
    panel.lostFocus = findFocus(contents);
    contents.replaceChildren(makeButton("Try again", () => refreshPanel(tile)));
    throw error;
  }
}

// Loads a page. Its `editsPicture` is true if a refinement would change its picture now. It is false if the host
// removes the metadata of results, because nothing may be promised then.
async function loadPage(args) {
  const result = await request("tools/call", { name: "get_page", arguments: args });
  return { ...readResult(result).page, editsPicture: result._meta?.[EDITS_PICTURE] === true };
}

// The focused element in the contents of a panel, with the selected part of its text.
function findFocus(contents) {
  const focused = document.activeElement;
  if (!contents.contains(focused)) return undefined;
  return { id: focused.id, start: focused.selectionStart, end: focused.selectionEnd };
}

// Loads the panel of the tile again, if it is still open.
async function refreshPanel(tile) {
  const refreshed = panel;
  if (refreshed?.tile !== tile) return;
  try {
    await fillPanel();
  } finally {
    if (panel === refreshed && panel.lostFocus) {
      const { id, start, end } = panel.lostFocus;
      panel.lostFocus = undefined;
      const focused = (id && find(id)) || panel.contents.querySelector("button");
      focused?.focus();
      if (start !== undefined) focused?.setSelectionRange?.(start, end);
    }
  }
}

// The contents of a panel; `page` is undefined for the cover.
function makeContents(tile, page, attempts) {
  const { target } = tile;
  const picture = makePicture(describe(target), target.image, target.argument, describeMissing(target));
  picture.classList.add("large");
  const hasPicture = attempts.length > 0 || Boolean(page?.image);
  const parts = [];
  if (page?.caption) parts.push(make("p", { className: "caption" }, page.caption));
  const failure = page?.error?.message ?? (target.status === FAILED ? "The drawing failed." : undefined);
  if (failure) parts.push(make("p", { className: "failure" }, failure));
  for (const fault of page?.faults ?? []) parts.push(make("p", { className: "warning" }, explainFault(fault)));
  // A page without a picture can only be drawn again.
  if (page && (hasPicture || page.locked)) parts.push(makeAcceptance(tile, page));
  if (page?.locked) parts.push(make("p", {}, "This page is accepted: its picture does not change."));
  else parts.push(makeRedrawing(tile, hasPicture), page && hasPicture ? makeRefinement(tile, page) : undefined);
  const controls = make("div", { className: "controls" }, ...parts);
  return [picture, controls, makeAttempts(tile, attempts, page?.locked ?? false)].filter(Boolean);
}

// Accepting a page locks it, so that no order changes its picture.
function makeAcceptance(tile, page) {
  const label = page.locked ? "Undo the acceptance" : "Accept this page";
  const button = makeButton(label, async () => {
    await callTool("update_page", { page_id: page.id, locked: !page.locked });
    if (page.locked) accepted.delete(page.id);
    else accepted.add(page.id);
    say(page.locked ? "The page can be changed again." : "The page is accepted.");
    const event = page.locked ? "withdrew the acceptance of" : "accepted";
    informAgent(`The user ${event} ${nameFor(tile)}.`, `acceptance of ${page.id}`);
    updateTile(tile, tile.target);
    await refreshPanel(tile);
  });
  return make("p", { className: "actions" }, button);
}

function makeRedrawing(tile, hasPicture) {
  const { target } = tile;
  const prompt = makeText(tile, "prompt", { rows: 3, value: target.prompt });
  const read = () => {
    const wanted = prompt.value.trim();
    return wanted && wanted !== target.prompt ? { ...target.argument, prompt: wanted } : target.argument;
  };
  const tool = target.isCover ? "regenerate_book_cover" : "regenerate_page";
  const order = new OrderButton({ label: "Draw again", tool, read, accepted: (result) => showOrdered(tile, result) });
  order.show(undefined);
  const field = makeField("What it shows", prompt);
  const summary = make("summary", { id: "redraw" }, "Draw it again");
  const isOpen = !hasPicture || tile.texts.has("prompt");
  return make("details", { id: "redrawing", open: isOpen }, summary, field, order.element);
}

function makeRefinement(tile, { editsPicture }) {
  const { target } = tile;
  const instruction = makeText(tile, "instruction", { rows: 2, placeholder: "Remove the hat" });
  const read = () => {
    const wanted = instruction.value.trim();
    return wanted ? { ...target.argument, instruction: wanted } : undefined;
  };
  const order = new OrderButton({
    label: editsPicture ? "Change the picture" : "Draw it again with this change",
    tool: "refine_page", read, accepted: (result) => showOrdered(tile, result),
  });
  order.show(undefined);
  let hadText = instruction.value.trim() !== "";
  instruction.addEventListener("input", () => {
    const hasText = instruction.value.trim() !== "";
    if (hasText === hadText) return;
    hadText = hasText;
    order.show(undefined);
  });
  const field = makeField("What to change", instruction);
  const hint = make("p", { className: "hint" }, describeRefinement(editsPicture));
  const summary = make("summary", { id: "refine" }, "Change something in it");
  return make("details", { id: "refinement", open: tile.texts.has("instruction") }, summary, field, hint, order.element);
}

// Says, before an order, what happens to the rest of the picture.
function describeRefinement(editsPicture) {
  const rest = editsPicture
    ? "Everything else stays as it is."
    : "This server cannot change a picture: it draws the page again with your change, so other parts may change too.";
  return `${rest} You can return to the present picture.`;
}

// A field of a panel. What is typed in it remains while the panel is closed or loaded again.
function makeText(tile, name, properties) {
  const field = make("textarea", { id: name, ...properties });
  const initial = field.value;
  if (tile.texts.get(name) === initial) tile.texts.delete(name);
  if (tile.texts.has(name)) field.value = tile.texts.get(name);
  field.addEventListener("input", () => {
    if (field.value === initial) tile.texts.delete(name);
    else tile.texts.set(name, field.value);
  });
  return field;
}

function makeAttempts(tile, attempts, isLocked) {
  if (attempts.length < 2) return undefined;
  const { target } = tile;
  const items = attempts.map((attempt, at) => {
    const argument = { ...target.argument, attempt_id: attempt.id };
    const name = `Attempt ${attempts.length - at}`;
    const picture = makePicture(`${name}: ${attempt.prompt}`, "get_attempt_image", argument);
    const label = { "aria-label": `Choose ${name.toLowerCase()}` };
    const choose = makeButton("Choose", () => chooseAttempt(tile, argument), label);
    const notes = [...(attempt.note ? [attempt.note] : []), ...attempt.faults.map(explainFault)];
    const note = make("span", { className: "notes" }, ...makeNotes(notes));
    const number = make("span", { className: "attempt" }, name);
    const state = attempt.chosen ? make("strong", {}, "Chosen") : choose;
    return make("li", {}, picture, number, note, attempt.chosen || !isLocked ? state : undefined);
  });
  return make("section", {}, make("h3", {}, "Attempts"), make("ul", { className: "attempts" }, ...items));
}

async function chooseAttempt(tile, argument) {
  await callTool("choose_attempt", argument);
  const fact = `The user chose the attempt ${argument.attempt_id} for ${nameFor(tile)}.`;
  informAgent(fact, `attempt of ${tile.target.id}`);
  reloadPicture(tile.image);
  await loadBook(book.id);
  await refreshPanel(tile);
  say("The picture was changed, free of charge.");
}

// Reports an accepted order. The panel of its tile may have been closed while the order was placed.
async function showOrdered(tile, { operation: { id }, credits_available: available }) {
  tile.ordered = { id, texts: new Map(tile.texts) };
  if (panel?.tile === tile) closePanel();
  sayOrdered(`${tile.target.name} is being drawn. ${counted(available, "credit")} left.`);
  const fact = `The user ordered a new picture of ${nameFor(tile)}. Operation ${id} draws it. Do not order it again.`;
  informAgent(fact);
  try {
    await loadBook(book.id);
  } catch (error) {
    showError(error);
  }
  followOperation(id);
}

// The name of what a tile shows, for the agent.
function nameFor({ target }) {
  const name = target.isCover ? "the cover" : `${target.name.toLowerCase()} (${target.id})`;
  return `${name} of the book ${book.id}`;
}
