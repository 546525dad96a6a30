import Testing
import VTX

@Suite("A decompression session")
struct DecompressionTests {
    private static func pictures(_ count: Int = 24, size: PixelSize = PixelSize(160, 96)) throws -> [PixelBuffer] {
        try (0..<count).map { try Pictures.moving($0, size: size) }
    }

    @Test("decoded frames match the input, at their times", arguments: VideoCodec.ofNALUnits)
    func samples(codec: VideoCodec) async throws {
        let pictures = try Self.pictures()
        let samples = try await Coding.encode(pictures, .small(codec) { $0.bitrate = 2_000_000 })
        let decoded = try await Coding.decode(codec) { for sample in samples { try await $0.decode(sample) } }
        #expect(decoded.frames.map(\.presentationTime) == (0..<24).map { .frame($0) })
        #expect(decoded.frames.allSatisfy { $0.error == nil && $0.duration == MediaTime(1, Rational(1, 30)) })
        for (frame, picture) in zip(decoded.frames, pictures) {
            #expect(try #require(frame.pixelBuffer).psnr(against: picture) > 26)
        }
    }

    @Test("lengths of one, two and four bytes", arguments: [1, 2, 4])
    func lengths(size: Int) async throws {
        // Small enough for a length of one byte.
        let pictures = try (0..<6).map { try Pictures.gray(UInt8(60 + $0), size: PixelSize(64, 64)) }
        let samples = try await Coding.encode(
            pictures,
            .small(.h264) {
                $0.size = PixelSize(64, 64)
                $0.bitrate = 20_000
            })
        let rewrapped = try samples.map { sample -> Sample in
            let format = try FormatDescription(
                codec: .h264, parameterSets: sample.formatDescription.parameterSets, lengthSize: size)
            // x264's SEI message is longer than a one-byte length.
            let units = try sample.nalUnits().filter { $0.name != "SEI" }
            let stream = units.flatMap { [0, 0, 1] + sample.data[$0.range] }
            return try Sample(
                annexB: stream.span.bytes, presentationTime: sample.presentationTime,
                decodingTime: sample.decodingTime, isKeyFrame: sample.isKeyFrame, formatDescription: format)
        }
        let decoded = try await Coding.decode(.h264) { for sample in rewrapped { try await $0.decode(sample) } }
        #expect(decoded.frames.filter { $0.error == nil }.count == 6)
    }

