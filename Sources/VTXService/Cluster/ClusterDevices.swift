import VTXCluster
import VTXJSON
import VTXJobs
import VTXSystem

/// The devices of a cluster's workers, as seen by its servers.
struct ClusterDevices: Sendable {
    let cluster: Cluster

    /// The timeout for an answer, in seconds. A driver that hangs is ended before.
    private static let answerSeconds = 180.0

    /// Returns the devices of all workers, each with the name of its worker.
    func list() throws(Problem) -> [JSONValue] {
        do throws(NATSError) {
            return try cluster.workers().flatMap { worker in
                (worker["devices"]?.array ?? []).map { $0.with("worker", worker["worker"]) }
            }
        } catch { throw .unreachable(error) }
    }

    /// Performs an action through the worker.
    ///
    /// - Parameter worker: The name of the worker; nil if only one has such a device.
    func perform(_ action: DeviceAction, on device: String, of worker: String?) throws(Problem) -> JSONValue {
        let worker = try self.worker(of: device, named: worker)
        let question: JSONValue = ["action": .string(action.rawValue), "device": .string(device)]
        let answer: JSONValue
        do throws(NATSError) {
            answer = try cluster.ask(worker: worker, question, seconds: Self.answerSeconds)
        } catch {
            if error.kind == .missing { throw .notFound("worker", worker) }
            throw .unreachable(error)
        }
        if let problem = answer["problem"] { throw Problem(problem) }
        return (answer["done"] ?? [:]).with("worker", .string(worker))
    }

    private func worker(of device: String, named name: String?) throws(Problem) -> String {
        let having = try list().filter { $0["device"]?.string == device }.compactMap { $0["worker"]?.string }
        let found = having.filter { name == nil || $0 == name }
        guard let worker = found.first else { throw .notFound("device", device) }
        guard found.count == 1 else {
            throw Problem(
                409, "device.ambiguous", "\(found.count) workers have a device '\(device)'",
                hint: "select one with the parameter 'worker': \(found.joined(separator: ", "))")
        }
        return worker
    }
}

/// Performs servers' requests for a worker's devices.
final class DeviceAnswers: Sendable {
    private let cluster: Cluster
    private let worker: String
    private let control: DeviceControl
    /// Called after each request, because the servers' state of the devices is outdated then.
    private let changed: @Sendable () -> Void
    private let threads = StoppableThreads()

    init(_ cluster: Cluster, worker: String, _ control: DeviceControl, changed: @escaping @Sendable () -> Void) {
        (self.cluster, self.worker, self.control, self.changed) = (cluster, worker, control, changed)
    }

    func start() throws(SystemError) { try threads.start("vtx-questions") { [self] in listen() } }

    func stop() { threads.stop() }

    private func listen() {
        var subscription: NATSSubscription?
        while !threads.isStopping {
            if subscription == nil { subscription = try? cluster.listenToQueries(to: worker) }
            if subscription == nil { Pause.seconds(0.5) }
            guard let question = (try? subscription?.next(seconds: 0.5)) ?? nil else { continue }
            // A test takes a while, and there may be another device.
            try? Thread("vtx-answer") { [self] in answer(question) }.detach()
        }
    }

    private func answer(_ question: NATSMessage) {
        let text: JSONValue
        do throws(Problem) {
            text = ["done": try done(question)]
            changed()
        } catch { text = ["problem": error.json] }
        try? cluster.answer(question, text)
    }

    private func done(_ question: NATSMessage) throws(Problem) -> JSONValue {
        guard let wanted = try? JSONValue(parsing: question.text), let device = wanted["device"]?.string,
            let action = wanted["action"]?.string.flatMap(DeviceAction.init)
        else { throw Problem(422, "device.action", "the worker '\(worker)' does not support this action") }
        return try control.perform(action, on: device)
    }
}

extension Problem {
    static func unreachable(_ error: NATSError) -> Problem {
        Problem(
            503, "cluster.unreachable", "the cluster cannot be reached: \(error)",
            hint: "jobs are accepted, and running ones continue; retry when NATS is back")
    }

    /// Creates a problem from another host's response.
    fileprivate init(_ json: JSONValue) {
        self.init(
            json["status"]?.integer.map { Int($0) } ?? 500, json["code"]?.string ?? "internal",
            json["detail"]?.string ?? "the worker has failed", hint: json["hint"]?.string)
    }
}

extension JSONValue {
    fileprivate func with(_ name: String, _ value: JSONValue?) -> JSONValue {
        var members = object ?? [:]
        members[name] = value
        return .object(members)
    }
}
