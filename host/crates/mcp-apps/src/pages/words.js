// Words of the server as words for people.

// The faults of a drawing by their codes, as the server explains them.
const FAULTS = {
  blank: "Next to nothing is drawn on the page.",
  too_dark: "So much is black that little is left to color.",
  shaded: "Parts are gray instead of outlined: in print they become black or vanish, or stay gray.",
  filled: "Something is filled with black instead of outlined.",
  leaking: "One region takes more than a third of the page: an outline is open somewhere.",
  too_fine: "Many regions are too small to color.",
  too_thin: "The lines are too thin for the hands that color.",
};

// The fields that errors name, as these pages label them.
const FIELDS = {
  prompt: "text “What it shows”",
  "cover.prompt": "text “What the cover shows”",
  instruction: "text “What to change”",
};

// The errors whose messages are only for agents.
const ERRORS = {
  book_not_ready: "The book is not ready: some of its pictures are missing or are still being drawn.",
};

// An id or the name of a tool or field, such as page_01M8, a4_landscape or get_book. Sentences with one are advice for
// agents, unless the page knows a name for it.
const IDENTIFIER = /\b[a-z][a-z0-9]*_\w+/;
const knownNames = new Map();

function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

// A word of the server, such as too_dark, for people.
function plain(word) {
  return word.replaceAll("_", " ");
}

function explainFault(code) {
  return FAULTS[code] ?? `The drawing has a fault: ${plain(code)}.`;
}

// The text for people of an error of the server, of which `text` is the message for agents.
function describeError({ code, details = [] }, text) {
  if (Object.hasOwn(ERRORS, code)) return ERRORS[code];
  const described = details.map(describeDetail).filter(Boolean).join(" ") || forPeople(text);
  return described || "The server could not do this.";
}

// The sentences that are for people.
function forPeople(text) {
  const named = text.replace(new RegExp(IDENTIFIER, "g"), (id) => knownNames.get(id) ?? id);
  return named.split(/(?<=[.!?]) /).filter((sentence) => !IDENTIFIER.test(sentence)).join(" ");
}

function describeDetail({ field, message }) {
  // Some messages are sentences, which may begin with an id; the others say something about the field.
  if (/^[A-Z]|[.!?]$/.test(message)) return forPeople(message.replace(/[^.!?]$/, "$&."));
  const page = /^pages\[(\d+)\]\.?/.exec(field);
  const name = page ? field.slice(page[0].length) : field;
  const place = page ? `page ${Number(page[1]) + 1}` : "";
  const subject = [FIELDS[name] ?? plain(name), place].filter(Boolean).join(" of ");
  return `The ${subject} ${message}.`;
}
