// The files of an output that is a directory, and a player for them.

import { ask, download } from './api.js';
import { button, bytes, guarded, make } from './view.js';

const type = { m3u8: 'application/vnd.apple.mpegurl', mpd: 'application/dash+xml' };
const plays = (name) => document.createElement('video').canPlayType(type[name.split('.').pop()] ?? '') !== '';

/** Plays the output where the browser can, and shows its address for other players. */
async function play(job, place) {
  const { path, expiresAt } = await ask('/v1/jobs/' + job.id + '/download', 'POST');
  const address = make('input', { readOnly: true, value: new URL(path, location).href, 'aria-label': 'Address for players', onfocus: (event) => event.target.select() });
  place.replaceChildren(...[
    plays(path) ? make('video', { controls: true, autoplay: true, src: path }) : null,
    make('label', { className: 'wide' }, (plays(path) ? 'Address' : 'This browser does not play it. Address') + ' for players, until ' + new Date(expiresAt).toLocaleString(), address),
  ].filter(Boolean));
}

export function files(job) {
  const place = make('div');
  const row = ({ name, bytes: count }) => make(
    'tr', {}, make('td', {}, make('a', { href: '#/jobs/' + job.id, onclick: guarded((event) => { event.preventDefault(); return download(job, name); }) }, name)), make('td', {}, bytes(count)));
  return [
    make('p', { className: 'row' }, button('Play', () => play(job, place), { className: 'main' })), place,
    make('details', {}, make('summary', {}, job.result.files.length + ' files'), make('table', {}, make('tbody', {}, ...job.result.files.map(row)))),
  ];
}
