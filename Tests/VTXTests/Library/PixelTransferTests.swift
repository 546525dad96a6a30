import Testing
import VTX
import VTXFFmpeg

@testable import VTX

@Suite("Pixel transfer and rotation")
struct PixelTransferTests {
    private static let video709 = ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: false)

    /// One color everywhere.
    private static func plain(
        _ y: UInt8, _ cb: UInt8, _ cr: UInt8, size: PixelSize = PixelSize(32, 16), color: ColorDescription = video709
    ) throws -> PixelBuffer {
        try PixelBuffer(size: size, format: .i420, color: color) { plane, bytes, _ in
            for offset in 0..<bytes.byteCount {
                bytes.storeBytes(of: [y, cb, cr][plane], toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    private static func transfer(
        _ picture: PixelBuffer, _ configuration: PixelTransferConfiguration
    ) throws -> PixelBuffer {
        try PixelTransferSession(configuration).transfer(picture)
    }

    private static func first(_ picture: PixelBuffer, _ count: Int = 4) throws -> [Int] {
        try picture.bytes(ofPlane: 0).prefix(count).map(Int.init)
    }

    private static func isNear(_ left: [Int], _ right: [Int], by distance: Int = 1) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { abs($0 - $1) <= distance }
    }

    @Test("each format converts to each other one, and back", arguments: PixelBuffer.formats)
    func formats(format: PixelFormat) throws {
        let picture = try Self.plain(120, 100, 160, size: PixelSize(34, 18))
        let made = try Self.transfer(picture, PixelTransferConfiguration(format: format))
        #expect(made.format == format && made.size == picture.size && made.color.primaries == 1)
        for other in PixelBuffer.formats {
            let back = try Self.transfer(
                try Self.transfer(made, PixelTransferConfiguration(format: other)),
                PixelTransferConfiguration(format: .i420))
            let samples = try (0..<3).map { Int(try back.bytes(ofPlane: $0)[0]) }
            #expect(Self.isNear(samples, [120, 100, 160], by: 2), "by \(format) and \(other): \(samples)")
        }
    }

    @Test("BGRA, RGBA and 24-bit formats have the right component order")
    func rgb() throws {
        // BT.709's red in video range (H.273 8.3).
        let red = try Self.plain(63, 102, 240)
        let expected: [(PixelFormat, [Int])] = [
            (.bgra, [0, 0, 255, 255]), (.rgba, [255, 0, 0, 255]), (.rgb24, [255, 0, 0, 255]), (.bgr24, [0, 0, 255, 0]),
        ]
        for (format, samples) in expected {
            let made = try Self.transfer(red, PixelTransferConfiguration(format: format))
            let found = try Self.first(made)
            #expect(Self.isNear(found, samples, by: 3), "\(format): \(found)")
            #expect(made.color.isFullRange == true)
        }
        // Without a range, YUV has video range.
        let white = try Self.plain(235, 128, 128, color: .unspecified)
        #expect(
            try Self.first(try Self.transfer(white, PixelTransferConfiguration(format: .bgra))) == [255, 255, 255, 255])
    }

    @Test("samples are converted to another matrix and another range")
    func colors() throws {
        let red = try Self.plain(63, 102, 240)
        let bt601 = try Self.transfer(
            red, PixelTransferConfiguration(color: ColorDescription(primaries: 6, transfer: 6, matrix: 6)))
        let samples = try (0..<3).map { Int(try bt601.bytes(ofPlane: $0)[0]) }
        #expect(Self.isNear(samples, [81, 90, 240], by: 2) && bt601.color.matrix == 6, "BT.601's red: \(samples)")
        #expect(bt601.color.isFullRange == false)
        var full = ColorDescription.unspecified
        full.isFullRange = true
        let wide = try Self.transfer(try Self.plain(16, 128, 128), PixelTransferConfiguration(color: full))
        #expect(try Self.first(wide, 1) == [0] && wide.color.isFullRange == true && wide.color.matrix == 1)
        let white = try Self.transfer(try Self.plain(235, 128, 128), PixelTransferConfiguration(color: full))
        #expect(try Self.first(white, 1) == [255])
        let unknown = ColorDescription(primaries: 1, transfer: 1, matrix: 8)
        let error = #expect(throws: SessionError.self) {
            _ = try Self.transfer(red, PixelTransferConfiguration(color: unknown))
        }
        #expect(error?.code == .unsupportedFormat)
    }

    @Test("the aspect ratio is kept with bars or by cropping, or not", arguments: ScalingMode.allCases)
    func scaling(mode: ScalingMode) throws {
        // Left half dark, right half light.
        let picture = try PixelBuffer(size: PixelSize(64, 32), format: .nv12, color: Self.video709) {
            plane, bytes, bytesPerRow in
            for offset in 0..<bytes.byteCount {
                let luma: UInt8 = offset % bytesPerRow < 32 ? 60 : 200
                bytes.storeBytes(of: plane == 0 ? luma : 128, toByteOffset: offset, as: UInt8.self)
            }
        }
        let made = try Self.transfer(picture, PixelTransferConfiguration(size: PixelSize(64, 64), scalingMode: mode))
        let luma = try made.bytes(ofPlane: 0)
        #expect(made.size == PixelSize(64, 64) && made.format == .nv12)
        let corner = Int(luma[0])
        #expect(mode == .letterbox ? corner == 16 : abs(corner - 60) < 2)
        #expect(abs(Int(luma[32 * 64 + 8]) - 60) < 3 && abs(Int(luma[32 * 64 + 56]) - 200) < 3)
    }

    @Test("bars are black in each format and range", arguments: PixelBuffer.formats, [false, true])
    func bars(format: PixelFormat, isFullRange: Bool) throws {
        var color = Self.video709
        color.isFullRange = isFullRange
        let picture = try Self.plain(isFullRange ? 255 : 235, 128, 128, size: PixelSize(64, 48), color: color)
        let made = try Self.transfer(
            picture, PixelTransferConfiguration(size: PixelSize(128, 72), format: format, scalingMode: .letterbox))
        #expect(made.format == format && made.size == PixelSize(128, 72))
        #expect(made.color.isFullRange == (format.isRGB ? true : isFullRange))
        let shown = try Self.transfer(made, PixelTransferConfiguration(format: .rgb24)).bytes(ofPlane: 0).map(Int.init)
        let row = 36 * 128
        for (column, light) in [(2, 0), (64, 255), (125, 0)] {
            let found = Array(shown[(row + column) * 3..<(row + column) * 3 + 3])
            #expect(Self.isNear(found, [light, light, light], by: 3), "column \(column): \(found)")
        }
    }

    @Test("rotation and mirroring move each corner correctly", arguments: DisplayMatrix.Orientation.allCases)
    func turns(orientation: DisplayMatrix.Orientation) throws {
        // Corners: 0 top left, 1 top right, 2 bottom left, 3 bottom right, each 8 by 4.
        let picture = try PixelBuffer(size: PixelSize(16, 8), format: .nv12) { plane, bytes, bytesPerRow in
            for offset in 0..<bytes.byteCount {
                let (x, y) = (offset % bytesPerRow, offset / bytesPerRow)
                let corner = (x >= 8 ? 1 : 0) + (y >= 4 ? 2 : 0)
                bytes.storeBytes(of: plane == 0 ? UInt8(50 + corner * 40) : 128, toByteOffset: offset, as: UInt8.self)
            }
        }
        let made = try PixelRotationSession(orientation).rotate(picture)
        let size = made.size
        let luma = try made.bytes(ofPlane: 0)
        let corners = [0, size.width - 1, (size.height - 1) * size.width, size.height * size.width - 1]
            .map { (Int(luma[$0]) - 50) / 40 }
        let expected: [DisplayMatrix.Orientation: [Int]] = [
            .upright: [0, 1, 2, 3], .rotated90: [2, 0, 3, 1], .rotated180: [3, 2, 1, 0], .rotated270: [1, 3, 0, 2],
            .mirrored: [1, 0, 3, 2], .mirroredRotated90: [3, 1, 2, 0], .mirroredRotated180: [2, 3, 0, 1],
            .mirroredRotated270: [0, 2, 1, 3],
        ]
        #expect(corners == expected[orientation])
        #expect(size == (orientation.isTransposed ? PixelSize(8, 16) : PixelSize(16, 8)))
    }

    @Test("a rotation followed by flips is one of the eight orientations")
    func flips() throws {
        let picture = try Pictures.moving(3, size: PixelSize(16, 8))
        for turns in -1...4 {
            let turned = try PixelRotationSession(quarterTurns: turns).rotate(picture)
            for (flipsX, flipsY) in [(true, false), (false, true), (true, true)] {
                let session = PixelRotationSession(
                    quarterTurns: turns, flipsHorizontally: flipsX, flipsVertically: flipsY)
                var expected = turned
                if flipsX { expected = try PixelRotationSession(.mirrored).rotate(expected) }
                if flipsY { expected = try PixelRotationSession(.mirroredRotated180).rotate(expected) }
                #expect(try session.rotate(picture).bytes(ofPlane: 0) == expected.bytes(ofPlane: 0))
            }
        }
    }

    @Test("a session encodes frames of every format, also of odd sizes", arguments: PixelBuffer.formats)
    func encoding(format: PixelFormat) async throws {
        let size = PixelSize(161, 97)
        let original = try Pictures.moving(2, size: size, format: .i420, color: Self.video709)
        let picture = try Self.transfer(original, PixelTransferConfiguration(format: format))
        let samples = try await Coding.encode(
            [picture, picture],
            .small(.h264) {
                $0.size = size
                $0.quality = Quality(90)
            })
        let frames = try await Coding.decode(.h264) { for sample in samples { try await $0.decode(sample) } }.frames
        let decoded = try #require(frames.first?.pixelBuffer)
        let even = try PixelBuffer(
            planes: try (0..<3).map { .init(try original.bytes(ofPlane: $0), bytesPerRow: $0 == 0 ? 161 : 81) },
            size: size, format: .i420, crop: .init(x: 0, y: 0, size: PixelSize(160, 96)))
        #expect(decoded.size == PixelSize(160, 96))
        let psnr = try decoded.psnr(against: even)
        #expect(psnr > 30, "\(psnr) dB")
    }

    @Test("many threads can use a session")
    func threads() async throws {
        let session = try PixelTransferSession(PixelTransferConfiguration(size: PixelSize(80, 48), format: .bgra))
        let expected = try session.transfer(try Pictures.moving(0)).bytes(ofPlane: 0)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask { try session.transfer(try Pictures.moving(0)).bytes(ofPlane: 0) == expected }
            }
            for try await isSame in group { #expect(isSame) }
        }
    }

    @Test("invalid transfers are refused")
    func refused() {
        let configurations = [
            PixelTransferConfiguration(size: PixelSize(0, 10)),
            PixelTransferConfiguration(format: .planar(.yuv422, bitDepth: 12)),
            PixelTransferConfiguration(color: ColorDescription(primaries: 300, transfer: 1, matrix: 1)),
        ]
        for configuration in configurations {
            #expect(throws: SessionError.self) { _ = try PixelTransferSession(configuration) }
        }
    }
}
