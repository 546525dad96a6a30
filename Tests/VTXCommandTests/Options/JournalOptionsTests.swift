import Testing
import VTXTask

@testable import VTXCommand

@Suite("The journal's options")
struct JournalOptionsTests {
    private func journal(_ arguments: String...) throws -> JournalRequest? {
        let settings = try ArgumentParser.parse(arguments + ["--h264", "--", "in.mkv", "out.mp4"], by: .transcode)
        return try #require(settings).checked().request.journal
    }

    @Test("a journal is kept, with the command to resume: all options except --restart")
    func kept() throws {
        #expect(try journal()?.command == ["--h264", "--", "in.mkv", "out.mp4"])
        let restarted = try #require(try journal("--restart", "--work-dir=/w"))
        #expect(restarted.startsOver && restarted.directory == "/w" && !restarted.command.contains("--restart"))
    }

    @Test("pipes have no journal, so --restart and --work-dir are refused")
    func pipes() throws {
        func request(_ arguments: String...) throws -> TranscodeRequest {
            try #require(try ArgumentParser.parse(arguments, by: .transcode)).checked().request
        }
        #expect(try request("-", "out.mp4").journal == nil && request("in.mp4", "-").journal == nil)
        #expect(throws: UsageError.self) { try request("in.mp4", "-", "--restart") }
        #expect(throws: UsageError.self) { try request("-", "out.mp4", "--work-dir=/w") }
    }

    @Test("--no-journal keeps none, and excludes the other journal options")
    func none() throws {
        #expect(try journal("--no-journal") == nil)
        for other in ["--restart", "--work-dir=/w"] {
            #expect(throws: UsageError.self) { try journal("--no-journal", other) }
        }
    }
}
