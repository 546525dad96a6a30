import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

@testable import VTXCapture

/// A camera with scripted events, and a simulated clock: nothing waits.
final class FakeCamera: CaptureSource {
    enum Event: Sendable {
        /// A frame at this many seconds, after this many dropped ones.
        case picture(Double, missing: Int = 0)
        case damaged(Double)
        /// No frame for this many seconds.
        case silence(Double)
        case failure(TranscodeError)
    }

    static let size = PixelSize(64, 48)
    let format: CaptureFormat
    /// Its frames are before their time.
    let isBuffered: Bool
    private let events: Locked<[Event]>
    private let clock = Locked(0.0)
    /// Called before each event.
    private let onEvent: @Sendable () -> Void

    /// - Parameter events: silence follows the last one.
    init(
        _ events: [Event], codecName: String? = nil, isBuffered: Bool = false,
        onEvent: @escaping @Sendable () -> Void = {}
    ) {
        self.events = Locked(events)
        self.onEvent = onEvent
        self.isBuffered = isBuffered
        format = CaptureFormat(
            name: "fake", size: Self.size, frameRate: 10, color: .bt709, codecName: codecName)
    }

    @Sendable func now() -> Double { clock.withLock(\.self) }

    func start() {}

    func next(within seconds: Double) throws(TranscodeError) -> CapturedPicture? {
        onEvent()
        switch events.withLock({ $0.isEmpty ? .silence(seconds) : $0.removeFirst() }) {
        case .picture(let time, let missing):
            clock.withLock { $0 = max($0, time) }
            return CapturedPicture(.frame(Self.frame()), time: MediaTime(seconds: 100 + time), missingCount: missing)
        case .damaged(let time):
            clock.withLock { $0 = max($0, time) }
            return CapturedPicture(.damaged, time: MediaTime(seconds: 100 + time))
        case .silence(let length):
            clock.withLock { $0 += length }
            return nil
        case .failure(let error): throw error
        }
    }

    static func frame() -> Frame {
        guard let frame = try? Frame(size: size, pixelFormat: .i420) else { fatalError("no memory") }
        for plane in 0..<3 {
            let count = size.width * size.height / (plane == 0 ? 1 : 4)
            let bytes = [UInt8](repeating: 128, count: count)
            _ = frame.copyPlane(plane, from: bytes.span.bytes, bytesPerRow: size.width / (plane == 0 ? 1 : 2))
        }
        return frame
    }
}
