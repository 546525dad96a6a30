import VTXCapture
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Opens the encoders of a recording as a compression session does.
struct CaptureEncoders: CaptureEncoderOpener {
    private let request: CaptureRequest
    private let backends: SharedBackends
    private let report: @Sendable (WorkerEvent) -> Void

    init(_ request: CaptureRequest, _ backends: SharedBackends, _ report: @escaping @Sendable (WorkerEvent) -> Void) {
        self.request = request
        self.backends = backends
        self.report = report
    }

    func open(
        _ format: CaptureFormat, codec begun: VideoCodec?, usesGlobalHeader: Bool, maxBitrate: Int?
    ) throws(TranscodeError) -> CaptureEncoder {
        var codec = begun
        if codec == nil { codec = try request.neededCodec() ?? CaptureConversion.codec(for: format) }
        let wanted = configuration(format, codec)
        let candidates: EncoderCandidates
        do throws(SessionError) {
            try wanted.check()
            candidates = try EncoderCandidates(wanted, backends)
        } catch { throw refusal(error) }
        let limit = maxBitrate == nil ? try request.maxLiveBitrate(of: format, candidates.codec) : maxBitrate
        let conversion = try request.conversion(of: format, to: candidates.codec)
        do throws(SessionError) {
            let configuration = wanted.limited(to: limit).converted(conversion, for: candidates.codec)
            return try open(configuration, conversion, candidates, limit) {
                $0.usesGlobalHeader = usesGlobalHeader
                $0.isInterlaced = format.isInterlaced && candidates.codec == .h264
            }
        } catch { throw refusal(error) }
    }

    private func open(
        _ configuration: VideoEncoderConfiguration, _ conversion: CaptureConversion, _ candidates: EncoderCandidates,
        _ limit: Int?, _ adjust: (inout EncoderConfiguration) -> Void
    ) throws(SessionError) -> CaptureEncoder {
        try candidates.check(configuration)
        var options = EncoderOpenOptions(
            configuration, codec: candidates.codec, color: conversion.format.color, timeBase: CaptureEncoder.timeBase)
        (options.orientation, options.toneMapping) = (conversion.orientation, conversion.toneMapping)
        adjust(&options.encoder)
        var opened = try open(options, configuration, candidates, conversion.format)
        (opened.notices, opened.maxBitrate) = (conversion.notices, limit)
        if conversion.format.isInterlaced, opened.isHardware || opened.codec != .h264 {
            opened.notices.append(.unmarkedFields)
        }
        return opened
    }

    /// Returns why no encoder can be opened, in terms of the request.
    private func refusal(_ error: SessionError) -> TranscodeError {
        guard error.code == .noSuchEncoder || error.code == .notAvailableNow else {
            return TranscodeError(encoding: error)
        }
        return request.hardware == .require
            ? TranscodeError(
                .hardwareRequired, "\(error.message)", hint: "\(option: .hardware, "auto") lets software encode")
            : TranscodeError(.encoderMissing, "\(error.message)")
    }

    private func configuration(_ format: CaptureFormat, _ codec: VideoCodec?) -> VideoEncoderConfiguration {
        var configuration = VideoEncoderConfiguration(
            size: format.size, fps: format.frameRate,
            gopSize: KeyFrameInterval(seconds: 2).frameCount(at: format.frameRate), openBFrame: false, codec: codec)
        if let bitrate = request.bitrate {
            configuration.bitrate = bitrate
        } else {
            configuration.quality = request.quality ?? .standard
        }
        configuration.isRealTime = true
        // An input's pictures may come in another shape.
        configuration.scalingMode = .letterbox
        configuration.preset = .fast
        configuration.hardware = request.hardware
        return configuration
    }

