import Glibc
import VTXJSON
package import VTXMedia
import VTXSystem

/// Why a GPU is not used for a while: how its driver ended a process.
package struct DriverQuarantine: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable {
        case crashed
        case hung
    }

    /// What the driver was doing.
    package enum Moment: Sendable, Hashable {
        /// It was being opened or queried: it fails for every job.
        case asked
        /// It was processing video: another file may succeed.
        case working

        /// How long its GPU is not used, in seconds.
        fileprivate var seconds: Int64 {
            switch self {
            case .asked: 24 * 3600
            case .working: 3600
            }
        }
    }

    /// How to use its GPU earlier.
    package static let hint: Message = "vtx doctor tests it again now, as does a trial by vtx probe"

    package var kind: Kind
    /// The failure as a predicate: `aborted (SIGABRT) while vtx looked at it`.
    package var symptom: String
    /// Seconds since 1970.
    package var time: Int64
    /// The time from which its GPU is used again.
    package var expiry: Int64

    package init(_ kind: Kind, _ symptom: String, _ moment: Moment, at time: Int64) {
        self.kind = kind
        self.symptom = symptom
        self.time = time
        expiry = time + moment.seconds
    }

    /// Whether the quarantine applies. false also if the clock has been set back since.
    func holds(at now: Int64) -> Bool { time <= now && now < expiry }

    /// `its driver aborted (SIGABRT) while vtx looked at it, 2 hours ago; it is not used for another 22 hours`.
    package func sentence(at now: Int64) -> String {
        let ago = now - time < 5 ? "just now" : "\(span(now - time)) ago"
        return "its driver \(symptom), \(ago); it is not used for another \(span(expiry - now))"
    }
}

/// Formats `2 hours`, `1 minute`, rounded to the nearest.
private func span(_ seconds: Int64) -> String {
    let (count, unit) =
        seconds < 90
        ? (seconds, "second") : seconds < 90 * 60 ? ((seconds + 30) / 60, "minute") : ((seconds + 1800) / 3600, "hour")
    return "\(count) \(unit)\(count == 1 ? "" : "s")"
}

/// The result of querying or using a driver on a GPU.
package struct DriverRecord: Sendable, Hashable, Codable {
    /// A GPU with its installed drivers.
    package struct Subject: Sendable, Hashable, Codable {
        /// `8086:9a49 at 0000:00:02.0`, or the path of a device that is not on a PCI bus.
        package var device: String
        /// A digest of the files of libva and all drivers: paths, sizes and times.
        package var software: String
    }

    package var subject: Subject
    /// nil if it has answered.
    package var quarantine: DriverQuarantine?

    /// The keys of earlier versions.
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

    /// All drivers, because libva's choice is only known afterwards.
    private static func drivers(in system: SystemView) -> [String] {
        let chosen = system.environment("LIBVA_DRIVERS_PATH")
        let directories = chosen.map { $0.split(separator: ":").map(String.init) } ?? usualDirectories
        let files = directories.flatMap { directory in
            system.list(directory).filter { $0.hasSuffix("_drv_video.so") }.map { "\(directory)/\($0)" }
        }
        return files + [system.environment("LIBVA_DRIVER_NAME")].compactMap(\.self)
    }

    private static let libraries = usualDirectories.map { "\(FileName.directory(of: $0).directory)/libva.so.2" }

    /// The directories of Debian, Fedora and Arch, and of a locally built libva.
    private static let usualDirectories = [
        "/usr/lib/x86_64-linux-gnu/dri", "/usr/lib/aarch64-linux-gnu/dri", "/usr/lib64/dri", "/usr/lib/dri",
        "/usr/local/lib/x86_64-linux-gnu/dri", "/usr/local/lib/dri",
    ]
}

/// A small JSON file that shares records with other processes.
package struct DriverRecordFile: Sendable {
    let path: String

    package init(_ path: String) { self.path = path }

    /// `drivers.json` below `$XDG_CACHE_HOME/vtx` or `~/.cache/vtx`; nil if neither is known.
    package static var standard: DriverRecordFile? { Directory.cache.map { DriverRecordFile("\($0)/drivers.json") } }

    /// Whether records can be stored. Creates the directory.
    var isWritable: Bool {
        let directory = FileName.directory(of: path).directory
        try? Directory.make(directory)
        return access(directory, W_OK) == 0
    }

    /// Returns the records; empty if the file is missing or invalid.
    func read() -> [DriverRecord] {
        guard let text = TextFile.read(path) else { return [] }
        return (try? JSONValue(parsing: text).decoded()) ?? []
    }

    /// Stores records. Failures are ignored; other processes then find out for themselves.
    func write(_ records: [DriverRecord]) {
        guard let text = try? JSONValue(encoding: records).text else { return }
        try? Directory.make(FileName.directory(of: path).directory)
        try? AtomicFile.write(text + "\n", to: path, replaces: true)
    }
}
