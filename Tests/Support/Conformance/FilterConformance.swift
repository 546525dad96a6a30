import Testing
package import VTXFFmpeg
package import VTXMedia
import VTXSession
import VTXTestMedia

extension Conformance {
    /// 160x96, nothing to do.
    package static func filter(_ change: (inout FilterConfiguration) -> Void = { _ in }) -> FilterConfiguration {
        var configuration = FilterConfiguration(
            size: PixelSize(160, 96), pixelFormat: .planar(.yuv420, bitDepth: 8), color: .unspecified,
            scaling: .letterbox, isSquare: false, deinterlacing: .flaggedFrames, orientation: .upright, frameRate: nil,
            sourceFrameRate: Rational(25, 1), timeBase: Rational(1, 1000))
        change(&configuration)
        return configuration
    }

    /// The output, in memory.
    package func run(_ configuration: FilterConfiguration, _ frames: [Frame]) throws -> [Frame] {
        let session = try openSession()
        return try session.readable(try run(configuration, frames, in: session))
    }

    private func run(
        _ configuration: FilterConfiguration, _ frames: [Frame], in session: any DeviceSession
    ) throws -> [Frame] {
        let filter = try session.makeFilter(configuration)
        var output: [Frame] = []
        for frame in frames {
            try filter.send(frame)
            while case .unit(let out) = try filter.receive() { output.append(out) }
        }
        try filter.send(nil)
        while case .unit(let out) = try filter.receive() { output.append(out) }
        let end = try filter.receive()
        guard case .endOfStream = end else {
            Issue.record("the filter does not end")
            return output
        }
        return output
    }

    /// White in the upper left quarter, gray in the upper right one, black below.
    private func quarters(_ change: (inout VideoRecipe) -> Void = { _ in }) throws -> [Frame] {
        try VideoRecipe {
            $0.picture = "color=c=black"
            $0.filters = "drawbox=0:0:80:48:white:fill,drawbox=80:0:80:48:gray:fill"
            $0.timeBase = Rational(1, 1000)
            $0.frameCount = 3
            change(&$0)
        }.makeFrames()
    }

    private func corners(_ frame: Frame) -> [Int] {
        let (width, height) = (frame.size.width, frame.size.height)
        return [(1, 1), (3, 1), (1, 3), (3, 3)].map { frame.luma(width * $0.0 / 4, height * $0.1 / 4) }
    }

