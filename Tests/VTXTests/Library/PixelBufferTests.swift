import Testing
import VTX

@Suite("Pixel buffers")
struct PixelBufferTests {
    private static func ramp(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) } }

    private func code(_ body: () throws -> Void) -> SessionError.Code? {
        do { try body() } catch { return (error as? SessionError)?.code }
        return nil
    }

    @Test(
        "bytes are kept for any size",
        arguments: PixelBuffer.formats,
        [PixelSize(16, 16), PixelSize(17, 9), PixelSize(1, 1), PixelSize(2, 3), PixelSize(641, 3)])
    func roundTrip(format: PixelFormat, size: PixelSize) throws {
        let probe = try PixelBuffer(size: size, format: format) { _, _, _ in }
        let counts = try (0..<probe.planeCount).map { try probe.bytes(ofPlane: $0).count }
        let bytes = Self.ramp(counts.reduce(0, +))
        let picture = try PixelBuffer(bytes: bytes.span.bytes, size: size, format: format)
        let read = try (0..<picture.planeCount).flatMap { try picture.bytes(ofPlane: $0) }
        #expect(read == bytes && picture.size == size && picture.format == format && !picture.isOnSurface)
    }

    @Test("rows may have padding, and planes may be separate")
    func strides() throws {
        let size = PixelSize(6, 4)
        let bytes = Self.ramp(10 * 4 + 10 * 2)
        let padded = try PixelBuffer(bytes: bytes.span.bytes, size: size, format: .nv12, bytesPerRow: 10)
        let luma = (0..<4).flatMap { bytes[$0 * 10..<$0 * 10 + 6] }
        let chroma = (4..<6).flatMap { bytes[$0 * 10..<$0 * 10 + 6] }
        #expect(try padded.bytes(ofPlane: 0) == luma && padded.bytes(ofPlane: 1) == chroma)
        let planes = try PixelBuffer(
            planes: [.init(bytes, bytesPerRow: 10), .init(bytes, bytesPerRow: 10, offset: 40)], size: size,
            format: .nv12)
        #expect(try planes.bytes(ofPlane: 0) == luma && planes.bytes(ofPlane: 1) == chroma)
        let halves = try PixelBuffer(bytes: bytes.span.bytes, size: size, format: .i420, bytesPerRow: 10)
        #expect(try halves.bytes(ofPlane: 1) == [40, 41, 42, 45, 46, 47].map { bytes[$0] })
    }

    @Test("a crop is a region of the frame")
    func crops() throws {
        let size = PixelSize(8, 6)
        let bytes = Self.ramp(8 * 9)
        let picture = try PixelBuffer(
            bytes: bytes.span.bytes, size: size, format: .nv12, crop: .init(x: 2, y: 4, size: PixelSize(3, 2)))
        #expect(picture.size == PixelSize(3, 2))
        #expect(try picture.bytes(ofPlane: 0) == [34, 35, 36, 42, 43, 44].map { bytes[$0] })
        #expect(try picture.bytes(ofPlane: 1) == [66, 67, 68, 69].map { bytes[$0] })
        let red = try PixelBuffer(
            bytes: Self.ramp(8 * 6 * 4).span.bytes, size: size, format: .bgra,
            crop: .init(x: 3, y: 1, size: PixelSize(1, 1)))
        #expect(try red.bytes(ofPlane: 0) == Array(Self.ramp(8 * 6 * 4)[44..<48]))
    }

    /// The error for a buffer of 96 bytes; nil if it is valid.
    private func make(
        _ size: PixelSize = PixelSize(8, 8), _ format: PixelFormat = .nv12, bytesPerRow: Int? = nil,
        crop: PixelBuffer.Crop? = nil
    ) -> SessionError.Code? {
        code {
            _ = try PixelBuffer(
                bytes: Self.ramp(96).span.bytes, size: size, format: format, bytesPerRow: bytesPerRow, crop: crop)
        }
    }

    @Test("invalid sizes, rows and formats are refused")
    func refusedSizes() {
        #expect(make() == nil)
        #expect(make(PixelSize(8, 9)) == .badParameter)
        #expect(make(PixelSize(0, 8)) == .badParameter)
        #expect(make(PixelSize(-4, 8)) == .badParameter)
        #expect(make(PixelSize(20000, 2)) == .badParameter)
        #expect(make(bytesPerRow: 7) == .badParameter)
        #expect(make(bytesPerRow: -8) == .badParameter)
        #expect(make(bytesPerRow: .max) == .badParameter)
        #expect(make(bytesPerRow: 9) == .badParameter, "then the bytes do not suffice")
        #expect(make(PixelSize(8, 8), .planar(.yuv422, bitDepth: 12)) == .unsupportedFormat)
    }

    @Test("a crop outside the frame is refused")
    func refusedCrops() {
        for (x, y, width, height) in [
            (1, 0, 2, 2), (0, 3, 2, 2), (-2, 0, 2, 2), (0, 0, 10, 2), (4, 4, 6, 6), (0, 0, 0, 2),
        ] {
            #expect(make(crop: .init(x: x, y: y, size: PixelSize(width, height))) == .badParameter)
        }
        #expect(make(crop: .init(x: .max - 1, y: 0, size: PixelSize(2, 2))) == .badParameter)
        #expect(make(crop: .init(x: 0, y: 0, size: PixelSize(.max, 2))) == .badParameter)
    }

    @Test("planes that are missing or too short are refused")
    func refusedPlanes() throws {
        let bytes = Self.ramp(96)
        #expect(
            code {
                _ = try PixelBuffer(planes: [.init(bytes, bytesPerRow: 8)], size: PixelSize(8, 8), format: .nv12)
            } == .badParameter)
        #expect(
            code {
                let planes = [PixelBuffer.Plane(bytes, bytesPerRow: 8), .init(bytes, bytesPerRow: 8, offset: 90)]
                _ = try PixelBuffer(planes: planes, size: PixelSize(8, 8), format: .nv12)
            } == .badParameter)
        let picture = try PixelBuffer(bytes: bytes.span.bytes, size: PixelSize(8, 8), format: .nv12)
        #expect(code { _ = try picture.bytes(ofPlane: 2) } == .badParameter)
        #expect(code { _ = try picture.bytes(ofPlane: -1) } == .badParameter)
    }

    @Test("attaching colors to a frame changes no other")
    func attachments() throws {
        let plain = try Pictures.gray(90, size: PixelSize(16, 16))
        let color = ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: false)
        let attached = try plain.attaching(color)
        #expect(attached.color.primaries == 1 && attached.color.isFullRange == false)
        #expect(plain.color.primaries == ColorDescription.unspecifiedCode)
        #expect(try attached.bytes(ofPlane: 0) == plain.bytes(ofPlane: 0))
        #expect(try attached.inMemory() === attached)
    }

    @Test("a pool's live frames do not share memory")
    func pool() throws {
        let pool = try PixelBufferPool(size: PixelSize(64, 32), format: .p010)
        func make(_ value: UInt8) throws -> PixelBuffer {
            try pool.makeBuffer { _, bytes, _ in
                for offset in 0..<bytes.byteCount { bytes.storeBytes(of: value, toByteOffset: offset, as: UInt8.self) }
            }
        }
        for round in 0..<20 {
            let (first, second) = (try make(UInt8(round)), try make(UInt8(200 - round)))
            #expect(try first.bytes(ofPlane: 0).allSatisfy { $0 == UInt8(round) })
            #expect(try second.bytes(ofPlane: 1).allSatisfy { $0 == UInt8(200 - round) })
        }
        #expect(code { _ = try PixelBufferPool(size: PixelSize(0, 0), format: .nv12) } == .badParameter)
    }

    @Test("a pool makes frames of the session's size")
    func sessionPool() async throws {
        let session = try CompressionSession(.small(.h264)) { _ in }
        let pool = try await session.pixelBufferPool()
        #expect(pool.size == PixelSize(160, 96))
        let picture = try pool.makeBuffer { _, bytes, _ in
            for offset in 0..<bytes.byteCount { bytes.storeBytes(of: 90, toByteOffset: offset, as: UInt8.self) }
        }
        #expect(!picture.isOnSurface && !session.isUsingHardware)
        try await session.encode(picture, at: .frame(0))
    }
}
