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

    /// What a request with a key is, where this job was added by the same key.
    package func added(by key: IdempotencyKey) -> Added { origin?.key == key ? .existing(self) : .conflict }
}
