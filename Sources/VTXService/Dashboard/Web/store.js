// The jobs that pages show, kept up to date by the service's events.

import { ask, follow } from './api.js';
import { complain } from './view.js';

export const active = new Set(['planning', 'waiting', 'running', 'verifying']);
export const waits = new Set(['queued', 'waiting', 'paused']);
export const ended = new Set(['succeeded', 'failed', 'cancelled', 'skipped']);

const jobs = new Map(), listeners = new Set();
let cursor, waiting = false;

export const all = () => [...jobs.values()];
export const job = (id) => jobs.get(id);
export const hasMore = () => cursor !== undefined;

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

/** The next page of the list, the newest jobs first. */
export async function load(more = false) {
  const page = await ask('/v1/jobs?limit=100' + (more ? '&cursor=' + encodeURIComponent(cursor) : ''));
  if (more || cursor === undefined) cursor = page.cursor;
  page.jobs.forEach(keep);
  tell();
}

/** The newest jobs and those at work, and no others: so a list stays short, however many come. */
async function reload() {
  const page = await ask('/v1/jobs?limit=100');
  cursor = page.cursor;
  for (const [id, { state }] of jobs) if (!active.has(state)) jobs.delete(id);
  page.jobs.forEach(keep);
}

export async function refresh(id) { return keep(await ask('/v1/jobs/' + id)); }

/** Does something to a job, and shows what became of it. */
export async function act(id, path, method = 'POST', body = undefined) {
  return keep(await ask('/v1/jobs/' + id + path, method, body));
}

const changed = new Map();
let catchingUp = false;

/** Asks for the jobs that have changed: a few one by one, and many at once; one request at a time, whatever comes. */
async function catchUp() {
  if (catchingUp) return;
  catchingUp = true;
  try {
    while (changed.size) {
      const events = [...changed];
      changed.clear();
      if (events.length > 8) {
        await reload();
        const isShown = (id) => active.has(jobs.get(id)?.state) || location.hash.endsWith(id);
        for (const [id, { state }] of events) if (active.has(state) || isShown(id)) await refresh(id);
      } else for (const [id] of events) await refresh(id);
      await new Promise((after) => setTimeout(after, 100));
    }
  } finally {
    catchingUp = false;
  }
}

function receive(type, record) {
  if (type === 'thumbnail') changed.set(record.job, changed.get(record.job) ?? { state: jobs.get(record.job)?.state });
  if (type === 'job') changed.set(record.job, record);
  if (type === 'job' || type === 'thumbnail') catchUp().catch(complain);
  const known = jobs.get(record.job);
  if (type === 'progress' && known) keep({ ...known, progress: record });
}

export function start(state) {
  follow('/v1/events', new AbortController().signal, receive, (text) => {
    if (text === 'connected') load().catch(complain);
    state(text);
  });
}
