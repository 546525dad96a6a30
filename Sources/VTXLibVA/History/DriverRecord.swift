import Glibc
import VTXJSON
package import VTXMedia
import VTXSystem

/// Why a GPU is left alone for a while: what its driver did to the process that it was in.
package struct DriverQuarantine: Sendable, Hashable, Codable {
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

/// What a driver did when it was asked or used, and on which GPU.
package struct DriverRecord: Sendable, Hashable, Codable {
    /// A GPU with the software that drives it.
    package struct Subject: Sendable, Hashable, Codable {
        /// `8086:9a49 at 0000:00:02.0`; the path of what is not on a PCI bus.
        package var device: String
        /// A digest of libva's file and of all drivers' files: their paths, sizes and times.
        package var software: String
    }

    package var subject: Subject
    /// nil where it said what it can do.
    package var quarantine: DriverQuarantine?

    /// As earlier versions wrote them.
    private enum CodingKeys: String, CodingKey {
        case subject
        case quarantine = "fault"
    }
}

extension DriverRecord.Subject {
    package init(_ node: RenderNode, in system: SystemView) {
        let parts = [node.deviceID?.description, node.address.map { "at \($0)" }].compactMap(\.self)
        device = parts.isEmpty ? node.path : parts.joined(separator: " ")
        let facts = (Self.libraries + Self.drivers(in: system)).map { path in
            let status = FileStatus(path)
            return "\(path) \(status?.byteCount ?? 0) \(status?.modificationTime ?? 0)"
        }
        software = String(SHA256.hexadecimal(facts.joined(separator: "\n").utf8).prefix(16))
    }

    /// Which of them libva will take is known only when it has.
    private static func drivers(in system: SystemView) -> [String] {
        let chosen = system.environment("LIBVA_DRIVERS_PATH")
        let directories = chosen.map { $0.split(separator: ":").map(String.init) } ?? usualDirectories
        let files = directories.flatMap { directory in
            system.list(directory).filter { $0.hasSuffix("_drv_video.so") }.map { "\(directory)/\($0)" }
        }
        return files + [system.environment("LIBVA_DRIVER_NAME")].compactMap(\.self)
    }

    private static let libraries = usualDirectories.map { "\(FileName.directory(of: $0).directory)/libva.so.2" }

    /// Of Debian, Fedora and Arch, and of libva that was built here.
    private static let usualDirectories = [
        "/usr/lib/x86_64-linux-gnu/dri", "/usr/lib/aarch64-linux-gnu/dri", "/usr/lib64/dri", "/usr/lib/dri",
        "/usr/local/lib/x86_64-linux-gnu/dri", "/usr/local/lib/dri",
    ]
}

/// Where records are kept for other processes: a small JSON file.
package struct DriverRecordFile: Sendable {
    let path: String

    package init(_ path: String) { self.path = path }

    /// `drivers.json` below `$XDG_CACHE_HOME/vtx`, or `~/.cache/vtx`; nil where neither is known.
    package static var standard: DriverRecordFile? { Directory.cache.map { DriverRecordFile("\($0)/drivers.json") } }

    /// Whether others can be told something; makes the directory.
    var isWritable: Bool {
        let directory = FileName.directory(of: path).directory
        try? Directory.make(directory)
        return access(directory, W_OK) == 0
    }

    /// None where the file is not there, or holds something else.
    func read() -> [DriverRecord] {
        guard let text = TextFile.read(path) else { return [] }
        return (try? JSONValue(parsing: text).decoded()) ?? []
    }

    /// Silent where it cannot: then others find out for themselves.
    func write(_ records: [DriverRecord]) {
        guard let text = try? JSONValue(encoding: records).text else { return }
        try? Directory.make(FileName.directory(of: path).directory)
        try? AtomicFile.write(text + "\n", to: path, replaces: true)
    }
}
