import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Converts frames to the output's size, format and frame rate.
struct FilterStage: UnitConsumer {
    let filter: any VideoFilter
    let sessions: StageSessions
    let output: any UnitConsumer<Frame>
    /// Gets notices about text that filters cannot draw.
    let damage: InputErrorReport?

    func run(on input: BoundedQueue<Frame>) throws {
        while let frame = try input.pop() { try push(frame) }
        try finish()
    }

    func push(_ frame: Frame) throws {
        try sessions.attributingFailures(.filter) {
            try observed { try filter.send(frame) }
            try passOn()
        }
    }

    func finish() throws {
        try sessions.attributingFailures(.filter) {
            try observed { try filter.send(nil) }
            try passOn()
        }
        try output.finish()
    }

    private func passOn() throws {
        while case .unit(let frame) = try observed({ try filter.receive() }) { try output.push(frame) }
    }

    private func observed<Value>(_ body: () throws -> Value) throws -> Value {
        guard let damage else { return try body() }
        let (result, lines) = LibraryLog.collecting(.warning) { Result(catching: body) }
        lines.compactMap(MissingGlyph.init(message:)).forEach(damage.note)
        return try result.get()
    }
}

/// Passes each frame to several stages, which share its samples but have their own timestamps and flags.
struct FrameSplitter: UnitConsumer {
    let outputs: [any UnitConsumer<Frame>]

    func push(_ frame: Frame) throws {
        for output in outputs.dropLast() { try output.push(try frame.reference()) }
        try outputs.last?.push(frame)
    }

    func finish() throws { for output in outputs { try output.finish() } }
}
