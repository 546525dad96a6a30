import Testing
import VTX
import VTXTestMedia

@Suite("A compression session")
struct CompressionTests {
    @Test("defaults are those of the documented configuration")
    func defaults() {
        var configuration = VideoEncoderConfiguration()
        #expect(configuration.size == PixelSize(1080, 1920) && configuration.bitrate == 5_120_000)
        #expect(configuration.fps == 30 && configuration.gopSize == 150 && configuration.openBFrame)
        #expect(configuration.codec == nil && configuration.profile == nil)
        configuration.fps = 24
        #expect(configuration.gopSize == 120)
        configuration.gopSize = 7
        configuration.fps = 60
        #expect(configuration.gopSize == 7)
    }

    @Test(
        "every frame is output at its time, decodable by another decoder", arguments: VideoCodec.ofNALUnits,
        [false, true])
    func everyFrame(codec: VideoCodec, isRealTime: Bool) async throws {
        let pictures = try (0..<40).map { try Pictures.moving($0) }
        let samples = try await Coding.encode(pictures, .small(codec) { $0.isRealTime = isRealTime })
        #expect(samples.map(\.presentationTime).sorted { $0.ticks < $1.ticks } == (0..<40).map { .frame($0) })
        #expect(samples.allSatisfy { $0.duration == MediaTime(1, Rational(1, 30)) })
        #expect(samples.first?.formatDescription.frameRate == 30)
        #expect(samples.first?.isKeyFrame == true)
        let order = samples.map(\.decodingTime.seconds)
        #expect(zip(order, order.dropFirst()).allSatisfy { $0 < $1 })
        #expect(samples.allSatisfy { $0.decodingTime.seconds <= $0.presentationTime.seconds })
        let directory = try TemporaryDirectory()
        let path = directory.file(codec == .h264 ? "a.h264" : "a.h265")
        try Files.write(try Coding.stream(samples), to: path)
        let decoded = try Decoded(path)
        #expect(decoded.frames.count == 40 && decoded.errors == 0)
    }