    /// A frame on the device that needs no filter is passed unchanged.
    package func passesUntouched() throws {
        let session = try openSession()
        let frames = try run(Self.filter(), try quarters(), in: session)
        let output = try run(Self.filter(), frames, in: session)
        #expect(output.count == frames.count)
        for (out, frame) in zip(output, frames) { #expect(out === frame, "a copy was made") }
    }

    /// All eight orientations, as displayed.
    package func turns(_ orientation: DisplayMatrix.Orientation) throws {
        let configuration = Self.filter {
            $0.orientation = orientation
            if orientation.isTransposed { $0.size = $0.size.transposed }
        }
        let shown =
            switch orientation {
            case .upright: [235, 126, 16, 16]
            case .rotated90: [16, 235, 16, 126]
            case .rotated180: [16, 16, 126, 235]
            case .rotated270: [126, 16, 235, 16]
            case .mirrored: [126, 235, 16, 16]
            case .mirroredRotated90: [16, 126, 16, 235]
            case .mirroredRotated180: [16, 16, 235, 126]
            case .mirroredRotated270: [235, 16, 126, 16]
            }
        let output = try run(configuration, try quarters())
        #expect(output.count == 3 && output.allSatisfy { $0.size == configuration.size })
        for (found, wanted) in zip(corners(output[0]), shown) { #expect(abs(found - wanted) <= 2) }
        #expect(output.compactMap(\.pts) == [0, 40, 80])
    }

    /// A region of the frame, in each orientation, and scaled by two.
    package func crops(_ orientation: DisplayMatrix.Orientation, scale: Int) throws {
        // The white quarter, and a part of the gray one.
        let part = PixelRegion(x: 40, y: 16, size: PixelSize(80, 32))
        let configuration = Self.filter {
            $0.crop = PictureCrop(part, of: PixelSize(160, 96))
            $0.orientation = orientation
            let size = PixelSize(part.size.width * scale, part.size.height * scale)
            $0.size = orientation.isTransposed ? size.transposed : size
            $0.isSquare = scale != 1
        }
        let frame = try #require(try run(configuration, try quarters()).first)
        #expect(frame.size == configuration.size)
        let whole = PixelRegion(size: part.size)
        for (place, wanted) in [(PixelSize(20, 16), 235), (PixelSize(60, 16), 126), (PixelSize(78, 30), 126)] {
            let pixel = PixelRegion(x: place.width, y: place.height, size: PixelSize(1, 1))
                .rotated(by: orientation, in: whole.size)
            #expect(abs(frame.luma(pixel.x * scale, pixel.y * scale) - wanted) <= 2)
        }
    }

    private static func white(_ color: ColorDescription, _ format: PixelFormat) throws -> Frame {
        try VideoRecipe {
            $0.picture = "color=c=white"
            $0.pixelFormat = format.name
            $0.filters = color.isFullRange == true ? "scale=out_range=pc" : ""
            $0.color = color
            $0.frameCount = 1
        }.makeFrames()[0]
    }

    /// Bars are black, and the picture fills the rest.
    package func scales(_ mode: ScalingMode, isFullRange: Bool, bitDepth: Int = 8) throws {
        let color = ColorDescription(isFullRange: isFullRange)
        let format = PixelFormat.planar(.yuv420, bitDepth: bitDepth)
        let configuration = Self.filter {
            $0.size = PixelSize(128, 128)
            $0.scaling = mode
            $0.isSquare = true
            $0.pixelFormat = format
            $0.color = color
        }
        let source = try Self.white(color, format)
        let white = source.luma(80, 48)
        let frame = try #require(try run(configuration, [source]).first)
        let geometry = ScaleGeometry(
            source: PixelSize(160, 96), sampleAspectRatio: Rational(0, 1), frame: configuration.size, scaling: mode,
            frameIsSquare: true)
        #expect(frame.size == configuration.size)
        let top = geometry.padding.y
        #expect((top > 0) == (mode == .letterbox))
        let rows = (0..<128).filter { abs($0 - top) > 2 && abs($0 - top - geometry.scaled.height) > 2 }
        let wrong = rows.filter { row in
            let isPicture = (top..<top + geometry.scaled.height).contains(row)
            return abs(frame.luma(64, row) - (isPicture ? white : isFullRange ? 0 : 16 << (bitDepth - 8))) > 2
        }
        #expect(wrong.isEmpty)
    }

    /// Samples twice as wide as high become square, even at the same size.
    package func squaresSamples(_ mode: ScalingMode) throws {
        let frames = try VideoRecipe {
            $0.picture = "color=c=white"
            $0.sampleAspectRatio = Rational(2, 1)
            $0.frameCount = 1
        }.makeFrames()
        let configuration = Self.filter {
            $0.isSquare = true
            $0.scaling = mode
        }
        let frame = try #require(try run(configuration, frames).first)
        // 320x96 in 160x96 is 160x48 with bars above and below.
        for row in [4, 16, 80, 92] { #expect((frame.luma(80, row) < 20) == (mode == .letterbox)) }
        for row in [32, 64] { #expect(frame.luma(80, row) > 230) }
    }

    /// Format conversion keeps colors.
    package func converts(from source: String, to format: PixelFormat) throws {
        let output = try run(Self.filter { $0.pixelFormat = format }, try quarters { $0.pixelFormat = source })
        let frame = try #require(output.first)
        #expect(frame.pixelFormat == format && output.count == 3)
        let step = 1 << (format.bitDepth - 8)
        for (found, wanted) in zip(corners(frame), [235, 126, 16, 16]) {
            #expect(abs(found - wanted * step) <= 2 * step)
        }
    }

    /// Full range stays full range.
    package func keepsFullRange() throws {
        let color = ColorDescription(isFullRange: true)
        let frames = try quarters {
            $0.color = color
            $0.filters += ",scale=out_range=pc"
        }
        let before = corners(frames[0])
        let configuration = Self.filter {
            $0.size = PixelSize(80, 48)
            $0.color = color
        }
        let frame = try #require(try run(configuration, frames).first)
        #expect(frame.color.isFullRange == true)
        for (found, wanted) in zip(corners(frame), before) { #expect(abs(found - wanted) <= 2) }
    }

    /// If the source's size changes, the output's does not, and no frame is lost.
    package func followsTheSource() throws {
        var frames = try quarters()
        let others = try quarters {
            $0.size = PixelSize(320, 192)
            $0.filters = "drawbox=0:0:160:96:white:fill,drawbox=160:0:160:96:gray:fill"
        }
        for frame in others { frame.pts = frame.pts.map { $0 + 120 } }
        let deep = try quarters { $0.pixelFormat = "yuv420p10le" }
        for frame in deep { frame.pts = frame.pts.map { $0 + 240 } }
        frames += others + deep
        let output = try run(Self.filter(), frames)
        #expect(output.compactMap(\.pts) == (0..<9).map { $0 * 40 })
        for frame in output {
            #expect(frame.size == PixelSize(160, 96) && frame.pixelFormat.name == "yuv420p")
            for (found, wanted) in zip(corners(frame), [235, 126, 16, 16]) { #expect(abs(found - wanted) <= 2) }
        }
    }

    /// A new frame rate keeps the duration, including the last frame's.
    package func changesRate(to rate: Int, count: Int) throws {
        let configuration = Self.filter {
            $0.frameRate = Rational(rate, 1)
            $0.timeBase = Rational(1, rate)
        }
        let frames = try Self.frames(25, for: Self.configuration(.h264))
        for frame in frames { frame.duration = 40 }
        let output = try run(configuration, frames)
        #expect(output.compactMap(\.pts) == (0..<Int64(count)).map { $0 })
    }

    /// Another time base keeps the times.
    package func countsInItsOwnUnit() throws {
        let output = try run(Self.filter { $0.timeBase = Rational(1, 90000) }, try quarters())
        #expect(output.compactMap(\.pts) == [0, 3600, 7200])
        #expect(output.allSatisfy { $0.timeBase == Rational(1, 90000) })
    }
}
