import Testing
import VTXMedia
import VTXSystem
import VTXTask

@testable import VTXCapture

@Suite("Waiting for a camera")
struct ReturningCameraTests {
    private static let unplugged = TranscodeError(.cameraUnplugged, "unplugged")
    private static let missing = TranscodeError(.cameraNotFound, "there is none")

    private let notices = Locked(0)
    /// Advances by a tenth of a second on each read.
    private let clock = Locked(0.0)

    /// - Parameter cameras: the results of consecutive opens; nil for none.
    private func camera(_ cameras: [FakeCamera?], isCancelled: Bool = false) throws(TranscodeError) -> ReturningCamera {
        let rest = Locked(cameras)
        return try ReturningCamera(
            "camera", isCancelled: { isCancelled }, report: { [notices] _ in notices.withLock { $0 += 1 } },
            now: { [clock] in
                clock.withLock { time in
                    time += 0.1; return time
                }
            }
        ) { () throws(TranscodeError) in
            guard let camera = rest.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { throw Self.missing }
            return camera
        }
    }

    /// The number of frames in this many calls.
    private func read(_ camera: ReturningCamera, calls: Int) throws -> Int {
        try camera.start()
        return try (0..<calls).count { _ in try camera.next(within: 0.001) != nil }
    }

    @Test("an unplugged camera returns, and its frames continue")
    func unplugged() throws {
        let first = FakeCamera([.picture(0), .picture(0.1), .failure(Self.unplugged)])
        let camera = try camera([first, nil, nil, FakeCamera([.picture(0), .picture(0.1), .picture(0.2)])])
        #expect(try read(camera, calls: 40) == 5)
        #expect(notices.withLock(\.self) == 2)
    }

    @Test("a camera without frames is reopened")
    func silent() throws {
        let camera = try camera([FakeCamera([.picture(0)]), FakeCamera([.picture(0), .picture(1)])])
        #expect(try read(camera, calls: 100) >= 3)
    }

    @Test("a camera with another format is not the recorded one")
    func other() throws {
        let first = FakeCamera([.picture(0), .failure(Self.unplugged)])
        let camera = try camera([first, FakeCamera([.picture(0)], codecName: "mjpeg")])
        #expect(try read(camera, calls: 30) == 1 && notices.withLock(\.self) == 1)
    }

    @Test("another failure is an error, and so is a cancelled wait")
    func failure() throws {
        let broken = FakeCamera([.failure(TranscodeError(.cameraFailed, "broken"))])
        let camera = try camera([broken])
        #expect(#expect(throws: TranscodeError.self) { try read(camera, calls: 1) }?.kind == .cameraFailed)
        let ended = #expect(throws: TranscodeError.self) { _ = try self.camera([nil], isCancelled: true) }
        #expect(ended?.kind == .cameraNotFound)
    }
}
