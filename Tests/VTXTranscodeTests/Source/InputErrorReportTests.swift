import Testing
import VTXMedia
import VTXTask

@testable import VTXTranscode

@Suite("The report on a damaged source")
struct InputErrorReportTests {
    @Test("singular and plural")
    func numbers() {
        let damage = InputErrorReport()
        damage.countConcealed()
        #expect(damage.notices.map(\.message) == ["1 damaged frame of the source was concealed by the decoder"])
        damage.countConcealed()
        #expect(damage.notices.map(\.message) == ["2 damaged frames of the source were concealed by the decoder"])
    }

    @Test("lists the existing streams if a missing one is requested")
    func positions() {
        #expect(TranscodeError.videoPosition(3, in: "'a'", count: 1).message.hasSuffix("it has stream 0 only"))
        #expect(TranscodeError.videoPosition(3, in: "'a'", count: 3).message.hasSuffix("it has streams 0 to 2"))
    }
}
