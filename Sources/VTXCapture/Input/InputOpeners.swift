import Glibc
package import VTXFFmpeg
package import VTXMedia
package import VTXSession
import VTXSystem
import VTXTask

/// Connects to an input, or waits for the sender to connect.
final class NetworkOpener: InputOpener {
    /// The timeout without data, in seconds.
    private static let timeout = 5.0
    /// The timeout for connecting, in seconds.
    private static let opening = 10.0

    let name: String
    let isNetwork = true
    private let input: InputURL
    private let request: CaptureRequest
    private let decoders: any CaptureDecoderOpener
    private let state = Locked(State())

    private struct State {
        var interruption: NetworkInterruption?
        var isStopped = false
    }

    init(_ input: InputURL, _ request: CaptureRequest, _ decoders: any CaptureDecoderOpener) {
        (self.input, self.request, self.decoders, name) = (input, request, decoders, "'\(input.text)'")
    }

    func open(within seconds: Double?) throws(TranscodeError) -> InputConnection {
        let interruption = NetworkInterruption(timeout: Self.timeout)
        state.withLock { state in
            state.interruption = interruption
            if state.isStopped { interruption.end(within: 0) }
        }
        // A sender that connects to vtx may take any time.
        let usual = request.listens ? Double.infinity : Self.opening
        let demuxer: Demuxer
        do throws(FFmpegError) {
            demuxer = try Demuxer(
                url: input.url, format: input.format, protocols: input.protocols, interruption: interruption,
                timeout: request.listens ? seconds ?? usual : min(seconds ?? usual, usual),
                options: input.options(listens: request.listens))
        } catch { throw failure(error) }
        return try InputConnection(demuxer, name: name, takesAudio: request.takesAudio, decoders)
    }

    private func failure(_ error: FFmpegError) -> TranscodeError {
        let reason = error.isInterruption ? "no data arrives" : "\(error)"
        return TranscodeError(.inputConnection, "\(name) cannot be read: \(reason)").caused(by: reason)
    }

    /// Whether the sender ended the stream. RTMP ends with the connection, which libavformat reports as a read error.
    func isEnd(_ error: FFmpegError) -> Bool { input.scheme == "rtmp" && error.status == -EIO }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.interruption?.end(within: 0)
        }
    }
}

/// Opens the decoders of live inputs. Backends are only known above this module.
package protocol CaptureDecoderOpener: Sendable {
    /// - Returns: a decoder with output in memory, and its name as shown to users.
    func open(_ stream: InputStream) throws(SessionError) -> (decoder: any VideoDecoder, deviceName: String)
}
