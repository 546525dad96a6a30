// Small pictures of a job's source and output.

import { picture } from './api.js';
import { make } from './view.js';

const kept = new Map();
const most = 300;

/** The picture, as soon as it has come; null where there is none. Each is fetched once. */
export function thumbnail(job, which) {
  if (!job.thumbnails?.includes(which)) return null;
  const key = [job.id, which, job.attempts.length].join(' ');
  if (!kept.has(key)) {
    const node = make('canvas', { className: 'thumbnail', role: 'img', width: 160, height: 90, 'aria-label': 'picture of the ' + which });
    kept.set(key, node);
    if (kept.size > most) kept.delete(kept.keys().next().value);
    picture('/v1/jobs/' + job.id + '/thumbnails/' + which).then((drawn) => {
      [node.width, node.height] = [drawn.width, drawn.height];
      node.getContext('2d').drawImage(drawn, 0, 0);
    }, () => kept.delete(key));
  }
  return kept.get(key);
}

/** Both, side by side. */
export function pair(job) {
  const figures = [['source', 'Source'], ['output', 'Output']].map(([which, name]) => {
    const node = thumbnail(job, which);
    return node && make('figure', {}, node, make('figcaption', { className: 'soft' }, name));
  });
  return figures.some(Boolean) ? make('div', { className: 'pair' }, ...figures) : null;
}
