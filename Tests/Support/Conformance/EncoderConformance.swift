import Testing
import VTXFFmpeg
package import VTXMedia
import VTXSession
import VTXTestMedia

extension Conformance {
    /// Every frame is output once, decodable, at its time, with increasing DTS.
    package func encodesEveryFrame(_ configuration: EncoderConfiguration, count: Int = 30) throws {
        let video = try EncodedVideo(self, configuration, try Self.frames(count, for: configuration))
        #expect(video.packets.count == count && video.decodingErrors == 0)
        let times = (0..<Int64(count)).map { $0 * 40 }
        #expect(video.packets.compactMap { $0.pts?.ticks }.sorted() == times)
        let decodingTimes = video.packets.compactMap { $0.dts?.ticks }
        #expect(decodingTimes.count == count)
        #expect(zip(decodingTimes, decodingTimes.dropFirst()).allSatisfy { $0 < $1 })
        for packet in video.packets { #expect((packet.dts?.ticks ?? .max) <= (packet.pts?.ticks ?? .min)) }
        #expect(video.decoded.map(\.size) == Array(repeating: configuration.size, count: count))
    }

    /// The decoded frames match the input, in order.
    package func keepsPictures(_ configuration: EncoderConfiguration) throws {
        let video = try EncodedVideo(self, configuration, try Self.frames(15, for: configuration))
        let originals = try Self.frames(15, for: configuration)
        #expect(video.decoded.count == originals.count)
        for (decoded, original) in zip(video.decoded, originals) { #expect(decoded.psnr(against: original) > 28) }
    }

    /// Irregular times are kept.
    package func keepsUnevenTimes(_ configuration: EncoderConfiguration) throws {
        let frames = try Self.frames(20, for: configuration)
        for (index, frame) in frames.enumerated() { frame.pts = Int64(index * 40 + index * index % 17) }
        let wanted = frames.compactMap(\.pts)
        let video = try EncodedVideo(self, configuration, frames)
        #expect(video.packets.compactMap { $0.pts?.ticks }.sorted() == wanted)
    }

    /// Key frames are within the interval, are IDR pictures, and begin closed GOPs.
    package func closesGroups(_ configuration: EncoderConfiguration) throws {
        let video = try EncodedVideo(self, configuration, try Self.frames(40, for: configuration))
        #expect(video.packets.first?.isKeyFrame == true)
        let keys = video.packets.filter(\.isKeyFrame).compactMap { $0.pts?.ticks }
        let longest = Int64(configuration.maxKeyFrameInterval) * 40
        for (from, to) in zip(keys, keys.dropFirst() + [40 * 40]) { #expect(to - from <= longest) }
        for packet in video.packets {
            #expect(video.hasKeyPicture(packet) == packet.isKeyFrame)
        }
        for group in video.groups {
            let key = group.first?.pts?.ticks ?? .max
            #expect(group.allSatisfy { ($0.pts?.ticks ?? .min) >= key }, "shown before the group's key frame")
        }
        for (group, next) in zip(video.groups, video.groups.dropFirst()) {
            let key = next.first?.pts?.ticks ?? .min
            #expect(group.allSatisfy { ($0.pts?.ticks ?? .max) < key }, "shown after the next group's key frame")
        }
    }

    /// A forced key frame is one immediately.
    package func forcesKeyFrames(_ configuration: EncoderConfiguration) throws {
        var sparse = configuration
        sparse.maxKeyFrameInterval = 250
        let video = try EncodedVideo(self, sparse, try Self.frames(25, for: sparse), forcedKeys: [7, 18])
        let keys = video.packets.filter(\.isKeyFrame).compactMap { $0.pts?.ticks }
        #expect(keys.contains(7 * 40) && keys.contains(18 * 40))
        for packet in video.packets where packet.isKeyFrame {
            #expect(video.hasKeyPicture(packet))
        }
    }

    /// Without reordering, output order is display order.
    package func ordersFrames(_ configuration: EncoderConfiguration) throws {
        var ordered = configuration
        ordered.allowsFrameReordering = false
        let video = try EncodedVideo(self, ordered, try Self.frames(25, for: ordered))
        let times = video.packets.compactMap { $0.pts?.ticks }
        #expect(times.count == 25 && times == times.sorted())
    }

    /// Parameter sets are in the header, or before every key frame; AV1's sequence header is in both.
    package func placesParameterSets(_ configuration: EncoderConfiguration) throws {
        for isGlobal in [true, false] {
            var placed = configuration
            placed.usesGlobalHeader = isGlobal
            let video = try EncodedVideo(self, placed, try Self.frames(30, for: placed))
            #expect(video.decoded.count == 30 && video.decodingErrors == 0)
            if isGlobal { #expect(!video.parameters.extradata.isEmpty) }
            for packet in video.packets where packet.isKeyFrame {
                #expect(isGlobal && configuration.codec != .av1 || video.hasParameterSets(packet))
            }
        }
    }

    /// The output has the requested profile and pixel format.
    package func keepsProfile(_ profile: VideoProfile) throws {
        let format = PixelFormat.planar(profile.maxChroma, bitDepth: profile.maxBitDepth)
        let configuration = Self.configuration(profile.codec) {
            $0.profile = profile
            $0.pixelFormat = format
            $0.allowsFrameReordering = profile.allowsBFrames
        }
        let video = try EncodedVideo(self, configuration, try Self.frames(10, for: configuration))
        #expect(video.decoded.count == 10 && video.decodingErrors == 0)
        #expect(video.stream.parameters.codecName == profile.codec.rawValue)
        #expect(video.decoded.first?.pixelFormat == format)
        let name = video.stream.parameters.profileName ?? ""
        #expect(Self.profileNames(profile).contains(name), "\(name)")
        if profile == .baseline {
            let times = video.packets.compactMap { $0.pts?.ticks }
            #expect(times == times.sorted())
        }
    }

    /// libavcodec's names of a profile.
    private static func profileNames(_ profile: VideoProfile) -> [String] {
        switch profile {
        case .baseline: ["Baseline", "Constrained Baseline"]
        case .h264Main, .hevcMain, .av1Main: ["Main"]
        case .high: ["High"]
        case .high10: ["High 10"]
        case .high422: ["High 4:2:2"]
        case .high444: ["High 4:4:4 Predictive"]
        case .main10: ["Main 10"]
        case .main422x10, .main444x8, .main444x10: ["Rext"]
        }
    }

    /// Colors and the sample aspect ratio are in the bitstream.
    package func writesColor(_ codec: VideoCodec, _ color: ColorDescription) throws {
        let configuration = Self.configuration(codec) {
            $0.color = color
            $0.sampleAspectRatio = Rational(16, 15)
            $0.usesGlobalHeader = codec == .av1
        }
        let video = try EncodedVideo(self, configuration, try Self.frames(5, for: configuration))
        let frame = try #require(video.decoded.first)
        let found = frame.color
        #expect([found.primaries, found.transfer, found.matrix] == [color.primaries, color.transfer, color.matrix])
        #expect((found.isFullRange ?? false) == (color.isFullRange ?? false))
        // AV1's bitstream cannot signal it.
        if codec != .av1 { #expect(frame.sampleAspectRatio == Rational(16, 15)) }
    }

    /// HDR10's static metadata is in the bitstream, with every key frame.
    package func writesHDR10(_ profile: VideoProfile = .main10) throws {
        let configuration = Self.configuration(profile.codec) {
            $0.profile = profile
            $0.pixelFormat = .planar(.yuv420, bitDepth: 10)
            $0.color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)
            $0.hdrMetadata = .sample
            $0.usesGlobalHeader = profile.codec == .av1
        }
        let video = try EncodedVideo(self, configuration, try Self.frames(26, for: configuration))
        let keys = video.packets.filter(\.isKeyFrame).compactMap { $0.pts?.ticks }
        #expect(keys.count >= 3 && video.decoded.count == 26)
        #expect(video.decoded.allSatisfy { $0.hdrMetadata == .sample && $0.color.transfer == 16 })
    }

    /// The rate is close to the requested average; constant quality needs no rate.
    package func keepsRate(_ codec: VideoCodec) throws {
        let low = try byteCount(codec, .bitrate(average: 100_000, max: nil))
        let high = try byteCount(codec, .bitrate(average: 800_000, max: nil))
        // Three seconds.
        #expect(low * 8 / 3 < 250_000 && high > low * 2)
        let poor = try byteCount(codec, .quality(try #require(Quality(20))))
        let good = try byteCount(codec, .quality(try #require(Quality(90))))
        #expect(good > poor * 3)
    }

    /// No second, in decoding order, exceeds the maximum: neither for noise after a static scene, nor with a cut every
    /// third of a second and additional key frames.
    package func keepsMaximum(_ codec: VideoCodec, _ rate: RateControl, _ change: (inout EncoderConfiguration) -> Void)
        throws
    {
        let configuration = Self.configuration(codec) {
            $0.rateControl = rate
            $0.size = PixelSize(320, 180)
            $0.maxKeyFrameInterval = 50
            change(&$0)
        }
        let frames = try Self.hardFrames(for: configuration)
        let video = try EncodedVideo(self, configuration, frames, forcedKeys: [60, 110, 130, 190])
        let maximum = try #require(rate.max)
        let peak = PeakBitrate.bits(of: video.packets)
        #expect(peak <= maximum)
        // Black frames would also keep a limit; the rate must be close to it.
        #expect(peak > maximum / 2 && video.decoded.count == frames.count)
    }

    /// The first packets use only what earlier packets have left in the decoder's buffer.
    package func continuesBuffer(_ codec: VideoCodec) throws {
        var configuration = Self.configuration(codec) {
            $0.rateControl = .quality(Quality(80)!, max: 600_000)
            $0.size = PixelSize(320, 180)
            $0.maxKeyFrameInterval = 50
        }
        let vbv = try #require(configuration.vbv)
        let frames = try VideoRecipe {
            ($0.picture, $0.filters) = ("testsrc2", "noise=alls=30:allf=t")
            ($0.size, $0.pixelFormat) = (configuration.size, configuration.pixelFormat.name)
            ($0.timeBase, $0.frameCount) = (configuration.timeBase, 60)
        }.makeFrames()
        func lowest(from fullness: Double) throws -> Double {
            LeakyBucket(vbv, fullness: fullness, after: try EncodedVideo(self, configuration, frames).packets).lowest
        }
        // With a full buffer, more would be used.
        #expect(try lowest(from: 0.2) < -0.2)
        configuration.initialBufferFullness = 0.2
        // Encoders exceed it slightly.
        #expect(try lowest(from: 0.2) > -0.05)
    }

    private static func hardFrames(for configuration: EncoderConfiguration) throws -> [Frame] {
        try VideoRecipe {
            $0.picture = "testsrc2"
            $0.filters = [
                "drawbox=t=fill:enable='lt(t,2)'", "noise=alls=80:allf=t:enable='between(t,2,3)+between(t,7,8)'",
                "negate=enable='between(t,4,6)*mod(floor(3*t),2)'",
            ].joined(separator: ",")
            $0.size = configuration.size
            $0.pixelFormat = configuration.pixelFormat.name
            $0.timeBase = configuration.timeBase
            $0.frameCount = 225
        }.makeFrames()
    }

    private func byteCount(_ codec: VideoCodec, _ rate: RateControl) throws -> Int {
        let configuration = Self.configuration(codec) { $0.rateControl = rate }
        let video = try EncodedVideo(self, configuration, try Self.frames(75, for: configuration))
        return video.packets.reduce(0) { $0 + $1.bytes.count }
    }

    /// An encoder requests input before it has any, ends once, and accepts a second end.
    package func followsProtocol(_ codec: VideoCodec) throws {
        let configuration = Self.configuration(codec)
        let encoder = try openSession().makeEncoder(configuration)
        let before = try encoder.receive()
        guard case .needsInput = before else {
            Issue.record("output before any input")
            return
        }
        try encoder.send(try Self.frames(1, for: configuration)[0], forcesKeyFrame: false)
        try encoder.send(nil, forcesKeyFrame: false)
        try encoder.send(nil, forcesKeyFrame: false)
        var count = 0
        while case .unit = try encoder.receive() { count += 1 }
        let after = try encoder.receive()
        guard case .endOfStream = after else {
            Issue.record("no end")
            return
        }
        #expect(count == 1)
    }

    /// An unsupported configuration fails when the encoder is created.
    package func refusesWhatItLacks() throws {
        let session = try openSession()
        let impossible = Self.configuration(.h264) { $0.size = PixelSize(1_000_000, 1_000_000) }
        #expect(throws: SessionError.self) { _ = try session.makeEncoder(impossible) }
        #expect(throws: SessionError.self) { _ = try backend.openSession(on: DeviceID("no such device")) }
    }

    /// The encoder supports each row of the matrix, at its smallest size.
    package func keepsCapabilities(_ row: EncoderCapability) throws {
        let configuration = Self.configuration(row.codec) {
            $0.profile = row.profile
            $0.size = row.minSize
            $0.pixelFormat = .planar(row.profile.maxChroma, bitDepth: row.profile.maxBitDepth)
        }
        let video = try EncodedVideo(self, configuration, try Self.frames(3, for: configuration))
        #expect(video.decoded.map(\.size) == Array(repeating: row.minSize, count: 3))
    }
}
