// Which page is shown follows from the address; each page is a node, and a way to leave it.

import { devicesPage } from './devices.js';
import { jobPage } from './job.js';
import { jobsPage } from './jobs.js';
import { foldersPage, presetsPage } from './records.js';
import { start } from './store.js';
import { complain } from './view.js';

const pages = { '': jobsPage, devices: devicesPage, presets: presetsPage, folders: foldersPage, jobs: jobPage };
let shown;

function show() {
  const [name, id] = location.hash.replace(/^#\/?/, '').split('/');
  complain(null);
  shown?.leave();
  shown = (pages[name] ?? jobsPage)(id);
  document.getElementById('main').replaceChildren(shown.node);
  for (const link of document.querySelectorAll('nav a')) {
    if (link.hash.replace(/^#\/?/, '') === (name === 'jobs' ? '' : name)) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

document.getElementById('sign-in').addEventListener('click', () => location.reload());
addEventListener('hashchange', show);
show();
start((text) => { document.getElementById('connection').textContent = text; });
