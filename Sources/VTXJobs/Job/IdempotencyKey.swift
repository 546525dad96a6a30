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
