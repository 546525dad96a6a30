import VTXHTTP

/// The pages for people: they use the API and nothing else.
enum Dashboard {
    static let operations = [
        page("dashboard", "/", "text/html; charset=utf-8", "The dashboard", DashboardPage.html),
        page(
            "dashboardScript", "/dashboard.js", "text/javascript; charset=utf-8", "The dashboard's script",
            DashboardScript.text),
        page(
            "dashboardStyle", "/dashboard.css", "text/css; charset=utf-8", "The dashboard's style", DashboardStyle.text),
    ]

    private static func page(_ id: String, _ path: String, _ type: String, _ summary: String, _ text: String)
        -> Operation
    {
        let plainType = String(type.split(separator: ";")[0])
        return Operation(
            id: id, method: "GET", path: path, tag: "dashboard", summary: summary,
            responses: [.init(status: 200, description: summary + ".", type: plainType)]
        ) { _ in HTTPResponse(200, type, text) }
    }
}

/// The dashboard's page.
enum DashboardPage {
    static let html = #"""
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>vtx</title>
        <link rel="stylesheet" href="/dashboard.css">
        <script type="module" src="/dashboard.js"></script>
        <header>
        <h1>vtx</h1>
        <p id="connection" role="status">connecting</p>
        </header>
        <main>
        <section aria-labelledby="new">
        <h2 id="new">New job</h2>
        <form id="submit">
        <label class="wide">Source <input name="path" required placeholder="/media/clip.mp4" autocomplete="off"></label>
        <label>Codec
        <select name="codec"><option value="">automatic</option><option value="hevc">HEVC</option><option value="h264">H.264</option><option value="av1">AV1</option></select>
        </label>
        <label>Hardware
        <select name="hardware"><option>auto</option><option>require</option><option>off</option></select>
        </label>
        <label>Quality <input name="quality" type="number" min="0" max="100" placeholder="auto"></label>
        <button>Submit</button>
        </form>
        <p id="problem" role="alert"></p>
        </section>
        <section aria-labelledby="jobs-title">
        <h2 id="jobs-title">Jobs</h2>
        <table>
        <thead><tr><th>Source<th>State<th>Progress<th>Result<th><span class="hidden">Actions</span></thead>
        <tbody id="jobs"></tbody>
        </table>
        </section>
        <section aria-labelledby="devices-title">
        <h2 id="devices-title">Devices</h2>
        <ul id="devices"></ul>
        </section>
        </main>
        <footer><a href="/openapi.json">API</a> <a href="/metrics">Metrics</a></footer>
        </html>

        """#
}

/// The dashboard's style, light and dark.
enum DashboardStyle {
    static let text = #"""
        :root { color-scheme: light dark; --line: #8884; --accent: #2a6fdb; font: 16px/1.5 system-ui, sans-serif; }
        body { margin: 0 auto; max-width: 70rem; padding: 0 1rem 2rem; }
        header { display: flex; align-items: baseline; justify-content: space-between; border-bottom: 1px solid var(--line); }
        h1 { font-size: 1.5rem; margin: .5rem 0; }
        h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
        form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
        label { display: flex; flex-direction: column; font-size: .85rem; }
        label.wide { flex: 1 1 18rem; }
        input, select, button { font: inherit; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: .3rem; }
        button { cursor: pointer; }
        form button { background: var(--accent); color: #fff; border-color: var(--accent); }
        #problem { color: #c33; min-height: 1.5em; margin: .5rem 0 0; overflow-wrap: anywhere; }
        table { width: 100%; border-collapse: collapse; }
        th { text-align: left; font-size: .85rem; font-weight: 600; }
        td, th { padding: .4rem .5rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
        td:first-child, td:nth-child(4) { overflow-wrap: anywhere; }
        button, td:nth-child(2), td small { white-space: nowrap; }
        progress { width: 8rem; max-width: 100%; }
        .failed { color: #c33; } .succeeded { color: #2a8a3a; }
        small { display: block; opacity: .75; }
        footer { margin-top: 2rem; font-size: .85rem; display: flex; gap: 1rem; }
        .hidden { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
        @media (max-width: 40rem) {
          thead { display: none; }
          tr { display: block; border-bottom: 1px solid var(--line); padding: .5rem 0; }
          td { display: block; border: 0; padding: .1rem 0; }
          label { flex: 1 1 7rem; }
        }

        """#
}

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
