package import VTXMedia

/// A short clip through the whole of vtx: made, transcoded, checked, thrown away.
package struct SelfTestTranscode: Sendable, Hashable, Codable {
    /// A render node; nil for software.
    package var device: String?
    package var codec: VideoCodec

    package var clip: TestTranscodeClip

    package init(_ clip: TestTranscodeClip, device: String?, codec: VideoCodec) {
        self.clip = clip
        self.device = device
        self.codec = codec
    }
}

/// What came of it.
package struct TranscodeReport: Sendable, Hashable, Codable {
    /// The output is whole.
    package var isComplete = true
    /// nil where it went well.
    package var error: Message?
    package var device: String?
    package var frames: Int?
    package var elapsedSeconds: Double?
    /// In dB, of the worst plane.
    package var psnr: Double?
    package var decisions: [Message] = []
    /// What vtx had to say on the way: fallbacks, compromises.
    package var notices: [Message] = []

    package init() {}

    package init(_ error: TranscodeError) {
        isComplete = false
        self.error = error.message
    }
}
