// What happened to a job, in the order of time: its states and its notices, from the service's events.

import { follow } from './api.js';
import { make } from './view.js';

const reasons = { cancel: 'to be cancelled', pause: 'to be paused', drain: 'because the service ends', preempt: 'for a job in real time' };
const clock = (time) => new Date(time).toLocaleTimeString();

/** Returns `decode and encode on renderD128`, and the next device. */
function work(devices) {
  const names = [...new Set(Object.values(devices))];
  return names.map((name) => Object.keys(devices).filter((stage) => devices[stage] === name).join(' and ') + ' on ' + name).join(', ');
}

const states = {
  queued: ({ attempt, error, reason, retryAt }) => ['queued', attempt ? 'again' : '', retryAt ? 'until ' + clock(retryAt) : '', error?.message ?? reason ? '(' + (error?.message ?? reason) + ')' : ''],
  planning: ({ attempt }) => ['planning, attempt ' + attempt],
  waiting: ({ reason }) => ['waiting', reason ? '(' + reason + ')' : 'for engines'],
  running: ({ devices }) => ['running:', work(devices ?? {})],
  failed: ({ error }) => ['failed:', error?.message],
  skipped: ({ reason }) => ['skipped:', reason],
};

/** One state in words. */
export function words(record) {
  if (record.stopping) return 'stopping ' + reasons[record.stopping];
  return (states[record.state]?.(record) ?? [record.state]).filter(Boolean).join(' ');
}

/** A section that begins with the first event, and stays hidden if the service no longer has any. */
export function log(job, signal) {
  const lines = make('ol', { className: 'log card' }), node = make('div', { hidden: true }, make('h2', {}, 'Log'), lines);
  let last;
  const add = (record, ...text) => {
    node.hidden = false;
    lines.append(make('li', {}, make('time', { dateTime: record.time ?? '', title: record.time ?? '' }, record.time ? clock(record.time) : ''), make('span', {}, ...text)));
  };
  follow('/v1/jobs/' + job + '/events', signal, (type, record) => {
    if (type === 'notice') add(record, record.message, ' ', make('small', {}, record.code));
    // Another priority is an event too, in the same state.
    if (type !== 'job' || words(record) === last) return;
    last = words(record);
    add(record, make('span', { className: record.stopping ? 'stopping' : record.state }, last));
  }, () => {}, '0');
  return node;
}
