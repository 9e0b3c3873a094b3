// The plan of a book as cards to edit, and the button that orders it.

// The book of the plan; the form changes some of its fields.
let book;
// The pages as they are edited.
let pages = [];
// What the price depends on.
let shape;

const order = new OrderButton({
  label: "Order the book", tool: "create_book", read: readBook, accepted: showOrdered, hold: holdFields, isSingle: true,
});

connect({ result: showPlan, cancelled: () => say("The plan was cancelled."), ended: stopFollowing }).catch(showError);

function showPlan(result) {
  let plan;
  try {
    ({ book_plan: plan } = readResult(result));
  } catch (error) {
    say("There is no plan.");
    showError(error);
    return;
  }
  book = plan.generation_request.book;
  pages = book.pages.map((page) => ({ ...page }));
  const canOrder = hostCapabilities.serverTools !== undefined;
  const { credits } = plan.credit_estimate;
  const count = counted(pages.length, "page");
  say(canOrder ? `${count}. Change what you like, then order.` : describeReadOnly(count, credits));
  const about = (number) => plan.warnings.filter((warning) => warning.page_number === number);
  find("warnings").replaceChildren(...about(undefined).map(({ message }) => make("li", {}, message)));
  pages.forEach((page, at) => {
    page.warnings = about(at + 1);
  });
  showBook();
  showPages();
  find("actions").replaceChildren(
    makeButton("Add a page", addPage), order.element, make("span", { id: "needed", className: "notes" }),
  );
  shape = shapeOf();
  order.show(credits);
  showNeeded();
  find("plan").addEventListener("submit", (event) => event.preventDefault());
  find("fields").disabled = !canOrder;
  find("plan").hidden = false;
}

function describeReadOnly(count, credits) {
  const price = `${count} for ${counted(credits, "credit")}.`;
  return `${price} This client cannot order from this page: ask the agent to change and to order the book.`;
}

function showBook() {
  const title = makeLine({ id: "title", name: "title", value: book.title, required: true });
  const subtitle = makeLine({ id: "subtitle", name: "subtitle", value: book.subtitle ?? "" });
  const cover = make("textarea", { id: "cover", name: "cover.prompt", value: book.cover?.prompt ?? "", rows: 2 });
  for (const field of [title, subtitle, cover]) {
    field.addEventListener("input", () => {
      field.removeAttribute("aria-invalid");
      changed();
    });
  }
  const whatItShows = makeField("What the cover shows", cover);
  whatItShows.classList.add("wide");
  find("book").replaceChildren(makeField("Title", title), makeField("Subtitle", subtitle), whatItShows);
}

function showPages() {
  find("pages").replaceChildren(...pages.map(makeCard));
}

function makeCard(page, at) {
  const number = at + 1;
  const button = (label, work, name, disabled) => makeButton(label, work, { "aria-label": name, disabled });
  const buttons = make(
    "p",
    { className: "actions" },
    button("Up", () => movePage(at, -1), `Move page ${number} up`, at === 0),
    button("Down", () => movePage(at, 1), `Move page ${number} down`, number === pages.length),
    button("Remove", () => removePage(at), `Remove page ${number}`, pages.length === 1),
  );
  const warnings = make("div");
  const showWarnings = () => warnings.replaceChildren(
    ...(page.warnings ?? []).map(({ message }) => make("p", { className: "warning" }, renumber(message, number))),
  );
  showWarnings();
  const heading = make("h2", {}, `Page ${number}`);
  if (page.page_id) {
    return make("li", { className: "card" }, heading, make("p", {}, "A page that is already drawn."), buttons);
  }
  const input = (label, field, element) => {
    element.name = field;
    element.value = page[field] ?? "";
    element.addEventListener("input", () => {
      element.removeAttribute("aria-invalid");
      page[field] = element.value;
      if (page.warnings?.length > 0 && field !== "caption") {
        page.warnings = page.warnings.filter((warning) => stillApplies(warning, page));
        showWarnings();
      }
      changed();
    });
    return makeField(label, element);
  };
  return make(
    "li",
    { className: "card" },
    heading,
    input("Title", "title", makeLine({ required: true })),
    input("What it shows", "prompt", make("textarea", { rows: 3 })),
    input("Caption", "caption", makeLine()),
    warnings,
    buttons,
  );
}

// A warning begins with the number that its page had in the plan.
function renumber(message, number) {
  return message.replace(/^Page \d+/, `Page ${number}`);
}

// A warning about words of a page applies as long as the page has one of them.
function stillApplies({ words }, { title, prompt = "" }) {
  const texts = `${title} ${prompt}`.toLowerCase();
  return words.length === 0 || words.some((word) => texts.includes(word.toLowerCase()));
}

// Warnings about several pages no longer name the right ones after pages have moved.
function forgetNumbers() {
  for (const item of find("warnings").children) {
    item.textContent = item.textContent.replace(/^Pages [\d, andto]+ cannot/, "Some pages cannot");
  }
}

