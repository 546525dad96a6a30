import Glibc
import VTXCommand
import VTXService
import VTXSystem

/// Runs `vtx worker` until a signal.
struct WorkerRun: Sendable {
    let settings: WorkerSettings
    let console: Console

    func run() -> ExitCode {
        do throws(ServiceError) {
            guard let servers = settings.cluster else {
                throw ServiceError(
                    .usage, "cluster.missing", "a worker needs a cluster",
                    hint: "--cluster nats://HOST:4222 names its NATS servers")
            }
            var stops = try ServeRun.stops()
            let worker = try start(servers)
            console.say(nil, "working on files below \(worker.roots.joined(separator: ", "))")
            stops.waitForOne()
            console.say(nil, "stopping")
            worker.stop()
            return .success
        } catch { return console.report(error, asJSON: false) }
    }

    private func start(_ servers: [String]) throws(ServiceError) -> ClusterWorker {
        do {
            var wanted = ClusterWorker.Settings(
                version: Program.version, servers: servers,
                state: settings.state ?? "\(StateDirectory.standard)/worker",
                roots: settings.roots.isEmpty ? ["."] : settings.roots)
            wanted.urls = URLRules(hosts: settings.urlHosts, privateHosts: settings.privateURLHosts)
            wanted.inputLimit = settings.inputLimit
            wanted.mayReplaceSources = settings.mayReplaceSources
            let worker = try ClusterWorker(wanted, runner: try ServeRun.runner(console, endsWithThis: true))
            try worker.start()
            return worker
        } catch { throw ServeRun.explained(error) }
    }
}
