import Testing
import VTXMedia
import VTXTask

@testable import VTXSession
@testable import VTXTranscode

@Suite("Notices about a GPU that failed in mid-file")
struct RecoveryLogTests {
    private static let gpu = candidate("gpu", isHardware: true)
    private static let software = candidate("software", isHardware: false)

    private static func candidate(_ name: String, isHardware: Bool) -> CodecCandidate<Int> {
        CodecCandidate(
            CapabilityMatrix(
                device: DeviceID(name), deviceName: name, isHardware: isHardware, selectors: [.path(name)],
                encoders: [])
        ) { _ in 0 }
    }

    private func lost(to device: CodecCandidate<Int>, _ compromises: [String] = []) -> CodecReplacement {
        CodecReplacement(
            of: Self.gpu, after: SessionError(.hardwareMalfunction, "it broke"), by: device, compromises: compromises)
    }

    @Test("a GPU lost at all stages is reported once")
    func everywhere() {
        let log = RecoveryLog()
        for stage in VideoStage.allCases.reversed() { log.note([lost(to: Self.software)], at: stage) }
        let message = "gpu failed at the decode, filter and encode stages: it broke; "
        #expect(
            log.takeNotices() == [
                Notice(.fallbackFault, "\(message)software takes over and continues the same output")
            ])
        #expect(log.takeNotices().isEmpty && log.notices.count == 1 && log.failures.count == 3)
    }

    @Test("a failed reopening is not reported, and an attempt's loss is kept")
    func inVain() {
        let log = RecoveryLog()
        log.note([lost(to: Self.gpu), lost(to: Self.software, ["CQP stands for VBR"])], at: .encode)
        #expect(log.takeNotices().map(\.code) == ["fallback.fault", "fallback.rateControl"])
        #expect(log.failures.map(\.stage) == [.encode])
    }

    @Test("a GPU that continues is no loss")
    func again() {
        let log = RecoveryLog()
        log.note([lost(to: Self.gpu)], at: .decode)
        log.note([lost(to: Self.gpu)], at: .encode)
        #expect(
            log.takeNotices().map(\.message) == [
                "gpu failed at the decode and encode stages: it broke; it was reopened and continues the same output"
            ])
    }
}
