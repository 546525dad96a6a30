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
        <select name="codec"><option value="">automatic</option><option value="hevc">HEVC</option><option value="h264">H.264</option></select>
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
