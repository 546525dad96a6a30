import Testing
import VTXFFmpeg
import VTXMedia

@testable import VTXTranscode

@Suite("Frame signatures")
struct FrameSignatureTests {
    private func frame(_ chain: String) throws -> Frame {
        let graph = try FilterGraph(generating: chain)
        guard case .unit(let frame) = try graph.receive() else { throw SelfTestFailure("no frame") }
        return frame
    }

    private static let formats = ["nv12", "yuv420p10le", "p010le", "yuv422p", "yuv444p10le"]

    @Test(
        "equal frames have the same signature, in any pixel layout", arguments: formats,
        ["320x180", "34x18", "1280x722"])
    func layouts(format: String, size: String) throws {
        let plain = try FrameSignature(try frame("testsrc2=size=\(size),gblur=4,format=yuv420p"))
        let other = try FrameSignature(try frame("testsrc2=size=\(size),gblur=4,format=yuv420p,format=\(format)"))
        #expect(plain.psnr(against: other) > 30)
    }

    @Test("a flat frame's blocks are its samples", arguments: ["yuv420p", "nv12", "yuv420p10le", "p010le"])
    func means(format: String) throws {
        let depth = format.contains("10") ? 4 : 1
        let flat = "lutyuv=y=\(60 * depth):u=\(100 * depth):v=\(200 * depth)"
        let planar = format == "nv12" ? "yuv420p" : format == "p010le" ? "yuv420p10le" : format
        let frame = try frame("color=size=66x34,format=\(planar),\(flat),format=\(format)")
        for (component, value) in [60, 100, 200].enumerated() {
            let means = frame.blockMeans(of: component, grid: PixelSize(5, 3))
            #expect(means == [UInt8](repeating: UInt8(value), count: 15))
        }
        #expect(frame.blockMeans(of: 3, grid: PixelSize(5, 3)).isEmpty)
    }

    @Test("gray, green and another scene have distant signatures")
    func others() throws {
        let size = "size=640x360"
        let right = try FrameSignature(try frame("testsrc2=\(size),format=yuv420p"))
        for wrong in ["color=gray:\(size)", "color=green:\(size)", "color=black:\(size)", "mandelbrot=\(size)"] {
            #expect(try FrameSignature(try frame("\(wrong),format=yuv420p")).psnr(against: right) < 16, "\(wrong)")
        }
    }
}
