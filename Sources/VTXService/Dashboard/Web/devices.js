// What there is to work with: how it is, how busy, and what it can do.

import { ask } from './api.js';
import { complain, curve, make, pill } from './view.js';

const history = new Map();

function engine(device, at) {
  const share = Math.round(100 * at.load / (at.capacity || 1)), key = device.device + ' ' + at.engine;
  const past = [...(history.get(key) ?? []), share].slice(-90);
  history.set(key, past);
  return make('div', {}, make('small', {}, at.engine + ': ' + share + ' % of ' + at.capacity), curve(past, at.engine + ' over the last minutes', 100));
}

function abilities(report) {
  const rows = (report?.rows ?? []).map((row) => make(
    'tr', {}, ...[row.direction + ' ' + row.codec, row.profile, (row.bitDepths ?? []).join(', ') + ' bits, ' + (row.chroma ?? ''), row.isUsed ? 'used' : ''].map((text) => make('td', {}, text))));
  return rows.length ? make('details', {}, make('summary', {}, 'What it can do'), make('table', {}, make('tbody', {}, ...rows))) : null;
}

function card(device) {
  return make(
    'li', { className: 'card' },
    make('div', { className: 'row' }, make('h3', { className: 'grow' }, device.name), make('small', {}, device.device), pill(device.isUsable ? device.health : 'unusable')),
    ...device.engines.map((at) => engine(device, at)),
    ...(device.report?.problems ?? []).map((problem) => make('p', { className: 'problem' }, problem.message ?? String(problem))),
    ...device.faults.map((fault) => make('p', { className: 'problem' }, fault.message ?? String(fault))),
    ...device.jobs.map((id) => make('a', { href: '#/jobs/' + id }, 'job ' + id + ' ')), abilities(device.report));
}

export function devicesPage() {
  const list = make('ul', { className: 'cards' });
  const draw = async () => {
    const open = [...list.children].map((node) => node.querySelector('details')?.open);
    list.replaceChildren(...(await ask('/v1/devices')).devices.map(card));
    [...list.children].forEach((node, index) => { if (open[index]) node.querySelector('details').open = true; });
  };
  draw().catch(complain);
  const timer = setInterval(() => draw().catch(() => {}), 2000);
  return { node: make('div', {}, make('h2', {}, 'Devices'), list), leave: () => clearInterval(timer) };
}
