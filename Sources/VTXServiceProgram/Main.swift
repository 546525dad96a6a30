import VTXCommand
import VTXHTTP
import VTXJSON
import VTXJobs

/// `vtx-service`: the service and its clients. `vtx` replaces itself with this program for their commands.
@main
enum Main {
    static func main() {
        let table = CommandTable([
            ("serve", { .serve(serve) }), ("serve-hls", { .serveHLS(serveHLS) }), ("worker", { .worker(work) }),
            ("submit", { .submit(submit) }),
            ("jobs", { .jobs(list) }),
            ("watch", { .watch(watch) }), ("pause", { .pause(asking("POST", "/pause")) }),
            ("unpause", { .unpause(asking("POST", "/resume")) }), ("cancel", { .cancel(asking("DELETE")) }),
            ("retry", { .retry(asking("POST", "/retry")) }), ("download", { .download(download) }),
        ])
        EntryPoint.main(table)
    }

    @Sendable private static func serve(_ settings: ServeSettings, _ console: Console) -> ExitCode {
        ServeRun(settings: settings, console: console).run()
    }

    @Sendable private static func serveHLS(_ settings: ServeHLSSettings, _ console: Console) -> ExitCode {
        ServeHLSRun(settings: settings, console: console).run()
    }

    @Sendable private static func work(_ settings: WorkerSettings, _ console: Console) -> ExitCode {
        WorkerRun(settings: settings, console: console).run()
    }

    @Sendable private static func submit(_ settings: SubmitSettings, _ console: Console) -> ExitCode {
        ClientRun(settings.client, console).perform { client, report throws(ServiceError) in
            // Before the upload, which may take long.
            if let file = settings.download { try client.checkDownload(of: settings, to: file) }
            if settings.uploads { _ = try client.ask("POST", "/v1/jobs/check", body: settings.body(upload: "later")) }
            let key = settings.key.map { [(name: "Idempotency-Key", value: $0)] } ?? []
            let upload = settings.uploads ? try client.upload(settings.input, console) : nil
            let job = try client.ask("POST", "/v1/jobs", body: settings.body(upload: upload), headers: key)
            report.job(job)
            let id = job["id"]?.string ?? ""
            guard settings.waits || settings.download != nil else { return .success }
            let watch = JobWatch(client, report, fetches: settings.download != nil)
            let code = try watch.follow(id)
            if let file = settings.download { try client.download(id, to: file, replaces: false, report) }
            return code
        }
    }

    @Sendable private static func list(_ settings: JobsSettings, _ console: Console) -> ExitCode {
        ClientRun(settings.client, console).perform { client, report throws(ServiceError) in
            let query = settings.query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
            report.jobs(try client.ask("GET", "/v1/jobs?\(query)")["jobs"]?.array ?? [])
            return .success
        }
    }

    @Sendable private static func watch(_ settings: JobIDSettings, _ console: Console) -> ExitCode {
        ClientRun(settings.client, console).perform { client, report throws(ServiceError) in
            try JobWatch(client, report).follow(settings.id?.text ?? "")
        }
    }

    /// Sends a request about a job.
    private static func asking(_ method: String, _ suffix: String = "") -> Command.Run<JobIDSettings> {
        { settings, console in
            ClientRun(settings.client, console).perform { client, report throws(ServiceError) in
                report.job(try client.ask(method, "/v1/jobs/\(settings.id?.text ?? "")\(suffix)"))
                return .success
            }
        }
    }

    @Sendable private static func download(_ settings: DownloadSettings, _ console: Console) -> ExitCode {
        ClientRun(settings.client, console).perform { client, report throws(ServiceError) in
            try client.download(settings.id?.text ?? "", to: settings.file, replaces: settings.replaces, report)
            return .success
        }
    }
}
