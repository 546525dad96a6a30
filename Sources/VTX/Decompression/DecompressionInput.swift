import VTXMedia
import VTXSession
import VTXSystem

/// What callers on any thread have passed in, split into units that wait for the session's queue.
final class DecompressionInput: Sendable {
    fileprivate struct State {
        var assembler: AccessUnitAssembler
        var waiting: ArraySlice<AccessUnitAssembler.Item> = []
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
            state.format = sample.formatDescription
            guard sample.byteCount > 0 else {
                return state.waiting.append(.failure(SessionError(.badData, "the sample is empty"), times))
            }
            do throws(SessionError) {
                state.waiting += try state.assembler.append(sample, times, withParameterSets: isNew)
            } catch {
                state.waiting.append(.failure(error, times))
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
            state.waiting += state.assembler.append(whole: bytes, times)
        }
    }

    func put(stream chunk: RawSpan) throws(SessionError) {
        try state.withLock { state throws(SessionError) in
            try state.admit(nil)
            state.waiting += state.assembler.append(chunk)
        }
    }

    /// Takes the end of the stream.
    func finish() { state.withLock { $0.waiting += $0.assembler.finish() } }

    /// Removes the next unit.
    func next() -> AccessUnitAssembler.Item? { state.withLock { $0.waiting.popFirst() } }

    var isEmpty: Bool { state.withLock(\.waiting.isEmpty) }

    /// nil before the first timestamp.
    var clock: MonotonicTimestamps? { state.withLock(\.clock) }

    /// Refuses further input, and discards what waits.
    func end(_ error: SessionError?) {
        state.withLock { state in
            state.waiting = []
            state.ending = state.ending ?? error
        }
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
