import Glibc
import VTXSystem

/// How busy a GPU is, as far as a program without privileges can see: what other users' processes do is not visible,
/// and not counted.
package struct RenderNodeLoad: Sendable, Hashable, Codable {
    /// Other processes that have the node open.
    package var processes: Int
    /// Of the time, in percent, in which the GPU worked for one of them; nil where the kernel does not count that.
    package var busyPercent: Int?

    package init(processes: Int, busyPercent: Int? = nil) {
        self.processes = processes
        self.busyPercent = busyPercent
    }

    /// To compare devices by. A desktop has its node open all day and does next to nothing, so work counts first.
    package var rank: Int { (busyPercent ?? 0) * 1000 + min(processes, 999) }

    /// One for each node.
    ///
    /// - Parameter seconds: how long to watch the engines, where the kernel counts their time; 0 for not at all.
    package static func measure(_ nodes: [String], seconds: Double) -> [RenderNodeLoad] {
        let before = nodes.map(RenderNodeUse.init)
        guard seconds > 0, before.contains(where: { !$0.clients.isEmpty }) else {
            return before.map { RenderNodeLoad(processes: $0.processes.count) }
        }
        poll(nil, 0, Int32(seconds * 1000))
        return before.map { $0.load(until: $0.again(), seconds: seconds) }
    }
}

/// Who has a render node open at one moment, and how much the GPU has worked for them until then.
struct RenderNodeUse {
    var processes: Set<pid_t> = []
    /// By kernel driver's client: a client may have several descriptors.
    /// None where the kernel does not count.
    var clients: [DRMClient: EngineWork] = [:]
    private var infos: [String] = []

    init(of node: String) {
        guard let device = VTXSystem.FileStatus(node)?.identity else { return }
        for process in Self.otherProcesses {
            for descriptor in Directory.names(in: "/proc/\(process)/fd")
            where VTXSystem.FileStatus("/proc/\(process)/fd/\(descriptor)")?.identity == device {
                processes.insert(process)
                infos.append("/proc/\(process)/fdinfo/\(descriptor)")
            }
        }
        read()
    }

    /// The same processes' work now; one that is gone has not worked since.
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

    private mutating func read() {
        for path in infos {
            guard let text = TextFile.read(path, limit: 8192), let (client, work) = DRMClient.read(text) else {
                continue
            }
            clients[client] = work
        }
    }
}
