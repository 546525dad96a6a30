import Testing
import VTXTask
import VTXTestMedia
import VTXSystem

@testable import VTXTranscode

@Suite("The film for a whole transcode")
struct TestTranscodeClipTests {
    @Test("it is made, compared, and gone afterwards")
    func life() throws {
        let film = try TestTranscodeClip()
        defer { film.remove() }
        try film.make()
        try Files.write(try Files.read(film.input), to: film.output)
        #expect(try film.compare() == nil)
        film.remove()
        #expect(!AtomicFile.exists(film.input) && !AtomicFile.exists(film.output))
    }

    @Test("other pictures are an error of the check")
    func otherPictures() throws {
        let film = try TestTranscodeClip()
        defer { film.remove() }
        try film.make()
        try MovieRecipe(VideoRecipe { $0.picture = "color=red" }, nil).write(to: film.output)
        let error = #expect(throws: TranscodeError.self) { try film.compare() }
        #expect(error?.category == .verification)
    }
}
