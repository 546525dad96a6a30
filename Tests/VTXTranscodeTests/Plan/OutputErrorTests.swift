import Testing
import VTXMedia
import VTXTask

@testable import VTXTranscode

@Suite("Errors of an output")
struct OutputErrorTests {
    @Test(
        "each system error has a code",
        arguments: [
            (Int32(28), "output.noSpace"), (122, "output.noSpace"), (13, "output.permission"),
            (30, "output.permission"), (17, "output.exists"), (2, "output.notFound"), (5, "output.write"),
        ])
    func codes(error: Int32, code: String) { #expect(TranscodeError(output: "x", error).code == code) }
}
