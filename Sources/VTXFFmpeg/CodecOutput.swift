/// What a codec or a filter answers when it is asked for its next result.
///
/// libav's `EAGAIN` and `EOF` are values here; they never leave this module as errors.
package enum CodecOutput<Unit> {
    case unit(Unit)
    /// Send something first.
    case needsInput
    /// Everything that was sent has come out; nothing more will.
    case endOfStream
}

extension CodecOutput: Sendable where Unit: Sendable {}
