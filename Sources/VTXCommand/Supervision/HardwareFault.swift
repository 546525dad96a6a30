import FoundationEssentials
import VTX
import VTXMedia

/// What a GPU's driver did to the process that it was in.
struct HardwareFault: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case ended(ProcessEnding)
        /// No sign of life for this many seconds.
        case hung(seconds: Double)
    }

    var kind: Kind
    /// The GPU's render node; nil where no driver had been called yet.
    var device: String?
    /// nil while the driver was only asked what it can do.
    var frames: Int?
    /// What was coming out; nil where that was not decided yet.
    var codec: VideoCodec?

    /// `the GPU's driver aborted (SIGABRT) after 113 frames`.
    var description: String { "the GPU's driver \(deed)" }

    /// Without who did it.
    var deed: String {
        switch kind {
        case .ended(let ending): "\(ending.words) \(time)"
        case .hung(let seconds): "made no progress for \(Format.tenths(seconds)) s \(time)"
        }
    }

    /// Nothing was coming out yet: the driver fails at every job.
    var isWhileAsked: Bool { frames == nil }
    var isHang: Bool { if case .hung = kind { true } else { false } }

    private var time: String { frames.map { "after \(Format.frames($0))" } ?? "while vtx looked at it" }
}

extension HardwareFault {
    /// nil where it is not known whose fault it is.
    var asMemory: DriverMemory.Fault? {
        device.map { DriverMemory.Fault($0, deed, isHang: isHang, isWhileAsked: isWhileAsked) }
    }
}

extension [DriverMemory.Fault] {
    /// For a worker that begins where the disk may hold nothing.
    var json: String? { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } }

    /// None of what is no such text.
    init(json: String?) {
        self = json.flatMap { try? JSONDecoder().decode(Self.self, from: Data($0.utf8)) } ?? []
    }
}