function movePage(at, by) {
  const [page] = pages.splice(at, 1);
  pages.splice(at + by, 0, page);
  forgetNumbers();
  showPages();
  showNeeded();
  say(`The page is now page ${at + by + 1}.`);
  focusCard(at + by, by < 0 ? 0 : 1);
}

function removePage(at) {
  pages.splice(at, 1);
  forgetNumbers();
  showPages();
  say(`${counted(pages.length, "page")} left.`);
  focusCard(Math.min(at, pages.length - 1), 2);
  changed();
}

function addPage() {
  pages.push({ title: "" });
  showPages();
  find("pages").lastElementChild.querySelector("textarea").focus();
  say(`Page ${pages.length} was added. It needs a title.`);
  changed();
}

// Focuses one of the buttons of a card, or another one if that button is disabled.
function focusCard(at, button) {
  const buttons = find("pages").children[at].querySelectorAll("button");
  const focused = buttons[button].disabled ? [...buttons].find(({ disabled }) => !disabled) : buttons[button];
  focused?.focus();
}

// Texts and the order of the pages do not change the price, but a page without a title cannot be ordered.
function changed() {
  if (shapeOf() === shape) return;
  shape = shapeOf();
  order.show(undefined);
  showNeeded();
}

// Says next to the button why the book cannot be ordered.
function showNeeded() {
  const unnamed = pages.findIndex(({ page_id: id, title }) => !id && !title.trim());
  const place = find("title").value.trim() ? unnamed >= 0 && `Page ${unnamed + 1}` : "The book";
  find("needed").textContent = place ? `${place} needs a title.` : "";
}

function shapeOf() {
  const drawn = pages.map((page) => (page.page_id ? "ready" : page.title.trim() ? "drawn" : "unnamed"));
  return `${find("title").value.trim() ? "named" : "unnamed"} ${drawn.sort().join(" ")}`;
}

// The arguments of the order; undefined while a title is missing.
function readBook() {
  if (shapeOf().includes("unnamed")) return undefined;
  const { subtitle, cover, ...rest } = book;
  const ordered = { ...rest, title: find("title").value.trim(), pages: pages.map(readPage) };
  const newSubtitle = find("subtitle").value.trim();
  const newPrompt = find("cover").value.trim();
  const { prompt, ...restOfCover } = cover ?? {};
  const newCover = newPrompt ? { ...restOfCover, prompt: newPrompt } : restOfCover;
  if (newSubtitle) ordered.subtitle = newSubtitle;
  if (Object.keys(newCover).length > 0) ordered.cover = newCover;
  return ordered;
}

function readPage({ warnings, ...page }) {
  const texts = ["title", "prompt", "caption"].map((field) => [field, page[field]?.trim()]);
  const given = Object.fromEntries(texts.filter(([, text]) => text));
  const { title, prompt, caption, ...rest } = page;
  return { ...rest, ...given };
}

// Keeps the texts and pages from being changed while they are ordered. Elements remain focusable, so that the keyboard
// does not lose its place. The fields that an order was refused for are marked until they are changed.
function holdFields(isHeld, { details = [] } = {}) {
  for (const field of find("fields").querySelectorAll("textarea")) {
    field.readOnly = isHeld;
    field.removeAttribute("aria-invalid");
  }
  for (const { field } of details) findField(field)?.setAttribute("aria-invalid", "true");
  for (const button of find("fields").querySelectorAll("button")) {
    if (button !== order.element) setDisabled(button, isHeld);
  }
}

// The field that an error names, such as title or pages[1].prompt.
function findField(path) {
  const [, at, nameInPage] = /^pages\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
  const place = at === undefined ? find("book") : find("pages").children[at];
  return [...(place?.querySelectorAll("textarea") ?? [])].find(({ name }) => name === (nameInPage ?? path));
}

function showOrdered({ book: { id, title }, operation: { id: operationId }, credits_available: available, replayed }) {
  const hadFocus = document.activeElement === order.element;
  find("fields").disabled = true;
  const note = replayed ? " It was ordered before, so nothing was charged now." : "";
  sayOrdered(`“${title}” was ordered.${note} ${counted(available, "credit")} left.`);
  // The button is gone, so the keyboard goes on at the message.
  if (hadFocus) find("ordered").focus({ preventScroll: true });
  say("");
  informAgent(
    `The user ordered the book ${id} from the plan, possibly with changes. Operation ${operationId} draws it. ` +
      "Do not order it again.",
  );
  const message = `I ordered the book ${id}. Please wait for operation ${operationId}, then show me the pages.`;
  const button = makeMessageButton("Let the agent continue", message);
  if (button) find("after").replaceChildren(button);
  follow(operationId, {
    changed: () => {},
    ended: (ended) => {
      say([`The order has ended: ${describeProgress(ended)}${note}`, ...describeFailures(ended)].join(" "));
    },
  });
}
