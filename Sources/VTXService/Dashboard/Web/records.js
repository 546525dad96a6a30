// Presets and watch folders: small records with a name, listed, made and removed in the same way.

import { ask } from './api.js';
import { settingsEditor } from './settings.js';
import { button, complain, guarded, make, pill } from './view.js';

const text = (settings) => Object.entries(settings).map(([name, value]) => name + '=' + value).join(', ') || 'no settings';
const field = (name, label, more = {}) => make('label', {}, label, make('input', { name, autocomplete: 'off', ...more }));

/** A page of records at `path`: `describe` shows one, `fields` and `body` make one. */
function recordsPage({ heading, explanation, path, list, describe, fields, body }) {
  const cards = make('ul', { className: 'cards' }), form = make('form', { className: 'card' });
  const at = (name) => path + '/' + encodeURIComponent(name);
  const draw = async () => cards.replaceChildren(...(await ask(path))[list].map((record) => make(
    'li', { className: 'card' }, make('div', { className: 'row' }, make('h3', { className: 'grow' }, record.name), ...describe(record),
      button('Remove', async () => { await ask(at(record.name), 'DELETE'); await draw(); }, { title: 'Remove ' + record.name })))));
  const fill = async () => {
    const editor = await settingsEditor(['codec', 'quality', 'hardware']);
    form.replaceChildren(make('fieldset', {}, field('name', 'Name', { required: true, pattern: '[a-z0-9][a-z0-9\\-]*' }), ...fields(), ...editor.main), editor.more,
      make('div', {}, make('button', { className: 'main' }, 'Save')));
    form.onsubmit = guarded(async (event) => {
      event.preventDefault();
      const given = Object.fromEntries(new FormData(form));
      await ask(at(given.name), 'PUT', body(given, editor.value()));
      await Promise.all([draw(), fill()]);
    });
  };
  Promise.all([draw(), fill()]).catch(complain);
  return { node: make('div', {}, make('h2', {}, heading), make('p', { className: 'soft' }, explanation), cards, form), leave() {} };
}

export const presetsPage = () => recordsPage({
  heading: 'Presets', explanation: 'Settings with a name. web, phone, tv, archive and chat are there without being made.',
  path: '/v1/presets', list: 'presets', describe: (preset) => [make('small', {}, text(preset.settings))], fields: () => [],
  body: (given, settings) => ({ settings }),
});

export const foldersPage = () => recordsPage({
  heading: 'Watch folders', explanation: 'Each file that is complete in the folder becomes a job, once.',
  path: '/v1/watch-folders', list: 'watchFolders',
  describe: (folder) => [make('small', {}, folder.path + ' to ' + (folder.output ?? 'the same place') + ', ' + (folder.preset ?? text(folder.settings))), pill(folder.state)],
  fields: () => [field('path', 'Folder', { required: true, placeholder: '/media/inbox' }), field('output', 'Outputs go to', { placeholder: 'beside the source' }), field('preset', 'Preset'),
    field('codecs', 'Leave alone what is', { placeholder: 'hevc, av1' }), field('gain', 'and what gets smaller by less than (%)', { type: 'number', min: 0, max: 100 })],
  body: (given, settings) => ({
    path: given.path, settings, ...(given.output ? { output: given.output } : {}), ...(given.preset ? { preset: given.preset } : {}),
    skip: { codecs: given.codecs.split(/[ ,]+/).filter(Boolean), ...(given.gain ? { minimumGain: given.gain / 100 } : {}) },
  }),
});
