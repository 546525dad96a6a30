import VTXFFmpeg
import VTXMedia
import VTXTask

/// The ADTS header before each AAC packet of a transport stream (ISO/IEC 13818-7, 6.2). Pure.
struct ADTSHeader: Sendable, Hashable {
    private let objectType: UInt8
    private let frequencyIndex: UInt8
    private let channels: UInt8
    /// In bytes: a checksum makes it longer.
    let count: Int
    /// The number of AAC frames that follow, of which other containers store one in a packet.
    let frameCount: Int

    /// nil for bytes without such a header, and for channel layouts that the header does not describe.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 7, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 else { return nil }
        objectType = bytes[2] >> 6 + 1
        frequencyIndex = bytes[2] >> 2 & 15
        channels = (bytes[2] & 1) << 2 | bytes[3] >> 6
        count = bytes[1] & 1 == 1 ? 7 : 9
        frameCount = Int(bytes[6] & 3) + 1
        guard frequencyIndex < 13, channels > 0 else { return nil }
    }

    /// AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1), which other containers store once.
    var audioSpecificConfig: [UInt8] {
        [objectType << 3 | frequencyIndex >> 1, frequencyIndex << 7 | channels << 3]
    }
}

extension Packet {
    /// Returns the packet without its ADTS header, if it has one.
    func withoutADTSHeader() throws(FFmpegError) -> Packet {
        guard let header = ADTSHeader(Array(bytes.prefix(7))), header.frameCount == 1, bytes.count > header.count else {
            return self
        }
        return try replacing(bytes: Array(bytes.dropFirst(header.count)))
    }
}

extension TranscodePlan {
    /// Whether AAC of a stream is copied without its headers.
    func stripsHeaders(of stream: StreamInfo, from source: Source) -> Bool {
        guard hasAudioConfigurations, let input = source.stream(stream) else { return false }
        return source.audioSpecificConfig(of: input) != nil
    }

    /// Whether the output's header has the configuration of AAC, which libavformat needs before the first packet of a
    /// fragmented file. Otherwise each packet has an ADTS header.
    var hasAudioConfigurations: Bool { container != .ts }
}

extension Source {
    /// The number of packets in which a stream is searched.
    fileprivate static let searchedPackets = 1000

    /// Returns the configuration of an AAC stream whose container stores it in each packet; nil if none of the first
    /// packets has it.
    func audioSpecificConfig(of stream: InputStream) -> [UInt8]? {
        guard stream.codecName == "aac", stream.parameters.extradata.isEmpty else { return nil }
        if let added = added.first(where: { $0.stream.index == stream.index }) { return added.firstConfiguration }
        for index in 0..<Self.searchedPackets {
            guard let packet = peek(at: index) else { return nil }
            // Damage, or the rest of a frame, may come before the first header.
            if packet.streamIndex == stream.index, let header = ADTSHeader(Array(packet.bytes.prefix(7))) {
                return header.audioSpecificConfig
            }
        }
        return nil
    }
}

extension AddedStream {
    /// The file is opened once more, because its packets are read later.
    fileprivate var firstConfiguration: [UInt8]? {
        guard let path = stream.file, let demuxer = try? InputFile.open(path) else { return nil }
        demuxer.keepOnly([index])
        for _ in 0..<Source.searchedPackets {
            guard let packet = try? demuxer.read() else { return nil }
            if let header = ADTSHeader(Array(packet.bytes.prefix(7))) { return header.audioSpecificConfig }
        }
        return nil
    }
}
