import Testing
import VTXMedia
import VTXSystem
import VTXTestMedia

@testable import VTXLibVA

@Suite("Cached video processor capabilities")
struct ProcessingMemoryTests {
    private let directory: TemporaryDirectory
    private let memory: ProcessingMemory
    private let node = RenderNode(path: "/dev/dri/renderD128", deviceID: .tigerLake)
    private let driver = DriverCapabilities(
        apiVersion: APIVersion(major: 1, minor: 17), vendorString: "iHD 23.1.1",
        rows: [.init(profile: .none, entrypoint: .videoProc)],
        videoProcessing: VideoProcessingCapabilities(
            filters: [.deinterlacing], deinterlacing: [.bob], rotations: Rotations(rawValue: 0xe),
            inputFormats: [.nv12],
            maxInputSize: PixelSize(16384, 16384)))

    init() throws {
        directory = try TemporaryDirectory()
        memory = ProcessingMemory(directory.file("cache/vtx/processing.json"))
    }

    private func system(boot: String = "1", environment: String = "HOME=/root\0") -> SystemView {
        var machine = FakeSystem().view
        machine.read = { path in
            switch path {
            case "/proc/sys/kernel/random/boot_id": boot
            case "/proc/self/environ": environment
            default: TextFile.read(path)
            }
        }
        return machine
    }

    /// A driver that has not been queried yet.
    private func unasked(_ vendor: String? = nil) -> DriverCapabilities {
        DriverCapabilities(
            apiVersion: driver.apiVersion, vendorString: vendor ?? driver.vendorString, rows: driver.rows)
    }

    @Test("are used for the same GPU, driver, boot and environment")
    func same() {
        #expect(memory.answer(of: unasked(), on: node, in: system()) == nil)
        memory.keep(driver, on: node, in: system())
        #expect(memory.answer(of: unasked(), on: node, in: system()) == driver.videoProcessing)
    }

    @Test("are queried again if any of them changes")
    func different() {
        memory.keep(driver, on: node, in: system())
        #expect(memory.answer(of: unasked(), on: node, in: system(boot: "2")) == nil)
        #expect(memory.answer(of: unasked(), on: node, in: system(environment: "INTEL_DEBUG=1\0")) == nil)
        #expect(memory.answer(of: unasked("iHD 23.2"), on: node, in: system()) == nil)
        let other = RenderNode(path: "/dev/dri/renderD129", deviceID: .navi21)
        #expect(memory.answer(of: unasked(), on: other, in: system()) == nil)
    }

    @Test("are separate for each GPU")
    func several() {
        let other = RenderNode(path: "/dev/dri/renderD129", deviceID: .navi21)
        memory.keep(driver, on: node, in: system())
        memory.keep(driver, on: other, in: system())
        for node in [node, other] {
            #expect(memory.answer(of: unasked(), on: node, in: system()) == driver.videoProcessing)
        }
    }

    @Test("are ignored in an invalid file")
    func damaged() throws {
        memory.keep(driver, on: node, in: system())
        try AtomicFile.write("{", to: directory.file("cache/vtx/processing.json"), replaces: true)
        #expect(memory.answer(of: unasked(), on: node, in: system()) == nil)
    }
}