    @Test("real time delays at most one frame", arguments: VideoCodec.ofNALUnits)
    func realTime(codec: VideoCodec) async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(codec) { $0.isRealTime = true }) { collected.add($0) }
        for index in 0..<12 {
            try await session.encode(try Pictures.moving(index), at: .frame(index))
            #expect(collected.all.count >= index)
        }
        #expect(try session.value(of: .numberOfPendingFrames) <= 1)
    }

    @Test("the first of the two key-frame limits applies")
    func keyFrames() async throws {
        let pictures = try (0..<40).map { try Pictures.moving($0) }
        func keys(_ frames: Int, _ seconds: Double?) async throws -> [Int64] {
            let samples = try await Coding.encode(
                pictures,
                .small(.h264) {
                    $0.gopSize = frames
                    $0.maxKeyFrameIntervalDuration = seconds
                })
            return samples.filter(\.isKeyFrame).map(\.presentationTime.ticks)
        }
        #expect(try await keys(12, nil) == [0, 12, 24, 36])
        #expect(try await keys(100, 0.5) == [0, 15, 30])
        #expect(try await keys(12, 0.5) == [0, 12, 24, 36])
    }

    @Test("a requested key frame is one", arguments: VideoCodec.ofNALUnits)
    func forced(codec: VideoCodec) async throws {
        let pictures = try (0..<20).map { try Pictures.moving($0) }
        let samples = try await Coding.encode(pictures, .small(codec), keys: [7])
        #expect(samples.filter(\.isKeyFrame).map(\.presentationTime.ticks) == [0, 7])
        let all = try await Coding.encode(pictures, .small(codec) { $0.allowsTemporalCompression = false })
        #expect(all.allSatisfy { $0.isKeyFrame })
    }

    /// The usual limit of iOS programs, 1.5 times the average; and two limits at once.
    static let limitCases = [
        [DataRateLimit(byteCount: 400_000 * 3 / 16, seconds: 1)],
        [DataRateLimit(byteCount: 30_000, seconds: 0.25), DataRateLimit(byteCount: 180_000, seconds: 3)],
    ]

    @Test("data-rate limits are kept in every window", arguments: VideoCodec.ofNALUnits, limitCases)
    func limits(codec: VideoCodec, limits: [DataRateLimit]) async throws {
        for isRealTime in [true, false] {
            let configuration = VideoEncoderConfiguration.small(codec) {
                $0.bitrate = 400_000
                $0.isRealTime = isRealTime
                $0.dataRateLimits = limits
            }
            // With lookahead, sizes are known later, so the limit is applied conservatively.
            try await Coding.expectKept(limits, by: configuration, frameCount: (isRealTime ? 110 : 90)...120)
        }
    }

    @Test("frames of another size are padded, cut, or stretched", arguments: ScalingMode.allCases)
    func scaling(mode: ScalingMode) async throws {
        // Twice as wide as the output: bars above and below, or cropped at the left and the right.
        let wide = try PixelBuffer(size: PixelSize(256, 128), format: .i420) { plane, bytes, bytesPerRow in
            for offset in 0..<bytes.byteCount {
                let isMiddle = (64..<192).contains(offset % bytesPerRow)
                let value: UInt8 = plane == 0 ? (isMiddle ? 200 : 100) : 128
                bytes.storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
            }
        }
        let samples = try await Coding.encode(
            [wide],
            .small(.h264) {
                $0.size = PixelSize(128, 128)
                $0.scalingMode = mode
            })
        let decoded = try await Coding.decode(.h264) { try await $0.decode(try #require(samples.first)) }
        let luma = try #require(decoded.frames.first?.pixelBuffer).bytes(ofPlane: 0)
        let (top, left, middle) = (luma[64], luma[64 * 128 + 4], luma[64 * 128 + 64])
        #expect(abs(Int(middle) - 200) < 6)
        switch mode {
        case .letterbox: #expect(abs(Int(top) - 16) < 6 && abs(Int(left) - 100) < 6)
        case .trim: #expect(abs(Int(top) - 200) < 6 && abs(Int(left) - 200) < 6)
        case .fill: #expect(abs(Int(top) - 200) < 6 && abs(Int(left) - 100) < 6)
        }
    }

    @Test("frames are reordered if allowed, and never in Baseline or real time")
    func reordering() async throws {
        let pictures = try (0..<20).map { try Pictures.moving($0) }
        func isReordered(_ change: (inout VideoEncoderConfiguration) -> Void) async throws -> Bool {
            let samples = try await Coding.encode(pictures, .small(.h264, change))
            return samples.map(\.presentationTime.ticks) != Array(0..<20)
        }
        #expect(try await isReordered { $0.profile = .high })
        #expect(try await isReordered { $0.profile = .h264Main })
        #expect(try await !isReordered { $0.profile = .baseline })
        #expect(try await !isReordered { $0.openBFrame = false })
        #expect(try await !isReordered { $0.isRealTime = true })
    }

    @Test("H.264 uses CABAC except in Baseline, and CAVLC if requested")
    func entropy() async throws {
        let picture = try Pictures.moving(0)
        func isCABAC(_ change: (inout VideoEncoderConfiguration) -> Void) async throws -> Bool {
            let sample = try #require(try await Coding.encode([picture], .small(.h264, change)).first)
            let set = try #require(sample.formatDescription.parameterSets.first { $0[0] & 31 == 8 })
            // After the two ids, which are 0 with one bit each: entropy_coding_mode_flag.
            return set[1] >> 5 & 1 == 1
        }
        for profile in [VideoProfile.high, .h264Main] {
            #expect(try await isCABAC { $0.profile = profile })
            #expect(
                try await !isCABAC {
                    $0.profile = profile
                    $0.entropyMode = .cavlc
                })
        }
        #expect(try await !isCABAC { $0.profile = .baseline })
    }

    @Test("colors are written from the frame into the stream", arguments: VideoCodec.ofNALUnits)
    func colors(codec: VideoCodec) async throws {
        let color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: true)
        let samples = try await Coding.encode([try Pictures.moving(0, color: color)], .small(codec))
        let found = try #require(samples.first).formatDescription.color
        #expect([found.primaries, found.transfer, found.matrix] == [9, 16, 9] && found.isFullRange == true)
        let rgb = try await Coding.encode([try Pictures.moving(0, format: .bgra)], .small(codec))
        #expect(rgb.first?.formatDescription.color.matrix == 1)
    }

    @Test("ten bits stay ten bits in a profile that supports them")
    func deep() async throws {
        let pictures = try (0..<3).map { try Pictures.moving($0, format: .p010) }
        let samples = try await Coding.encode(pictures, .small(.hevc) { $0.profile = .main10 })
        #expect(samples.first?.formatDescription.bitDepth == 10)
        #expect(samples.first?.formatDescription.profileName == "Main 10")
    }

    @Test(
        "without a profile, HEVC has the first frame's bit depth, and H.264 has 8 bits",
        arguments: VideoCodec.ofNALUnits)
    func depthOfPictures(codec: VideoCodec) async throws {
        for format in [PixelFormat.nv12, .p010] {
            let pictures = try (0..<3).map { try Pictures.moving($0, format: format) }
            let samples = try await Coding.encode(pictures, .small(codec))
            let isDeep = codec == .hevc && format == .p010
            #expect(samples.first?.formatDescription.bitDepth == (isDeep ? 10 : 8), "\(format)")
        }
    }

    @Test("VideoToolbox's scale of quality is refused with the equivalent number")
    func qualityScale() {
        let error = #expect(throws: SessionError.self) {
            _ = try CompressionSession(.small(.h264) { $0.quality = Quality(0.7) })
        }
        #expect(error?.code == .badParameter && error?.message.contains("70 is its 0.7") == true)
        #expect(throws: Never.self) { _ = try CompressionSession(.small(.h264) { $0.quality = Quality(1) }) }
    }

    @Test("completing frames outputs those up to a time, and all at the end")
    func completing() async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(.h264)) { collected.add($0) }
        for index in 0..<10 { try await session.encode(try Pictures.moving(index), at: .frame(index)) }
        try await session.flush(until: .frame(4))
        #expect(collected.all.filter { $0.presentationTime.ticks <= 4 }.count == 5)
        for index in 10..<20 { try await session.encode(try Pictures.moving(index), at: .frame(index)) }
        await withCheckedContinuation { done in
            session.flush { error in
                #expect(error == nil)
                done.resume()
            }
        }
        #expect(collected.all.count == 20)
        #expect(collected.all.allSatisfy { $0.sample != nil })
    }

    @Test("samples are a sequence that ends with the session")
    func sequence() async throws {
        let session = try CompressionSession(.small(.h264))
        async let times = session.samples.reduce(into: []) { $0.append($1.presentationTime.ticks) }
        for index in 0..<10 { try await session.encode(try Pictures.moving(index), at: .frame(index)) }
        try await session.flush()
        session.invalidate()
        #expect(try await times.sorted() == Array(0..<10))
    }

    @Test("refreshing loses no frame, and starts with a key frame")
    func refresh() async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(.hevc)) { collected.add($0) }
        for index in 0..<20 {
            if index == 8 { session.refresh() }
            try await session.encode(try Pictures.moving(index), at: .frame(index))
        }
        try await session.flush()
        let samples = collected.all.compactMap(\.sample)
        #expect(samples.count == 20)
        #expect(samples.filter(\.isKeyFrame).map(\.presentationTime.ticks) == [0, 8])
        let order = samples.map(\.decodingTime.seconds)
        #expect(zip(order, order.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("frames from a thread that cannot wait are output, or reported as dropped")
    func submitting() async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(.hevc)) { collected.add($0) }
        let pictures = try (0..<60).map { try Pictures.moving($0) }
        for (index, picture) in pictures.enumerated() { try session.submit(picture, at: .frame(index)) }
        try await session.flush()
        #expect(collected.all.count == 60)
        #expect(collected.all.filter { $0.sample != nil }.count >= CompressionSession.maxWaitingFrames)
        #expect(collected.all.allSatisfy { $0.error == nil })
    }

    @Test("after the end, everything is refused")
    func invalidated() async throws {
        let session = try CompressionSession(.small(.h264)) { _ in }
        session.invalidate()
        let picture = try Pictures.moving(0)
        func code(_ body: () async throws -> Void) async -> SessionError.Code? {
            do { try await body() } catch { return (error as? SessionError)?.code }
            return nil
        }
        #expect(await code { try await session.encode(picture, at: .frame(0)) } == .invalidSession)
        #expect(await code { try session.submit(picture, at: .frame(0)) } == .invalidSession)
        #expect(await code { try await session.flush() } == .invalidSession)
        #expect(await code { try await session.prepare() } == .invalidSession)
    }
}
