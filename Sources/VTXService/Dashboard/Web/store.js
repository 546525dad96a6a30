// The jobs that pages show, kept up to date by the service's events.

import { ask, follow } from './api.js';
import { complain } from './view.js';

export const active = new Set(['planning', 'running', 'verifying']);
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

export async function refresh(id) { return keep(await ask('/v1/jobs/' + id)); }

/** Does something to a job, and shows what became of it. */
export async function act(id, path, method = 'POST', body = undefined) {
  return keep(await ask('/v1/jobs/' + id + path, method, body));
}

function receive(type, record) {
  if (type === 'job') refresh(record.job).catch(complain);
  const known = jobs.get(record.job);
  if (type === 'progress' && known) keep({ ...known, progress: record });
}

export function start(state) {
  follow('/v1/events', new AbortController().signal, receive, (text) => {
    if (text === 'connected') load().catch(complain);
    state(text);
  });
}
