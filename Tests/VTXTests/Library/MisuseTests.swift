import Testing
import VTXMedia
import VTXSystem

@testable import VTX

@Suite("Misuse of a session")
struct MisuseTests {
    @Test("times and durations of any kind are kept")
    func times() async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(.hevc)) { collected.add($0) }
        let base = Rational(1, 30)
        let times = [-(1 << 40), -7, 0, 1, 1 << 20, 1 << 40].map { MediaTime($0, base) }
        let durations = [
            MediaTime(0, base), MediaTime(-5, base), MediaTime(.max, base), MediaTime(3, Rational(0, 0)), nil,
        ]
        for (index, time) in times.enumerated() {
            try await session.encode(
                try Pictures.moving(index), at: time, duration: durations[index % durations.count])
        }
        try await session.flush()
        let samples = collected.all.compactMap(\.sample)
        #expect(samples.map(\.presentationTime).sorted { $0.ticks < $1.ticks } == times)
        #expect(samples.allSatisfy { $0.decodingTime.seconds <= $0.presentationTime.seconds })
        let decoded = try await Coding.decode(.hevc) { for sample in samples { try await $0.decode(sample) } }
        #expect(decoded.frames.map(\.presentationTime) == times && decoded.frames.allSatisfy { $0.error == nil })
    }

    @Test(
        "both sessions refuse invalid times",
        arguments: [
            MediaTime(1, Rational(.max, 1)), MediaTime(1, Rational(1, .max)), MediaTime(.max, Rational(.max, .max)),
            MediaTime(.min, Rational(1, 1)), MediaTime(1, Rational(0, 0)), MediaTime(1, Rational(-1, 30)),
            MediaTime(1, Rational(.min, .min)), MediaTime(.max, Rational(1, 30)),
        ])
    func noTimes(time: MediaTime) async throws {
        let picture = try Pictures.moving(0)
        // As the first time, and as a later one.
        for first in [nil, MediaTime.frame(0)] {
            let collected = Collected<CompressionOutput>()
            let session = try CompressionSession(.small(.h264)) { collected.add($0) }
            if let first { try await session.encode(picture, at: first) }
            do throws(SessionError) {
                try await session.encode(picture, at: time)
                #expect(time == MediaTime(1, Rational(1, .max)), "\(time)")
            } catch {
                #expect(error.code == .badParameter)
            }
            let decoding = try DecompressionSession(VideoDecoderConfiguration(codec: .h264)) { _ in }
            do throws(SessionError) {
                if let first { try await decoding.decode(annexB: [0, 0, 1, 9, 16], at: first) }
                try await decoding.decode(annexB: [0, 0, 1, 9, 16], at: time)
            } catch {
                #expect(error.code == .badParameter)
            }
        }
    }

    @Test("a time that does not increase is refused, and the session continues")
    func risingTimes() async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(.h264)) { collected.add($0) }
        try await session.encode(try Pictures.moving(0), at: .frame(1))
        let late = try Pictures.moving(1)
        await #expect(throws: SessionError.self) { try await session.encode(late, at: .frame(1)) }
        await #expect(throws: SessionError.self) {
            try await session.encode(late, at: MediaTime(5, Rational(0, 0)))
        }
        try await session.encode(late, at: .frame(2))
        try await session.flush()
        #expect(collected.all.compactMap(\.sample).count == 2)
    }

    @Test("frames with odd sides are converted", arguments: PixelBuffer.formats, ScalingMode.allCases)
    func oddSides(format: PixelFormat, mode: ScalingMode) async throws {
        let sizes = [PixelSize(161, 97), PixelSize(1, 1), PixelSize(33, 1), PixelSize(1, 400), PixelSize(159, 95)]
        let pictures = try sizes.enumerated().map { try Pictures.moving($0, size: $1, format: format) }
        let samples = try await Coding.encode(pictures, .small(.h264) { $0.scalingMode = mode })
        #expect(samples.count == sizes.count)
        #expect(samples.allSatisfy { $0.formatDescription.size == PixelSize(160, 96) })
    }

    @Test(
        "a session with odd sides crops the last column and row, and does not scale",
        arguments: [false, true])
    func oddSession(isSizeOdd: Bool) async throws {
        let size = PixelSize(isSizeOdd ? 161 : 160, 97)
        let samples = try await Coding.encode(
            try (0..<3).map { _ in try Pictures.checkered(size) },
            .small(.h264) {
                $0.size = size
                $0.quality = Quality(95)
            })
        #expect(samples.allSatisfy { $0.formatDescription.size == PixelSize(160, 96) })
        let decoded = try await Coding.decode(.h264) { for sample in samples { try await $0.decode(sample) } }
        let whole = try #require(decoded.frames.first?.pixelBuffer)
        #expect(try whole.psnr(against: Pictures.checkered(PixelSize(160, 96))) > 30)
    }

    @Test("with many tasks at once, every frame is reported once, in order of time")
    func crowd() async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(.h264) { $0.isRealTime = true }) { collected.add($0) }
        let picture = try Pictures.moving(0)
        let refused = await withTaskGroup(of: Int.self) { tasks in
            for index in 0..<60 {
                tasks.addTask {
                    do throws(SessionError) {
                        try await session.encode(picture, at: .frame(index))
                        if index % 10 == 3 { session.refresh() }
                        if index % 10 == 5 { try session.set(.averageBitRate, to: 100_000 + index) }
                        if index % 10 == 7 { try await session.flush(until: .frame(index)) }
                        return 0
                    } catch {
                        #expect(error.code == .badParameter, "a task that is late")
                        return 1
                    }
                }
            }
            return await tasks.reduce(0, +)
        }
        try await session.flush()
        let times = collected.all.map(\.presentationTime.ticks)
        #expect(times.count + refused == 60 && Set(times).count == times.count && times == times.sorted())
        #expect(collected.all.allSatisfy { $0.sample != nil })
    }

    @Test("a handler may call its session, and is not called after invalidating it")
    func handlerCalls() async throws {
        let box = Locked<CompressionSession?>(nil)
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(.h264)) { output in
            collected.add(output)
            guard let session = box.withLock({ $0 }) else { return }
            session.refresh()
            try? session.set(.averageBitRate, to: 300_000)
            _ = try? session.value(of: .numberOfPendingFrames)
            if collected.all.count == 5 { session.invalidate() }
        }
        box.withLock { $0 = session }
        defer { box.withLock { $0 = nil } }
        // All are output when the session is flushed.
        for index in 0..<12 { try await session.encode(try Pictures.moving(index), at: .frame(index)) }
        try? await session.flush()
        #expect(collected.all.count == 5)
    }

    @Test("after the end, a decompression session refuses everything")
    func invalidated() async throws {
        let session = try DecompressionSession(VideoDecoderConfiguration(codec: .h264)) { _ in }
        session.invalidate()
        session.invalidate()
        func code(_ body: () async throws(SessionError) -> Void) async -> SessionError.Code? {
            do throws(SessionError) { try await body() } catch { return error.code }
            return nil
        }
        #expect(
            await code { () async throws(SessionError) in try await session.decode(stream: [0]) } == .invalidSession)
        #expect(await code { () async throws(SessionError) in try await session.decode(annexB: []) } == .invalidSession)
        #expect(await code { () async throws(SessionError) in try await session.flush() } == .invalidSession)
        #expect(await code { () async throws(SessionError) in try await session.prepare() } == .invalidSession)
    }

    @Test("a thousand damaged streams in chunks of any size leave the session usable", arguments: VideoCodec.ofNALUnits)
    func damaged(codec: VideoCodec) async throws {
        let pictures = try (0..<6).map { try Pictures.moving($0, size: PixelSize(64, 64)) }
        let samples = try await Coding.encode(
            pictures,
            .small(codec) {
                $0.size = PixelSize(64, 64)
                $0.gopSize = 3
            })
        let clean = try Coding.stream(samples)
        var random = Dice(seed: 7)
        let decoded = try await Coding.decode(codec) { session in
            for _ in 0..<500 {
                for piece in random.pieces(random.damage(clean)) { try await session.decode(stream: piece) }
                if random.roll(0, 9) == 0 { try await session.flush() }
            }
            try await session.flush()
            try await session.decode(stream: clean)
        }
        #expect(decoded.frames.suffix(6).allSatisfy { $0.pixelBuffer != nil && $0.error == nil })
        let failures = decoded.frames.compactMap(\.error)
        #expect(
            !failures.isEmpty
                && failures.allSatisfy { [.badData, .unsupportedFormat, .referenceMissing].contains($0.code) })
    }

    @Test(
        "colors that no stream can signal are refused, unspecified ones are not",
        arguments: [
            (-1, false), (256, false), (.max, false), (.min, false), (0, true), (3, true), (200, true), (255, true),
        ])
    func colors(code: Int, isAllowed: Bool) async throws {
        let color = ColorDescription(primaries: code, transfer: code, matrix: code)
        if isAllowed {
            for format in PixelBuffer.formats {
                let collected = Collected<CompressionOutput>()
                let session = try CompressionSession(.small(.hevc)) { collected.add($0) }
                let picture = try Pictures.moving(0, size: PixelSize(64, 64), format: format, color: color)
                try? await session.encode(picture, at: .frame(0))
                try? await session.flush()
                #expect(collected.all.count == 1, "encoded, or refused by the encoder")
            }
        } else {
            #expect(throws: SessionError.self) { _ = try Pictures.moving(0, color: color) }
            #expect(throws: SessionError.self) { _ = try Pictures.moving(0).attaching(color) }
            #expect(throws: SessionError.self) { _ = try CompressionSession(.small(.hevc) { $0.color = color }) }
        }
    }

    @Test("the smallest and the narrowest frames", arguments: VideoCodec.ofNALUnits)
    func smallest(codec: VideoCodec) async throws {
        let least = codec == .h264 ? 16 : 64
        let sizes = [(0, 0), (2, 0), (0, 384), (384, 0), (50, 18)].map { PixelSize(least + $0, least + $1) }
        for size in sizes {
            for limits in [[], [DataRateLimit(byteCount: 100_000, seconds: 1)]] {
                let pictures = try (0..<3).map { try Pictures.moving($0, size: size) }
                let samples = try await Coding.encode(
                    pictures,
                    .small(codec) {
                        $0.size = size
                        $0.dataRateLimits = limits
                    })
                let decoded = try await Coding.decode(codec) { for sample in samples { try await $0.decode(sample) } }
                #expect(decoded.frames.compactMap { $0.pixelBuffer?.size } == [size, size, size])
            }
        }
    }

    @Test("properties set by many threads at once are all set, and none after the end")
    func properties() async throws {
        let session = try CompressionSession(.small(.h264)) { _ in }
        await withTaskGroup(of: Void.self) { tasks in
            for round in 1...50 {
                tasks.addTask { try? session.set(.averageBitRate, to: 100_000 + round) }
                tasks.addTask { try? session.set(.maxKeyFrameInterval, to: round) }
            }
            for flag in [true, true, true] { tasks.addTask { try? session.set(.realTime, to: flag) } }
        }
        #expect(try session.value(of: .averageBitRate) > 100_000 && session.value(of: .maxKeyFrameInterval) <= 50)
        #expect(try session.value(of: .realTime))
        session.invalidate()
        #expect { try session.set(.realTime, to: false) } throws: { ($0 as? SessionError)?.code == .invalidSession }
    }

    @Test("a sample without data is a failed frame at its time")
    func emptySample() async throws {
        var samples = try await Coding.encode(try (0..<4).map { try Pictures.moving($0) }, .small(.h264))
        samples.sort { $0.presentationTime.ticks < $1.presentationTime.ticks }
        var empty = try #require(samples.last)
        empty.data = []
        empty.presentationTime = .frame(9)
        let sample = empty
        let decoded = try await Coding.decode(.h264) { try await $0.decode(sample) }
        #expect(decoded.frames.map(\.presentationTime) == [.frame(9)])
        #expect(decoded.frames.first?.error?.code == .badData)
    }
}
