package import VTXMedia
import VTXSystem

/// One self-test of one device, as text, so that another process can run it.
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

/// The result of using a device for a few frames.
package struct SelfTestResult: Sendable, Hashable, Codable {
    package enum Verdict: String, Sendable, Hashable, Codable, CaseIterable {
        case passed
        /// There was no output, or a wrong one.
        case failed
        /// The driver crashed its process.
        case crashed
        /// The driver hung.
        case hung
        /// The test is not possible.
        case skipped
    }

    package var verdict: Verdict
    /// The number of output frames.
    package var frames: Int?
    /// The peak signal-to-noise ratio in dB, of the worst plane; nil if the frames are identical, or there are none.
    package var psnr: Double?
    /// The problem, or why nothing was tested; nil if it passed.
    package var evidence: String?

    package init(_ verdict: Verdict, frames: Int? = nil, psnr: Double? = nil, evidence: String? = nil) {
        self.verdict = verdict
        self.frames = frames
        self.psnr = psnr
        self.evidence = evidence
    }
}

/// A self-test of the whole transcode: generates a short clip, transcodes it, checks the output, and removes it.
package struct SelfTestTranscode: Sendable, Hashable, Codable {
    /// The render node; nil for software.
    package var device: String?
    package var codec: VideoCodec

    package var clip: TestTranscodeClip

    package init(_ clip: TestTranscodeClip, device: String?, codec: VideoCodec) {
        self.clip = clip
        self.device = device
        self.codec = codec
    }
}

/// The result of such a self-test.
package struct TranscodeReport: Sendable, Hashable, Codable {
    /// Whether the output is complete.
    package var isComplete = true
    /// nil on success.
    package var error: Message?
    package var device: String?
    package var frames: Int?
    package var elapsedSeconds: Double?
    /// In dB, of the worst plane.
    package var psnr: Double?
    package var decisions: [Message] = []
    /// The notices of the transcode: fallbacks, downgrades.
    package var notices: [Message] = []

    package init() {}

    package init(_ error: TranscodeError) {
        isComplete = false
        self.error = error.message
    }
}

/// A short clip in a temporary directory, for a whole transcode.
package struct TestTranscodeClip: Sendable, Hashable, Codable {
    private let directory: String

    package var input: String { "\(directory)/in.mkv" }
    package var output: String { "\(directory)/out.mp4" }

    /// Creates the directory, which remains until `remove`, because the process that transcodes may crash.
    package init() throws(TranscodeError) {
        do throws(SystemError) { directory = try Directory.makeTemporary("vtx-trial") } catch {
            throw TranscodeError(output: "a directory for the self-test", error.code)
        }
    }

    package func remove() {
        Directory.removeTree(directory)
    }
}
