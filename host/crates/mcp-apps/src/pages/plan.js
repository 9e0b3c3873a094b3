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
  const advice = canOrder
    ? "Change what you like, then order."
    : "This client cannot order from this page: ask the agent to change and to order the book.";
  say(`${counted(pages.length, "page")}. ${advice}`);
  const about = (number) => plan.warnings.filter((warning) => warning.page_number === number);
  find("warnings").replaceChildren(...about(undefined).map(({ message }) => make("li", {}, message)));
  pages.forEach((page, at) => {
    page.warnings = about(at + 1);
  });
  showBook();
  showPages();
  find("actions").replaceChildren(makeButton("Add a page", addPage), order.element);
  shape = shapeOf();
  order.show(plan.credit_estimate.credits);
  find("plan").addEventListener("submit", (event) => event.preventDefault());
  find("fields").disabled = !canOrder;
  find("plan").hidden = false;
}

function showBook() {
  const title = make("input", { id: "title", value: book.title, required: true });
  const subtitle = make("input", { id: "subtitle", value: book.subtitle ?? "" });
  const cover = make("textarea", { id: "cover", value: book.cover?.prompt ?? "", rows: 2 });
  for (const input of [title, subtitle, cover]) input.addEventListener("input", changed);
  find("book").replaceChildren(
    makeField("Title", title),
    makeField("Subtitle", subtitle),
    makeField("What the cover shows", cover),
  );
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
    element.value = page[field] ?? "";
    element.addEventListener("input", () => {
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
    input("Title", "title", make("input", { required: true })),
    input("What it shows", "prompt", make("textarea", { rows: 3 })),
    input("Caption", "caption", make("input")),
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
  find("pages").lastElementChild.querySelector("input").focus();
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
// does not lose its place.
function holdFields(isHeld) {
  for (const input of find("fields").querySelectorAll("input, textarea")) input.readOnly = isHeld;
  for (const button of find("fields").querySelectorAll("button")) {
    if (button === order.element) continue;
    if (isHeld) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
}

function showOrdered({ book: { id, title }, operation: { id: operationId }, credits_available: available, replayed }) {
  find("fields").disabled = true;
  const note = replayed ? " It was ordered before, so nothing was charged now." : "";
  order.element.textContent = "Ordered";
  sayOrdered(`“${title}” was ordered.${note} ${counted(available, "credit")} left.`);
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
    ended: (ended) => say(`The order has ended: ${describeProgress(ended)}${note}`),
  });
}