    @Test(
        "a byte stream in chunks of any size, with both start codes and leading junk",
        arguments: VideoCodec.ofNALUnits, [1, 7, 188, 4096, 1 << 20])
    func chunks(codec: VideoCodec, size: Int) async throws {
        let samples = try await Coding.encode(try Self.pictures(), .small(codec))
        var stream: [UInt8] = [1, 2, 3, 0, 0]
        for (index, sample) in samples.enumerated() {
            let units = try sample.nalUnits().map { Array(sample.data[$0.range]) }
            let all = (sample.isKeyFrame ? sample.formatDescription.parameterSets : []) + units
            for (place, unit) in all.enumerated() {
                stream += ((index + place) % 2 == 0 ? [0, 0, 1] : [0, 0, 0, 1]) + unit
            }
        }
        let decoded = try await Coding.decode(codec) { session in
            for start in stride(from: 0, to: stream.count, by: size) {
                try await session.decode(stream: Array(stream[start..<min(start + size, stream.count)]))
            }
        }
        #expect(decoded.frames.filter { $0.error == nil }.count == 24)
        let times = decoded.frames.map(\.presentationTime.seconds)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(
        "frames before the first parameter sets and key frame are dropped and counted", arguments: VideoCodec.ofNALUnits
    )
    func beginning(codec: VideoCodec) async throws {
        let samples = try await Coding.encode(
            try Self.pictures(),
            .small(codec) {
                $0.gopSize = 8
                $0.isRealTime = true
            })
        let decoded = try await Coding.decode(codec) { session in
            // From the middle of the first group, then the second group without its parameter sets.
            for sample in samples[3..<16] {
                try await session.decode(annexB: sample.annexB(withParameterSets: false), at: sample.presentationTime)
            }
            for sample in samples[16...] {
                try await session.decode(annexB: sample.annexB(), at: sample.presentationTime)
            }
        }
        #expect(decoded.frames.map(\.presentationTime.ticks) == Array(16..<24))
        #expect(try decoded.session.value(of: .numberOfFramesDropped) == 13)
    }

    @Test("equal parameter sets keep the decoder, others replace it", arguments: VideoCodec.ofNALUnits)
    func parameterSets(codec: VideoCodec) async throws {
        let small = try await Coding.encode(try Self.pictures(12), .small(codec) { $0.gopSize = 4 })
        let large = try await Coding.encode(
            try Self.pictures(12, size: PixelSize(320, 192)), .small(codec) { $0.size = PixelSize(320, 192) })
        let decoded = try await Coding.decode(codec) { session in
            try await session.decode(stream: try Coding.stream(small))
            #expect(try session.value(of: .numberOfDecoders) == 1)
            try await session.decode(stream: try Coding.stream(large))
        }
        #expect(try decoded.session.value(of: .numberOfDecoders) == 2)
        let sizes = decoded.frames.compactMap { $0.pixelBuffer?.size }
        #expect(sizes.filter { $0 == PixelSize(160, 96) }.count == 12)
        #expect(sizes.filter { $0 == PixelSize(320, 192) }.count == 12)
    }

    @Test("refreshing replaces the decoder: pending frames are output, and the next key frame continues")
    func refresh() async throws {
        let samples = try await Coding.encode(try Self.pictures(), .small(.h264) { $0.gopSize = 8 })
        let decoded = try await Coding.decode(.h264) { session in
            for (index, sample) in samples.enumerated() {
                if index == 11 { session.refresh() }
                try await session.decode(sample)
            }
        }
        // In decoding order, so that the frames are others than those with these times.
        let expected = (samples.prefix(11) + samples.suffix(8)).map(\.presentationTime.ticks).sorted()
        #expect(decoded.frames.filter { $0.error == nil }.map(\.presentationTime.ticks) == expected)
        #expect(try decoded.session.value(of: .numberOfDecoders) == 2)
        #expect(try decoded.session.value(of: .numberOfFramesDropped) == 5)
    }

    @Test("NAL units can be passed singly, with parameter sets after the frame")
    func order() async throws {
        let samples = try await Coding.encode(try Self.pictures(3), .small(.h264) { $0.isRealTime = true })
        let first = try #require(samples.first)
        let decoded = try await Coding.decode(.h264) { session in
            let sets: [UInt8] = first.formatDescription.parameterSets.flatMap { [0, 0, 1] + $0 }
            try await session.decode(annexB: try first.annexB(withParameterSets: false) + sets, at: .frame(0))
            for sample in samples.dropFirst() {
                for unit in try sample.nalUnits() {
                    try await session.decode(annexB: [0, 0, 1] + sample.data[unit.range], at: sample.presentationTime)
                }
            }
        }
        #expect(decoded.frames.filter { $0.error == nil }.map(\.presentationTime.ticks) == [0, 1, 2])
    }

    @Test("bad data fails its frame, never the session", arguments: VideoCodec.ofNALUnits)
    func badData(codec: VideoCodec) async throws {
        let samples = try await Coding.encode(
            try Self.pictures(40),
            .small(codec) {
                $0.gopSize = 10
                $0.isRealTime = true
            })
        let decoded = try await Coding.decode(codec) { session in
            for (index, sample) in samples.enumerated() {
                var sample = sample
                // A corrupt frame, a truncated one, and a sample with a wrong length.
                if index == 13 {
                    sample.data.replaceSubrange(6..., with: (6..<sample.data.count).map { UInt8($0 % 251) })
                }
                if index == 22 { sample.data.removeLast(sample.data.count / 2) }
                if index == 34 { sample.data[0] = 255 }
                try await session.decode(sample)
            }
        }
        let whole = Set(
            decoded.frames.filter { $0.error == nil && $0.pixelBuffer != nil }.map(\.presentationTime.ticks))
        #expect(whole.isSuperset(of: Set(0..<13).union(20..<22).union(30..<34)))
        #expect(decoded.frames.contains { $0.error?.code == .badData })
        let times = decoded.frames.map(\.presentationTime.ticks)
        #expect(Set(times).isSuperset(of: [22, 34].filter { !whole.contains($0) }), "a failed frame has its time")
    }

    @Test("junk and damage of every kind are survived", arguments: VideoCodec.ofNALUnits, 0..<6)
    func damage(codec: VideoCodec, seed: Int) async throws {
        let samples = try await Coding.encode(try Self.pictures(), .small(codec) { $0.gopSize = 6 })
        var stream = try Coding.stream(samples)
        var dice = Dice(seed: seed)
        for _ in 0..<12 { stream[dice.roll(0, stream.count - 1)] ^= UInt8(1 << dice.roll(0, 7)) }
        let hole = dice.roll(0, stream.count / 2)
        stream.removeSubrange(hole..<hole + min(900, stream.count / 8))
        let clean = try Coding.stream(samples)
        let (junk, damaged) = ((0..<500).map { _ in UInt8(dice.roll(0, 255)) }, stream)
        let decoded = try await Coding.decode(codec) { session in
            try await session.decode(stream: junk)
            try await session.decode(stream: damaged)
            try await session.decode(stream: clean)
        }
        // The following stream is intact, and so are its frames.
        #expect(decoded.frames.suffix(18).allSatisfy { $0.pixelBuffer != nil && $0.error == nil })
    }

    @Test("frames have the requested size, from any collection of bytes")
    func size() async throws {
        let samples = try await Coding.encode([try Pictures.gray(126, size: PixelSize(160, 96))], .small(.h264))
        let decoded = try await Coding.decode(.h264) {
            $0.size = PixelSize(80, 80)
        } _: {
            for sample in samples { try await $0.decode(stream: ContiguousArray(sample.annexB())) }
        }
        let picture = try #require(decoded.frames.first?.pixelBuffer)
        let luma = try picture.bytes(ofPlane: 0)
        #expect(picture.size == PixelSize(80, 80) && luma.count == 6400 && abs(Int(luma[0]) - 126) < 3)
        var configuration = VideoDecoderConfiguration(codec: .h264)
        configuration.size = PixelSize(0, 80)
        let error = #expect(throws: SessionError.self) { try DecompressionSession(configuration) { _ in } }
        #expect(error?.code == .badParameter)
    }

    @Test("frames have the requested format", arguments: PixelBuffer.formats)
    func formats(format: PixelFormat) async throws {
        let pictures = try (0..<2).map { _ in try Pictures.gray(126, size: PixelSize(160, 96)) }
        let samples = try await Coding.encode(pictures, .small(.h264))
        let decoded = try await Coding.decode(.h264) {
            $0.pixelFormat = format
        } _: {
            for sample in samples { try await $0.decode(sample) }
        }
        let picture = try #require(decoded.frames.first?.pixelBuffer)
        #expect(picture.format == format && picture.size == PixelSize(160, 96))
        let first = try picture.bytes(ofPlane: 0)
        // Limited range in, so 126 of 16...235 is 128 of 0...255.
        if format.isRGB { #expect(first.prefix(3).allSatisfy { abs(Int($0) - 128) < 4 }) }
        if format.hasAlpha { #expect(first[3] == 255) }
        if format.bitDepth == 8, !format.isRGB { #expect(abs(Int(first[0]) - 126) < 3) }
    }

    @Test("frames are a sequence, and the writer waits for the reader")
    func sequence() async throws {
        let samples = try await Coding.encode(try Self.pictures(60), .small(.h264))
        var configuration = VideoDecoderConfiguration(codec: .h264)
        configuration.hardware = .off
        let session = try DecompressionSession(configuration)
        async let count = session.frames.reduce(0) { count, _ in count + 1 }
        for sample in samples { try await session.decode(sample) }
        try await session.flush()
        session.invalidate()
        #expect(try await count == 60)
    }

    @Test("another codec's samples are refused")
    func otherCodec() async throws {
        let samples = try await Coding.encode(try Self.pictures(1), .small(.hevc))
        let session = try DecompressionSession(VideoDecoderConfiguration(codec: .h264)) { _ in }
        let sample = try #require(samples.first)
        await #expect(throws: SessionError.self) { try await session.decode(sample) }
        #expect(!session.canAccept(sample.formatDescription))
    }
}
