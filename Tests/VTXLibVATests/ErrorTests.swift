import Testing
import VTXLibVA

@Suite("Errors of libva")
struct ErrorTests {
    @Test(
        "a status has a kind",
        arguments: [
            (Int32(0x01), VAError.Kind.deviceLost), (0x02, .allocationFailed), (0x0c, .unsupported),
            (0x12, .badParameter), (0x14, .unsupported), (0x17, .codingFailed), (0x22, .busy), (0x26, .deviceLost),
            (-1, .other), (0x77, .other),
        ])
    func kinds(status: Int32, kind: VAError.Kind) {
        #expect(VAError(status: status, call: "vaSyncSurface").kind == kind)
    }

    @Test("the message has libva's words and the call")
    func words() {
        let error = VAError(status: 6, call: "vaBeginPicture")
        #expect(error.description == "invalid VASurfaceID (vaBeginPicture)")
        #expect(error.name == "VA_STATUS_ERROR_INVALID_SURFACE")
        #expect(VAError(status: 0x77, call: "vaX").description == "VAStatus 119 (vaX)")
    }

    @Test("a missing node is an error of open")
    func absent() {
        let error = #expect(throws: DisplayError.self) { _ = try Display(RenderNode(path: "/dev/dri/none")) }
        #expect(error?.cause == .open(errno: 2))
        #expect(error?.description == "/dev/dri/none: No such file or directory (open)")
    }

    @Test("a file that is not a DRM device is an error, not a crash")
    func notDRM() {
        let error = #expect(throws: DisplayError.self) { _ = try Display(RenderNode(path: "/dev/null")) }
        #expect(error?.cause == .notDRM)
    }
}
