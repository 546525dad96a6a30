import VTXBitstream
import VTXFFmpeg
import VTXMedia
package import VTXTask

extension NALDump {
    /// - Parameter report: Returns whether to continue.
    /// - Returns: `.incompleteSource` if the source is corrupt or truncated.
    package func run(_ report: (Event) -> Bool) throws(TranscodeError) -> TranscodeResult.Outcome {
        let video = try NALSource.open(input, videoPosition: videoPosition, codec: codec)
        switch video.source {
        case .byteStream(let bytes): return try list(bytes, video.codec, report)
        case .packets(let demuxer, let stream):
            var listing: PacketListing
            do { listing = try PacketListing(demuxer, stream, video.codec, of: input) } catch {
                throw TranscodeError(
                    .inputRecord, "the record of the video in \(InputBytes.name(of: input)): \(error)")
            }
            return try list(demuxer, stream, &listing, report)
        }
    }

    private func list(
        _ bytes: InputBytes, _ codec: NALCodec, _ report: (Event) -> Bool
    ) throws(TranscodeError) -> TranscodeResult.Outcome {
        var (reader, describer) = (ByteStreamReader(), NALUnitParser(codec))
        var isWanted = report(.stream(Stream(codec: codec)))
        func reportUnit(_ unit: ByteStreamReader.Unit) {
            guard isWanted else { return }
            let place = NALUnitInfo.Place.stream(offset: unit.offset, startCodeSize: unit.startCodeSize)
            isWanted = report(.unit(describer.describe(unit.head.span.bytes, size: unit.size, at: place)))
        }
        while isWanted {
            let chunk = try bytes.next()
            guard !chunk.isEmpty else { break }
            reader.append(chunk.span.bytes, reportUnit)
        }
        reader.finish(reportUnit)
        if isWanted, reader.strayByteCount > 0 { _ = report(.notice(.strayBytes(reader.strayByteCount))) }
        return .completed
    }

    private func list(
        _ demuxer: Demuxer, _ stream: InputStream, _ listing: inout PacketListing, _ report: (Event) -> Bool
    ) throws(TranscodeError) -> TranscodeResult.Outcome {
        guard report(.stream(listing.stream)), listing.recordUnits().allSatisfy({ report(.unit($0)) }) else {
            return .completed
        }
        var damaged = 0
        do {
            while let packet = try demuxer.read() {
                guard packet.streamIndex == stream.index else { continue }
                let units = listing.units(of: packet)
                if units == nil { damaged += 1 }
                guard units?.allSatisfy({ report(.unit($0)) }) ?? true else { return .completed }
            }
        } catch {
            guard listing.hasPackets else { throw unreadable(error) }
            damaged += 1
        }
        guard damaged > 0 else { return .completed }
        _ = report(.notice(.damagedPackets(damaged)))
        return .incompleteSource
    }

    private func unreadable(_ error: FFmpegError) -> TranscodeError {
        TranscodeError(
            .inputUnreadable, "the packets of \(InputBytes.name(of: input)) cannot be read: \(error)",
            hint: input == "-" ? "an MP4 with its index at the end must be a file, not a pipe" : nil)
    }
}

/// Lists a container's packets.
private struct PacketListing {
    private let codec: NALCodec
    private let container: ContainerFraming
    /// Whether the packet's bytes are contiguous and unchanged, as in QuickTime-family files.
    private let keepsPacketsWhole: Bool
    private let format: String
    private var configuration: NALFraming
    private var describer: NALUnitParser
    private var packetCount = 0

    init(
        _ demuxer: Demuxer, _ stream: InputStream, _ codec: NALCodec, of input: String
    ) throws(BitstreamError) {
        self.codec = codec
        format = demuxer.formatName
        container = ContainerFraming(demuxer, codec, of: input)
        keepsPacketsWhole = demuxer.isMP4
        configuration = try container.framing(stream.parameters.extradata)
        describer = NALUnitParser(codec)
    }

    var hasPackets: Bool { packetCount > 0 }

    var stream: NALDump.Stream {
        var stream = NALDump.Stream(codec: codec, container: format)
        if case .lengths(let lengths) = configuration.framing { stream.lengthSize = lengths.lengthSize }
        return stream
    }

    mutating func recordUnits() -> [NALUnitInfo] {
        configuration.units.map { describer.describe($0.span.bytes, size: Int64($0.count), at: .record) }
    }

    /// nil if the packet is corrupt.
    mutating func units(of packet: Packet) -> [NALUnitInfo]? {
        var described: [NALUnitInfo] = []
        if let extradata = packet.newExtradata, let changed = try? container.framing(extradata) {
            configuration = changed
            described = recordUnits()
        }
        defer { packetCount += 1 }
        let bytes = packet.bytes.bytes
        guard let units = try? configuration.units(in: bytes, codec: codec) else { return nil }
        for unit in units {
            let offset = unit.range.lowerBound
            let fileOffset = keepsPacketsWhole ? packet.position.map { $0 + Int64(offset) } : nil
            described.append(
                describer.describe(
                    bytes.extracting(unit.range), size: Int64(unit.range.count),
                    at: .packet(
                        number: packetCount, offset: offset, fileOffset: fileOffset, pts: packet.presentationTime)))
        }
        return described
    }
}

extension Notice {
    static func strayBytes(_ count: Int64) -> Notice {
        let bytes = counted(count, "byte", "bytes")
        return Notice(
            .sourceStrayBytes, "\(bytes) before the first start code are outside of NAL units")
    }

    static func damagedPackets(_ count: Int) -> Notice {
        let packets = counted(count, "packet of the source is", "packets of the source are")
        return Notice(.sourceDamaged, "\(packets) damaged or unreadable")
    }
}
