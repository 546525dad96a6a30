import Testing
import VTXMedia
import VTXTask

@testable import VTXCapture

@Suite("Conversion of a source's frames")
struct CaptureConversionTests {
    private static let light = HDRMetadata(
        contentLightLevel: ContentLightLevel(maxContent: 900, maxFrameAverage: 300))

    private var hdr: CaptureFormat {
        var format = CaptureFormat(
            name: "hevc", size: PixelSize(640, 360), frameRate: 25,
            color: ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false))
        (format.bitDepth, format.hdrMetadata) = (10, Self.light)
        return format
    }

    private func conversion(
        _ format: CaptureFormat, _ codec: VideoCodec, takesHEVC: Bool = true, keepsMatrix: Bool = true,
        isMirrored: Bool = false
    ) -> CaptureConversion {
        CaptureConversion(
            format, codec: codec, takesHEVC: takesHEVC, keepsDisplayMatrix: keepsMatrix, isMirrored: isMirrored)
    }

    @Test("HEVC keeps HDR with its metadata, and is the choice for it")
    func keepsHDR() {
        let converted = conversion(hdr, .hevc)
        #expect(converted.format == hdr && converted.toneMapping == nil && converted.notices.isEmpty)
        #expect(CaptureConversion.codec(for: hdr) == .hevc)
        var sdr = hdr
        sdr.color = .bt709
        #expect(CaptureConversion.codec(for: sdr) == nil)
    }

    @Test("H.264 contains SDR, and says so")
    func mapsTones() {
        let converted = conversion(hdr, .h264)
        #expect(converted.toneMapping?.peakLuminance == 900)
        #expect(converted.format.color == .bt709 && converted.format.bitDepth == 8)
        #expect(converted.format.hdrMetadata.isEmpty)
        #expect(converted.notices.map(\.kind) == [.conversionHDR])
    }

    @Test("the advice for HDR is HEVC if the outputs can contain it", arguments: [true, false])
    func advice(takesHEVC: Bool) {
        let notices = conversion(hdr, .h264, takesHEVC: takesHEVC).notices
        #expect(notices.first?.message.contains("codec=hevc keeps it") == takesHEVC)
        #expect(notices.first?.message.contains("not all outputs") == !takesHEVC)
    }

    @Test("fewer bits are a notice", arguments: [(8, VideoCodec.h264), (10, .h264), (10, .hevc), (12, .hevc)])
    func depth(bits: Int, codec: VideoCodec) {
        var format = hdr
        (format.color, format.bitDepth) = (.bt709, bits)
        let (converted, most) = (conversion(format, codec), codec == .hevc ? 10 : 8)
        #expect(converted.format.bitDepth == min(bits, most))
        #expect(converted.notices.map(\.kind) == (bits > most ? [.downgradeBitDepth] : []))
    }

    @Test("metadata of each scene is lost with a notice")
    func dynamicMetadata() {
        var format = hdr
        format.dynamicMetadata = [.hdr10Plus, .dolbyVision]
        #expect(conversion(format, .hevc).notices.map(\.kind) == [.downgradeHDR10Plus, .downgradeDolbyVision])
    }

    @Test("a display matrix is kept, or the pixels are rotated")
    func rotation() {
        var format = hdr
        format.displayMatrix = DisplayMatrix([0, 65536, 0, -65536, 0, 0, 0, 0, 1 << 30])
        let kept = conversion(format, .hevc)
        #expect(kept.format == format && kept.orientation == .upright && kept.notices.isEmpty)
        let rotated = conversion(format, .hevc, keepsMatrix: false)
        #expect(rotated.orientation == .rotated90 && rotated.format.displayMatrix == nil)
        #expect(rotated.format.size == PixelSize(360, 640))
        #expect(rotated.notices.map(\.kind) == [.conversionRotation])
        let mirrored = conversion(format, .hevc, isMirrored: true)
        #expect(mirrored.orientation == DisplayMatrix.Orientation.rotated90.followed(by: .mirrored))
        #expect(mirrored.format.size == PixelSize(360, 640) && mirrored.format.displayMatrix == nil)
    }

    @Test("a display matrix that is no rotation is lost with a notice")
    func otherMatrix() {
        var format = hdr
        format.displayMatrix = DisplayMatrix([65536, 30000, 0, 0, 65536, 0, 0, 0, 1 << 30])
        let converted = conversion(format, .hevc, keepsMatrix: false)
        #expect(converted.orientation == .upright && converted.format.size == hdr.size)
        #expect(converted.notices.map(\.kind) == [.downgradeRotation])
    }
}
