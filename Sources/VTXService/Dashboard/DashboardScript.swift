/// The dashboard's script. Everything that jobs bring along gets into the page as text, never as HTML.
enum DashboardScript {
    static let text = #"""
        const jobs = new Map(), rows = new Map();
        const byId = (id) => document.getElementById(id);
        const active = new Set(['planning', 'running', 'verifying']);
        const over = new Set(['succeeded', 'failed', 'cancelled', 'skipped']);

        async function ask(path, options = {}) {
          const headers = { 'X-VTX-Request': '1', ...(options.body ? { 'Content-Type': 'application/json' } : {}) };
          const response = await fetch(path, { ...options, headers });
          const body = await response.json();
          if (!response.ok) throw new Error(body.detail + (body.hint ? '; ' + body.hint : ''));
          return body;
        }

        function element(name, text, className) {
          const node = document.createElement(name);
          if (text !== undefined) node.textContent = text;
          if (className) node.className = className;
          return node;
        }

        const bytes = (count) => count < 1e6 ? (count / 1e3).toFixed(0) + ' kB' : (count / 1e6).toFixed(1) + ' MB';

        function progressCell(job) {
          const cell = element('td'), at = job.progress;
          if (!active.has(job.state) || !at) return cell;
          const bar = element('progress');
          bar.max = 100;
          if (at.percent !== undefined) bar.value = at.percent;
          bar.setAttribute('aria-label', 'progress');
          const eta = at.etaSeconds !== undefined ? ', ' + Math.ceil(at.etaSeconds) + ' s left' : '';
          cell.append(bar, element('small', (at.fps ?? 0).toFixed(0) + ' fps, ' + (at.speed ?? 0).toFixed(1) + 'x' + eta));
          return cell;
        }

        function resultCell(job) {
          const cell = element('td');
          if (job.error) cell.append(element('span', job.error.message, 'failed'));
          if (job.reason) cell.append(element('span', job.reason));
          if (job.result) {
            const link = element('a', job.result.output.split('/').pop());
            link.href = '/v1/jobs/' + job.id + '/output';
            cell.append(link, element('small', bytes(job.result.sourceBytes) + ' to ' + bytes(job.result.outputBytes)));
          }
          return cell;
        }

        function actionCell(job) {
          const cell = element('td');
          const add = (label, path, method) => {
            const button = element('button', label);
            button.onclick = () => ask('/v1/jobs/' + job.id + path, { method }).then(show, complain);
            cell.append(button);
          };
          if (!over.has(job.state)) add('Cancel', '', 'DELETE');
          if (over.has(job.state) && job.state !== 'succeeded') add('Retry', '/retry', 'POST');
          return cell;
        }

        function show(job) {
          jobs.set(job.id, job);
          const row = element('tr'), name = element('td', (job.input.path ?? job.input.url ?? job.input.upload).split('/').pop());
          name.append(element('small', job.id));
          row.append(name, element('td', job.stopping ? 'stopping' : job.state, job.state), progressCell(job), resultCell(job), actionCell(job));
          const old = rows.get(job.id);
          if (old) old.replaceWith(row); else byId('jobs').prepend(row);
          rows.set(job.id, row);
        }

        const complain = (error) => { byId('problem').textContent = error.message; };

        byId('submit').onsubmit = async (event) => {
          event.preventDefault();
          complain({ message: '' });
          const fields = new FormData(event.target), settings = { hardware: fields.get('hardware') };
          if (fields.get('codec')) settings.codec = fields.get('codec');
          if (fields.get('quality')) settings.quality = Number(fields.get('quality'));
          const body = JSON.stringify({ input: { path: fields.get('path') }, settings });
          await ask('/v1/jobs', { method: 'POST', body }).then(show, complain);
        };

        async function loadDevices() {
          const { devices } = await ask('/v1/devices');
          byId('devices').replaceChildren(...devices.map((device) => {
            const load = device.engines.map((engine) => engine.engine + ' ' + Math.round(100 * engine.load / (engine.capacity || 1)) + ' %');
            return element('li', device.name + ': ' + device.health + '; ' + load.join(', '));
          }));
        }

        function follow() {
          const events = new EventSource('/v1/events');
          const state = (text) => { byId('connection').textContent = text; };
          events.onopen = () => { state('connected'); load(); };
          events.onerror = () => state('disconnected; trying again');
          events.addEventListener('job', (event) => ask('/v1/jobs/' + JSON.parse(event.data).job).then(show, complain));
          events.addEventListener('progress', (event) => {
            const progress = JSON.parse(event.data), job = jobs.get(progress.job);
            if (job) show({ ...job, progress });
          });
        }

        async function load() {
          const page = await ask('/v1/jobs?limit=100');
          page.jobs.reverse().forEach(show);
          await loadDevices();
        }

        follow();
        setInterval(() => loadDevices().catch(() => {}), 5000);

        """#
}
