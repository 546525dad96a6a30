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
