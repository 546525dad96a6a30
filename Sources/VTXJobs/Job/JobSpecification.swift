package import VTXJSON

/// A request. `settings` are those of the option catalogue; only the worker interprets them.
package struct JobSpecification: Sendable, Hashable, Codable {
    package var input: Input
    /// nil for the default: next to the source, or in the service's directory for an upload.
    package var output: Output?
    package var settings: [String: JSONValue]
    /// The preset from which some settings came.
    package var preset: String?
    /// Higher priorities start first; 0 is the default.
    package var priority: Int
    package var labels: [String: String]
    /// Called when the job has ended.
    package var callback: Callback?
    /// Whether it must keep up with the source in real time, so that engine time is reserved.
    package var realTime: Bool
    /// The directory where all hosts of a cluster see the service's files for clients: uploads, outputs for download.
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

    /// An input: in JSON, an object with exactly one of these names.
    package struct Input: Sendable, Hashable, Codable {
        package var path: String?
        package var url: String?
        /// The ID of a complete upload.
        package var upload: String?
        /// The client's name of the upload.
        package var uploadName: String?

        package init(path: String? = nil, url: String? = nil, upload: String? = nil) {
            (self.path, self.url, self.upload) = (path, url, upload)
        }

        /// A name for users.
        package var name: String { path ?? url ?? uploadName ?? upload.map { "upload \($0)" } ?? "" }
    }

    /// An output: exactly one of these.
    package struct Output: Sendable, Hashable, Codable {
        package var path: String?
        /// The directory in which the service chooses a name.
        package var directory: String?
        /// The URL to which the file is sent by PUT.
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

/// Determines whether and when a failed job is retried.
enum RetryPolicy {
    enum Decision: Sendable, Hashable {
        case final
        /// It crashes workers: kept with its evidence, without automatic retry.
        case park
        case retry(afterSeconds: Double)
    }

    private struct Rule {
        /// The number of consecutive retries.
        var limit: Int
        var backoff: Backoff?
        var last: Decision = .final
    }

    private static func rule(_ category: Failure.Category) -> Rule? {
        switch category {
        // Immediately on another device, finally in software.
        case .device: Rule(limit: 16)
        case .network: Rule(limit: 10, backoff: Backoff(first: 2, longest: 300))
        // A worker whose server was killed needs a moment to notice; one on a host that hangs holds its lock for longer.
        case .busy: Rule(limit: 60, backoff: Backoff(first: 0.5, longest: 60))
        case .worker: Rule(limit: 3, backoff: Backoff(first: 1, longest: 10), last: .park)
        case .source, .request, .output, .verification, .rule: nil
        }
    }

    /// - Parameter setbacks: The number of consecutive failures in this category, including this one.
    static func decision(_ failure: Failure, setbacks: Int, _ id: JobID) -> Decision {
        guard let rule = rule(failure.category) else { return .final }
        if setbacks >= rule.limit { return rule.last }
        return .retry(afterSeconds: rule.backoff?.seconds(setbacks, of: id.text) ?? 0)
    }
}

/// Exponential backoff with jitter per job, so that not all jobs return at once.
package struct Backoff: Sendable, Hashable {
    package var first: Double
    package var longest: Double

    package init(first: Double, longest: Double) { (self.first, self.longest) = (first, longest) }

    /// Returns the seconds before the retry after failure `count`, which starts at 1.
    package func seconds(_ count: Int, of name: String) -> Double {
        let doubled = first * Double(UInt64(1) << UInt64(min(max(count - 1, 0), 32)))
        return min(doubled, longest) * (0.75 + 0.5 * jitter(count, name))
    }

    /// Returns a value from 0 to 1 that depends only on job and count: FNV-1a.
    private func jitter(_ count: Int, _ name: String) -> Double {
        let hash = "\(name)/\(count)".utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return Double((hash ^ hash >> 32) & 0xffff) / 65535
    }
}

/// The origin of a job in a cluster.
package struct JobOrigin: Sendable, Hashable, Codable {
    /// The server that accepted it.
    package var server: String
    /// The client's idempotency key, if any.
    package var key: IdempotencyKey?

    package init(server: String, key: IdempotencyKey? = nil) { (self.server, self.key) = (server, key) }
}

extension Job {
    /// Whether a server calls back at the job's end: of several that notice it, the one that accepted it does.
    ///
    /// - Parameter server: The server; nil outside a cluster.
    package func callsBack(from server: String?) -> Bool {
        guard let server, let origin else { return true }
        return origin.server == server
    }
}

/// A client's key for a request, with which it can be repeated.
package struct IdempotencyKey: Sendable, Hashable, Codable {
    package var key: String
    /// The digest of the request.
    package var digest: String

    package init(key: String, digest: String) {
        self.key = key
        self.digest = digest
    }
}
