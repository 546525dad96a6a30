import VTXMedia
import VTXSession
import VTXSystem

/// What callers on any thread have passed in, split into units that wait for the session's queue.
final class DecompressionInput: Sendable {
    fileprivate struct State {
        var assembler: AccessUnitAssembler
        var waiting = WaitingUnits()
        var hasDecoder = false
        /// The format description of the latest sample.
        var format: FormatDescription?
        /// nil before the first timestamp.
        var clock: MonotonicTimestamps?
        /// The error that ended the session.
        var ending: SessionError?
    }

    private let codec: VideoCodec
    private let state: Locked<State>

    init(codec: VideoCodec) {
        self.codec = codec
        state = Locked(State(assembler: AccessUnitAssembler(codec: codec)))
    }

    func put(_ sample: Sample, context: (any Sendable)?) throws(SessionError) {
        guard sample.formatDescription.codec == codec else {
            throw SessionError(
                .badParameter, "a session for \(codec) does not decode \(sample.formatDescription.codec)")
        }
        let times = FrameAnnotation(
            time: sample.presentationTime, duration: sample.duration, context: context, isHidden: sample.isHidden)
        try state.withLock { state throws(SessionError) in
            try state.admit(times)
            let isNew = state.format != sample.formatDescription
            guard sample.byteCount > 0 else {
                return state.waiting.append([.failure(SessionError(.badData, "the sample is empty"), times)])
            }
            do throws(SessionError) {
                state.waiting.append(try state.assembler.append(sample, times, withParameterSets: isNew))
                state.format = sample.formatDescription
            } catch {
                state.waiting.append([.failure(error, times)])
            }
        }
    }

    func put(
        annexB bytes: RawSpan, at time: MediaTime?, duration: MediaTime?, context: (any Sendable)?
    ) throws(SessionError) {
        _ = try codec.ofNALUnits("start codes")
        let times = time.map { FrameAnnotation(time: $0, duration: duration, context: context) }
        try state.withLock { state throws(SessionError) in
            try state.admit(times)
            state.waiting.append(
                state.assembler.append(whole: bytes, times, setsFirst: !state.hasDecoder))
        }
    }

    func put(stream chunk: RawSpan) throws(SessionError) {
        try state.withLock { state throws(SessionError) in
            try state.admit(nil)
            state.waiting.append(state.assembler.append(chunk))
        }
    }

    /// Takes the end of the stream.
    func finish() { state.withLock { $0.waiting.append($0.assembler.finish()) } }

    /// Removes the next unit.
    func next() -> AccessUnitAssembler.Item? { state.withLock { $0.waiting.next() } }

    var isEmpty: Bool { state.withLock(\.waiting.isEmpty) }

    /// nil before the first timestamp.
    var clock: MonotonicTimestamps? { state.withLock(\.clock) }

    /// Notes whether the core has a decoder. Before it has, NAL units of a frame may come in any order.
    func note(hasDecoder: Bool) { state.withLock { $0.hasDecoder = hasDecoder } }

    /// Refuses further input, and discards what waits.
    func end(_ error: SessionError) {
        // Contexts may submit when they are released, so they are released without the lock.
        let discarded = state.withLock { state in
            defer { state.waiting = WaitingUnits() }
            state.ending = state.ending ?? error
            return state.waiting
        }
        withExtendedLifetime(discarded) {}
    }
}

/// Units in order. Those taken out are not kept: nothing is released later.
private struct WaitingUnits: Sendable {
    private var units: [AccessUnitAssembler.Item?] = []
    private var head = 0

    var isEmpty: Bool { head == units.count }

    mutating func append(_ new: [AccessUnitAssembler.Item]) { units += new.map(Optional.some) }

    mutating func next() -> AccessUnitAssembler.Item? {
        guard !isEmpty else { return nil }
        defer {
            units[head] = nil
            head += 1
            if isEmpty { (units, head) = ([], 0) }
        }
        return units[head]
    }
}

extension DecompressionInput.State {
    /// - Throws: the error that ended the session; `.badParameter` for an invalid time.
    fileprivate mutating func admit(_ times: FrameAnnotation?) throws(SessionError) {
        if let ending { throw ending }
        guard let times else { return }
        let clock = clock ?? MonotonicTimestamps(first: times.time.timeBase)
        self.clock = clock
        _ = try clock.ticks(times.time)
    }
}
