import VTXFFmpeg

/// Reads a file past packets that cannot be read, as long as those are few in a row; then its rest is given up.
struct PacketReader {
    /// Errors in a row.
    private static let limit = 32

    private let damage: InputErrorReport
    private var errors = 0

    init(_ damage: InputErrorReport) { self.damage = damage }

    /// - Parameter read: the next packet of the file, nil at its end.
    /// - Returns: nil at the end, and where the rest is given up.
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
