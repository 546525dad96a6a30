import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Restores the order of segments in the lanes' output: that of the first unfinished segment passes, the rest waits.
/// Pure.
struct SegmentOrder<Message> {
    private var waiting: [Int: [Message]] = [:]
    private var finished: Set<Int> = []
    /// The segment whose messages pass.
    private(set) var current = 0

    /// - Returns: the messages that pass now.
    mutating func take(_ message: Message, of segment: Int) -> [Message] {
        if segment == current { return [message] }
        waiting[segment, default: []].append(message)
        return []
    }

    /// Ends a segment.
    ///
    /// - Returns: the messages that pass now.
    mutating func finish(_ segment: Int) -> [Message] {
        finished.insert(segment)
        var passing: [Message] = []
        while finished.remove(current) != nil {
            current += 1
            passing += waiting.removeValue(forKey: current) ?? []
        }
        return passing
    }
}

/// Collects the output of several segments' encoders and passes the packets on in segment order, with decoding times by
/// one rule.
final class SegmentMerger: SegmentConsumer {
    private struct State {
        var order = SegmentOrder<(message: OutputMessage, isUrgent: Bool)>()
        var times: SegmentTimes
        /// The number of the last segment, once known.
        var last: Int?
    }

    private let state: Locked<State>
    private let output: BoundedQueue<OutputMessage>
    private let segments: SegmentQueue

    /// - Parameters:
    ///   - segments: The source of the segments.
    ///   - frameDuration: The usual frame duration, in ticks of the encoder's time base.
    init(_ segments: SegmentQueue, frameDuration: Int64, output: BoundedQueue<OutputMessage>) {
        self.segments = segments
        self.output = output
        state = Locked(State(times: SegmentTimes(frameDuration: frameDuration)))
    }

    func push(_ message: OutputMessage, isUrgent: Bool, of segment: Segment) throws {
        try state.withLock { state in
            try pass(state.order.take((message, isUrgent), of: segment.number), &state)
        }
    }

    func finish(_ segment: Segment) throws {
        try state.withLock { state in
            if segment.end == nil { state.last = segment.number }
            let before = state.order.current
            try pass(state.order.finish(segment.number), &state)
            for _ in before..<state.order.current { segments.close() }
            if let last = state.last, state.order.current > last { output.finish() }
        }
    }

    private func pass(_ messages: [(message: OutputMessage, isUrgent: Bool)], _ state: inout State) throws {
        for (message, isUrgent) in messages {
            if case .packet(let packet, _) = message { try state.times.place(packet) }
            try output.push(message, isUrgent: isUrgent)
        }
    }
}
