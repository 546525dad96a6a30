import Testing

@testable import VTXTask

@Suite("The location of a journal")
struct JournalRequestTests {
    private func path(_ output: String, under directory: String? = nil) -> String {
        var request = JournalRequest()
        (request.directory, request.workingDirectory) = (directory, "/home")
        return request.path(for: output)
    }

    @Test("is next to the output, hidden")
    func beside() { #expect(path("/a/clip.mp4") == "/a/.clip.mp4.vtx-journal") }

    @Test("in a journal directory is independent of the working directory, and unique to each output")
    func under() {
        #expect(path("clip.mp4", under: "/journals") == path("/home/clip.mp4", under: "/journals"))
        #expect(path("/a/clip.mp4", under: "/journals") != path("/b/clip.mp4", under: "/journals"))
    }

    @Test("has a valid name, even for a long output name")
    func long() {
        let output = "/a/" + String(repeating: "x", count: 250) + ".mp4"
        for path in [path(output), path(output, under: "/journals")] {
            #expect((path.split(separator: "/").last?.utf8.count ?? 256) <= 255)
        }
    }

    @Test("the command that resumes it can be copied")
    func command() {
        var request = JournalRequest()
        #expect(request.resumeCommand("a b.mp4") == "vtx resume 'a b.mp4'")
        #expect(request.resumeCommand("it's.mp4") == #"vtx resume 'it'\''s.mp4'"#)
        request.directory = "/w"
        #expect(request.resumeCommand("c.mp4") == "vtx resume '\(request.path(for: "c.mp4"))'")
    }
}
