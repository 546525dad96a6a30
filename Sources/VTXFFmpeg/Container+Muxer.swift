package import VTXMedia
import VTXSystem

extension Container {
    /// libavformat's muxer.
    package var muxerName: String {
        switch self {
        case .mp4: "mp4"
        case .mov: "mov"
        case .mkv: "matroska"
        case .webm: "webm"
        case .ts: "mpegts"
        case .h264: "h264"
        case .h265: "hevc"
        }
    }

    /// What says whether packets of MPEG-TS have 192 bytes, each with its arrival time (BDAV, AVCHD). libavformat goes by
    /// the name, which is another one while a file is written.
    ///
    /// - Parameter path: the file's own name.
    package static func packetOption(for path: String) -> (String, String) {
        let isBluRay = ["m2ts", "mts"].contains(FileName.split(path).pathExtension.lowercased())
        return ("mpegts_m2ts_mode", isBluRay ? "1" : "0")
    }
}
