// One job: how far it is, why it is done so, and what happened.

import { ask } from './api.js';
import { actions, outcome, progress, source, stateOf, title } from './jobs.js';
import { log } from './log.js';
import { decisions } from './plan.js';
import { files } from './player.js';
import { active, job, listen, refresh } from './store.js';
import { pair } from './thumbnails.js';
import { chart, complain, curve, fact, make, moment, pill, quality } from './view.js';

const heading = (text, ...nodes) => [make('h2', {}, text), make('div', { className: 'card' }, ...nodes)];

function summary(job) {
  return make(
    'dl', {}, fact('Source', source(job)),
    fact('Output', job.result?.output ?? job.output?.path ?? job.output?.url),
    fact('Replaced', job.result?.replacedSource),
    fact('Incomplete', job.result?.outcome === 'incompleteSource' ? 'The source is truncated or damaged. The output has everything that could be read.' : null),
    fact('Preset', job.preset), fact('Settings', Object.entries(job.settings).map(([name, value]) => name + '=' + value).join(', ') || 'none'),
    fact('Labels', Object.entries(job.labels).map(([name, value]) => name + '=' + value).join(', ') || null),
    fact('Submitted', moment(job.createdAt)), fact('Ended', job.endedAt ? moment(job.endedAt) : null),
    fact('Code', job.error?.code), fact('Hint', job.error?.hint));
}

function attempts(job) {
  return make('ol', { className: 'cards' }, ...job.attempts.map((attempt) => make(
    'li', {}, make('span', { className: attempt.outcome === 'failed' ? 'problem' : '' }, job.state === 'skipped' && attempt === job.attempts.at(-1) ? 'skipped' : attempt.outcome ?? 'running'), ' ',
    make('small', {}, [
      ...Object.entries(attempt.devices ?? {}).map(([stage, device]) => stage + ' on ' + device),
      moment(attempt.startedAt) + (attempt.endedAt ? ' to ' + moment(attempt.endedAt) : ''),
    ].join(', ')),
    attempt.error && attempt.error.message !== job.error?.message ? make('small', { className: 'particulars' }, attempt.error.message) : null)));
}

function speed(rates) {
  const words = 'frames per second since this page was opened, at most ' + Math.max(...rates).toFixed(0);
  return make('figure', { className: 'speed' }, curve(rates, words), make('figcaption', { className: 'soft' }, words));
}

export function jobPage(id) {
  const top = make('div'), player = make('div'), plan = make('div'), bits = make('div'), picture = make('div'), receipt = make('div'), rates = [];
  const end = new AbortController(), events = log(id, end.signal);
  let state, drawn = 0;
  const drawBits = () => {
    drawn = Date.now();
    ask('/v1/jobs/' + id + '/bit-rate').then((rates) => bits.replaceChildren(...(rates.values.length > 1 ? heading('Bit rate', chart(rates)) : [])), () => {});
  };
  const later = () => {
    drawBits();
    player.replaceChildren(...(job(id)?.result?.files ? heading('Files', ...files(job(id))) : []));
    ask('/v1/jobs/' + id + '/plan').then((known) => plan.replaceChildren(...heading('Plan', decisions(known))), () => {});
    if (job(id)?.state === 'succeeded') ask('/v1/jobs/' + id + '/receipt').then((known) => {
      picture.replaceChildren(...(known.verification?.quality?.points.length > 1 ? heading('Quality', quality(known.verification)) : []));
      receipt.replaceChildren(make('details', { className: 'receipt' }, make('summary', {}, 'Receipt'), make('pre', {}, JSON.stringify(known, null, 2))));
    }, () => {});
  };
  const draw = () => {
    const now = job(id);
    if (!now) return;
    if (active.has(now.state) && now.progress?.fps) rates.push(now.progress.fps);
    top.replaceChildren(
      make('div', { className: 'row top' }, make('h2', { className: 'grow name' }, title(now)), pill(stateOf(now)), ...actions(now)),
      make('div', { className: 'card' }, ...[pair(now), progress(now), outcome(now), rates.length > 1 ? speed(rates) : null, summary(now)].filter(Boolean)),
      ...(now.attempts.length ? heading('Attempts', attempts(now)) : []));
    if (now.state !== state) later();
    else if (active.has(state) && Date.now() - drawn > 3000) drawBits();
    state = now.state;
  };
  refresh(id).then(draw, complain);
  const stop = listen(draw);
  return {
    node: make('div', {}, top, player, bits, picture, plan, events, receipt),
    leave: () => { stop(); end.abort(); },
  };
}
