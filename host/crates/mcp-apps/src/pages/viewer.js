// A book to leaf through, with its files. Files open outside of this page, by their short-lived links.

// The arguments of get_book_pdf, which the person may change.
let print = {};
let book;
// The cover, and the pages in their order.
let leaves = [];
let position = 0;
// The names of the print formats, by their ids.
let formatNames = new Map();

connect({
  input: (args) => {
    print = args;
  },
  result: showResult,
  cancelled: () => say("The call was cancelled."),
}).catch(showError);

async function showResult(result) {
  if (!hostCapabilities.serverTools) {
    say("This client cannot load the book in this page.");
    return;
  }
  let failure;
  try {
    print.format ??= readResult(result).print_format.id;
  } catch (error) {
    // The book can be shown without its file.
    failure = error;
  }
  try {
    await Promise.all([loadBook(print.book_id), loadFormatNames()]);
    showFiles();
    showLeaf();
    find("book").hidden = false;
    if (failure) showError(explain(failure));
  } catch (error) {
    say("There is no book to show.");
    showError(error);
  }
}

async function loadBook(id) {
  book = await loadWholeBook(id);
  const { status } = book.cover;
  const argument = { book_id: book.id };
  const cover = { name: "Cover", title: book.title, status, tool: "get_book_cover_image", argument };
  const page = ({ id: page_id, title, status, position: number }) => ({
    name: `Page ${number}`, title, status, tool: "get_page_image", argument: { page_id },
  });
  leaves = [cover, ...book.pages.map(page)];
  find("heading").textContent = book.title;
  find("turning").replaceChildren(
    make("button", { type: "button", id: "back", onclick: () => turn(-1) }, "Back"),
    make("span", { id: "number" }),
    make("button", { type: "button", id: "forward", onclick: () => turn(1) }, "Forward"),
  );
}

async function loadFormatNames() {
  try {
    const { print_formats: formats } = await callTool("list_print_formats", {});
    formatNames = new Map(formats.map(({ id, name }) => [id, name]));
  } catch {
    // The ids are understandable, too.
  }
}

// The state of a leaf that is not ready, in words.
function describeState({ name, status }) {
  return `${name} ${status === "failed" ? "could not be drawn" : "is being drawn"}.`;
}

// An error with the leaves that the book lacks, if it is about them.
function explain(error) {
  const states = leaves.filter(({ status }) => status !== "ready").map(describeState);
  const isAboutThem = error.code === "book_not_ready" && states.length > 0;
  return isAboutThem ? new Error(`The book cannot be printed yet. ${states.join(" ")}`) : error;
}

function turn(by) {
  const next = position + by;
  if (next < 0 || next >= leaves.length) return;
  position = next;
  showLeaf();
}

function showLeaf() {
  const leaf = leaves[position];
  const missing = leaf.status === "ready" ? "No picture" : describeState(leaf);
  const picture = makePicture(`${leaf.name}: ${leaf.title}`, leaf.tool, leaf.argument, missing);
  picture.classList.add("large");
  find("leaf").replaceChildren(picture, make("p", { className: "caption" }, `${leaf.name}: ${leaf.title}`));
  find("number").textContent = `${position + 1} of ${leaves.length}`;
  // They remain focusable, so that the keyboard does not lose its place at an end.
  find("back").setAttribute("aria-disabled", String(position === 0));
  find("forward").setAttribute("aria-disabled", String(position === leaves.length - 1));
  say(`${counted(book.page_count, "page")}.`);
}

document.addEventListener("keydown", (event) => {
  if (leaves.length === 0 || ["SELECT", "INPUT"].includes(event.target.tagName)) return;
  if (event.key === "ArrowLeft") turn(-1);
  if (event.key === "ArrowRight") turn(1);
});

function showFiles() {
  if (!hostCapabilities.openLinks) {
    find("files").replaceChildren(make("p", {}, "This client opens no files from this page: ask the agent for them."));
    return;
  }
  const option = (id) => make("option", { value: id }, formatNames.get(id) ?? plain(id));
  const format = make("select", { id: "format" }, ...book.print_formats.map(option));
  format.value = print.format ?? book.print_formats[0];
  const files = [
    makeField("Size of the PDF", format),
    makeButton("Open the PDF", () => open("get_book_pdf", { ...print, book_id: book.id, format: format.value })),
    makeButton("Open this picture", () => openPicture({})),
    makeButton("Open this page as printed", () => openPicture({ size: "print" }), { id: "as-printed" }),
  ];
  find("files").replaceChildren(...files);
}

// A cover has one size only.
function openPicture(size) {
  const leaf = leaves[position];
  return open(leaf.tool, leaf.tool === "get_page_image" ? { ...leaf.argument, ...size } : leaf.argument);
}

// Requests a new link each time, because links expire.
async function open(tool, args) {
  say("Preparing the file…");
  try {
    const { url, byte_size: bytes } = await callTool(tool, args);
    await openLink(url);
    say(`The file of ${(bytes / 1_000_000).toFixed(1)} MB was opened.`);
  } catch (error) {
    say("");
    throw explain(error);
  }
}
