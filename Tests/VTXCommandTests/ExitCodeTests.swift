import Testing
import VTXJobs
import VTXMedia
import VTXTask

@testable import VTXCommand

@Suite("Exit codes and flags")
struct ExitCodeTests {
    @Test("every category of errors has its own exit code")
    func categories() {
        let codes = ErrorKind.Category.allCases.map { ExitCode($0) }
        #expect(Set(codes).count == codes.count)
        #expect(Set(codes).union([.success, .incompleteSource]) == Set(ExitCode.allCases))
    }

    @Test("an incomplete source has its own exit code; a skipped output is a success")
    func outcomes() {
        #expect(ExitCode(TranscodeResult.Outcome.completed) == .success)
        #expect(ExitCode(TranscodeResult.Outcome.skipped) == .success)
        #expect(ExitCode(TranscodeResult.Outcome.incompleteSource) == .incompleteSource)
    }

    @Test("the error of a job has the exit code of the transcode", arguments: ErrorKind.allCases)
    func jobErrors(kind: ErrorKind) {
        #expect(ExitCode(jobError: kind.rawValue, .worker) == TranscodeError(kind, "no").exitCode)
    }

    @Test(
        "the category decides about errors of the service",
        arguments: [
            ("worker.died", .worker, .internalError), ("job.poison", .worker, .internalError),
            ("path.outside", .request, .unsupported), ("output.denied", .output, .output),
            ("hardware.noneLeft", .request, .hardware), (nil, nil, .internalError),
        ] as [(String?, Failure.Category?, ExitCode)])
    func serviceErrors(code: String?, category: Failure.Category?, exitCode: ExitCode) {
        #expect(ExitCode(jobError: code, category) == exitCode)
    }

    private static let spellings: [(Message, String)] = [
        ("\(option: .hardware, "auto") helps", "--hw auto helps"),
        ("\(option: .overwrite, "replace") or \(option: .overwrite, "skip")", "-y or -n"),
        ("\(option: .maxBitrate)", "--max-bitrate"), ("\(option: .codec, "hevc")", "--hevc"),
        ("no option: \("a\u{E}b")", "no option: a\u{FFFD}b"),
    ]

    @Test("options in messages are the command's flags", arguments: spellings)
    func spelling(message: Message, text: String) { #expect(message.withFlags == text) }

    @Test("every flag that a message can name is one of vtx transcode, vtx extract or vtx mux")
    func flags() {
        let known = Set([Command.transcode, .extract, .mux].flatMap { $0.options.map(\.flag) })
        // `codec` and `overwrite` have a flag for each value.
        for name in OptionName.allCases where name != .codec { #expect(known.contains(FlagSpelling.flag(name))) }
    }
}
