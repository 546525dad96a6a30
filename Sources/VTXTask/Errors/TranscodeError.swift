/// Why a transcode could not be done: what, where, and what would be allowed.
package struct TranscodeError: Error, Sendable, Hashable, Codable {
    package var exitCode: ExitCode
    /// Stable, for programs: `input.notFound`, `output.noSpace`.
    package var code: String
    /// One sentence for people; it names the value and what was allowed.
    package var message: String
    /// What would help, when there is such a thing.
    package var hint: String?

    package init(_ exitCode: ExitCode, _ code: String, _ message: String, hint: String? = nil) {
        self.exitCode = exitCode
        self.code = code
        self.message = message
        self.hint = hint
    }
}
