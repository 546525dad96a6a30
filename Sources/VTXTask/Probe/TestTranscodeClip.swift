import VTXSystem

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
