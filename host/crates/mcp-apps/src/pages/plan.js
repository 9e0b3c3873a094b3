// The plan of a book as cards to edit, and the button that orders it.

const PRICE_DELAY_MS = 400;

// The book of the plan; the form changes some of its fields.
let book;
// The pages as they are edited.
let pages = [];
let shape;
let priceTimer;

const order = new OrderButton({ label: "Order the book", tool: "create_book", read: readBook, accepted: showOrdered });

connect({ result: showPlan, cancelled: () => say("The plan was cancelled."), ended: stopFollowing }).catch(complain);

function showPlan(result) {
  if (result.isError) {
    say("There is no plan.");
    complain(new ToolError(result));
    return;
  }
  const plan = result.structuredContent.book_plan;
  book = plan.generation_request.book;
  pages = book.pages.map((page) => ({ ...page }));
  say(`${counted(pages.length, "page")}. Change what you like, then order.`);
  const about = (number) => plan.warnings.filter((warning) => warning.page_number === number);
  find("warnings").replaceChildren(...about(undefined).map(({ message }) => make("li", {}, message)));
  pages.forEach((page, at) => {
    page.warnings = about(at + 1).map(({ message }) => message);
  });
  showBook();
  showPages();
  find("actions").replaceChildren(makeButton("Add a page", addPage), order.element);
  order.show(plan.credit_estimate.credits);
  find("plan").addEventListener("submit", (event) => event.preventDefault());
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
  shape = shapeOf();
}

function makeCard(page, at) {
  const number = at + 1;
  const buttons = make(
    "p",
    { className: "actions" },
    makeButton("Up", () => movePage(at, -1), { "aria-label": `Move page ${number} up`, disabled: at === 0 }),
    makeButton("Down", () => movePage(at, 1), { "aria-label": `Move page ${number} down`, disabled: number === pages.length }),
    makeButton("Remove", () => removePage(at), { "aria-label": `Remove page ${number}`, disabled: pages.length === 1 }),
  );
  const warnings = (page.warnings ?? []).map((message) => make("p", { className: "warning" }, message));
  const heading = make("h2", {}, `Page ${number}`);
  if (page.page_id) {
    return make("li", { className: "card" }, heading, make("p", {}, "A page that is already drawn."), buttons);
  }
  const input = (label, field, element) => {
    element.value = page[field] ?? "";
    element.addEventListener("input", () => {
      page[field] = element.value;
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
    ...warnings,
    buttons,
  );
}

function movePage(at, by) {
  const [page] = pages.splice(at, 1);
  pages.splice(at + by, 0, page);
  showPages();
  say(`The page is now page ${at + by + 1}.`);
  focusCard(at + by, by < 0 ? 0 : 1);
}

function removePage(at) {
  pages.splice(at, 1);
  showPages();
  say(`${counted(pages.length, "page")} left.`);
  focusCard(Math.min(at, pages.length - 1), 2);
  askPrice();
}

function addPage() {
  pages.push({ title: "" });
  showPages();
  find("pages").lastElementChild.querySelector("input").focus();
  askPrice();
}

// Focuses one of the buttons of a card, or another one if that button rests.
function focusCard(at, button) {
  const buttons = find("pages").children[at].querySelectorAll("button");
  const focused = buttons[button].disabled ? [...buttons].find(({ disabled }) => !disabled) : buttons[button];
  focused?.focus();
}

// Texts do not change the price, but a page without a title cannot be ordered.
function changed() {
  if (shapeOf() !== shape) askPrice();
}

function shapeOf() {
  const drawn = pages.map((page) => (page.page_id ? "ready" : page.title.trim() ? "drawn" : "unnamed"));
  return `${find("title").value.trim() ? "named" : "unnamed"} ${drawn.join(" ")}`;
}

function askPrice() {
  shape = shapeOf();
  order.show(undefined);
  clearTimeout(priceTimer);
  priceTimer = setTimeout(() => order.ask(), PRICE_DELAY_MS);
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

function showOrdered({ book: ordered, operation, credits_available: available }) {
  find("fields").disabled = true;
  say(`“${ordered.title}” was ordered. ${counted(available, "credit")} left.`);
  informAgent(
    `The user ordered the book ${ordered.id} from the plan, possibly with changes. Operation ${operation.id} draws it. ` +
      `Do not order it again.`,
  );
  const message = `I ordered the book ${ordered.id}. Please wait for operation ${operation.id}, then show me the pages.`;
  const button = makeMessageButton("Let the agent continue", message);
  if (button) find("after").replaceChildren(button);
  follow(operation.id, {
    changed: () => {},
    ended: ({ progress }) => say(`The book is drawn: ${progress.completed} of ${counted(progress.total, "drawing")} done.`),
  });
}
