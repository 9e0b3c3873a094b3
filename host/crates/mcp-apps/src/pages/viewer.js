// A book to leaf through, with its files. Files open outside of this page, by their short-lived links.

// The arguments of get_book_pdf, which the person may change.
let print = {};
let book;
// The cover, and the pages in their order.
let leaves = [];
let position = 0;
// The print formats by their ids, as far as they could be loaded.
let formats = new Map();

// The editions of a PDF, as the pages for people name them.
const EDITIONS = { home: "To print at home", kdp: "Amazon KDP", lulu: "Lulu" };

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
    await Promise.all([loadBook(print.book_id), loadFormats()]);
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
  adoptShape(book);
  find("turning").replaceChildren(
    make("button", { type: "button", id: "back", onclick: () => turn(-1) }, "Back"),
    make("span", { id: "number" }),
    make("button", { type: "button", id: "forward", onclick: () => turn(1) }, "Forward"),
  );
}

async function loadFormats() {
  try {
    const { print_formats: loaded } = await callTool("list_print_formats", {});
    formats = new Map(loaded.map((format) => [format.id, format]));
    for (const { id, name } of loaded) knownNames.set(id, name);
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
  setDisabled(find("back"), position === 0);
  setDisabled(find("forward"), position === leaves.length - 1);
  showPictureButtons(leaf);
  say(`${counted(book.page_count, "page")}.`);
}

// A leaf without a picture has no files, and a cover has one size only.
function showPictureButtons({ status, tool }) {
  if (!hostCapabilities.openLinks) return;
  for (const id of ["picture", "as-printed"]) setDisabled(find(id), status !== "ready");
  find("as-printed").hidden = tool !== "get_page_image";
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
  const option = (id) => make("option", { value: id }, formats.get(id)?.name ?? plain(id));
  const format = make("select", { id: "format" }, ...book.print_formats.map(option));
  format.value = print.format ?? book.print_formats[0];
  const edition = make("select", { id: "edition" });
  const inside = makeButton("", () => openPdf("interior"), { className: "primary" });
  const cover = makeButton("Open the PDF of its cover", () => openPdf("cover"));
  const openPdf = (part) => {
    const parts = edition.value === "home" ? {} : { part };
    const { part: _, ...rest } = print;
    return open("get_book_pdf", { ...rest, book_id: book.id, format: format.value, edition: edition.value, ...parts });
  };
  offerEditions({ format, edition, inside, cover });
  const choices = make(
    "div", { className: "choices" }, makeField("Size of the PDF", format), makeField("Printer", edition),
  );
  const buttons = [
    inside,
    cover,
    makeButton("Open this picture", () => openPicture({}), { id: "picture" }),
    makeButton("Open this page as printed", () => openPicture({ size: "print" }), { id: "as-printed" }),
  ];
  find("files").replaceChildren(choices, make("p", { className: "actions" }, ...buttons));
}

// Offers the editions of the chosen format. A printing service gets the cover as a file of its own.
function offerEditions({ format, edition, inside, cover }) {
  const showParts = () => {
    cover.hidden = edition.value === "home";
    inside.textContent = cover.hidden ? "Open the PDF" : "Open the PDF of its inside";
  };
  const showEditions = () => {
    const chosen = edition.value || print.edition;
    const offered = editionsOf(format.value);
    edition.replaceChildren(...offered.map((id) => make("option", { value: id }, EDITIONS[id] ?? plain(id))));
    edition.value = offered.includes(chosen) ? chosen : "home";
    showParts();
  };
  format.addEventListener("change", showEditions);
  edition.addEventListener("change", showParts);
  showEditions();
}

// The editions in which a format can be printed. Of an unknown format, only the one that was asked for is certain.
function editionsOf(format) {
  const printers = formats.get(format)?.printers.map(({ edition }) => edition) ?? [print.edition ?? "home"];
  return [...new Set(["home", ...printers])];
}

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
    say(`The file of ${describeSize(bytes)} was opened.`);
  } catch (error) {
    say("");
    throw explain(error);
  }
}

function describeSize(bytes) {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
