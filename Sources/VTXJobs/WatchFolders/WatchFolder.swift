package import VTXJSON

/// A directory whose files become jobs.
package struct WatchFolder: Sendable, Hashable, Codable {
    package var path: String
    /// The root of outputs, which mirror the tree below `path`; nil for next to the source.
    package var output: String?
    package var recursive: Bool
    /// File name patterns with `*` and `?`; empty for all usual extensions of sources.
    package var include: [String]
    package var exclude: [String]
    package var settings: [String: JSONValue]
    package var preset: String?
    package var priority: Int
    package var labels: [String: String]
    package var skip: SkipRule
    /// How long a file must not change if it was not seen being closed, in seconds.
    package var settleSeconds: Double
    package var enabled: Bool

    package init(
        path: String, output: String? = nil, recursive: Bool = true, include: [String] = [], exclude: [String] = [],
        settings: [String: JSONValue] = [:], preset: String? = nil, priority: Int = 0, labels: [String: String] = [:],
        skip: SkipRule = SkipRule(), settleSeconds: Double = 10, enabled: Bool = true
    ) {
        self.path = path
        self.output = output
        self.recursive = recursive
        self.include = include
        self.exclude = exclude
        self.settings = settings
        self.preset = preset
        self.priority = priority
        self.labels = labels
        self.skip = skip
        self.settleSeconds = settleSeconds
        self.enabled = enabled
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            path: try container.decode(String.self, forKey: .path),
            output: try container.decodeIfPresent(String.self, forKey: .output),
            recursive: try container.decodeIfPresent(Bool.self, forKey: .recursive) ?? true,
            include: try container.decodeIfPresent([String].self, forKey: .include) ?? [],
            exclude: try container.decodeIfPresent([String].self, forKey: .exclude) ?? [],
            settings: try container.decodeIfPresent([String: JSONValue].self, forKey: .settings) ?? [:],
            preset: try container.decodeIfPresent(String.self, forKey: .preset),
            priority: try container.decodeIfPresent(Int.self, forKey: .priority) ?? 0,
            labels: try container.decodeIfPresent([String: String].self, forKey: .labels) ?? [:],
            skip: try container.decodeIfPresent(SkipRule.self, forKey: .skip) ?? SkipRule(),
            settleSeconds: try container.decodeIfPresent(Double.self, forKey: .settleSeconds) ?? 10,
            enabled: try container.decodeIfPresent(Bool.self, forKey: .enabled) ?? true)
    }

    /// Whether a file with this path, relative to `path`, is one of its sources.
    package func takes(_ relativePath: String) -> Bool {
        let parts = relativePath.split(separator: "/")
        guard let name = parts.last, recursive || parts.count == 1 else { return false }
        // Hidden files and directories, including vtx's partial files.
        guard !parts.contains(where: { $0.hasPrefix(".") }) else { return false }
        guard !exclude.contains(where: { NamePattern($0).matches(name) }) else { return false }
        if !include.isEmpty { return include.contains { NamePattern($0).matches(name) } }
        guard let dot = name.lastIndex(of: ".") else { return false }
        return Self.extensions.contains(name[name.index(after: dot)...].lowercased())
    }

    private static let extensions: Set<String> = [
        "mp4", "m4v", "mov", "mkv", "webm", "avi", "ts", "m2ts", "mts", "mpg", "mpeg", "vob", "flv", "wmv", "asf",
        "3gp", "ogv", "mxf", "h264", "h265", "hevc",
    ]
}

/// Which sources a watch folder skips.
package struct SkipRule: Sendable, Hashable, Codable {
    /// Skips sources with video of these codecs; nil for the job's target codec, if nothing else would change.
    package var codecs: [String]?
    /// Skips sources that would not shrink by this fraction: 0.1 is a tenth. nil for no such rule.
    package var minimumGain: Double?

    package init(codecs: [String]? = nil, minimumGain: Double? = nil) {
        self.codecs = codecs
        self.minimumGain = minimumGain
    }

    /// Whether a source is skipped because of its codec.
    ///
    /// - Parameter targetCodec: The target codec; nil if more than the codec would change.
    package func skips(codec: String, targetCodec: String?) -> Bool {
        (codecs ?? [targetCodec].compactMap(\.self)).contains(codec)
    }

    /// Returns why a source is skipped because of its output's size; nil if it is not.
    ///
    /// - Parameter expectedRatio: The planned ratio of the output's size to the source's; nil if unknown.
    package func reason(expectedRatio: Double?) -> String? { expectedRatio.flatMap { reason(ratio: $0, "would be") } }

    /// Returns why a finished output is not worth keeping; nil if it is.
    package func reason(outputBytes: Int64, sourceBytes: Int64) -> String? {
        sourceBytes > 0 ? reason(ratio: Double(outputBytes) / Double(sourceBytes), "is") : nil
    }

    private func reason(ratio: Double, _ verb: String) -> String? {
        guard let minimumGain, ratio > 1 - minimumGain else { return nil }
        let percent = { (part: Double) in "\(Int((abs(part) * 100).rounded())) %" }
        let change = "\(ratio <= 1 ? "smaller" : "larger") by \(percent(1 - ratio))"
        return "the output \(verb) \(change); the rule requires \(percent(minimumGain)) smaller"
    }
}

