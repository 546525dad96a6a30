// The jobs that pages show, kept up to date by the service's events.

import { ask, follow } from './api.js';
import { complain } from './view.js';

export const active = new Set(['planning', 'waiting', 'running', 'verifying']);
export const waits = new Set(['queued', 'waiting', 'paused']);
export const ended = new Set(['succeeded', 'failed', 'cancelled', 'skipped']);

const jobs = new Map(), listeners = new Set();
let cursor, shown = [], counts, waiting = false;

export const all = () => [...jobs.values()];
export const job = (id) => jobs.get(id);
export const hasMore = () => cursor !== undefined;
/** Whether the list of these states has a job in this one; no states are all. */
export const holds = (states, state) => !states.length || states.includes(state);
/** How many jobs the service has in these states; undefined until that is known. */
export const count = (states) => counts && Object.entries(counts).reduce((sum, [state, many]) => sum + (holds(states, state) ? many : 0), 0);

/** Calls `changed` after changes, at most once a frame; the function that comes back ends that. */
export function listen(changed) {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

function tell() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    listeners.forEach((changed) => changed());
  });
}

export function keep(job) {
  jobs.set(job.id, job);
  tell();
  return job;
}

/** The job whose page is shown. */
const opened = () => location.hash.match(/^#\/jobs\/(\w+)/)?.[1];

const page = (states, limit, from) => ask('/v1/jobs?limit=' + limit + states.map((state) => '&state=' + state).join('') + (from ? '&cursor=' + encodeURIComponent(from) : ''));

/** The next page of the list, the newest jobs first. */
export async function load() {
  const states = shown;
  const next = await page(states, 100, cursor);
  if (states !== shown) return;
  cursor = next.cursor;
  next.jobs.forEach(keep);
  tell();
}

/** From now on the list is of the jobs in these states. */
export async function show(states) {
  shown = states;
  await reload();
}

/** The jobs at work, which may be older than any page: all of them, unless there are thousands. */
async function atWork() {
  const found = [];
  for (let from, more = true; more && found.length < 2000;) {
    const next = await page([...active], 500, from);
    found.push(...next.jobs);
    from = next.cursor;
    more = from !== undefined;
  }
  return found;
}

/** The newest jobs and those at work, and no others but that of an open page: so a list stays short, however many come. */
async function reload() {
  const states = shown;
  const [working, newest] = await Promise.all([atWork(), page(states, 100)]);
  if (states !== shown) return;
  cursor = newest.cursor;
  for (const id of jobs.keys()) if (id !== opened()) jobs.delete(id);
  [...working, ...newest.jobs].forEach(keep);
  recount();
}

let counting;

/** Asks for the counts, once for all changes of a second. */
function recount() {
  counting ??= setTimeout(async () => {
    counting = undefined;
    counts = await ask('/v1/jobs/counts').catch(complain) ?? counts;
    tell();
  }, counts ? 1000 : 0);
}

export async function refresh(id) { return keep(await ask('/v1/jobs/' + id)); }

/** Does something to a job, and shows what became of it. */
export async function act(id, path, method = 'POST', body = undefined) {
  return keep(await ask('/v1/jobs/' + id + path, method, body));
}

const changed = new Set();
let catchingUp = false;

/** Asks for the jobs that have changed: a few one by one, and many at once; one request at a time, whatever comes. */
async function catchUp() {
  if (catchingUp) return;
  catchingUp = true;
  try {
    while (changed.size) {
      const ids = [...changed];
      changed.clear();
      const isMany = ids.length > 8 || jobs.size > 3000;
      if (isMany) await reload();
      for (const id of ids) if (!isMany || id === opened()) await refresh(id).catch(complain);
      recount();
      await new Promise((after) => setTimeout(after, 100));
    }
  } finally {
    catchingUp = false;
  }
}

function receive(type, record) {
  if (type === 'job' || type === 'thumbnail') {
    changed.add(record.job);
    catchUp().catch(complain);
  }
  const known = jobs.get(record.job);
  if (type === 'progress' && known) keep({ ...known, progress: record });
}

/** After a lost connection anything may have happened. */
async function begin() {
  await reload();
  if (opened()) await refresh(opened());
}

export function start(state) {
  follow('/v1/events', new AbortController().signal, receive, (text) => {
    if (text === 'connected') begin().catch(complain);
    state(text);
  });
}
