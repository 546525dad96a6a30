import VTXSystem

/// What takes what a stage has made: the queue before another thread, or the next stage itself, on the same one.
protocol FrameConsumer<Unit>: Sendable {
    associatedtype Unit: Sendable

    func push(_ unit: Unit) throws
    /// There is nothing more.
    func finish() throws
}

extension BoundedQueue: FrameConsumer {}