/// A file name pattern: `*` matches any characters, `?` one. Case-insensitive.
struct NamePattern {
    private let pattern: [Character]

    init(_ pattern: String) { self.pattern = Array(pattern.lowercased()) }

    func matches(_ name: some StringProtocol) -> Bool {
        let name = Array(name.lowercased())
        var (position, index) = (0, 0)
        // The position of the last `*`, and the end of what it matches so far.
        var star: (position: Int, index: Int)?
        while index < name.count {
            if position < pattern.count, pattern[position] == "*" {
                star = (position, index)
                position += 1
            } else if position < pattern.count, pattern[position] == "?" || pattern[position] == name[index] {
                (position, index) = (position + 1, index + 1)
            } else if let last = star {
                star = (last.position, last.index + 1)
                (position, index) = (last.position + 1, last.index + 1)
            } else {
                return false
            }
        }
        return pattern[position...].allSatisfy { $0 == "*" }
    }
}

/// Determines when a file is complete: its writer has closed it or it was moved here, and its size does not change.
package struct FileSettling: Sendable {
    package enum Event: Sendable, Hashable {
        /// Closed after writing, or moved here: complete as far as can be known.
        case closed(String, Stamp)
        /// Possibly still being written: found at startup, created, or changed.
        case seen(String, Stamp)
        case gone(String)
    }

    /// The properties that change with a file's contents.
    package struct Stamp: Sendable, Hashable, Codable {
        package var byteCount: Int64
        /// Nanoseconds since 1970.
        package var modifiedAt: Int64

        package init(byteCount: Int64, modifiedAt: Int64) {
            self.byteCount = byteCount
            self.modifiedAt = modifiedAt
        }
    }

    private struct Candidate {
        var stamp: Stamp
        var dueAt: Double
        var wait: Double
    }

    private var candidates: [String: Candidate] = [:]
    private let seconds: Double
    /// The delay after closing, in seconds: copying programs reopen a file to set its times.
    private static let afterClose = 1.0

    /// - Parameter seconds: How long a file that was not closed must not change.
    package init(seconds: Double) { self.seconds = seconds }

    package mutating func handle(_ event: Event, at now: Double) {
        switch event {
        case .closed(let path, let stamp): wait(path, stamp, min(Self.afterClose, seconds), now)
        case .seen(let path, let stamp):
            // A known file's progress is checked when it is due.
            guard candidates[path] == nil else { return }
            wait(path, stamp, seconds, now)
        case .gone(let path): candidates[path] = nil
        }
    }

    private mutating func wait(_ path: String, _ stamp: Stamp, _ wait: Double, _ now: Double) {
        candidates[path] = Candidate(stamp: stamp, dueAt: now + wait, wait: wait)
    }

    /// The time of the next check; nil for never.
    package var nextCheck: Double? { candidates.values.map(\.dueAt).min() }

    /// Returns the files that are due and unchanged, in order of name.
    ///
    /// - Parameter look: Returns a file's current stamp; nil if it is gone.
    package mutating func settled(at now: Double, look: (String) -> Stamp?) -> [(path: String, stamp: Stamp)] {
        var settled: [(path: String, stamp: Stamp)] = []
        for (path, candidate) in candidates.sorted(by: { $0.key < $1.key }) where candidate.dueAt <= now {
            let stamp = look(path)
            candidates[path] = nil
            guard let stamp else { continue }
            if stamp == candidate.stamp, stamp.byteCount > 0 {
                settled.append((path, stamp))
            } else if stamp.byteCount > 0 || candidate.stamp != stamp {
                wait(path, stamp, seconds, now)
            }
        }
        return settled
    }
}
