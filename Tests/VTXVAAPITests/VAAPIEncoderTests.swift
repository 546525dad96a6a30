import Testing
import VTXConformance
import VTXFFmpeg
import VTXMedia
import VTXSession

@testable import VTXVAAPI

@Suite("The GPU's encoders conform to the contract", .onSoftwareGPU)
struct VAAPIEncoderTests {
    @Test("every frame, once, at its time", arguments: SoftwareGPU.encoders)
    func frames(_ encoder: GPUEncoder) throws {
        try encoder.gpu.conformance.encodesEveryFrame(Conformance.configuration(encoder.codec))
    }

    @Test("decoded frames match the input", arguments: SoftwareGPU.encoders)
    func pictures(_ encoder: GPUEncoder) throws {
        try encoder.gpu.conformance.keepsPictures(Conformance.configuration(encoder.codec))
    }

    @Test("irregular times", arguments: SoftwareGPU.encoders)
    func times(_ encoder: GPUEncoder) throws {
        try encoder.gpu.conformance.keepsUnevenTimes(Conformance.configuration(encoder.codec))
    }

    @Test("closed groups that begin with an IDR picture", arguments: SoftwareGPU.encoders, [1, 12])
    func groups(_ encoder: GPUEncoder, interval: Int) throws {
        try encoder.gpu.conformance.closesGroups(
            Conformance.configuration(encoder.codec) { $0.maxKeyFrameInterval = interval })
    }

    @Test("forced key frames", arguments: SoftwareGPU.encoders)
    func forced(_ encoder: GPUEncoder) throws {
        try encoder.gpu.conformance.forcesKeyFrames(Conformance.configuration(encoder.codec))
    }

    @Test("no reordering if not allowed", arguments: SoftwareGPU.encoders)
    func order(_ encoder: GPUEncoder) throws {
        try encoder.gpu.conformance.ordersFrames(Conformance.configuration(encoder.codec))
    }

    @Test("parameter sets where they belong", arguments: SoftwareGPU.encoders)
    func parameterSets(_ encoder: GPUEncoder) throws {
        try encoder.gpu.conformance.placesParameterSets(Conformance.configuration(encoder.codec))
    }

    @Test("profiles and depths", arguments: SoftwareGPU.all)
    func profiles(gpu: SoftwareGPU) throws {
        let profiles = Set(gpu.matrix.encoders.map(\.profile))
        #expect(profiles.subtracting([.av1Main]) == [.baseline, .h264Main, .high, .hevcMain, .main10])
        // The driver lists it with packed headers; FFmpeg supports it from 6.1 on.
        let isAble = EncoderContext.exists("av1_vaapi") && gpu.matrix.device.name != "/dev/dri/renderD129"
        #expect(profiles.contains(.av1Main) == isAble)
        for row in gpu.matrix.encoders { try gpu.conformance.keepsProfile(row.profile) }
    }

