// An editor for settings, made from the service's own description of them.

import { ask } from './api.js';
import { button, make } from './view.js';

let schema;

async function properties() {
  schema ??= (await ask('/openapi.json')).components.schemas.Settings.properties;
  return schema;
}

/** Labels for the names that do not read as words. A job's own preset is another thing than the encoder's. */
const labels = {
  preset: 'Encoding speed', start: 'Start time', tune: 'Tuning', target: 'Target quality', bitrate: 'Bit rate', maxBitrate: 'Maximum bit rate', bFrames: 'B-frames', bDepth: 'Levels of B-frames',
  parallel: 'Parallel parts', segments: 'Segments in a cluster', maxSize: 'Maximum size', burnSubtitles: 'Burn in subtitles', device: 'GPU', hardware: 'Hardware acceleration',
  lowPower: 'Low-power encoder', asyncDepth: 'Frames in flight on the GPU', failOnFallback: 'Fail instead of falling back to software', failOnDowngrade: 'Fail instead of losing quality',
  audio: 'Audio codec', audioBitrate: 'Audio bit rate', audioTrack: 'Audio tracks', videoStream: 'Video stream', otherVideo: 'Other video streams', rotatePixels: 'Rotate the pixels',
  overwrite: 'If the output exists', replace: 'Replace the source', format: 'Container', fragmented: 'Fragmented MP4', hls: 'HLS', dash: 'DASH', ladder: 'Renditions (HLS and DASH)', maxSizeRatio: 'Maximum size relative to the source', verify: 'Verification',
};
const words = (name) => labels[name] ?? name.replace(/[A-Z]/g, (letter) => ' ' + letter.toLowerCase()).replace(/^./, (letter) => letter.toUpperCase());

function input(name, kind) {
  const choices = kind.enum ?? (kind.type === 'boolean' ? ['true', 'false'] : null);
  const more = { name, title: kind.description ?? '' };
  if (choices) return make('select', more, make('option', { value: '' }, 'default'), ...choices.map((value) => make('option', {}, String(value))));
  return make('input', { ...more, placeholder: 'default', autocomplete: 'off', inputMode: kind.type === 'string' ? 'text' : 'decimal' });
}

function value(text, kind) {
  if (kind.type === 'boolean') return text === 'true';
  return (kind.type === 'integer' || kind.type === 'number') && text !== '' && !isNaN(text) ? Number(text) : text;
}

/** Inputs for the names in `shown`, and a way to add any other. */
export async function settingsEditor(shown, given = {}) {
  const known = await properties(), inputs = new Map();
  const labeled = (name) => {
    const node = input(name, known[name]);
    if (given[name] !== undefined) node.value = String(given[name]);
    inputs.set(name, node);
    return make('label', {}, words(name), node);
  };
  const added = make('fieldset');
  const choice = make('select', { 'aria-label': 'Another setting' });
  const offer = () => choice.replaceChildren(...Object.keys(known).filter((name) => !inputs.has(name)).sort((a, b) => words(a).localeCompare(words(b))).map((name) => make('option', { value: name, title: known[name].description ?? '' }, words(name))));
  const add = (name) => {
    const node = make('div', { className: 'added' }, labeled(name), button('Remove', () => {
      inputs.delete(name);
      node.remove();
      offer();
      choice.focus();
    }, { title: 'Remove ' + words(name) }));
    added.append(node);
    offer();
  };
  const main = shown.map(labeled);
  Object.keys(given).filter((name) => known[name] && !inputs.has(name)).forEach(add);
  offer();
  return {
    main,
    more: make('details', { open: added.childElementCount > 0 }, make('summary', {}, 'More settings'), added, make('p', { className: 'row' }, choice, button('Add', () => add(choice.value)))),
    value: () => Object.fromEntries([...inputs].filter(([, node]) => node.value !== '').map(([name, node]) => [name, value(node.value.trim(), known[name])])),
  };
}
