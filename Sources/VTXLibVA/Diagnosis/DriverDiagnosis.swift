import VTXMedia

/// Where a VA driver comes from.
private let packages: [String: String] = [
    "iHD": "intel-media-va-driver-non-free, or intel-media-va-driver with fewer encoders",
    "i965": "i965-va-driver-shaders, or i965-va-driver with fewer encoders",
    "radeonsi": "mesa-va-drivers",
]

/// No driver could be loaded and initialised: is its file missing, or did it fail?
func driverDiagnosis(_ node: RenderNode, _ error: DisplayError, in system: SystemView) -> Diagnosis {
    if let forced = system.environment("LIBVA_DRIVER_NAME") {
        let hint: Message = "unset LIBVA_DRIVER_NAME, so that the driver is chosen by the GPU"
        return failed(node, error, "LIBVA_DRIVER_NAME asks for \(forced), which failed", hint: hint)
    }
    let searched = DriverFiles(error)
    let wanted = node.generation.map { [$0.driver] } ?? driverNames(for: node.vendor)
    guard let missing = wanted.first(where: { !searched.isInstalled($0, in: system) }), let package = packages[missing]
    else {
        return failed(node, error, "the VA driver of \(node.gpuName()) failed", hint: hintForFailure(node))
    }
    return Diagnosis(
        .driverMissing,
        "\(node.gpuName()) (\(node.path)) needs the VA driver \(missing)_drv_video.so, which is not in "
            + searched.directories.joined(separator: " or "),
        hint: "install Debian's package \(package)")
}

private func hintForFailure(_ node: RenderNode) -> Message? {
    guard node.vendor == .intel, node.generation == nil else { return nil }
    return "the GPU may be newer than the driver: update it"
}

private func failed(_ node: RenderNode, _ error: DisplayError, _ what: String, hint: Message?) -> Diagnosis {
    let reason = [error.attempts.last?.error.description, tellingMessages(error)].compactMap(\.self)
    return Diagnosis(
        .driverFailed, "\(node.path): \(what): \(reason.joined(separator: ": "))", hint: hint)
}

/// The messages that speak of a failure, each once; most of the others only say which file was tried.
private func tellingMessages(_ error: DisplayError) -> String? {
    var seen: Set<String> = []
    let telling = error.attempts.flatMap(\.messages).filter { message in
        ["fail", "error", "cannot"].contains { message.lowercased().contains($0) } && seen.insert(message).inserted
    }
    return telling.isEmpty ? nil : telling.joined(separator: "; ")
}

/// The files that libva tried, from its messages: `libva info: Trying to open /usr/lib/.../iHD_drv_video.so`.
struct DriverFiles {
    let paths: [String]

    init(_ error: DisplayError) {
        paths = error.attempts.flatMap(\.messages).compactMap { message in
            guard message.contains("Trying to open "), let slash = message.firstIndex(of: "/") else { return nil }
            return String(message[slash...].prefix { !$0.isWhitespace })
        }
    }

    /// Each once, in libva's order.
    var directories: [String] {
        var seen: Set<String> = []
        return paths.map { String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) }
            .filter { seen.insert($0).inserted }
    }

    func isInstalled(_ driver: String, in system: SystemView) -> Bool {
        directories.contains { system.status("\($0)/\(driver)_drv_video.so") != nil }
    }
}
