package import VTXMedia
import VTXSystem

/// One thing to try on one device; words, so that another process can do it.
package struct SelfTestCase: Sendable, Hashable, Codable {
    /// A render node, or `software`.
    package var device: String
    package var subject: Subject

    package enum Subject: Sendable, Hashable, Codable {
        case row(CodingRow)
        /// The video processor, see `SelfTest.process`.
        case processing
        /// HDR into SDR, see `SelfTest.mapTones`.
        case toneMapping
    }

    package init(device: String, _ subject: Subject) {
        self.device = device
        self.subject = subject
    }

    package var row: CodingRow? {
        guard case .row(let row) = subject else { return nil }
        return row
    }
}

/// What came of using a device for a few frames.
package struct SelfTestResult: Sendable, Hashable, Codable {
    package enum Verdict: String, Sendable, Hashable, Codable, CaseIterable {
        case passed
        /// Nothing came out, or something else than it should.
        case failed
        /// The driver took its process down.
        case crashed
        /// The driver did not come back.
        case hung
        /// There is nothing to try it with.
        case skipped
    }

    package var verdict: Verdict
    /// Pictures that came out.
    package var frames: Int?
    /// Peak signal-to-noise ratio in dB, of the worst plane; nil where the pictures are the same, or there are none.
    package var psnr: Double?
    /// What is wrong, or why nothing was tried, in words; nil where all is well.
    package var evidence: String?

    package init(_ verdict: Verdict, frames: Int? = nil, psnr: Double? = nil, evidence: String? = nil) {
        self.verdict = verdict
        self.frames = frames
        self.psnr = psnr
        self.evidence = evidence
    }
}

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

/// A short clip in a directory of its own, for a whole transcode.
package struct TestTranscodeClip: Sendable, Hashable, Codable {
    private let directory: String

    package var input: String { "\(directory)/in.mkv" }
    package var output: String { "\(directory)/out.mp4" }

    /// Makes the directory, which stays until `remove`: the process that transcodes may not live long enough for that.
    package init() throws(TranscodeError) {
        do throws(SystemError) { directory = try Directory.makeTemporary("vtx-trial") } catch {
            throw TranscodeError(output: "a directory for the self-test", error.code)
        }
    }

    package func remove() {
        Directory.removeTree(directory)
    }
}
