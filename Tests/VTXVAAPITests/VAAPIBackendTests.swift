import Testing
import VTXLibVA
import VTXMedia
import VTXSession
import VTXSystem

@testable import VTXVAAPI

@Suite("GPU discovery", .onSoftwareGPU)
struct VAAPIBackendTests {
    @Test("finds four GPUs with their drivers' capabilities")
    func probe() throws {
        let matrices = SoftwareGPU.four.map(\.matrix)
        try #require(matrices.count == 4)
        #expect(matrices.map(\.device.name) == (128...131).map { "/dev/dri/renderD\($0)" })
        #expect(matrices.allSatisfy { $0.isHardware && $0.encodes(.h264) && $0.encodes(.hevc) })
        #expect(matrices.allSatisfy { $0.encoder(.hevc, .main10)?.keepsHDRMetadata == true })
        #expect(matrices.map { $0.encoder(.h264, .high)?.reordersFrames } == [true, false, false, true])
        #expect(matrices.map { $0.filtering == .nothing } == [false, false, true, false])
    }

    @Test("an unselected GPU is not opened")
    func selection() throws {
        let used = Locked<[String]>([])
        let backend = VAAPIBackend(
            selector: .path("/dev/dri/renderD130"), willUse: { device in used.withLock { $0.append(device.name) } })
        #expect(backend.probe().map(\.device.name) == ["/dev/dri/renderD130"])
        #expect(used.withLock(\.self) == ["/dev/dri/renderD130"])
        let absent = VAAPIBackend(selector: .path("/dev/dri/renderD77"), willUse: { _ in Issue.record("opened") })
        #expect(absent.probe().isEmpty)
        #expect(absent.unusableDevices().first?.reason.contains("no GPU is /dev/dri/renderD77") == true)
    }

    @Test("a GPU whose driver failed before is not opened, but reported")
    func faulty() throws {
        let history = DriverHistory(file: nil, now: { 5000 })
        let node = try #require(RenderNode.all().first { $0.path == "/dev/dri/renderD129" })
        history.note(history.makeQuarantine(.crashed, "aborted (SIGABRT)", .asked), of: node)
        let used = Locked<Set<String>>([])
        let backend = VAAPIBackend(
            history: history, inquire: nil, willUse: { device in used.withLock { _ = $0.insert(device.name) } })
        #expect(backend.probe().count == 3)
        #expect(!used.withLock { $0.contains(node.path) })
        let unusable = try #require(backend.unusableDevices().first)
        #expect(unusable.isFaulty && unusable.reason.contains("aborted (SIGABRT), just now"))
    }

    @Test("a driver without a successful query is queried in another process first, and not opened if that fails")
    func inquiry() throws {
        let history = DriverHistory(file: nil, now: { 5000 })
        let asked = Locked<[String]>([])
        let crashing = "/dev/dri/renderD128"
        let backend = { (selector: DeviceSelector) in
            VAAPIBackend(
                selector: selector, history: history,
                inquire: { node in
                    asked.withLock { $0.append(node.path) }
                    guard node.path == crashing else { return }
                    history.note(history.makeQuarantine(.crashed, "aborted (SIGABRT)", .asked), of: node)
                })
        }
        #expect(backend(.path(crashing)).probe().isEmpty)
        #expect(backend(.path("/dev/dri/renderD129")).probe().count == 1)
        #expect(asked.withLock(\.self) == [crashing, "/dev/dri/renderD129"])
        // Their history is known now.
        #expect(backend(.path(crashing)).probe().isEmpty && backend(.path("/dev/dri/renderD129")).probe().count == 1)
        #expect(asked.withLock(\.self).count == 2)
    }

    @Test("a GPU is open while a session uses it, and parallel sessions share it")
    func idle() throws {
        let backend = VAAPIBackend(selector: .path("/dev/dri/renderD128"))
        let device = try #require(backend.probe().first?.device)
        weak var first: Display?
        do {
            let session = try #require(try backend.openSession(on: device) as? VAAPISession)
            first = session.opened.display
            backend.closeIdleDevices()
            let second = try #require(try backend.openSession(on: device) as? VAAPISession)
            #expect(second.opened.display === first)
        }
        #expect(first == nil)
        let again = try #require(try backend.openSession(on: device) as? VAAPISession)
        #expect(again.opened.display.vendorString.isEmpty == false)
        #expect(backend.probe().count == 1, "what it can do stays known")
    }
}
