'use strict';

let seen = -1;

function state(shown) {
  if (shown.is_working) return `running ${shown.command} …`;
  if (!shown.is_old) return `updated at ${new Date().toLocaleTimeString()}`;
  return shown.plugin ? 'the result below is the last good one' : '';
}

function show(shown) {
  document.title = shown.plugin || 'Plugin development';
  element('plugin').textContent = shown.plugin;
  element('folder').textContent = shown.folder;
  element('state').textContent = state(shown);
  element('problem').hidden = !shown.problem;
  element('problem-title').textContent = shown.problem?.title ?? '';
  element('problem-text').textContent = shown.problem?.text ?? '';
  element('result').classList.toggle('old', shown.is_old);
  element('facts').replaceChildren(...shown.facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
  element('rows').replaceChildren(...shown.rows.map(row => make('tr', {}, ...row.map(cell => make('td', {}, cell)))));
  element('file').replaceChildren(...file(shown.file));
}

function file(shown) {
  if (!shown) return [];
  if (shown.is_picture) return [make('img', { src: shown.url, alt: 'The picture that the plugin drew or reviewed' })];
  return [make('a', { href: shown.url, target: '_blank' }, 'Open the PDF of the sample book')];
}

async function follow() {
  for (;;) {
    try {
      const shown = await json('/result');
      seen = shown.version;
      show(shown);
      await json(`/changes?after=${seen}`);
    } catch (error) {
      element('state').textContent = `the command has ended: ${error.message}`;
      await pause(2000);
    }
  }
}

follow();
