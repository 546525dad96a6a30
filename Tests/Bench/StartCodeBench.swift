import CFFmpeg
import Foundation
import VTXBitstream
import VTXMedia

/// Measures, on the same bytes, the speed of finding NAL units, of libavcodec's parser finding frames, and of libc
/// searching for an absent byte: the speed of reading every byte.
///
/// Usage: StartCodeBench h264|hevc FILE ROUNDS
@main
enum StartCodeBench {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let codec = VideoCodec(rawValue: arguments[1]), let rounds = Int(arguments[3]),
            rounds > 0, let data = FileManager.default.contents(atPath: arguments[2]), !data.isEmpty
        else { fatalError("usage: StartCodeBench h264|hevc FILE ROUNDS") }
        // The parser reads beyond the end.
        let bytes = Array(data) + [UInt8](repeating: 0, count: Int(AV_INPUT_BUFFER_PADDING_SIZE))
        let plain = bytes.map { $0 == 0xff ? 0xfe : $0 }
        var seconds: [String: [Double]] = [:]
        var counts: [String: Int] = [:]
        for _ in 0..<rounds {
            for (name, work) in [
                ("vtx", { AnnexB.countUnits(in: bytes.span.bytes.extracting(0..<data.count)) }),
                ("parser", { countFrames(bytes, data.count, codec) }), ("memchr", { countBytes(0xff, in: plain) }),
            ] {
                let start = processorSeconds
                counts[name] = work()
                seconds[name, default: []].append(processorSeconds - start)
            }
        }
        report(seconds, counts, byteCount: data.count)
    }

    /// CPU time of this process, independent of other processes.
    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func report(_ seconds: [String: [Double]], _ counts: [String: Int], byteCount: Int) {
        let speeds = seconds.mapValues { Double(byteCount) / $0.sorted()[$0.count / 2] }
        let object: [String: Any] = [
            "bytes": byteCount, "units": counts["vtx"] ?? 0, "frames": counts["parser"] ?? 0,
            "bytesPerSecond": speeds, "runs": seconds,
        ]
        let line = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        print(String(decoding: line ?? Data(), as: UTF8.self))
    }

    /// libavcodec's parser on the buffer; it also reads headers, but does not copy a complete buffer.
    private static func countFrames(_ bytes: [UInt8], _ count: Int, _ codec: VideoCodec) -> Int {
        let id = codec == .h264 ? AV_CODEC_ID_H264 : AV_CODEC_ID_HEVC
        guard let parser = av_parser_init(Int32(id.rawValue)), let context = avcodec_alloc_context3(nil) else {
            return 0
        }
        defer {
            av_parser_close(parser)
            var context: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&context)
        }
        return bytes.withUnsafeBufferPointer { buffer in
            var (offset, frames) = (0, 0)
            while offset < count {
                var (output, size) = (UnsafeMutablePointer<UInt8>?.none, Int32(0))
                let position = buffer.baseAddress.map { $0 + offset }
                offset += Int(
                    av_parser_parse2(
                        parser, context, &output, &size, position, Int32(clamping: count - offset), Int64.min,
                        Int64.min, 0
                    ))
                if size > 0 { frames += 1 }
            }
            return frames
        }
    }

    private static func countBytes(_ byte: Int32, in bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return 0 }
            return memchr(base, byte, buffer.count) == nil ? 0 : 1
        }
    }
}
