import VTXFFmpeg
import VTXSession

/// Frames to frames of the output's size, format and rate.
struct FilterStage: Sendable {
    let filter: any VideoFilter
    let input: BoundedQueue<Frame>
    let output: BoundedQueue<Frame>

    func run() throws {
        while let frame = try input.pop() {
            try filter.send(frame)
            try passOn()
        }
        try filter.send(nil)
        try passOn()
        output.finish()
    }

    private func passOn() throws {
        while case .unit(let frame) = try filter.receive() { try output.push(frame) }
    }
}
