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

/// What adding a job came to.
package enum Added: Sendable, Hashable {
    /// With its events' numbers.
    case new([Int64])
    /// The key was there: this is its job.
    case existing(Job)
    /// The key was there with another request.
    case conflict
}
