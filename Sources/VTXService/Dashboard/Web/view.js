// Pieces of pages. Everything that jobs bring along gets into a page as text, never as HTML.

/** `make('a', { href, class }, child...)`; children are nodes or text, and what is null is left out. */
export function make(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key in node && key !== 'list' && key !== 'form') node[key] = value;
    else if (value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

export const button = (label, action, more = {}) => make('button', { type: 'button', onclick: guarded(action), ...more }, label);

/** What fails is shown at the foot of the page until something else is done. */
export function guarded(action) {
  return async (...given) => {
    complain(null);
    try { return await action(...given); } catch (error) { complain(error); }
  };
}

export function complain(error) {
  const place = document.getElementById('problem');
  place.hidden = !error;
  place.textContent = error?.message ?? '';
}

export const pill = (state) => make('span', { className: 'pill ' + state }, state);

export function bytes(count) {
  const unit = ['B', 'kB', 'MB', 'GB', 'TB'], step = Math.min(4, Math.floor(Math.log10(Math.max(1, count)) / 3));
  return (count / 1000 ** step).toFixed(step && count / 1000 ** step < 100 ? 1 : 0) + ' ' + unit[step];
}

export function time(seconds) {
  const whole = Math.ceil(seconds), two = (value) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return (hours ? hours + ':' + two(minutes) : minutes) + ':' + two(whole % 60);
}

export const moment = (text) => text ? new Date(text).toLocaleString() : '';

/** A curve over values, from 0 to `most`, or to the largest; at the same distance from each other, or at `times`. */
export function curve(values, label, most = Math.max(...values, 1e-9), times = null) {
  const space = 'http://www.w3.org/2000/svg', svg = document.createElementNS(space, 'svg');
  const line = document.createElementNS(space, 'polyline');
  svg.setAttribute('class', 'curve');
  svg.setAttribute('viewBox', '0 0 100 100');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  // One alone is a line too.
  if (values.length === 1) values = [...values, ...values];
  const step = 100 / Math.max(1, values.length - 1);
  line.setAttribute('points', values.map((value, index) => (times ? 100 * times[index] / (times.at(-1) || 1) : index * step) + ',' + (98 - 96 * value / most)).join(' '));
  svg.append(line);
  return svg;
}

/** A bit rate, for people. */
export const rate = (bits) => bits >= 1e6 ? (bits / 1e6).toFixed(bits >= 1e7 ? 0 : 1) + ' Mb/s' : (bits / 1e3).toFixed(0) + ' kb/s';

/** Bits a second over an output's time: an area, its mean as a line, and in words what is under the pointer. */
export function chart({ interval, values }) {
  const most = Math.max(...values, 1), mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const svg = curve(values, 'bit rate over time: ' + rate(mean) + ' average, ' + rate(most) + ' maximum', most), space = svg.namespaceURI;
  const area = document.createElementNS(space, 'polygon'), line = document.createElementNS(space, 'line');
  area.setAttribute('points', '0,98 ' + svg.firstChild.getAttribute('points') + ' 100,98');
  for (const [name, value] of Object.entries({ x1: 0, x2: 100, y1: 98 - 96 * mean / most, y2: 98 - 96 * mean / most })) line.setAttribute(name, value);
  svg.prepend(area);
  svg.append(line);
  const usual = rate(mean) + ' average, ' + rate(most) + ' maximum', words = make('figcaption', { className: 'soft' }, usual);
  svg.addEventListener('pointermove', (event) => {
    const at = Math.min(values.length - 1, Math.max(0, Math.floor(event.offsetX / svg.clientWidth * values.length)));
    words.textContent = time(Math.floor(at * interval)) + ': ' + rate(values[at]);
  });
  svg.addEventListener('pointerleave', () => { words.textContent = usual; });
  return make('figure', { className: 'chart' }, svg, make('div', { className: 'axis' }, make('small', {}, '0:00'), words, make('small', {}, time(values.length * interval))));
}

/** How near the output's frames are to those that were encoded, where they were compared; 20 dB is bad, and 60 dB as good as equal. */
export function quality({ worstPSNR, framesCompared, quality: { interval, points } }) {
  const words = 'PSNR of the worst row of blocks in ' + framesCompared + ' frames that were compared with the encoder\'s input: ' + worstPSNR + ' dB at worst';
  const svg = curve(points.map(({ psnr }) => Math.min(40, Math.max(0, psnr - 20))), words, 40, points.map(({ time }) => time));
  return make('figure', { className: 'chart' }, svg, make('div', { className: 'axis' }, make('small', {}, '0:00'), make('figcaption', { className: 'soft' }, words), make('small', {}, time(points.at(-1).time + interval))));
}

export const fact = (name, ...value) => value.length && value[0] !== null && value[0] !== undefined
  ? [make('dt', {}, name), make('dd', {}, ...value)] : [];