    private func open(
        _ options: EncoderOpenOptions, _ configuration: VideoEncoderConfiguration, _ candidates: EncoderCandidates,
        _ format: CaptureFormat
    ) throws(SessionError) -> CaptureEncoder {
        let opened = Locked<CapabilityMatrix?>(nil)
        // Replacements use the current bit rate.
        let current = Locked(options)
        let encoder = try recoveringEncoder(configuration, candidates) { candidate, needs throws(SessionError) in
            let options = current.withLock { $0.keeping(to: needs) }
            let encoder = try Self.encoder(options, on: candidate, of: candidates.devices)
            opened.withLock { $0 = candidate.matrix }
            return encoder
        }
        let device = opened.withLock(\.self)
        var result = CaptureEncoder(
            encoder, codec: candidates.codec, format: format, deviceName: device?.deviceName ?? "",
            isHardware: device?.isHardware ?? false)
        result.changeBitrate = { bitrate in
            let changed = current.withLock { options in
                options.encoder.stream(at: bitrate)
                return options.encoder
            }
            return encoder.changeRate(to: changed)
        }
        return result
    }

    /// - Parameter open: Opens an encoder on a device, with the parameters that the stream already needs.
    private func recoveringEncoder(
        _ configuration: VideoEncoderConfiguration, _ candidates: EncoderCandidates,
        open: @escaping @Sendable (DeviceCandidate, CodecNeeds) throws(SessionError) -> any VideoEncoder
    ) throws(SessionError) -> RecoveringEncoder {
        let devices = candidates.devices
        return try RecoveringEncoder(
            { hasFailed in
                if hasFailed { devices.renew() }
                return candidates.candidates(configuration).map { candidate in
                    CodecCandidate(candidate.matrix) { needs throws(SessionError) in try open(candidate, needs) }
                }
            }, else: SessionError(.notAvailableNow, "no device here encodes \(candidates.codec)"),
            onReplacement: { [report] replacements in
                devices.noteFailures(replacements)
                replacements.forEach { report(.transcode(.notice(Notice(replacing: $0)))) }
            })
    }

    /// Opens an encoder. Only software can encode fields.
    private static func encoder(
        _ options: EncoderOpenOptions, on candidate: DeviceCandidate, of devices: DeviceCandidates
    ) throws(SessionError) -> FittingEncoder {
        var options = options
        options.encoder.isInterlaced = options.encoder.isInterlaced && !candidate.matrix.isHardware
        return try FittingEncoder(
            options, on: candidate, of: devices.generation, software: try devices.openSoftware(), after: nil)
    }
}

extension CaptureRequest {
    /// Returns how a source's frames are converted for a codec and these outputs.
    fileprivate func conversion(
        of format: CaptureFormat, to codec: VideoCodec
    ) throws(TranscodeError) -> CaptureConversion {
        CaptureConversion(
            format, codec: codec, takesHEVC: try takes(.hevc), keepsDisplayMatrix: try keepsDisplayMatrix(),
            isMirrored: isMirrored)
    }
}

extension EncoderConfiguration {
    /// Limits a live stream to this bit rate, which is also the average, unless there is a quality.
    fileprivate mutating func stream(at bitrate: Int) {
        if averageBitrate != nil { rateControl = .bitrate(average: bitrate, max: nil) }
        dataRateLimits = [.streaming(bitrate)]
    }
}

extension VideoEncoderConfiguration {
    /// Returns the configuration with a maximum bit rate for live outputs. It is also the average, unless there is a
    /// quality.
    fileprivate func limited(to maxBitrate: Int?) -> VideoEncoderConfiguration {
        guard let maxBitrate else { return self }
        var configuration = self
        (configuration.bitrate, configuration.dataRateLimits) = (maxBitrate, [.streaming(maxBitrate)])
        return configuration
    }

    /// Returns the configuration for converted frames.
    fileprivate func converted(_ conversion: CaptureConversion, for codec: VideoCodec) -> VideoEncoderConfiguration {
        var configuration = keeping(bits: conversion.format.bitDepth, in: codec)
        (configuration.size, configuration.hdrMetadata) = (conversion.format.size, conversion.format.hdrMetadata)
        return configuration
    }
}

extension DataRateLimit {
    /// A limit whose leaky bucket fills at the average: a network has no room for peaks.
    fileprivate static func streaming(_ bitrate: Int) -> DataRateLimit {
        DataRateLimit(byteCount: Int(Double(bitrate) / VBV.flowing / 8), seconds: 1)
    }
}

extension Notice {
    fileprivate init(replacing lost: CodecReplacement) {
        self.init(
            .captureEncoder,
            "\(lost.lostName) failed (\(lost.reason.message)); \(lost.name) continues the recording")
    }
}
