// Presets and watch folders: small records with a name, listed, made and removed in the same way.

import { ask } from './api.js';
import { settingsEditor } from './settings.js';
import { button, complain, guarded, make, pill } from './view.js';

const text = (settings) => Object.entries(settings).map(([name, value]) => name + '=' + value).join(', ') || 'no settings';
const field = (name, label, value = '', more = {}) => make('label', {}, label, make('input', { name, value, autocomplete: 'off', ...more }));
const rule = { required: true, pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]*', title: 'Letters, digits, and . _ - after the first one' };

async function presetChoice(chosen = '') {
  const { presets } = await ask('/v1/presets'), node = make('select', { name: 'preset' }, make('option', { value: '' }, 'none'), ...[...new Set([...presets.map(({ name }) => name), chosen].filter(Boolean))].map((name) => make('option', {}, name)));
  node.value = chosen;
  return make('label', {}, 'Preset', node);
}

/** A page of records at `path`: `describe` says what one is, `marks` how it is, `fields` and `body` make one. */
function recordsPage({ heading, explanation, path, list, describe, marks, fields, body }) {
  const cards = make('ul', { className: 'cards' }), form = make('form', { className: 'card' });
  const at = (name) => path + '/' + encodeURIComponent(name);
  const draw = async () => cards.replaceChildren(...(await ask(path))[list].map((record) => make(
    'li', { className: 'card' }, make('div', { className: 'row' }, make('h3', { className: 'grow' }, record.name), ...(marks?.(record) ?? []),
      button('Edit', async () => { await fill(record); form.elements.name.focus(); }, { title: 'Edit ' + record.name }),
      record.isBuiltIn ? null : button('Remove', async () => { await ask(at(record.name), 'DELETE'); await draw(); }, { title: 'Remove ' + record.name })), make('small', { className: 'particulars' }, describe(record)))));
  const fill = async (record = {}) => {
    const editor = await settingsEditor(['codec', 'quality', 'hardware'], record.settings);
    form.replaceChildren(make('fieldset', {}, field('name', 'Name', record.name, { ...rule, readOnly: record.name !== undefined }), ...await fields(record), ...editor.main), editor.more,
      make('div', {}, make('button', { className: 'main' }, 'Save'), ' ', record.name === undefined ? null : button('Cancel', () => fill())));
    form.onsubmit = guarded(async (event) => {
      event.preventDefault();
      const given = Object.fromEntries(new FormData(form));
      await ask(at(given.name), 'PUT', body(given, editor.value(), record));
      await Promise.all([draw(), fill()]);
    });
  };
  Promise.all([draw(), fill()]).catch(complain);
  return { node: make('div', {}, make('h2', {}, heading), make('p', { className: 'soft' }, explanation), cards, form), leave() {} };
}

export const presetsPage = () => recordsPage({
  heading: 'Presets', explanation: 'Named settings for jobs and watch folders.',
  path: '/v1/presets', list: 'presets', describe: (preset) => [preset.description, text(preset.settings)].filter(Boolean).join(' '), fields: () => [],
  body: (given, settings, { description }) => ({ settings, ...(description ? { description } : {}) }),
});

export const foldersPage = () => recordsPage({
  heading: 'Watch folders', explanation: 'Each complete file in the folder becomes one job.',
  path: '/v1/watch-folders', list: 'watchFolders',
  describe: (folder) => [folder.path + ' to ' + (folder.output ?? 'the same folder'), folder.preset, Object.keys(folder.settings).length || !folder.preset ? text(folder.settings) : null, folder.problem].filter(Boolean).join(' · '),
  marks: (folder) => [pill(folder.state)],
  fields: async (folder) => [
    field('path', 'Folder', folder.path, { required: true, placeholder: '/media/inbox' }), field('output', 'Output folder', folder.output, { placeholder: 'beside the source' }), await presetChoice(folder.preset),
    field('codecs', 'Skip these codecs', folder.skip?.codecs && (folder.skip.codecs.join(', ') || 'none'), { placeholder: 'hevc, av1, none; by default the output codec', title: 'Codecs, or none. If empty: the codec of the output, if nothing else would change' }),
    field('gain', 'Skip if smaller by less than (%)', folder.skip?.minimumGain === undefined ? '' : Math.round(100 * folder.skip.minimumGain), { type: 'number', min: 0, max: 100 })],
  // What the form does not show stays as it is.
  body: (given, settings, { name, state, problem, ...kept }) => {
    const codecs = given.codecs.split(/[ ,]+/).filter((codec) => codec && codec !== 'none');
    const skip = { ...(given.codecs.trim() ? { codecs } : {}), ...(given.gain ? { minimumGain: given.gain / 100 } : {}) };
    const { output, preset, ...others } = kept;
    return { ...others, path: given.path, settings, ...(given.output ? { output: given.output } : {}), ...(given.preset ? { preset: given.preset } : {}), skip };
  },
});
