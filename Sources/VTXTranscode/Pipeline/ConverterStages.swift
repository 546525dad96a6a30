import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// The context of a converter: one stream between its source codec and the output's.
struct ConverterContext: Sendable {
    let source: InputStream
    let plan: TranscodePlan
    let stream: StreamPlan
    let input: BoundedQueue<Packet>
    let output: BoundedQueue<OutputMessage>
    let damage: InputErrorReport

    /// Describes the converted stream.
    func open(_ parameters: CodecParameters, timeBase: Rational) throws {
        let description = StreamDescriptions.converted(plan, stream, parameters, timeBase)
        try output.push(.open(stream: index, description))
    }

    func passOn(_ packet: Packet) throws { try output.push(.packet(packet, stream: index)) }

    /// The stream's index in the output.
    private var index: Int { stream.outputIndex ?? 0 }
}

/// Converts an audio stream to another codec. Gaps are filled with silence to keep it in sync.
struct AudioStage: Sendable {
    let conversion: ConverterContext
    let settings: AudioEncoderSettings

    func run() throws {
        let converter = try makeConverter()
        try conversion.open(converter.parameters, timeBase: converter.timeBase)
        while let packet = try conversion.input.pop() { try converter.convert(packet) }
        try converter.convert(nil)
        if let count = converter.lostChannelCount {
            conversion.damage.noteChannels(count, in: "\(conversion.source.label)", settings.channelCount)
        }
        conversion.output.finish()
    }

    private func makeConverter() throws -> AudioConverter {
        let (timestamps, damage) = (conversion.plan.timestamps, conversion.damage)
        do throws(FFmpegError) {
            return try AudioConverter(
                conversion.source, settings, from: timestamps.start, to: timestamps.end, emit: conversion.passOn,
                onDamage: damage.countDroppedAudio)
        } catch {
            throw error.ofConverting(conversion.source)
        }
    }
}

extension FFmpegError {
    /// Explains why the audio of a stream cannot be decoded or encoded.
    func ofConverting(_ stream: InputStream) -> any Error {
        if kind == .outOfResources { return self }
        return TranscodeError(.audioCodec, "\(stream.label) cannot be converted: \(self)")
            .at(stream: stream.index).caused(by: "\(self)")
    }
}

/// Converts a text subtitle stream to the container's format.
struct SubtitleStage: Sendable {
    let conversion: ConverterContext
    /// The libavcodec name of the encoder.
    let codec: String

    func run() throws {
        let converter: SubtitleConverter
        do {
            converter = try SubtitleConverter(conversion.source, to: codec)
        } catch {
            throw TranscodeError(.subtitleCodec, "\(conversion.source.label) cannot be converted: \(error)")
                .at(stream: conversion.source.index).caused(by: "\(error)")
        }
        try conversion.open(converter.parameters, timeBase: conversion.source.timeBase)
        var cues = codec == "mov_text" ? TimedTextCues() : nil
        while let packet = try conversion.input.pop() {
            guard conversion.plan.timestamps.trim(packet, of: .subtitle) else { continue }
            if let cue = try convert(packet, with: converter) { try place(cue, among: &cues) }
        }
        try passOn(cues?.finish() ?? [])
        if !conversion.source.isStyledText {
            conversion.damage.countMovedCues(converter.movedCount, in: "\(conversion.source.label)", codec)
        }
        conversion.output.finish()
    }

    private func convert(_ packet: Packet, with converter: SubtitleConverter) throws -> Packet? {
        do {
            switch try converter.convert(packet) {
            case .cue(let cue): return cue
            case .tooLong: conversion.damage.noteOversizedCue(in: "\(conversion.source.label)", codec)
            case .nothing: break
            }
        } catch {
            conversion.damage.countUnreadable()
        }
        return nil
    }

    private func place(_ cue: Packet, among cues: inout TimedTextCues?) throws {
        guard let start = cue.pts, cues != nil else { return try conversion.passOn(cue) }
        let sample = TimedTextCues.Sample(bytes: Array(cue.bytes), start: start, end: start + cue.duration)
        try passOn(cues?.add(sample) ?? [])
    }

    private func passOn(_ samples: [TimedTextCues.Sample]) throws {
        for sample in samples {
            try conversion.passOn(
                try Packet(
                    bytes: sample.bytes, pts: sample.start, dts: sample.start, duration: sample.end - sample.start,
                    timeBase: conversion.source.timeBase))
        }
    }
}
