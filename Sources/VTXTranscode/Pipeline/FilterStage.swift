import VTXFFmpeg
import VTXSession
import VTXSystem
import VTXTask

/// Frames to frames of the output's size, format and rate.
struct FilterStage: UnitConsumer {
    let filter: any VideoFilter
    let sessions: StageSessions
    let output: any UnitConsumer<Frame>

    func run(on input: BoundedQueue<Frame>) throws {
        while let frame = try input.pop() { try push(frame) }
        try finish()
    }

    func push(_ frame: Frame) throws {
        try sessions.attributingFailures(.filter) {
            try filter.send(frame)
            try passOn()
        }
    }

    func finish() throws {
        try sessions.attributingFailures(.filter) {
            try filter.send(nil)
            try passOn()
        }
        try output.finish()
    }

    private func passOn() throws {
        while case .unit(let frame) = try filter.receive() { try output.push(frame) }
    }
}

/// Gives each frame to several stages: they share its samples, and each has its own times and marks.
struct FrameSplitter: UnitConsumer {
    let outputs: [any UnitConsumer<Frame>]

    func push(_ frame: Frame) throws {
        for output in outputs.dropLast() { try output.push(try frame.reference()) }
        try outputs.last?.push(frame)
    }

    func finish() throws { for output in outputs { try output.finish() } }
}
