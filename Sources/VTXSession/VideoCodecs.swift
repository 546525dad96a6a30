package import VTXFFmpeg
package import VTXMedia
package import VTXSystem

// The three stages of a video stream. All follow one protocol: send one unit, then receive until
// `.needsInput`; nil ends the input, after which receive gives out what is held back until `.endOfStream`.
// One thread at a time calls each of them; which one may change. A unit that was sent belongs to the stage.

/// A decoder: packets in, frames out in display order.
package protocol VideoDecoder: Sendable {
    /// - Throws: `.badData` costs the packet's frame, never the decoder: continue with the next packet.
    func send(_ packet: Packet?) throws(SessionError)
    func receive() throws(SessionError) -> CodecOutput<Frame>
    /// Discards everything that has not come out. The next packet begins a new stream, even after the end.
    func reset()
    /// Reserves a reorder depth from the next packet on. In real time only.
    func expectReordering(of depth: Int)
    /// Returns the pictures that neither came out nor failed. Valid after `.endOfStream`.
    func missingPictures() -> MissingPictures
}

extension VideoDecoder {
    package func expectReordering(of depth: Int) {}
    package func missingPictures() -> MissingPictures { MissingPictures() }

    /// Returns the next output and skips corrupt data. A decoder that returns only errors has ended: no decoder delays
    /// its frames by that many.
    ///
    /// - Parameter onDamage: Called for each `.badData`; other errors are thrown.
    package func receive(onDamage: (SessionError) -> Void) throws(SessionError) -> CodecOutput<Frame> {
        for _ in 0..<256 {
            do throws(SessionError) { return try receive() } catch {
                guard error.code == .badData else { throw error }
                onDamage(error)
            }
        }
        return .endOfStream
    }
}

/// A filter: frames in, frames of the configured size, format and aspect ratio out. Frames that need no change pass
/// unchanged.
package protocol VideoFilter: Sendable {
    func send(_ frame: Frame?) throws(SessionError)
    func receive() throws(SessionError) -> CodecOutput<Frame>
}

/// An encoder: frames in, packets out in decoding order.
package protocol VideoEncoder: Sendable {
    /// The codec parameters for the container's header. Complete after the first packet: some drivers report the
    /// parameter sets only then.
    var parameters: CodecParameters { get }

    /// The settings that the encoder does not support, and what it does instead, as sentences for users.
    var compromises: [String] { get }

    /// The device's encoding mode; nil if there is only one.
    var mode: EncodingMode? { get }

    /// The number of times another encoder has taken over. Its output begins with a key frame.
    var replacementCount: Int { get }

    /// - Parameter forcesKeyFrame: Whether this frame becomes an IDR picture (VideoToolbox: `ForceKeyFrame`).
    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError)
    func receive() throws(SessionError) -> CodecOutput<Packet>

    /// Changes the rate from the next frame on, without a key frame. The configuration must be the same otherwise.
    ///
    /// - Returns: false if the encoder does not support it; the rate then stays the same.
    func changeRate(to configuration: EncoderConfiguration) -> Bool

    /// Continues a stream after another encoder's packets, which have used a part of the rate. Call before the first
    /// frame.
    func resume(after account: RateAccount) throws(SessionError)
}

extension VideoEncoder {
    package func changeRate(to configuration: EncoderConfiguration) -> Bool { false }
    package func resume(after account: RateAccount) throws(SessionError) {}
    package var mode: EncodingMode? { nil }
    package var replacementCount: Int { 0 }
}

extension SessionError {
    /// Creates an error for a libav* call that failed during `activity`. The status determines the code; `fallback` is
    /// for an unknown status.
    package init(_ error: FFmpegError, while activity: String, else fallback: Code) {
        let code: Code =
            switch error.kind {
            case .invalidData: .badData
            case .outOfResources: .allocationFailed
            case .noDecoder: .noSuchDecoder
            case .noEncoder: .noSuchEncoder
            case .notSupported: .unsupportedFormat
            default: fallback
            }
        self.init(code, "\(activity): \(error)")
    }
}

/// The statistics of the first of two passes for the second, in a directory of their own because encoders add other
/// files. The directory is deleted with its last owner.
package final class PassStatistics: Sendable {
    private let directory: ScratchDirectory

    package init() throws(SystemError) { directory = try ScratchDirectory("vtx-passes") }

    package var path: String { "\(directory.path)/frames.log" }

    /// The directory if its file system is full. Encoders do not check what they write there: the second pass fails
    /// with a general error.
    package var fullDirectory: String? {
        let free = Directory.availableBytes(directory.path) ?? .max
        return free < 64 << 10 ? Directory.temporary : nil
    }
}
