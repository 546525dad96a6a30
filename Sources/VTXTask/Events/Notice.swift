/// Something the user should know; none of them ends the transcode.
package struct Notice: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable {
        /// Something of the source is given up: bits, a stream, a tag.
        case downgrade
        /// Something is kept in another form: a subtitle's format, an audio codec.
        case conversion
        /// Software does what hardware was to do, or a simpler mode what a better one was to do.
        case fallback
        /// The source is not as it should be.
        case warning
    }

    package var kind: Kind
    /// Stable, for programs: `downgrade.bitDepth`, `stream.dropped`.
    package var code: String
    package var message: String

    package init(_ kind: Kind, _ code: String, _ message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }
}
