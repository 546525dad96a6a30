import VTXHTTP

/// The dashboard: the files in `Web`, which are embedded in the program and use only the API.
enum Dashboard {
    static let operations =
        [
            page("dashboard", "/", "text/html", "The dashboard", PackageResources.index_html),
            page("docs", "/docs", "text/html", "The API's reference", PackageResources.docs_html),
        ]
        + scripts.map { name, bytes in
            page(
                "dashboardScript_\(name)", "/dashboard/\(name).js", "text/javascript", "A script of the dashboard",
                bytes)
        } + [
            page(
                "dashboardStyle", "/dashboard/style.css", "text/css", "The dashboard's style",
                PackageResources.style_css),
            page(
                "dashboardIcon", "/dashboard/icon.svg", "image/svg+xml", "The dashboard's icon",
                PackageResources.icon_svg),
        ]

    private static let scripts = [
        ("main", PackageResources.main_js), ("store", PackageResources.store_js), ("api", PackageResources.api_js),
        ("view", PackageResources.view_js), ("jobs", PackageResources.jobs_js), ("newjob", PackageResources.newjob_js),
        ("job", PackageResources.job_js), ("plan", PackageResources.plan_js), ("player", PackageResources.player_js),
        ("settings", PackageResources.settings_js), ("thumbnails", PackageResources.thumbnails_js),
        ("devices", PackageResources.devices_js), ("records", PackageResources.records_js),
        ("log", PackageResources.log_js), ("docs", PackageResources.docs_js),
    ]

    private static func page(
        _ id: String, _ path: String, _ type: String, _ summary: String, _ bytes: [UInt8]
    ) -> Operation {
        let text = String(decoding: bytes, as: UTF8.self)
        return Operation(
            id: id, method: "GET", path: path, tag: "dashboard", summary: summary,
            responses: [.init(status: 200, description: summary + ".", type: type)]
        ) { _ in HTTPResponse(200, type + "; charset=utf-8", text) }
    }
}
