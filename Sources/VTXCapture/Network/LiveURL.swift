/// Where a live output goes: `rtmp://host[:port]/app/key`, `udp://host:port?ttl=2`.
struct LiveURL: Sendable, Hashable {
    /// As users name it.
    let text: String
    /// In small letters.
    let scheme: String
    private let rest: Substring

    /// - Returns: nil for a file.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("//"), !parts[0].contains("/") else { return nil }
        (self.text, scheme, rest) = (text, parts[0].lowercased(), parts[1])
    }

    /// libavformat knows its protocols in small letters only.
    var spelledForLibavformat: String { "\(scheme):\(rest)" }

    /// libavformat takes what is missing for something else, and finds out late or never.
    var isComplete: Bool {
        switch scheme {
        case "rtmp": !host.isEmpty && port != .invalid
        // One that listens needs no host.
        case "srt": port == .valid
        default: !host.isEmpty && port == .valid
        }
    }

    /// Of an input. Datagrams come to any of this machine's addresses where none is named.
    var isCompleteInput: Bool {
        switch scheme {
        case "rtmp", "rtsp": !host.isEmpty && port != .invalid
        default: port == .valid
        }
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
