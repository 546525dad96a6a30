package import VTXMedia

/// What a driver did to the process that it was in.
package struct DriverFault: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable {
        case crashed
        case hung
    }

    /// What the driver was doing.
    package enum Moment: Sendable, Hashable {
        /// It was opened, or asked what it can do: it fails at every job.
        case asked
        /// It coded or processed video: another file may go well.
        case working

        /// Seconds for which its GPU is left alone.
        fileprivate var seconds: Int64 {
            switch self {
            case .asked: 24 * 3600
            case .working: 3600
            }
        }
    }

    /// How its GPU is used again before that.
    package static let hint: Message = "vtx doctor asks it again now, and so does a trial by vtx probe"

    package var kind: Kind
    /// What it did, after its name: `aborted (SIGABRT) while vtx looked at it`.
    package var deed: String
    /// Seconds since 1970.
    package var time: Int64
    /// From then on its GPU is used again.
    package var expiry: Int64

    package init(_ kind: Kind, _ deed: String, _ moment: Moment, at time: Int64) {
        self.kind = kind
        self.deed = deed
        self.time = time
        expiry = time + moment.seconds
    }

    /// False also where the clock was set back since.
    func holds(at now: Int64) -> Bool { time <= now && now < expiry }

    /// `its driver aborted (SIGABRT) while vtx looked at it, 2 hours ago; it is not used for another 22 hours`.
    package func sentence(at now: Int64) -> String {
        let ago = now - time < 5 ? "just now" : "\(span(now - time)) ago"
        return "its driver \(deed), \(ago); it is not used for another \(span(expiry - now))"
    }
}

/// `2 hours`, `1 minute`: rounded to the nearest.
private func span(_ seconds: Int64) -> String {
    let (count, unit) =
        seconds < 90
        ? (seconds, "second") : seconds < 90 * 60 ? ((seconds + 30) / 60, "minute") : ((seconds + 1800) / 3600, "hour")
    return "\(count) \(unit)\(count == 1 ? "" : "s")"
}
