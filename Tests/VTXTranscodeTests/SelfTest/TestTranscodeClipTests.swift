import Testing
import VTXTask
import VTXTestMedia
import VTXSystem

@testable import VTXTranscode

@Suite("The clip for a whole transcode")
struct TestTranscodeClipTests {
    @Test("it is made, compared, and removed")
    func life() throws {
        let clip = try TestTranscodeClip()
        defer { clip.remove() }
        try clip.make()
        try Files.write(try Files.read(clip.input), to: clip.output)
        #expect(try clip.compare() == nil)
        clip.remove()
        #expect(!AtomicFile.exists(clip.input) && !AtomicFile.exists(clip.output))
    }

    @Test("a clip without its directory cannot be made, which is a fault of the machine")
    func noRoom() throws {
        let clip = try TestTranscodeClip()
        clip.remove()
        let error = #expect(throws: TranscodeError.self) { try clip.make() }
        #expect(error?.kind == .trialClip && error?.category == .internal)
    }

    @Test("different frames are a verification error")
    func otherPictures() throws {
        let clip = try TestTranscodeClip()
        defer { clip.remove() }
        try clip.make()
        try MovieRecipe(VideoRecipe { $0.picture = "color=red" }, nil).write(to: clip.output)
        let error = #expect(throws: TranscodeError.self) { try clip.compare() }
        #expect(error?.kind == .trialPictures && error?.category == .verification)
    }
}
