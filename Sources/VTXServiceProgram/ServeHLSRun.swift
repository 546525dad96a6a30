import VTXCommand
import VTXService
import VTXSystem

/// Runs `vtx serve-hls` until a signal.
struct ServeHLSRun: Sendable {
    let settings: ServeHLSSettings
    let console: Console

    func run() -> ExitCode {
        do throws(ServiceError) {
            // Before other threads start, which must not receive the signals.
            var stops = try ServeRun.stops()
            let server = try start()
            report(server)
            stops.waitForOne()
            if !settings.printsJSON { console.say(nil, "stopping") }
            server.stop()
            if settings.printsJSON { console.output.write(ResultRecord(.success).line) }
            return .success
        } catch { return console.report(error, asJSON: settings.printsJSON) }
    }

    private func start() throws(ServiceError) -> LiveServer {
        do { return try LiveServer(settings.directory, settings.listen) } catch { throw ServeRun.explained(error) }
    }

    private func report(_ server: LiveServer) {
        let url = ServeRun.url("http", settings.listen, port: server.port)
        if settings.printsJSON {
            let record = ServingRecord(url: url, port: server.port, directory: server.directory)
            return console.output.write(record.line)
        }
        console.say(nil, "serving \(url) from \(server.directory)")
    }
}
