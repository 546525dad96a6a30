import VTXLibVA

/// The facts about this machine that a bug report needs, without the names of users.
package enum HostReport {
    /// Names and values.
    package static var all: [(name: String, value: String)] { all(in: .live) }

    static func all(in system: SystemView) -> [(name: String, value: String)] {
        var facts = [
            ("distribution", release(system)), ("kernel", line("/proc/sys/kernel/osrelease", system)),
            ("processor", processor(system)), ("surroundings", "\(HostEnvironment(system))"),
            ("user and groups", ids(system)),
        ]
        facts += system.list("/dev/dri").map { ("/dev/dri/\($0)", file("/dev/dri/\($0)", system)) }
        if let guc = system.read("/sys/module/i915/parameters/enable_guc") { facts.append(("i915.enable_guc", guc)) }
        facts += variables.compactMap { name in system.environment(name).map { (name, $0) } }
        return facts.map { ($0.0, $0.1.split(whereSeparator: \.isNewline).joined(separator: " ")) }
    }

    /// The environment variables that affect libva, the drivers and vtx.
    private static let variables = [
        "LIBVA_DRIVER_NAME", "LIBVA_DRIVERS_PATH", "DRI_PRIME", "MESA_LOADER_DRIVER_OVERRIDE", "INTEL_MEDIA_RUNTIME",
        "GALLIUM_DRIVER", "LD_PRELOAD", "VTX_GPU_TIMEOUT",
    ]

    private static func line(_ path: String, _ system: SystemView) -> String { system.read(path) ?? "unknown" }

    private static func release(_ system: SystemView) -> String {
        let lines = (system.read("/etc/os-release") ?? "").split(separator: "\n")
        let name = lines.first { $0.hasPrefix("PRETTY_NAME=") }?.dropFirst(12)
        return name.map { $0.filter { $0 != "\"" } } ?? "unknown"
    }

    private static func processor(_ system: SystemView) -> String {
        let lines = (system.read("/proc/cpuinfo") ?? "").split(separator: "\n")
        let models = lines.filter { $0.hasPrefix("model name") }.compactMap { $0.split(separator: ":").last }
        let name = models.first.map { String($0.drop { $0 == " " }) } ?? "unknown"
        return models.count > 1 ? "\(models.count) x \(name)" : name
    }

    private static func ids(_ system: SystemView) -> String {
        let groups = system.process.groups.map { id in system.groupName(id).map { "\(id)(\($0))" } ?? "\(id)" }
        // A user's primary group often has the user's name, which is private.
        let own = system.userName(system.process.user)
        let plain = groups.map { group in own.map { group.replacing("(\($0))", with: "") } ?? group }
        return "uid \(system.process.user), groups \(plain.joined(separator: " "))"
    }

    private static func file(_ path: String, _ system: SystemView) -> String {
        guard let status = system.permissions(path) else { return "cannot be looked at" }
        let group = system.groupName(status.group).map { "(\($0))" } ?? ""
        return "uid \(status.owner), gid \(status.group)\(group), mode 0\(String(status.mode, radix: 8))"
    }
}
