// The list of jobs, and the form for a new one.

import { download } from './api.js';
import { newJob } from './newjob.js';
import { act, active, all, count, ended, hasMore, holds, listen, load, show, waits } from './store.js';
import { thumbnail } from './thumbnails.js';
import { button, bytes, guarded, make, moment, pill, time } from './view.js';

const filters = {
  All: [],
  Working: [...active].filter((state) => !waits.has(state)),
  Waiting: [...waits],
  Failed: ['failed'],
  Cancelled: ['cancelled'],
  Done: ['succeeded', 'skipped'],
};
let filter = 'All';

export const source = (job) => job.input.path ?? job.input.url ?? job.input.name ?? 'upload ' + job.input.upload;
export const title = (job) => source(job).split('/').pop();
export const stateOf = (job) => job.stopping ? 'stopping' : job.state;

/** What may be done with a job in its state. */
export function actions(job) {
  const has = (label, path, method) => button(label, () => act(job.id, path, method), { title: label + ' ' + title(job) });
  return [
    ['queued', 'waiting', 'planning', 'running'].includes(job.state) ? has('Pause', '/pause') : null,
    job.state === 'paused' ? has('Resume', '/resume') : null,
    ended.has(job.state) ? null : has('Cancel', '', 'DELETE'),
    ended.has(job.state) && job.state !== 'succeeded' ? has('Retry', '/retry') : null,
    job.state === 'succeeded' && !job.output?.url && !job.result.files ? button('Download', () => download(job), { title: 'Download ' + title(job) }) : null,
  ];
}

export function progress(job) {
  const at = job.progress;
  if (!active.has(job.state) || !at) return null;
  const bar = make('progress', { max: 100, 'aria-label': 'progress of ' + title(job) });
  if (at.percent !== undefined) bar.value = at.percent;
  const parts = [
    at.percent !== undefined ? Math.floor(at.percent) + ' %' : at.phase, at.fps ? at.fps.toFixed(0) + ' fps' : null,
    at.speed ? at.speed.toFixed(1) + 'x' : null, at.etaSeconds !== undefined ? time(at.etaSeconds) + ' left' : null,
    [...new Set(Object.values(job.attempts.at(-1)?.devices ?? {}))].join(' and ') || null,
  ];
  return make('div', {}, bar, make('small', {}, parts.filter(Boolean).join(', ')));
}

export function outcome(job) {
  if (job.error) return make('p', { className: 'problem' }, job.error.message);
  if (job.reason) return make('small', {}, job.reason);
  if (!job.result) return null;
  const { sourceBytes: before, outputBytes: after, files } = job.result;
  const change = files ? ' in ' + files.length + ' files' : before ? ', ' + Math.abs(100 - 100 * after / before).toFixed(0) + (after < before ? ' % smaller' : ' % larger') : '';
  return make('small', {}, bytes(before) + ' to ' + bytes(after) + change);
}

/** What tells a job from another one of the same source. */
function particulars(job) {
  const output = job.result?.output ?? job.output?.path ?? job.output?.directory ?? job.output?.url;
  const settings = Object.entries(job.settings).map(([name, value]) => name + '=' + value).join(', ');
  return make('small', { className: 'particulars' }, [
    output && !(job.input.upload && !job.output) ? 'to ' + output : null, job.preset, settings || null, moment(job.endedAt ?? job.createdAt),
  ].filter(Boolean).join(' · '));
}

/** Dropped on another job that waits, a job is done before it. */
function draggable(node, job) {
  if (job.state !== 'queued') return node;
  const mark = (name, on) => () => node.classList.toggle(name, on);
  node.draggable = true;
  node.addEventListener('dragstart', (event) => { event.dataTransfer.setData('text/vtx-job', job.id); mark('dragged', true)(); });
  node.addEventListener('dragend', mark('dragged', false));
  node.addEventListener('dragover', (event) => { event.preventDefault(); mark('over', true)(); });
  node.addEventListener('dragleave', mark('over', false));
  node.addEventListener('drop', guarded(async (event) => {
    event.preventDefault();
    mark('over', false)();
    const id = event.dataTransfer.getData('text/vtx-job');
    if (id && id !== job.id) await act(id, '', 'PATCH', { priority: Math.min(100, job.priority + 1) });
  }));
  return node;
}

function priority(job) {
  if (job.state !== 'queued') return null;
  const change = (by) => act(job.id, '', 'PATCH', { priority: Math.max(-100, Math.min(100, job.priority + by)) });
  return make(
    'span', { className: 'soft' }, 'priority ' + job.priority + ' ',
    button('Sooner', () => change(10), { title: title(job) + ' sooner' }), ' ',
    button('Later', () => change(-10), { title: title(job) + ' later' }));
}

function card(job) {
  return draggable(make(
    'li', { className: 'card', 'data-job': job.id },
    make(
      'div', { className: 'row' },
      thumbnail(job, 'source'),
      make('a', { className: 'name grow', href: '#/jobs/' + job.id }, title(job)),
      pill(stateOf(job)), priority(job), ...actions(job)),
    progress(job), outcome(job), particulars(job)), job);
}

/** Those at work first, then those that wait in the order of their priority, then the newest. */
const rank = (job) => waits.has(job.state) ? 1 : ended.has(job.state) ? 2 : 0;
const order = (a, b) => rank(a) - rank(b) || (rank(a) === 1 ? b.priority - a.priority || a.createdAt.localeCompare(b.createdAt)
  : (b.endedAt ?? b.createdAt).localeCompare(a.endedAt ?? a.createdAt));

export function jobsPage() {
  const list = make('ol', { className: 'cards' }), bar = make('div', { className: 'filters', role: 'group', 'aria-label': 'Which jobs' });
  const more = button('More', () => load());
  const draw = () => {
    if (list.querySelector('.dragged')) return;
    const focus = document.activeElement?.title;
    bar.replaceChildren(...Object.entries(filters).map(([name, states]) => button(
      name + ' ' + (count(states) ?? ''), () => { filter = name; draw(); return show(states); }, { 'aria-pressed': String(name === filter) })));
    const shown = all().filter((job) => holds(filters[filter], job.state)).sort(order);
    list.replaceChildren(...(shown.length ? shown.map(card) : [make('li', { className: 'soft' }, 'No jobs.')]));
    if (focus) [...list.querySelectorAll('button')].find((node) => node.title === focus)?.focus();
    more.hidden = !hasMore();
  };
  draw();
  return {
    node: make('div', {}, make('h2', {}, 'New job'), newJob(), make('h2', {}, 'Jobs'), bar, make('p'), list, more),
    leave: listen(draw),
  };
}
