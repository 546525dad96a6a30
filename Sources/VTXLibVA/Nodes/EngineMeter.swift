import VTXSystem

/// How long a process's own work keeps the engines of GPUs busy, as the kernel counts it.
package struct EngineMeter: Sendable {
    /// One look at one node.
    struct Look: Sendable {
        /// On a clock that never goes back.
        var seconds: Double
        var clients: [DRMClient: EngineWork] = [:]
    }

    /// The first look at each node, which had clients.
    private var first: [String: Look] = [:]
    /// The newest that is known of each client, also of one that is closed by now.
    private var last: [String: Look] = [:]
    private let nodes: [String]

    package init() {
        nodes = Directory.names(in: "/dev/dri").filter { $0.hasPrefix("renderD") }.sorted().map { "/dev/dri/\($0)" }
    }

    package mutating func look() {
        for node in nodes {
            guard let file = FileStatus(node)?.identity else { continue }
            var look = Look(seconds: MonotonicClock.seconds)
            for name in Directory.names(in: "/proc/self/fd", leadingTo: file) {
                guard let text = TextFile.read("/proc/self/fdinfo/\(name)", limit: 8192),
                    let (client, work) = DRMClient.read(text)
                else { continue }
                look.clients[client] = work
            }
            note(look, of: node)
        }
    }

    mutating func note(_ look: Look, of node: String) {
        guard !look.clients.isEmpty else { return }
        if first[node] == nil { first[node] = look }
        last[node, default: look].seconds = look.seconds
        last[node]?.clients.merge(look.clients) { $1 }
    }

    /// Of each node's engines that have worked, by the kernel's names.
    package var seconds: [String: [String: Double]] {
        var all: [String: [String: Double]] = [:]
        for (node, look) in last {
            let found = look.seconds(since: first[node] ?? look).filter { $0.value > 0 }
            if !found.isEmpty { all[node] = found }
        }
        return all
    }
}

extension EngineMeter.Look {
    /// Cycles are time once it is known how many the engine's clock has had between two looks.
    fileprivate func seconds(since first: EngineMeter.Look) -> [String: Double] {
        var sums: [String: Double] = [:]
        for work in clients.values {
            switch work {
            case .seconds(let times): for (engine, time) in times { sums[String(engine), default: 0] += time }
            case .cycles(let engines):
                for (engine, cycles) in engines {
                    let before = first.clients.values.compactMap { $0.total(of: engine) }.min() ?? cycles.total
                    guard cycles.total > before, seconds > first.seconds else { continue }
                    let rate = Double(cycles.total - before) / (seconds - first.seconds)
                    sums[String(engine), default: 0] += Double(cycles.client) / rate
                }
            }
        }
        return sums
    }
}

extension EngineWork {
    /// What the engine's clock had counted.
    fileprivate func total(of engine: Substring) -> UInt64? {
        if case .cycles(let engines) = self { engines[engine]?.total } else { nil }
    }
}
