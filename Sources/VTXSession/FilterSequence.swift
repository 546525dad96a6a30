package import VTXFFmpeg
package import VTXMedia

/// A chain of filters, used as one filter.
///
/// Unchecked: called by one thread at a time, as the contract requires.
package final class FilterSequence: VideoFilter, @unchecked Sendable {
    private let filters: [any VideoFilter]
    private var input: Input = .none

    private enum Input {
        case none
        case frame(Frame)
        case end
    }

    package init(_ filters: [any VideoFilter]) { self.filters = filters }

    package func send(_ frame: Frame?) throws(SessionError) { input = frame.map(Input.frame) ?? .end }

    package func receive() throws(SessionError) -> CodecOutput<Frame> {
        try receive(through: filters.count)
    }

    /// Returns the next output of the first `count` filters. The last of them pulls its input from the one before it.
    private func receive(through count: Int) throws(SessionError) -> CodecOutput<Frame> {
        guard count > 0 else { return takeInput() }
        let filter = filters[count - 1]
        while true {
            let output = try filter.receive()
            guard case .needsInput = output else { return output }
            switch try receive(through: count - 1) {
            case .unit(let frame): try filter.send(frame)
            case .endOfStream: try filter.send(nil)
            case .needsInput: return .needsInput
            }
        }
    }

    private func takeInput() -> CodecOutput<Frame> {
        defer { if case .frame = input { input = .none } }
        switch input {
        case .none: return .needsInput
        case .frame(let frame): return .unit(frame)
        case .end: return .endOfStream
        }
    }
}

/// A filter for frames that need no transfer.
package struct PassThrough: VideoFilter {
    private let sequence = FilterSequence([])

    package init() {}

    package func send(_ frame: Frame?) throws(SessionError) { try sequence.send(frame) }
    package func receive() throws(SessionError) -> CodecOutput<Frame> { try sequence.receive() }
}

extension VideoFilter {
    /// Applies a filter that outputs one frame per input frame.
    package func apply(to frame: Frame) throws(SessionError) -> Frame {
        try send(frame)
        guard case .unit(let filtered) = try receive() else {
            throw SessionError(.hardwareMalfunction, "a filter did not return a frame")
        }
        return filtered
    }
}

/// An encoder with a filter that prepares its input: one frame out for each frame in.
package final class FilteredEncoder: VideoEncoder {
    private let filter: any VideoFilter
    private let encoder: any VideoEncoder

    package init(_ filter: any VideoFilter, _ encoder: any VideoEncoder) {
        (self.filter, self.encoder) = (filter, encoder)
    }

    package var parameters: CodecParameters { encoder.parameters }
    package var compromises: [String] { encoder.compromises }
    package var mode: EncodingMode? { encoder.mode }

    package func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        guard let frame else { return try encoder.send(nil, forcesKeyFrame: false) }
        try encoder.send(try filter.apply(to: frame), forcesKeyFrame: forcesKeyFrame)
    }

    package func receive() throws(SessionError) -> CodecOutput<Packet> { try encoder.receive() }
}
