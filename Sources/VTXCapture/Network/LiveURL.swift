/// The URL of a live output: `rtmp://host[:port]/app/key`, `udp://host:port?ttl=2`.
struct LiveURL: Sendable, Hashable {
    /// The URL as written by the user.
    let text: String
    /// In lowercase.
    let scheme: String
    private let rest: Substring

    /// - Returns: nil for a file.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("//"), !parts[0].contains("/") else { return nil }
        (self.text, scheme, rest) = (text, parts[0].lowercased(), parts[1])
    }

    /// The URL for libavformat, which knows its protocols only in lowercase.
    var spelledForLibavformat: String { "\(scheme):\(rest)" }

    /// Whether all parts are present. libavformat misinterprets missing parts, and fails late or never.
    var isComplete: Bool {
        switch scheme {
        case "rtmp": !host.isEmpty && port != .invalid
        // A listener needs no host.
        case "srt": port == .valid
        default: !host.isEmpty && port == .valid
        }
    }

    /// Whether all parts of an input's URL are present. Without a host, datagrams are received on any address of this
    /// machine.
    var isCompleteInput: Bool {
        switch scheme {
        case "rtmp", "rtsp": !host.isEmpty && port != .invalid
        default: port == .valid
        }
    }

    /// How long an SRT connection must stay open after its last packet, in microseconds: the receiver drops what it has
    /// received but, by its latency, not yet output. 0 for other protocols.
    var linger: Int {
        guard scheme == "srt" else { return 0 }
        let latency = ["latency", "peerlatency"].compactMap { option($0).flatMap { Int($0) } }.max()
        return min(max(latency ?? 0, Self.usualLatency) + Self.margin, Self.maxLinger)
    }

    /// libsrt's default latency, the time for a packet that is lost last, and the maximum, in microseconds.
    private static let (usualLatency, margin, maxLinger) = (120_000, 500_000, 3_000_000)

    /// Returns an option after `?`.
    private func option(_ name: String) -> Substring? {
        guard let query = rest.split(separator: "?", maxSplits: 1).dropFirst().first else { return nil }
        return query.split(separator: "&").first { $0.hasPrefix("\(name)=") }?.dropFirst(name.count + 1)
    }

    private enum Port {
        case absent
        case valid
        case invalid
    }

    /// `user@[::1]:1935` without the user.
    private var authority: Substring {
        let all = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
        return all.lastIndex(of: "@").map { all[all.index(after: $0)...] } ?? all
    }

    private var host: Substring {
        guard authority.first == "[" else { return authority.prefix { $0 != ":" } }
        return authority.dropFirst().prefix { $0 != "]" }
    }

    private var port: Port {
        let afterHost = authority.first == "[" ? authority.drop { $0 != "]" }.dropFirst() : authority.drop { $0 != ":" }
        guard afterHost.first == ":" else { return afterHost.isEmpty ? .absent : .invalid }
        return UInt16(afterHost.dropFirst()).map { $0 > 0 ? .valid : .invalid } ?? .invalid
    }
}
