// The form for a job: a file of the host or one that is sent there, what to make of it, and what would be done.

import { ask, upload } from './api.js';
import { settingsEditor } from './settings.js';
import { decisions } from './plan.js';
import { keep } from './store.js';
import { button, guarded, make } from './view.js';

function fields(names) {
  const path = make('input', { name: 'path', placeholder: '/media/clip.mkv', autocomplete: 'off' });
  const file = make('input', { name: 'file', type: 'file' });
  const preset = make('select', { name: 'preset' }, make('option', { value: '' }, 'none'), ...names.map((name) => make('option', {}, name)));
  const output = make('input', { name: 'output', placeholder: 'next to the source; end a directory with /', autocomplete: 'off' });
  return { path, file, preset, output };
}

export function newJob() {
  const place = make('div', { className: 'card' });
  build(place).catch((error) => place.append(error.message));
  return place;
}

async function build(place) {
  const [{ presets }, editor] = await Promise.all([ask('/v1/presets'), settingsEditor(['codec', 'quality', 'hardware'])]);
  const { path, file, preset, output } = fields(presets.map((known) => known.name));
  const plan = make('div', { 'aria-live': 'polite' });
  let uploaded = {};
  /** The upload's ID: a file is sent when the rest of the request is right, and once, whatever comes of it. */
  const sent = async (source) => {
    const isThere = uploaded.source === source && await ask('/v1/uploads/' + uploaded.id).catch(() => null);
    if (!isThere) uploaded = { source, id: await upload(source) };
    return uploaded.id;
  };
  const request = () => {
    const source = !path.value && file.files[0];
    const place = output.value.trim(), directory = place.replace(/(.)\/+$/, '$1');
    return {
      input: source ? { upload: 'later' } : { path: path.value.trim() },
      settings: editor.value(), ...(place ? { output: place.endsWith('/') ? { directory } : { path: place } } : {}), ...(preset.value ? { preset: preset.value } : {}),
    };
  };
  const checked = async () => {
    const body = request(), source = file.files[0];
    if (!path.value && !source) throw new Error('a path or a file is required');
    if (!body.input.upload) return body;
    await ask('/v1/jobs/check', 'POST', body);
    return { ...body, input: { upload: await sent(source) } };
  };
  const submit = guarded(async (event) => {
    event.preventDefault();
    start.disabled = true;
    try { keep(await ask('/v1/jobs', 'POST', await checked())); } finally { start.disabled = false; }
    uploaded = {};
    form.reset();
    plan.replaceChildren();
  });
  const look = guarded(async () => {
    if (!path.value) throw new Error('a plan requires a path; an uploaded file is planned after the upload');
    plan.replaceChildren(decisions(await ask('/v1/plan', 'POST', request())));
  });
  const start = make('button', { className: 'main' }, 'Start');
  const form = make(
    'form', { onsubmit: submit },
    make('fieldset', {}, make('label', { className: 'wide' }, 'File on the server', path), make('label', { className: 'wide' }, 'or upload a file', file), make('label', { className: 'wide' }, 'Output', output)),
    make('fieldset', {}, make('label', {}, 'Preset', preset), ...editor.main),
    editor.more, make('div', { className: 'row' }, start, button('Show the plan', look)), plan);
  place.replaceChildren(form);
}
