import VTXFFmpeg
import VTXSession
import VTXSystem
import VTXTask

/// Frames to frames of the output's size, format and rate.
struct FilterStage: UnitConsumer {
    let filter: any VideoFilter
    let sessions: StageSessions
    let output: BoundedQueue<Frame>

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
        output.finish()
    }

    private func passOn() throws {
        while case .unit(let frame) = try filter.receive() { try output.push(frame) }
    }
}
