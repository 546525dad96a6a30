/// Why an attempt, and perhaps the job, failed.
package struct Failure: Error, Sendable, Hashable, Codable {
    /// Whose fault it is decides what happens next.
    package enum Category: String, Sendable, Hashable, Codable, CaseIterable {
        /// The GPU, its driver, or what it wrote.
        case device
        /// The source cannot be read, or what is asked cannot be done with it: final.
        case source
        /// What is asked is wrong: final.
        case request
        case network
        /// No space, no permission, the name is taken: final.
        case output
        /// A rule of the job's own stopped it: the output would be too large, or something lost. Final.
        case rule
        /// Another process still has the job's files.
        case busy
        /// The worker died of something that is no device's fault, or has a bug.
        case worker
    }

    /// The worker's code, such as `input.notFound`, or one of the service's own.
    package var code: String
    package var category: Category
    package var message: String
    package var hint: String?
    /// The device that failed.
    package var device: DeviceName?
    /// What the worker wrote last, for what has no other explanation.
    package var evidence: [String]?

    package init(
        _ category: Category, _ code: String, _ message: String, hint: String? = nil, device: DeviceName? = nil,
        evidence: [String]? = nil
    ) {
        self.code = code
        self.category = category
        self.message = message
        self.hint = hint
        self.device = device
        self.evidence = evidence
    }
}
