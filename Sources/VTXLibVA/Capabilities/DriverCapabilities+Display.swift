import CLibVA
import VTXMedia

extension DriverCapabilities {
    /// Asks everything. Configurations and a context for video processing are made and destroyed; nothing is coded.
    ///
    /// - Throws: `VAError` when not even the profiles can be listed. What fails for a single row is missing there.
    package init(asking display: Display) throws(VAError) {
        self.init(apiVersion: display.apiVersion, vendorString: display.vendorString, rows: [])
        for profile in try display.profiles() {
            for entrypoint in (try? display.entrypoints(of: profile)) ?? [] {
                rows.append(display.row(profile, entrypoint))
            }
        }
        if has(.none, .videoProc) { videoProcessing = try? display.videoProcessing() }
    }
}

extension Display {
    func profiles() throws(VAError) -> [Profile] {
        var count = vaMaxNumProfiles(pointer)
        var list = [VAProfile](repeating: VAProfileNone, count: Int(max(0, count)))
        try check(vaQueryConfigProfiles(pointer, &list, &count), "vaQueryConfigProfiles")
        return list.prefix(Int(count)).map { Profile(rawValue: $0.rawValue) }
    }

    func entrypoints(of profile: Profile) throws(VAError) -> [Entrypoint] {
        var count = vaMaxNumEntrypoints(pointer)
        var list = [VAEntrypoint](repeating: VAEntrypointVLD, count: Int(max(0, count)))
        try check(
            vaQueryConfigEntrypoints(pointer, profile.native, &list, &count), "vaQueryConfigEntrypoints")
        return list.prefix(Int(count)).map { Entrypoint(rawValue: $0.rawValue) }
    }

    fileprivate func row(_ profile: Profile, _ entrypoint: Entrypoint) -> DriverCapabilities.Row {
        DriverCapabilities.Row(
            profile: profile, entrypoint: entrypoint,
            attributes: (try? attributes(profile, entrypoint)) ?? [:],
            surfaces: try? withConfig(profile, entrypoint) { config throws(VAError) in try surfaces(config) })
    }

    /// All attributes at once. A driver leaves those that it does not know as "not supported".
    private func attributes(
        _ profile: Profile, _ entrypoint: Entrypoint
    ) throws(VAError) -> [ConfigAttribute: UInt32] {
        var list = ConfigAttribute.table.keys.sorted().filter { $0 < VAConfigAttribTypeMax.rawValue }.map {
            VAConfigAttrib(type: VAConfigAttribType(rawValue: $0), value: VA_ATTRIB_NOT_SUPPORTED)
        }
        try check(
            vaGetConfigAttributes(pointer, profile.native, entrypoint.native, &list, Int32(list.count)),
            "vaGetConfigAttributes")
        let supported = list.filter { $0.value != VA_ATTRIB_NOT_SUPPORTED }
        return Dictionary(
            supported.map { (ConfigAttribute(rawValue: $0.type.rawValue), $0.value) }, uniquingKeysWith: { $1 })
    }

    /// Runs `body` with a `VAConfigID`, destroyed afterwards.
    func withConfig<Result>(
        _ profile: Profile, _ entrypoint: Entrypoint, _ body: (VAConfigID) throws(VAError) -> Result
    ) throws(VAError) -> Result {
        var config: VAConfigID = 0
        try check(
            vaCreateConfig(pointer, profile.native, entrypoint.native, nil, 0, &config), "vaCreateConfig")
        defer { vaDestroyConfig(pointer, config) }
        return try body(config)
    }
}

extension Profile {
    var native: VAProfile { VAProfile(rawValue: rawValue) }
}

extension Entrypoint {
    var native: VAEntrypoint { VAEntrypoint(rawValue: rawValue) }
}
