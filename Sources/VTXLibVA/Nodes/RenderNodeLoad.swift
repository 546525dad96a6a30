import Glibc
import VTXSystem

/// The load of a GPU, as far as an unprivileged program can see it: processes of other users are invisible and not
/// counted.
package struct RenderNodeLoad: Sendable, Hashable, Codable {
    /// The number of other processes that have the node open, without this process's children.
    package var processes: Int
    /// How busy the GPU is with their work, in percent; nil if the kernel does not report it.
    package var busyPercent: Int?

    package init(processes: Int, busyPercent: Int? = nil) {
        self.processes = processes
        self.busyPercent = busyPercent
    }

    /// For comparing devices. A desktop has its node open all day but hardly uses it, so the work counts first.
    package var rank: Int { (busyPercent ?? 0) * 1000 + min(processes, 999) }

    /// Returns the load of each node.
    ///
    /// - Parameter seconds: How long to measure the engines, if the kernel counts their time; 0 to skip it.
    package static func measure(_ nodes: [String], seconds: Double) -> [RenderNodeLoad] {
        let before = nodes.map(RenderNodeUse.init)
        guard seconds > 0, before.contains(where: { !$0.clients.isEmpty }) else {
            return before.map { RenderNodeLoad(processes: $0.processes.count) }
        }
        poll(nil, 0, Int32(seconds * 1000))
        return before.map { $0.load(until: $0.again(), seconds: seconds) }
    }
}

/// The users of a render node at one moment, and how much work the GPU has done for them.
struct RenderNodeUse {
    var processes: Set<pid_t> = []
    /// By the kernel driver's client, which may have several descriptors. Empty if the kernel does not count work.
    var clients: [DRMClient: EngineWork] = [:]
    private var infos: [String] = []

    init(of node: String) {
        guard let device = FileStatus(node)?.identity else { return }
        for process in Self.otherProcesses {
            let descriptors = Directory.names(in: "/proc/\(process)/fd", leadingTo: device)
            // A process without a parent has exited.
            guard !descriptors.isEmpty, let parent = Self.parent(of: process), parent != getpid() else { continue }
            processes.insert(process)
            infos += descriptors.map { "/proc/\(process)/fdinfo/\($0)" }
        }
        read()
    }

    /// Returns the current work of the same processes. One that has exited has not worked since.
    func again() -> RenderNodeUse {
        var use = self
        use.clients = [:]
        use.read()
        return use
    }

    func load(until later: RenderNodeUse, seconds: Double) -> RenderNodeLoad {
        let engines = later.clients.reduce(0.0) { sum, client in
            sum + (clients[client.key].map { client.value.engines(since: $0, seconds: seconds) } ?? 0)
        }
        let percent = clients.isEmpty ? nil : Int((engines * 100).rounded())
        return RenderNodeLoad(processes: processes.count, busyPercent: percent)
    }

    private static var otherProcesses: [pid_t] {
        Directory.names(in: "/proc").compactMap { pid_t($0) }.filter { $0 != getpid() }
    }

    /// proc(5): `PPid:` of /proc/PID/status.
    private static func parent(of process: pid_t) -> pid_t? {
        let lines = TextFile.read("/proc/\(process)/status", limit: 8192)?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix("PPid:") }.flatMap { pid_t($0.dropFirst(5).drop(while: \.isWhitespace)) }
    }

    private mutating func read() {
        for path in infos {
            guard let text = TextFile.read(path, limit: 8192), let (client, work) = DRMClient.read(text) else {
                continue
            }
            clients[client] = work
        }
    }
}

/// A client of a GPU, as numbered by the kernel (Documentation/gpu/drm-usage-stats.rst).
struct DRMClient: Hashable {
    private let driver: String
    private let device: String
    private let number: String

    /// Parses /proc/PID/fdinfo of an open render node; nil if the kernel driver does not count work.
    static func read(_ text: String) -> (DRMClient, work: EngineWork)? {
        var fields: [Substring: Substring] = [:]
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon]] = line[line.index(after: colon)...].drop { $0.isWhitespace }
        }
        guard let number = fields["drm-client-id"], let work = EngineWork(fields) else { return nil }
        let client = DRMClient(
            driver: String(fields["drm-driver"] ?? ""), device: String(fields["drm-pdev"] ?? ""), number: String(number)
        )
        return (client, work)
    }
}

/// The work of a GPU's engines for one client, in the kernel driver's unit.
enum EngineWork: Hashable {
    /// The busy time of each engine: i915, amdgpu.
    case seconds([Substring: Double])
    /// The busy cycles of each engine, and the engine's clock: xe.
    case cycles([Substring: Cycles])

    struct Cycles: Hashable {
        var client: UInt64
        var total: UInt64
    }

    /// - Parameter fields: The fields of fdinfo. A driver that has both is read as time.
    fileprivate init?(_ fields: [Substring: Substring]) {
        // `drm-engine-video: 25662044495 ns`; `drm-engine-capacity-video` has no time.
        var times: [Substring: Double] = [:]
        for (name, value) in fields where name.hasPrefix("drm-engine-") && value.hasSuffix(" ns") {
            times[name.dropFirst("drm-engine-".count)] = Double(value.dropLast(3)).map { $0 / 1e9 }
        }
        guard times.isEmpty else {
            self = .seconds(times)
            return
        }
        // `drm-cycles-vcs: 28257900` and `drm-total-cycles-vcs: 7655183225`.
        var engines: [Substring: Cycles] = [:]
        for (name, value) in fields where name.hasPrefix("drm-cycles-") {
            let engine = name.dropFirst("drm-cycles-".count)
            guard let client = UInt64(value), let total = fields["drm-total-cycles-\(engine)"].flatMap({ UInt64($0) })
            else { continue }
            engines[engine] = Cycles(client: client, total: total)
        }
        if engines.isEmpty { return nil }
        self = .cycles(engines)
    }

    /// Returns the average number of busy engines for the client since then; 0 if the kernel has reset its counters.
    ///
    /// - Parameter seconds: The time since then.
    func engines(since before: EngineWork, seconds: Double) -> Double {
        switch (before, self) {
        case (.seconds(let before), .seconds(let now)):
            max(0, now.values.reduce(0, +) - before.values.reduce(0, +)) / seconds
        case (.cycles(let before), .cycles(let now)):
            now.reduce(0) { sum, engine in sum + (before[engine.key].map { engine.value.share(since: $0) } ?? 0) }
        default: 0
        }
    }
}

extension EngineWork.Cycles {
    fileprivate func share(since before: Self) -> Double {
        guard client > before.client, total > before.total else { return 0 }
        return Double(client - before.client) / Double(total - before.total)
    }
}
