import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTask

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
                return header.configuration.bytes
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
            if let header = ADTSHeader(Array(packet.bytes.prefix(7))) { return header.configuration.bytes }
        }
        return nil
    }
}