    @Test(
        "colors in the bitstream", arguments: SoftwareGPU.encoders,
        [
            ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: false),
            ColorDescription(primaries: 9, transfer: 18, matrix: 9, isFullRange: false),
            ColorDescription(primaries: 5, transfer: 6, matrix: 5, isFullRange: true),
        ])
    func color(_ encoder: GPUEncoder, color: ColorDescription) throws {
        try encoder.gpu.conformance.writesColor(encoder.codec, color)
    }

    @Test("HDR10 in the bitstream, if the matrix has it", arguments: SoftwareGPU.all)
    func hdr10(gpu: SoftwareGPU) throws {
        let able = gpu.matrix.encoders.filter { $0.keepsHDRMetadata && $0.profile.maxBitDepth == 10 }
        #expect(able.map(\.profile).contains(.main10))
        for row in able { try gpu.conformance.writesHDR10(row.profile) }
    }

    @Test("rates and qualities, if the driver supports rates", arguments: SoftwareGPU.encoders)
    func rates(_ encoder: GPUEncoder) throws {
        let conformance = encoder.gpu.conformance
        let opened = try conformance.makeEncoder(Conformance.configuration(encoder.codec))
        guard opened.compromises.isEmpty else { return }
        try conformance.keepsRate(encoder.codec)
    }

    @Test("the driver gets the VBV of a limit", arguments: SoftwareGPU.encoders)
    func limit(_ encoder: GPUEncoder) throws {
        let session = try encoder.gpu.conformance.openSession()
        for rate in [RateControl.quality(.standard, max: 1_000_000), .bitrate(average: 600_000, max: 1_000_000)] {
            let arguments = session.ffmpegArguments(
                for: Conformance.configuration(encoder.codec) { $0.rateControl = rate }, in: nil)
            guard let index = arguments.firstIndex(of: "-maxrate") else { continue }
            #expect(arguments[index...].prefix(4) == ["-maxrate", "700000", "-bufsize", "300000"])
        }
    }

    @Test("input, output and end", arguments: SoftwareGPU.encoders)
    func states(_ encoder: GPUEncoder) throws { try encoder.gpu.conformance.followsProtocol(encoder.codec) }

    @Test("unsupported configurations are refused at once", arguments: SoftwareGPU.all)
    func refusals(gpu: SoftwareGPU) throws { try gpu.conformance.refusesWhatItLacks() }

    @Test("reported capabilities are supported", arguments: SoftwareGPU.all)
    func capabilities(gpu: SoftwareGPU) throws {
        for row in gpu.matrix.encoders { try gpu.conformance.keepsCapabilities(row) }
    }

    @Test("failed modes are skipped with a notice: rate controls first, then the other entrypoint")
    func failedModes() throws {
        let configuration = Conformance.configuration(.h264)
        var seen: [String] = []
        var failures: [EncodingMode: String] = [:]
        let session = try SoftwareGPU.all[0].conformance.openSession()
        while let encoder = try? session.makeEncoder(configuration, after: failures), let mode = encoder.mode {
            seen.append(mode.rateControl)
            let said = encoder.compromises.filter { $0.contains("the first picture: it broke") }
            #expect(said.count == failures.count)
            failures[mode] = "it broke"
        }
        #expect(seen == ["VBR", "QVBR", "CBR", "ICQ", "CQP"])
        #expect { try session.makeEncoder(configuration, after: failures) } throws: { error in
            "\(error)".contains("EncSlice VBR, EncSlice QVBR, EncSlice CBR, EncSlice ICQ, EncSlice CQP failed")
        }
    }

    /// The driver has 48 surfaces, and no other test uses it. libavcodec 7.1 crashed.
    @Test("a missing surface for a reconstructed picture is an error", arguments: VideoCodec.ofNALUnits)
    func shortage(codec: VideoCodec) throws {
        let conformance = Conformance(VAAPIBackend(), device: SoftwareGPU.four[3].matrix.device)
        let configuration = Conformance.configuration(codec)
        let session = try #require(try conformance.openSession() as? VAAPISession)
        let encoder = try session.makeEncoder(configuration)
        let pool = try SurfacePool(session.opened.hardware, size: configuration.size, pixelFormat: .nv12)
        let frame = try Conformance.frames(1, for: configuration)[0]
        var surfaces: [Frame] = []
        while let surface = try? pool.makeFrame(like: frame) { surfaces.append(surface) }
        #expect {
            for (number, surface) in surfaces.enumerated() {
                surface.pts = Int64(number)
                try encoder.send(surface, forcesKeyFrame: false)
                while case .unit = try encoder.receive() {}
            }
        } throws: {
            ($0 as? SessionError)?.code == .allocationFailed
        }
    }

    @Test("a constant quantizer in place of a rate is a compromise", arguments: VideoCodec.ofNALUnits)
    func compromise(codec: VideoCodec) throws {
        let compromised = try SoftwareGPU.all.filter {
            try !$0.conformance.makeEncoder(Conformance.configuration(codec)).compromises.isEmpty
        }
        #expect(compromised.map(\.matrix.device.name) == ["/dev/dri/renderD130"])
    }
}
