// The service's API. Everything that the dashboard does, it does by this.

const key = 'vtx-token';

function headers(more) {
  const token = sessionStorage.getItem(key);
  return { 'X-VTX-Request': '1', ...(token ? { Authorization: 'Bearer ' + token } : {}), ...more };
}

/** The user has no token to give: nothing is asked again until the page is loaded anew. */
let isDeclined = false;

/** Several requests fail at once: the first one asks, and the others take what came of it. */
function asksForToken(shown) {
  if (sessionStorage.getItem(key) !== shown) return true;
  if (isDeclined) return false;
  const given = prompt(shown ? 'This token is not valid. Another token' : 'Token for this service')?.trim();
  if (given) sessionStorage.setItem(key, given);
  else sessionStorage.removeItem(key);
  isDeclined = !given;
  document.getElementById('sign-in')?.toggleAttribute('hidden', !isDeclined);
  return !isDeclined;
}

/** A server that other hosts can reach wants a token: it is asked for, and kept as long as the tab. */
async function authorized(path, options) {
  for (;;) {
    const shown = sessionStorage.getItem(key);
    const response = await fetch(path, { ...options, headers: headers(options.headers) });
    // 429 is the answer to too many that were wrong.
    if (![401, 429].includes(response.status) || !asksForToken(shown)) return response;
  }
}

async function failure(response) {
  const problem = await response.json().catch(() => ({}));
  const detail = problem.detail ?? response.status + ' ' + response.statusText;
  return new Error(detail + (problem.hint ? '; ' + problem.hint : ''));
}

/** The answer's JSON; an error is an exception with what the service says of it. */
export async function ask(path, method = 'GET', body = undefined) {
  const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  const response = await authorized(path, { method, ...json });
  if (!response.ok) throw await failure(response);
  return response.status === 204 ? {} : response.json();
}

/** A picture, ready to be drawn; with a token no plain image can be shown. */
export async function picture(path) {
  const response = await authorized(path, {});
  if (!response.ok) throw await failure(response);
  return createImageBitmap(await response.blob());
}

/** The id of the upload. */
export async function upload(file) {
  const response = await authorized('/v1/uploads?name=' + encodeURIComponent(file.name), { method: 'POST', body: file });
  if (!response.ok) throw await failure(response);
  return (await response.json()).id;
}

/** Saves what a job has made, or one of its files: the browser itself fetches it, by an address that needs no token. */
export async function download(job, file = undefined) {
  const link = document.createElement('a'), { path } = await ask('/v1/jobs/' + job.id + '/download', 'POST');
  link.href = file ? path.replace(/[^/]*$/, encodeURIComponent(file)) : path;
  link.download = file ?? job.result.output.split('/').pop();
  link.click();
}

/** Server-sent events, again and again until `signal` is aborted; each goes on after the last one that came, or after `last`. */
export async function follow(path, signal, receive, state, last = '') {
  for (; !signal.aborted; await new Promise((after) => setTimeout(after, 2000))) {
    try {
      const response = await authorized(path, { signal, headers: last ? { 'Last-Event-ID': last } : {} });
      if (!response.ok) throw await failure(response);
      state('connected');
      await read(response.body, receive, (id) => { last = id; });
    } catch (error) {
      if (signal.aborted) return;
    }
    if (isDeclined) return state('without a token');
    state('disconnected; trying again');
  }
}

/** Calls `pass` with the id of each event that has been received: the connection may break at any moment. */
async function read(body, receive, pass) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (text + value).split(/\r?\n\r?\n/);
    text = events.pop();
    for (const event of events) {
      const field = (name) => event.match(new RegExp('^' + name + ': ?(.*)$', 'm'))?.[1];
      if (field('data')) receive(field('event') ?? 'message', JSON.parse(field('data')));
      if (field('id')) pass(field('id'));
    }
  }
}
