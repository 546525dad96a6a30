import Testing
import VTXTestMedia

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
        #expect(!OutputFile.exists(film.input) && !OutputFile.exists(film.output))
    }

    @Test("other pictures are an error of the check")
    func otherPictures() throws {
        let film = try TestTranscodeClip()
        defer { film.remove() }
        try film.make()
        try MovieRecipe(VideoRecipe { $0.picture = "color=red" }, nil).write(to: film.output)
        let error = #expect(throws: TranscodeError.self) { try film.compare() }
        #expect(error?.exitCode == .verification)
    }
}

@Suite("A small file, whole or not at all")
struct WholeFileTests {
    @Test("an existing file stays, unless it may be replaced")
    func overwriting() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("report.txt")
        try WholeFile.write("one", to: path, overwrites: false)
        let error = #expect(throws: TranscodeError.self) { try WholeFile.write("two", to: path, overwrites: false) }
        #expect(error?.code == "output.exists" && error?.exitCode == .output)
        #expect(try Files.read(path) == Array("one".utf8))
        try WholeFile.write("three", to: path, overwrites: true)
        #expect(try Files.read(path) == Array("three".utf8))
    }

    @Test("a place that is not there is an error of the output")
    func noPlace() {
        let error = #expect(throws: TranscodeError.self) {
            try WholeFile.write("text", to: "/nowhere/report.txt", overwrites: false)
        }
        #expect(error?.exitCode == .output)
    }
}
