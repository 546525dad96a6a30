import VTXSystem

/// Measures how long a process keeps GPU engines busy, as counted by the kernel.
package struct EngineMeter: Sendable {
    /// A sample of one node.
    struct Look: Sendable {
        /// The time on a monotonic clock.
        var seconds: Double
        var clients: [DRMClient: EngineWork] = [:]
    }

    /// The first sample of each node that had clients.
    private var first: [String: Look] = [:]
    /// The latest data of each client, including closed ones.
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

    /// The busy time of each node's engines, by the kernel's names.
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
    /// Converts cycles to time by the number of cycles of the engine's clock between two samples.
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
    /// Returns the total count of the engine's clock.
    fileprivate func total(of engine: Substring) -> UInt64? {
        if case .cycles(let engines) = self { engines[engine]?.total } else { nil }
    }
}
