import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Converts an audio stream to another codec. Gaps are filled with silence to keep it in sync.
struct AudioStage: Sendable {
    let conversion: ConverterContext
    let settings: AudioEncoderSettings

    func run() throws {
        let converter = try makeConverter()
        try conversion.open(converter.parameters, timeBase: converter.timeBase)
        while let packet = try conversion.input.pop() { try converter.convert(packet) }
        try converter.convert(nil)
        conversion.output.finish()
    }

    private func makeConverter() throws -> AudioConverter {
        let (timestamps, damage) = (conversion.plan.timestamps, conversion.damage)
        do throws(FFmpegError) {
            return try AudioConverter(
                conversion.source, settings, from: timestamps.start, to: timestamps.end, emit: conversion.passOn,
                onDamage: damage.countDroppedAudio)
        } catch {
            if error.kind == .outOfResources { throw error }
            throw TranscodeError(.audioCodec, "\(conversion.source.label) cannot be converted: \(error)")
                .at(stream: conversion.source.index).caused(by: "\(error)")
        }
    }
}
