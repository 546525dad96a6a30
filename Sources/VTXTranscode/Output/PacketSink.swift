package import VTXFFmpeg
package import VTXMedia
import VTXSession

/// Where finished packets go: a muxer now; a journal, or a live stream, can take its place.
///
/// The pipeline does not know which it is. One thread calls a sink. Life: `open` for each stream that was announced
/// when the sink was made, `write` in any order, `finish`; or an end at any point, by dropping the sink.
package protocol PacketSink: AnyObject, Sendable {
    /// Says what a stream is. A sink that needs all streams before it can begin holds packets back until then. The video
    /// is opened again where another encoder goes on.
    ///
    /// - Throws: ``SeamChange`` where the header cannot say what comes now.
    func open(_ stream: Int, _ description: OutputStreamDescription) throws

    /// Takes the packet over. Packets of one stream come in decoding order.
    func write(_ packet: Packet, to stream: Int) throws

    /// The source has been read up to this time of the video, or to its end: what is there already of the time before it
    /// may be written.
    func advance(to time: MediaTime?) throws

    /// Everything has been written.
    func finish() throws

    /// Bytes that have reached the output so far.
    var byteCount: Int64 { get }
    /// Those of them that came before the first packet.
    var headerByteCount: Int64 { get }
}

extension PacketSink {
    package var headerByteCount: Int64 { 0 }

    /// Nothing is there already.
    package func advance(to time: MediaTime?) throws {}
}

/// What a later part of the video needs, and the output's header does not say: the output is put together again, from the
/// journal.
enum SeamChange: Error, Sendable, Hashable {
    /// They differ from the header's, and have to be in the samples.
    case parameterSets
    /// Frames by which decoding has to be ahead.
    case delay(Int)
}

extension DecodingTimes {
    /// The decoding time of the next frame.
    mutating func time(_ pts: Int64) throws(SeamChange) -> Int64 {
        guard let time = next(pts) else { throw .delay(delay + 1) }
        return time
    }
}
