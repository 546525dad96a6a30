package import VTXMedia

/// What a GPU's driver did to the process that it was in.
package struct DriverFailure: Sendable, Hashable, Codable {
    /// nil where no driver had been called yet.
    package var device: DeviceID?
    /// After who did it: `aborted (SIGABRT) after 113 frames`.
    package var deed: String
    package var isHang: Bool
    /// Nothing was coming out yet: the driver fails at every job.
    package var isWhileAsked: Bool
    /// What was coming out; nil where that was not decided yet.
    package var codec: VideoCodec?

    package init(device: DeviceID?, deed: String, isHang: Bool, isWhileAsked: Bool, codec: VideoCodec? = nil) {
        self.device = device
        self.deed = deed
        self.isHang = isHang
        self.isWhileAsked = isWhileAsked
        self.codec = codec
    }

    /// `the GPU's driver aborted (SIGABRT) after 113 frames`.
    package var description: String { "the GPU's driver \(deed)" }
}

extension [DriverFailure] {
    /// It is not known which GPU failed, so none is to be used any more.
    package var excludeAll: Bool { contains { $0.device == nil } }

    /// What is to be told of a job that had begun; of one that had not there is only the GPU's fault.
    package var told: DriverFailure? { last { !$0.isWhileAsked || $0.device == nil } }

    /// What an earlier worker had begun to write; the user was told so, and it stays.
    package var codec: VideoCodec? { lazy.compactMap(\.codec).first }
}
