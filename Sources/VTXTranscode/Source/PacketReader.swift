import VTXFFmpeg

/// Reads a file and skips unreadable packets. After too many in a row, the rest of the file is skipped.
struct PacketReader {
    /// The maximum number of consecutive errors.
    private static let limit = 32

    private let damage: InputErrorReport
    private var errors = 0

    init(_ damage: InputErrorReport) { self.damage = damage }

    /// - Parameter read: Returns the next packet of the file; nil at its end.
    /// - Returns: nil at the end, and if the rest is skipped.
    mutating func next(_ read: () throws(FFmpegError) -> Packet?) -> Packet? {
        while errors < Self.limit {
            do throws(FFmpegError) {
                let packet = try read()
                errors = 0
                return packet
            } catch {
                damage.countUnreadable()
                errors += 1
            }
        }
        return nil
    }
}
