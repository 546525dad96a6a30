package import VTXFFmpeg
package import VTXMedia
import VTXSystem
package import VTXTask

/// Opens the connections of an input repeatedly.
protocol InputOpener: Sendable {
    /// The name in messages.
    var name: String { get }
    /// Whether a connection that ends may return.
    var isNetwork: Bool { get }
    /// Whether data waits until it is read.
    var waitsForEncoder: Bool { get }

    /// - Parameter seconds: The timeout; nil for the default.
    func open(within seconds: Double?) throws(TranscodeError) -> InputConnection
    /// Whether the sender has closed the connection, which ends the stream.
    func isEnd(_ error: FFmpegError) -> Bool
    /// Limits how long it waits for data, in seconds from now.
    func limitWaiting(to seconds: Double)
    /// Interrupts waiting and later calls. Any thread may call it.
    func stop()
}

extension InputOpener {
    var waitsForEncoder: Bool { false }
    func isEnd(_ error: FFmpegError) -> Bool { false }
    /// Does nothing, for a network: every wait for it is short.
    func limitWaiting(to seconds: Double) {}
}

/// A live stream, delivered like a camera's frames. It reconnects if the connection is lost.
///
/// Unchecked: one thread at a time calls it, except for `stop`.
package final class InputSource: CaptureSource, @unchecked Sendable {
    package let format: CaptureFormat
    package let watchesItself = true
    /// Data received while opening is delivered immediately.
    package let isBuffered = true
    package let drains = true
    package var waitsForEncoder: Bool { opener.waitsForEncoder }
    package private(set) var hasEnded = false
    package var audio: CaptureAudioFormat? { conversion?.format }
    package let decoderName: String?

    private let opener: any InputOpener
    private let isStopped = Locked(false)
    /// How long to try to reconnect, in seconds.
    private let reconnectSeconds: Double
    private let now: @Sendable () -> Double
    private let report: @Sendable (Notice) -> Void
    private let conversion: InputAudio?
    private var connection: InputConnection?
    private var schedule = ReconnectSchedule()
    private var lostAt = 0.0
    private var lastError = ""
    private let deinterlacing: CaptureDeinterlacing
    private var changes: InputChanges
    /// A frame ahead of its time.
    private var early: CapturedPicture?

    init(
        _ opener: any InputOpener, _ request: CaptureRequest, report: @escaping @Sendable (Notice) -> Void,
        now: @escaping @Sendable () -> Double = { MonotonicClock.seconds }
    ) throws(TranscodeError) {
        let connection = try opener.open(within: nil)
        (self.opener, self.report, self.now, self.connection) = (opener, report, now, connection)
        reconnectSeconds = request.reconnectSeconds
        conversion = try connection.audio.map { stream throws(TranscodeError) in try InputAudio(stream) }
        deinterlacing = request.deinterlacing
        connection.deinterlace(deinterlacing)
        (format, decoderName) = (CaptureFormat(connection.video, deinterlacing), connection.decoderName)
        changes = InputChanges(opener.name, recorded: format.encodedSize, size: connection.video.size)
    }

    package func start() {}

    package func limitWaiting(to seconds: Double) { opener.limitWaiting(to: seconds) }

    package func stop() {
        isStopped.withLock { $0 = true }
        opener.stop()
    }

    package func takeAudio() -> [Packet] { conversion?.takePackets() ?? [] }
    package func finishAudio(at end: MediaTime) { if !hasEnded { conversion?.finish() } }

    package func next(within seconds: Double) throws(TranscodeError) -> CapturedPicture? {
        if let early { return wait(for: early, within: seconds) }
        guard let connection else { return try reconnect(within: seconds) }
        let end: FFmpegError?
        do throws(FFmpegError) {
            while let event = try connection.next(now: now) {
                switch event {
                case .audio(let packet): conversion?.take(packet)
                case .damaged: return CapturedPicture(.damaged, time: MediaTime(seconds: now()))
                case .picture(let frame):
                    changes.notices(frame, of: connection).forEach(report)
                    guard let time = frame.presentationTime else { continue }
                    return wait(for: CapturedPicture(.frame(frame), time: time), within: seconds)
                }
            }
            end = nil
        } catch { end = error }
        try lose(after: end)
        return nil
    }

    /// Delays a frame from a pipe until its time, or ends if that is after a stop. Frames from a network are not delayed.
    private func wait(for picture: CapturedPicture, within seconds: Double) -> CapturedPicture? {
        let wait = opener.isNetwork ? 0 : picture.time.seconds - now()
        if wait > 0, isStopped.withLock(\.self) {
            finish()
            return nil
        }
        early = wait > seconds ? picture : nil
        if wait > 0 { Poll.wait(for: [], seconds: min(wait, seconds)) }
        return early == nil ? picture : nil
    }

    // MARK: Reconnecting

    /// - Parameter error: The error; nil at the end of the stream.
    private func lose(after error: FFmpegError?) throws(TranscodeError) {
        let error = error.flatMap { opener.isEnd($0) ? nil : $0 }
        let reason = error.map { $0.isInterruption ? "no data for 5 s" : "\($0)" } ?? "it has ended"
        connection = nil
        lastError = reason
        if isStopped.withLock(\.self) { return finish() }
        guard opener.isNetwork, reconnectSeconds > 0 else {
            guard error == nil else { throw lost }
            return finish()
        }
        report(Notice(.captureInput, "\(opener.name) is lost: \(reason); reconnecting"))
        lostAt = now()
        schedule.fail(at: lostAt)
    }

    private func finish() {
        conversion?.finish()
        hasEnded = true
    }

    private var lost: TranscodeError {
        TranscodeError(.inputLost, "\(opener.name) is lost: \(lastError)").caused(by: lastError)
    }

    private func reconnect(within seconds: Double) throws(TranscodeError) -> CapturedPicture? {
        guard !isStopped.withLock(\.self) else {
            finish()
            return nil
        }
        let left = lostAt + reconnectSeconds - now()
        guard left > 0 else { throw lost }
        let wait = min(schedule.next - now(), left)
        guard wait <= 0 else {
            Poll.wait(for: [], seconds: min(wait, seconds))
            return nil
        }
        do throws(TranscodeError) {
            let connection = try opener.open(within: left)
            let keepsAudio = connection.audio.flatMap { conversion?.reconfigure(for: $0) } ?? true
            connection.deinterlace(deinterlacing)
            self.connection = connection
            changes.reconnect()
            schedule.succeed()
            let without: Message = keepsAudio ? "" : "; its audio format changed, so audio is dropped"
            report(Notice(.captureInput, "\(opener.name) is connected again" + without))
        } catch {
            lastError = error.cause ?? "\(error.message)"
            schedule.fail(at: now())
        }
        return nil
    }
}

extension CaptureFormat {
    /// The format with square pixels: others are scaled horizontally.
    fileprivate init(_ video: InputStream, _ deinterlacing: CaptureDeinterlacing) {
        let aspect = video.sampleAspectRatio.isPositive ? video.sampleAspectRatio.value : 1
        let pictures = deinterlacing == .field ? FilterConfiguration.Deinterlacing.everyField : .never
        let rates = [video.averageFrameRate, video.realFrameRate].filter { $0.isPositive && $0.value <= 1000 }
        self.init(
            name: video.codecName,
            size: PixelSize(Int((Double(video.size.width) * aspect).rounded()), video.size.height),
            frameRate: pictures.rate(from: rates.first ?? 30), color: video.color)
        isInterlaced = deinterlacing == .off && video.isInterlaced == true
        bitDepth = video.pixelFormat?.bitDepth ?? 8
        (hdrMetadata, displayMatrix) = (video.hdrMetadata, video.displayMatrix)
        if video.dolbyVision != nil { dynamicMetadata = [.dolbyVision] }
    }
}
