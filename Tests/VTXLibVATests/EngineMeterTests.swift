import Testing

@testable import VTXLibVA

@Suite("Engine time of a process")
struct EngineMeterTests {
    private static let node = "/dev/dri/renderD128"

    /// One reading of these texts.
    private func look(_ seconds: Double, _ texts: String...) -> EngineMeter.Look {
        var look = EngineMeter.Look(seconds: seconds)
        for text in texts {
            guard let (client, work) = DRMClient.read(text) else { continue }
            look.clients[client] = work
        }
        return look
    }

    private func i915(_ client: Int, _ video: Double, enhance: Double = 0) -> String {
        """
        drm-driver:\ti915
        drm-pdev:\t0000:00:02.0
        drm-client-id:\t\(client)
        drm-engine-render:\t0 ns
        drm-engine-video:\t\(Int(video * 1e9)) ns
        drm-engine-capacity-video:\t2
        drm-engine-video-enhance:\t\(Int(enhance * 1e9)) ns
        """
    }

    @Test("i915 counts time; descriptors of one client count once, and idle engines are omitted")
    func time() {
        var meter = EngineMeter()
        meter.note(look(1, i915(7, 0)), of: Self.node)
        meter.note(look(9, i915(7, 2.5, enhance: 0.5), i915(7, 2.5, enhance: 0.5), i915(8, 1)), of: Self.node)
        #expect(meter.seconds == [Self.node: ["video": 3.5, "video-enhance": 0.5]])
    }

    @Test("a client closed before the end keeps its usage of the last reading")
    func closed() {
        var meter = EngineMeter()
        meter.note(look(1, i915(7, 2)), of: Self.node)
        meter.note(look(3, i915(8, 1)), of: Self.node)
        meter.note(look(4), of: Self.node)
        #expect(meter.seconds == [Self.node: ["video": 3]])
    }

    @Test("amdgpu has other engine names, and each node is counted separately")
    func amdgpu() {
        let text = """
            drm-driver:\tamdgpu
            drm-client-id:\t12
            drm-pdev:\t0000:0b:00.0
            drm-engine-gfx:\t250000000 ns
            drm-engine-dec:\t1000000000 ns
            drm-engine-enc:\t750000000 ns
            """
        var meter = EngineMeter()
        meter.note(look(2, text), of: "/dev/dri/renderD129")
        meter.note(look(2, i915(1, 4)), of: Self.node)
        #expect(
            meter.seconds == [
                "/dev/dri/renderD129": ["gfx": 0.25, "dec": 1, "enc": 0.75], Self.node: ["video": 4],
            ])
    }

    private func xe(_ client: UInt64, _ total: UInt64) -> String {
        "drm-driver:\txe\ndrm-client-id:\t8\ndrm-pdev:\t0000:03:00.0\n"
            + "drm-cycles-vcs:\t\(client)\ndrm-total-cycles-vcs:\t\(total)\ndrm-cycles-rcs:\t0\n"
            + "drm-total-cycles-rcs:\t\(total)\n"
    }

    @Test("xe counts cycles, which the engine's total cycles convert to time")
    func cycles() {
        var meter = EngineMeter()
        meter.note(look(10, xe(100, 5_000_000)), of: Self.node)
        #expect(meter.seconds.isEmpty, "one look says nothing of the clock")
        // A thousand cycles a second.
        meter.note(look(20, xe(3000, 5_010_000)), of: Self.node)
        #expect(meter.seconds == [Self.node: ["vcs": 3]])
        meter.note(look(30, xe(4000, 5_010_000)), of: Self.node)
        #expect(meter.seconds[Self.node]?["vcs"].map { $0 > 3 } == true)
    }

    @Test("a kernel without counters gives no usage")
    func silence() {
        var meter = EngineMeter()
        meter.note(look(1, "pos:\t0\n"), of: Self.node)
        #expect(meter.seconds.isEmpty)
    }
}
