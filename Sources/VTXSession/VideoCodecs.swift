package import VTXFFmpeg
package import VTXMedia

// The three stages of a video stream. All follow one protocol: send one unit, then receive until
// `.needsInput`; nil ends the input, after which receive gives out what is held back until `.endOfStream`.
// One thread at a time calls each of them; which one may change. A unit that was sent belongs to the stage.

/// Packets in, frames out, in presentation order.
package protocol VideoDecoder: Sendable {
    /// - Throws: `.badData` costs the packet's frame, never the decoder: go on with the next packet.
    func send(_ packet: Packet?) throws(SessionError)
    func receive() throws(SessionError) -> CodecOutput<Frame>
    /// Drops what was sent and has not come out. The next packet is the first one, also after the end.
    func reset()
    /// From the next packet on, up to `depth` frames have to be held back for their order. In real time only.
    func expectReordering(of depth: Int)
    /// After `.endOfStream`: what has not come out, and was no error either.
    func missingPictures() -> MissingPictures
}

extension VideoDecoder {
    package func expectReordering(of depth: Int) {}
    package func missingPictures() -> MissingPictures { MissingPictures() }

    /// What comes next, past data that is damaged. A decoder that has nothing to give but errors has ended: none delays its
    /// frames by as many.
    ///
    /// - Parameter onDamage: called with each `.badData`; other errors are thrown.
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

/// Frames in, frames of the configured size, format and shape out. Frames that need nothing pass untouched.
package protocol VideoFilter: Sendable {
    func send(_ frame: Frame?) throws(SessionError)
    func receive() throws(SessionError) -> CodecOutput<Frame>
}

/// Frames in, packets out, in decoding order.
package protocol VideoEncoder: Sendable {
    /// What the stream is, for a container's header. Complete once the first packet has come out: some drivers
    /// tell their parameter sets only then.
    var parameters: CodecParameters { get }

    /// What the encoder could not do as it was asked, and does instead; sentences.
    var compromises: [String] { get }

    /// The device's mode that it encodes in; nil where there is one only.
    var mode: EncodingMode? { get }

    /// How often another encoder has taken over; what it gives out begins with a key frame.
    var replacementCount: Int { get }

    /// - Parameter forcesKeyFrame: this frame becomes an IDR picture (VideoToolbox: `ForceKeyFrame`).
    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError)
    func receive() throws(SessionError) -> CodecOutput<Packet>

    /// Codes frames from here on at this configuration's rate, which is all that differs, and without a key frame.
    ///
    /// - Returns: false where the encoder cannot, and goes on as it is.
    func changeRate(to configuration: EncoderConfiguration) -> Bool

    /// Before the first frame: another encoder's packets go before, and have taken this of the stream's rate.
    func goOn(after account: RateAccount) throws(SessionError)
}

extension VideoEncoder {
    package func changeRate(to configuration: EncoderConfiguration) -> Bool { false }
    package func goOn(after account: RateAccount) throws(SessionError) {}
    package var mode: EncodingMode? { nil }
    package var replacementCount: Int { 0 }
}

extension SessionError {
    /// A libav* call that failed while `activity`; the status decides the code, `fallback` the rest.
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
