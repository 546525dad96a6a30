import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// One text subtitle stream from its source's format to the container's.
struct SubtitleStage: Sendable {
    let conversion: ConverterContext
    /// libavcodec's name of the encoder.
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
        while let packet = try conversion.input.pop() {
            guard conversion.plan.timestamps.admits(packet, of: .subtitle) else { continue }
            try convert(packet, with: converter)
        }
        conversion.output.finish()
    }

    private func convert(_ packet: Packet, with converter: SubtitleConverter) throws {
        let result: SubtitleConverter.Converted
        do { result = try converter.convert(packet) } catch { return conversion.damage.countUnreadable() }
        switch result {
        case .cue(let cue): try conversion.passOn(cue)
        case .tooLong: conversion.damage.noteOversizedCue(in: "\(conversion.source.label)", codec)
        case .nothing: break
        }
    }
}
