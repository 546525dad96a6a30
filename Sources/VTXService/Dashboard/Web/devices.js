// What there is to work with: how it is, how busy, and what it can do.

import { ask } from './api.js';
import { button, complain, curve, make, pill } from './view.js';

const history = new Map();

function engine(device, at) {
  const share = Math.round(100 * at.load / (at.capacity || 1)), key = [device.worker, device.device, at.engine].join(' ');
  const past = [...(history.get(key) ?? []), share].slice(-90);
  history.set(key, past);
  return make('div', {}, make('small', {}, at.engine + ': ' + share + ' % of ' + at.capacity), curve(past, at.engine + ' over the last minutes', 100));
}

function abilities(report) {
  const rows = (report?.rows ?? []).map((row) => make(
    'tr', {}, ...[row.direction + ' ' + row.codec, row.profile, (row.bitDepths ?? []).join(', ') + ' bits, ' + (row.chroma ?? ''), row.isUsed ? 'used' : ''].map((text) => make('td', {}, text))));
  return rows.length ? make('details', {}, make('summary', {}, 'Capabilities'), make('table', {}, make('tbody', {}, ...rows))) : null;
}

const tests = new Map();

/** Its name alone is another one's too, where several workers have GPUs. */
const full = (device) => [device.worker, device.device].filter(Boolean).join(' ');

/** A test says what came out, and stays until the page is left. */
async function test(device, address, draw) {
  tests.set(full(device), make('p', { role: 'status' }, 'Testing with known pictures'));
  draw();
  const done = await ask(address('test'), 'POST').catch((error) => { tests.delete(full(device)); throw error; });
  const passed = done.trials.filter((trial) => trial.verdict === 'passed').length;
  const wrong = done.trials.filter((trial) => !['passed', 'skipped'].includes(trial.verdict)).map((trial) => make(
    'li', {}, [trial.direction, trial.codec, trial.profile, trial.verdict, trial.evidence].filter(Boolean).join(' ')));
  tests.set(full(device), make(
    'div', { role: 'status' },
    make('p', { className: done.passed ? 'succeeded' : 'problem' }, (done.passed ? 'Passed' : done.error.message) + ': ' + passed + ' of ' + done.trials.length + ' trials'),
    ...(wrong.length ? [make('ul', {}, ...wrong)] : [])));
  await draw();
}

function actions(device, draw) {
  if (!device.isHardware || !device.isUsable) return [];
  const query = device.worker ? '?worker=' + encodeURIComponent(device.worker) : '';
  const address = (action) => '/v1/devices/' + encodeURIComponent(device.device) + '/' + action + query;
  return [
    button('Test', () => test(device, address, draw), { title: 'Test ' + full(device), disabled: device.health === 'testing' }),
    device.health === 'quarantined' || device.health === 'suspect' ? button('Release', async () => { await ask(address('release'), 'POST'); await draw(); }, { title: 'Release ' + full(device) }) : null,
  ];
}

function card(device, draw) {
  return make(
    'li', { className: 'card' },
    make('div', { className: 'row' }, make('h3', { className: 'grow' }, device.name), make('small', {}, full(device)), pill(device.isUsable ? device.health : 'unusable'), ...actions(device, draw)),
    tests.get(full(device)),
    make('div', { className: 'engines' }, ...device.engines.map((at) => engine(device, at))),
    ...(device.report?.problems ?? []).map((problem) => make('p', { className: 'problem' }, problem.message ?? String(problem))),
    ...device.faults.map((fault) => make('p', { className: 'problem' }, fault.message ?? String(fault))),
    ...device.jobs.map((id) => make('div', {}, make('a', { href: '#/jobs/' + id }, 'job ' + id))), abilities(device.report));
}

export function devicesPage() {
  const list = make('ul', { className: 'cards' });
  const draw = async () => {
    const open = [...list.children].map((node) => node.querySelector('details')?.open);
    const focus = document.activeElement?.title;
    list.replaceChildren(...(await ask('/v1/devices')).devices.map((device) => card(device, draw)));
    if (focus) [...list.querySelectorAll('button')].find((node) => node.title === focus)?.focus();
    [...list.children].forEach((node, index) => { if (open[index]) node.querySelector('details').open = true; });
  };
  draw().catch(complain);
  const timer = setInterval(() => draw().catch(() => {}), 2000);
  return { node: make('div', {}, make('h2', {}, 'Devices'), list), leave: () => { clearInterval(timer); tests.clear(); } };
}
