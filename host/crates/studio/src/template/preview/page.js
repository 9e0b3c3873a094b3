'use strict';

const chosen = () => {
  const view = { format: element('format').value, edition: element('edition').value, part: part(), backs: element('backs').value };
  if (element('sample').value) view.sample = element('sample').value;
  const count = element('drawings').valueAsNumber;
  if (count >= 1) view.drawings = Math.min(Math.floor(count), choices.max_drawings);
  return view;
};
const part = () => {
  if (element('edition').value === 'home') return 'book';
  return element('part-label').hidden ? 'interior' : element('part').value;
};
const pictures = new Map();
let choices, seen = 0, asked = 0, last;

function drawn(name, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

async function picture(address) {
  if (!pictures.has(address)) {
    const svg = fetch(address).then(reply => reply.text());
    pictures.set(address, svg.then(text => new DOMParser().parseFromString(text, 'image/svg+xml').documentElement));
  }
  return document.importNode(await pictures.get(address), true);
}

// Shows the current book; drops responses to earlier requests that arrive late.
async function show() {
  const mine = ++asked;
  element('state').textContent = 'typesetting …';
  try {
    const shown = await json('/book?' + new URLSearchParams(chosen()));
    const svgs = await Promise.all(shown.pages.map(page => picture(page.picture)));
    if (mine !== asked) return;
    last = shown;
    forget();
    seen = shown.version;
    lay(shown, svgs);
    tell(shown);
    const used = new Set(shown.pages.map(page => page.picture));
    for (const address of pictures.keys()) if (!used.has(address)) pictures.delete(address);
  } catch (error) {
    if (mine === asked) element('state').textContent = `not shown: ${error.message}`;
  }
}

function lay(shown, svgs) {
  const book = element('book');
  const top = window.scrollY;
  const figures = shown.pages.map((page, index) => figure(page, index, svgs[index], shown));
  const spreads = [];
  if (figures.length && shown.pages[0].kind === 'wraparound') {
    spreads.push(make('div', { class: 'spread' }, ...figures));
  } else {
    // The first page of a book is a right-hand page.
    for (let index = -1; index < figures.length; index += 2) {
      const pair = [index, index + 1].map(at => figures[at] ?? make('figure', { class: 'empty' }));
      spreads.push(make('div', { class: 'spread' }, ...pair));
    }
  }
  book.replaceChildren(...spreads);
  book.classList.toggle('old', shown.is_old);
  window.scrollTo(0, top);
}

function figure(page, index, svg, shown) {
  const sheet = make('div', { class: 'sheet' }, svg);
  if (page.kind) sheet.addEventListener('click', event => point(event, sheet, page, shown));
  const findings = shown.is_old ? [] : shown.findings.filter(finding => finding.leaf === index + 1);
  if (page.kind) sheet.append(overlay(page, findings));
  const kind = page.kind ? page.kind : 'not a leaf';
  const caption = page.kind === 'wraparound' ? kind : `${index + 1} · ${kind} · ${page.side ?? ''}`;
  return make('figure', { class: page.kind === 'wraparound' ? 'wide' : '' }, sheet, make('figcaption', {}, caption));
}

function overlay(page, findings) {
  const wide = page.width + 2 * page.bleed, high = page.height + 2 * page.bleed;
  const over = drawn('svg', { class: 'overlay', viewBox: `${-page.bleed} ${-page.bleed} ${wide} ${high}`, preserveAspectRatio: 'none' });
  const box = (rectangle, name) => over.append(drawn('rect', { ...rectangle, class: name, 'data-box': name === 'free' ? 'safe' : name }));
  box({ x: 0, y: 0, width: page.width, height: page.height }, 'trim');
  if (page.live) box(page.live, 'live');
  for (const safe of page.safe) box(safe, 'safe');
  if (page.free) box(page.free, 'free');
  for (const finding of findings) if (finding.area) box(finding.area, 'findings');
  return over;
}

// Returns the element that is painted at this point, in millimeters: the smallest one, and of equal ones the last.
function elementAt(page, x, y) {
  let best;
  for (const source of page.sources) {
    const { x: left, y: top, width, height } = source.area;
    // Lines and dots are hard to hit.
    const near = 0.7;
    if (x < left - near || x > left + width + near || y < top - near || y > top + height + near) continue;
    if (!best || width * height <= best.area.width * best.area.height) best = source;
  }
  return best;
}

// Shows the line of the template that makes the element below the pointer.
function point(event, sheet, page, shown) {
  forget();
  const frame = sheet.getBoundingClientRect();
  const x = (event.clientX - frame.left) / frame.width * (page.width + 2 * page.bleed) - page.bleed;
  const y = (event.clientY - frame.top) / frame.height * (page.height + 2 * page.bleed) - page.bleed;
  const source = elementAt(page, x, y);
  if (!source) return;
  const place = shown.places[source.place];
  sheet.querySelector('.overlay').append(drawn('rect', { ...source.area, class: 'source' }));
  element('source-place').textContent = `${place.file}:${place.line}:${place.column}`;
  element('source-place').href = editor(place.file, place.line, place.column);
  element('source-text').textContent = (place.text ?? '').trim();
  element('source').hidden = false;
}

function forget() {
  document.querySelectorAll('.overlay .source').forEach(rect => rect.remove());
  element('source').hidden = true;
}

// Returns the link that opens a line of a template in the designer's editor.
function editor(file, line, column) {
  const values = { file: encodeURI(`${choices.folder}/${file}`), line: line ?? 1, column: column ?? 1 };
  return choices.editor.replace(/\{(file|line|column)\}/g, (_, name) => values[name]);
}

// Returns a paragraph with a place such as `theme.typ:12:3`, which opens the line.
function linked(place) {
  const [, file, line, column] = /^(.+?)(?::(\d+))?(?::(\d+))?$/.exec(place);
  return make('p', { class: 'place' }, make('a', { href: editor(file, line, column) }, place));
}

function tell(shown) {
  const articles = [];
  if (shown.refusal) articles.push(make('article', { class: 'warning' }, make('p', {}, `${shown.refusal}. The server would refuse to print it.`)));
  if (shown.problem) articles.push(make('article', { class: 'error' }, make('p', {}, shown.problem)));
  for (const diagnostic of shown.diagnostics) articles.push(diagnosed(diagnostic));
  for (const finding of shown.findings) articles.push(found(finding));
  element('messages').replaceChildren(...articles);
  element('messages').hidden = articles.length === 0;
  const state = element('state');
  state.classList.toggle('old', shown.is_old);
  const when = new Date().toLocaleTimeString();
  state.textContent = shown.is_old ? `the last good pages; the templates failed at ${when}` : `${shown.pages.length} pages, ${when}`;
  boxes();
}

function diagnosed({ is_error, message, place, hints, trace }) {
  const article = make('article', { class: is_error ? 'error' : 'warning' });
  if (place) {
    const where = [place.file, place.line, place.column].filter(part => part !== null && part !== undefined).join(':');
    article.append(linked(where));
  }
  article.append(make('p', {}, `${is_error ? 'error' : 'warning'}: ${message}`));
  if (place && place.text) article.append(make('pre', {}, place.text.trim()));
  for (const hint of hints) article.append(make('p', { class: 'hint' }, `hint: ${hint}`));
  for (const step of trace) article.append(make('p', { class: 'place' }, step));
  return article;
}

function found({ leaf, what, place, times, remedy }) {
  const more = times > 1 ? `, and ${times - 1} more` : '';
  const article = make('article', { class: 'finding' }, make('p', {}, `page ${leaf}: ${what}${more}. ${remedy}.`));
  if (place) article.prepend(linked(place));
  return article;
}

function boxes() {
  for (const input of document.querySelectorAll('input[data-box]')) {
    for (const box of document.querySelectorAll(`rect[data-box="${input.dataset.box}"]`)) {
      box.style.display = input.checked ? '' : 'none';
    }
  }
}

async function follow() {
  for (;;) {
    try {
      const { version } = await json(`/changes?after=${seen}`);
      if (version === seen) continue;
      // `layout.toml` may have other formats now.
      offer(await json('/choices'));
      await show();
      // The user chose another format in the meantime, or the request failed, which the page shows.
      if (version > seen) await pause(500);
    } catch (error) {
      element('state').textContent = `the preview has ended: ${error.message}`;
      await pause(2000);
    }
  }
}

function dress() {
  element('part-label').hidden = !choices.has_wraparound || element('edition').value === 'home';
}

// Fills the lists with these choices. What is chosen stays chosen if it is still offered.
function offer(offered) {
  choices = offered;
  fill('format', choices.formats.map(({ id, name }) => [id, name]), choices.first);
  fill('edition', choices.editions.map(id => [id, id]));
  fill('backs', choices.backs.map(id => [id, id]));
  fill('sample', choices.samples.map(id => [id, id]));
  element('sample-label').hidden = choices.samples.length === 0;
  element('drawings').max = choices.max_drawings;
  dress();
}

function fill(name, options, first) {
  const before = element(name).value || first;
  element(name).replaceChildren(...options.map(([value, text]) => make('option', { value }, text)));
  choose(name, before);
}

// Chooses an option if there is one of this value, and otherwise the first.
function choose(name, value) {
  const known = [...element(name).options].some(option => option.value === value);
  if (known) element(name).value = value;
  else if (!element(name).value) element(name).selectedIndex = 0;
}

async function start() {
  offer(await json('/choices'));
  document.title = `${choices.layout}: preview`;
  element('layout').textContent = choices.layout;
  element('layout').title = choices.folder;
  const wanted = new URLSearchParams(location.search);
  for (const name of ['format', 'edition', 'backs', 'sample', 'part']) choose(name, wanted.get(name));
  element('drawings').value = wanted.get('drawings') ?? '';
  dress();
  for (const name of ['format', 'edition', 'backs', 'sample', 'drawings', 'part']) {
    element(name).addEventListener('change', () => {
      dress();
      history.replaceState(null, '', '?' + new URLSearchParams(chosen()));
      show();
    });
  }
  element('source-close').addEventListener('click', forget);
  for (const name of wanted.getAll('box')) {
    const input = document.querySelector(`input[data-box="${CSS.escape(name)}"]`);
    if (input) input.checked = true;
  }
  document.querySelectorAll('input[data-box]').forEach(input => input.addEventListener('change', boxes));
  const size = () => document.documentElement.style.setProperty('--page', `${element('size').value}px`);
  element('size').addEventListener('input', size);
  const dark = () => document.documentElement.classList.toggle('dark', element('dark').checked);
  element('dark').checked = matchMedia('(prefers-color-scheme: dark)').matches;
  element('dark').addEventListener('change', dark);
  dark();
  await show();
  follow();
}

start();
