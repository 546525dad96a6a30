// What is going to be done, and why: the plan's own words.

import { make } from './view.js';

const row = (...cells) => make('tr', {}, ...cells.map((cell) => make('td', {}, cell ?? '')));
const head = (...names) => make('thead', {}, make('tr', {}, ...names.map((name) => make('th', { scope: 'col' }, name))));

export function decisions(plan) {
  return make(
    'div', {},
    make('table', { className: 'decisions stacked' }, head('Decision', 'Choice', 'Why'), make('tbody', {}, ...plan.decisions.map((at) => row(at.subject, at.choice, at.reason)))),
    make('h3', {}, 'Streams'),
    make('table', { className: 'stacked' }, head('Stream', 'Action', 'Why'), make('tbody', {}, ...plan.streams.map((at) => row(at.label, at.action, at.reason)))),
    ...(plan.notices ?? []).map((notice) => make('p', { className: 'soft' }, notice.message)));
}
