import Testing
import VTXMedia

@testable import VTXTask

@Suite("Codes of errors and notices")
struct CodeTests {
    @Test("each error kind has a message", arguments: ErrorKind.allCases)
    func errors(kind: ErrorKind) { #expect(!kind.documentation.meaning.isEmpty) }

    @Test("each notice kind has a message", arguments: NoticeKind.allCases)
    func notices(kind: NoticeKind) { #expect(!kind.meaning.isEmpty) }

    @Test("a category is the code's first word, or a warning")
    func categories() {
        #expect(NoticeKind.downgradeAudio.category == .downgrade && NoticeKind.fallbackDevice.category == .fallback)
        #expect(NoticeKind.sourceDamaged.category == .warning && NoticeKind.workerLate.category == .warning)
    }

    @Test("every code of a session's error is a kind")
    func sessions() {
        let kinds = SessionError.Code.allCases.map { ErrorKind($0) }
        #expect(!kinds.contains(.internal) && Set(kinds).count == kinds.count)
    }

    @Test("a forbidden notice is an error with the notice's code")
    func forbidden() throws {
        let loss = TranscodeError(forbidding: Notice(.downgradeBitDepth, "10 bits become 8"), hint: "keep them")
        #expect(loss.code == "downgrade.bitDepth" && loss.category == .unsupported)
        let fallback = TranscodeError(forbidding: Notice(.fallbackDecode, "software decodes"), hint: "")
        #expect(fallback.code == "fallback.decode" && fallback.category == .fallback)
        for error in [loss, fallback] {
            #expect(try JSONLine.value(TranscodeError.self, from: JSONLine.text(error)) == error)
        }
    }

    @Test("an error keeps its location")
    func place() throws {
        var error = TranscodeError(.inputUnreadable, "packets cannot be read", hint: "\(option: .start) skips them")
        (error.stage, error.stream, error.time, error.cause) = (.decode, 2, 12.5, "Input/output error")
        error.device = DeviceID("/dev/dri/renderD128")
        let line = JSONLine.text(error)
        #expect(line.contains(#""stage":"decode""#) && line.contains(#""stream":2"#))
        #expect(try JSONLine.value(TranscodeError.self, from: line) == error)
    }
}
