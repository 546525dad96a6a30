import VTXFFmpeg
import VTXMedia
package import VTXSession
package import VTXTask

// Compares the video processor's frames with software's.
extension SelfTest {
    /// Scales, crops, pads, rotates and deinterlaces on the device and in software, as far as the device claims
    /// support. The first difference determines the verdict.
    ///
    /// - Parameter reference: The software device.
    package func process(like reference: any DeviceSession) -> SelfTestResult {
        var best = SelfTestResult(.passed)
        for test in ProcessingTest.all(on: session.capabilities.filtering, size: size) {
            let result = attempt {
                let expected = try filter(try test.frames(size), in: reference, test.configuration)
                return try judge(
                    try filter(try test.frames(size), in: session, test.configuration), from: expected,
                    floor: Self.floor)
            }
            guard result.verdict == .passed else { return result.naming(test.name) }
            best.frames = (best.frames ?? 0) + (result.frames ?? 0)
            best.psnr = [best.psnr, result.psnr].compactMap(\.self).min()
        }
        return best
    }

    /// Converts HDR10 to SDR on the device and in software. Each device has its own curve, so only an unrecognizable
    /// result fails.
    ///
    /// - Parameter reference: The software device.
    package func mapTones(like reference: any DeviceSession) -> SelfTestResult {
        attempt {
            let picture = TestPattern(
                size: size, pixelFormat: .planar(.yuv420, bitDepth: 10), isSmooth: true, isHDR: true, frameCount: 4)
            var configuration = FilterConfiguration.test(picture.size, color: .bt709)
            configuration.toneMapping = ToneMapping(source: TestPattern.hdr10, metadata: HDRMetadata())
            let expected = try filter(try picture.frames(), in: reference, configuration)
            let frames = try filter(try picture.frames(), in: session, configuration)
            guard frames.allSatisfy({ $0.color.transfer == ColorDescription.bt709.transfer }) else {
                throw SelfTestFailure("the frames are still marked as HDR")
            }
            return try judge(frames, from: expected, floor: Self.curveFloor)
        }
    }

    private func filter(
        _ frames: [Frame], in session: any DeviceSession, _ configuration: FilterConfiguration
    ) throws -> [Frame] {
        let sequence = FilterSequence([
            try session.makeFilter(configuration), try session.makeDownload(as: nil),
        ])
        var filtered: [Frame] = []
        for frame in frames.map(Optional.some) + [nil] {
            try sequence.send(frame)
            while case .unit(let frame) = try sequence.receive() { filtered.append(frame) }
        }
        return filtered
    }
}

extension SelfTestResult {
    fileprivate func naming(_ test: String) -> SelfTestResult {
        var result = self
        result.evidence = evidence.map { "\(test): \($0)" }
        return result
    }
}

/// A test of one operation of a video processor.
private struct ProcessingTest {
    /// The display name.
    var name: String
    var configuration: FilterConfiguration
    /// The content of the frames.
    var source = Source.steady

    enum Source {
        case steady
        /// The second half has another size, and must not show anything of the first.
        case changingShape
        case interlaced
    }

    /// Returns the tests for what the device supports.
    static func all(on filtering: FilterCapability, size: PixelSize) -> [ProcessingTest] {
        let half = PixelSize(size.width / 2, size.height / 2).roundedDownToEven
        let square = PixelSize(half.height, half.height)
        var tests = [
            ProcessingTest(name: "scaling", configuration: .test(half)),
            ProcessingTest(name: "bars", configuration: .test(square, scaling: .letterbox)),
            ProcessingTest(name: "cropping", configuration: .test(square, scaling: .trim)),
            ProcessingTest(
                name: "frames of two shapes", configuration: .test(square, scaling: .letterbox),
                source: .changingShape),
        ]
        guard case .some(let processing) = filtering else { return tests }
        tests += processing.orientations.filter { $0 != .upright }.sorted { $0.rawValue < $1.rawValue }.map {
            var configuration = FilterConfiguration.test($0.isTransposed ? half.transposed : half)
            configuration.orientation = $0
            return ProcessingTest(name: "rotation (\($0.rawValue))", configuration: configuration)
        }
        if processing.deinterlaces {
            var configuration = FilterConfiguration.test(size)
            configuration.deinterlacing = .everyFrame
            tests.append(ProcessingTest(name: "deinterlacing", configuration: configuration, source: .interlaced))
        }
        return tests
    }

    func frames(_ size: PixelSize) throws -> [Frame] {
        switch source {
        case .steady: try Self.smooth(size)
        case .changingShape: try Self.smooth(size) + Self.smooth(PixelSize(size.height, size.height).roundedDownToEven)
        case .interlaced: try (0..<6).map { try Frame(movingStripes: size, number: $0) }
        }
    }

    private static func smooth(_ size: PixelSize) throws(FFmpegError) -> [Frame] {
        try TestPattern(
            size: size, pixelFormat: .planar(.yuv420, bitDepth: 8), isSmooth: true, frameCount: 4
        ).frames()
    }
}

extension FilterConfiguration {
    fileprivate static func test(
        _ size: PixelSize, scaling: ScalingMode = .fill, color: ColorDescription = ColorDescription(isFullRange: false)
    ) -> FilterConfiguration {
        FilterConfiguration(
            size: size, pixelFormat: .planar(.yuv420, bitDepth: 8), color: color, scaling: scaling, isSquare: false,
            deinterlacing: .never, orientation: .upright, frameRate: nil, sourceFrameRate: TestPattern.rate,
            timeBase: TestPattern.rate.reciprocal)
    }
}

extension Frame {
    /// Creates vertical stripes that move by a quarter of their period per field, so that an interlaced frame differs
    /// from any progressive one.
    fileprivate convenience init(movingStripes size: PixelSize, number: Int) throws(FFmpegError) {
        let (period, step) = (32, 8)
        try self.init(size: size, pixelFormat: .planar(.yuv420, bitDepth: 8))
        let bytesPerRow = bytesPerRow(0)
        withMutablePlane(0) { bytes in
            for row in 0..<size.height {
                for column in 0..<size.width {
                    let shift = step * (2 * number + row % 2)
                    let isBright = (column + shift) % period < period / 2
                    bytes.storeBytes(
                        of: isBright ? 200 : 50, toByteOffset: row * bytesPerRow + column, as: UInt8.self)
                }
            }
        }
        for plane in 1...2 {
            withMutablePlane(plane) { bytes in
                for offset in 0..<bytes.byteCount { bytes.storeBytes(of: 128, toByteOffset: offset, as: UInt8.self) }
            }
        }
        color.isFullRange = false
        setTimes(pts: Int64(number), duration: 1, timeBase: TestPattern.rate.reciprocal)
    }
}
