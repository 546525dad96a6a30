package import VTXJSON

/// What is asked for. `settings` are the option catalogue's; only the worker knows what they mean.
package struct JobSpecification: Sendable, Hashable, Codable {
    package var input: Input
    /// nil where the service chooses: beside the source, or in its own directory for an upload.
    package var output: Output?
    package var settings: [String: JSONValue]
    /// Where some of the settings came from.
    package var preset: String?
    /// The higher, the sooner; 0 is the default.
    package var priority: Int
    package var labels: [String: String]
    /// Told when the job has ended.
    package var callback: Callback?
    /// Must keep up with the source's time: its engines' time is reserved.
    package var realTime: Bool
    /// Where all hosts of a cluster see what the service keeps for its clients: uploads, outputs for download.
    package var shared: String?

    package init(
        input: Input, output: Output? = nil, settings: [String: JSONValue] = [:], preset: String? = nil,
        priority: Int = 0, labels: [String: String] = [:], callback: Callback? = nil, realTime: Bool = false
    ) {
        self.input = input
        self.output = output
        self.settings = settings
        self.preset = preset
        self.priority = priority
        self.labels = labels
        self.callback = callback
        self.realTime = realTime
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            input: try container.decode(Input.self, forKey: .input),
            output: try container.decodeIfPresent(Output.self, forKey: .output),
            settings: try container.decodeIfPresent([String: JSONValue].self, forKey: .settings) ?? [:],
            preset: try container.decodeIfPresent(String.self, forKey: .preset),
            priority: try container.decodeIfPresent(Int.self, forKey: .priority) ?? 0,
            labels: try container.decodeIfPresent([String: String].self, forKey: .labels) ?? [:],
            callback: try container.decodeIfPresent(Callback.self, forKey: .callback),
            realTime: try container.decodeIfPresent(Bool.self, forKey: .realTime) ?? false)
        shared = try container.decodeIfPresent(String.self, forKey: .shared)
    }

    package static let priorities = -100...100

    /// One of them; in JSON an object with that one name.
    package struct Input: Sendable, Hashable, Codable {
        package var path: String?
        package var url: String?
        /// The id of an upload that is complete.
        package var upload: String?
        /// What the client calls the upload.
        package var uploadName: String?

        package init(path: String? = nil, url: String? = nil, upload: String? = nil) {
            (self.path, self.url, self.upload) = (path, url, upload)
        }

        /// For people.
        package var name: String { path ?? url ?? uploadName ?? upload.map { "upload \($0)" } ?? "" }
    }

    /// One of them.
    package struct Output: Sendable, Hashable, Codable {
        package var path: String?
        /// Has the file under a name that the service chooses.
        package var directory: String?
        /// Takes the file by PUT.
        package var url: String?

        package init(path: String? = nil, directory: String? = nil, url: String? = nil) {
            (self.path, self.directory, self.url) = (path, directory, url)
        }
    }

    package struct Callback: Sendable, Hashable, Codable {
        package var url: String

        package init(url: String) { self.url = url }
    }
}

/// Whether a failed job is tried again, and when.
enum RetryPolicy {
    enum Decision: Sendable, Hashable {
        case final
        /// It kills workers: kept with its evidence, and not tried again by itself.
        case park
        case retry(afterSeconds: Double)
    }

    private struct Rule {
        /// How often in a row.
        var limit: Int
        var backoff: Backoff?
        var last: Decision = .final
    }

    private static func rule(_ category: Failure.Category) -> Rule? {
        switch category {
        // To another device, at last to software, at once.
        case .device: Rule(limit: 16)
        case .network: Rule(limit: 10, backoff: Backoff(first: 2, longest: 300))
        // A worker whose server was killed needs a moment to see that.
        case .busy: Rule(limit: 60, backoff: Backoff(first: 0.5, longest: 5))
        case .worker: Rule(limit: 3, backoff: Backoff(first: 1, longest: 10), last: .park)
        case .source, .request, .output, .rule: nil
        }
    }

    /// - Parameter setbacks: how often in a row this category has happened, this time included.
    static func decision(_ failure: Failure, setbacks: Int, _ id: JobID) -> Decision {
        guard let rule = rule(failure.category) else { return .final }
        if setbacks >= rule.limit { return rule.last }
        return .retry(afterSeconds: rule.backoff?.seconds(setbacks, of: id.text) ?? 0)
    }
}

/// Waits that double, each a little different for each job, so that they do not all come back at once.
package struct Backoff: Sendable, Hashable {
    package var first: Double
    package var longest: Double

    package init(first: Double, longest: Double) { (self.first, self.longest) = (first, longest) }

    /// Seconds before the try that follows failure `count`, which counts from 1.
    package func seconds(_ count: Int, of name: String) -> Double {
        let doubled = first * Double(UInt64(1) << UInt64(min(max(count - 1, 0), 32)))
        return min(doubled, longest) * (0.75 + 0.5 * jitter(count, name))
    }

    /// From 0 to 1, the same for the same job and count: FNV-1a.
    private func jitter(_ count: Int, _ name: String) -> Double {
        let hash = "\(name)/\(count)".utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return Double((hash ^ hash >> 32) & 0xffff) / 65535
    }
}

/// Where a cluster's job comes from.
package struct JobOrigin: Sendable, Hashable, Codable {
    /// The server that took it.
    package var server: String
    /// The client's own, where it gave one.
    package var key: IdempotencyKey?

    package init(server: String, key: IdempotencyKey? = nil) { (self.server, self.key) = (server, key) }
}

extension Job {
    /// Whether a server calls back at the job's end: of several that see it, the one that took it does.
    ///
    /// - Parameter server: nil outside of a cluster.
    package func callsBack(from server: String?) -> Bool {
        guard let server, let origin else { return true }
        return origin.server == server
    }
}

/// What a client calls a request of its own, so that it can be repeated.
package struct IdempotencyKey: Sendable, Hashable, Codable {
    package var key: String
    /// Of what was asked.
    package var digest: String

    package init(key: String, digest: String) {
        self.key = key
        self.digest = digest
    }
}
