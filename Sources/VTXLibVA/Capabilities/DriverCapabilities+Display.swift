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

extension Display {
    /// `vaQuerySurfaceAttributes` is asked twice: for the count, then for the list.
    func surfaces(_ config: VAConfigID) throws(VAError) -> SurfaceCapabilities {
        var count: UInt32 = 0
        try check(vaQuerySurfaceAttributes(pointer, config, nil, &count), "vaQuerySurfaceAttributes")
        var list = [VASurfaceAttrib](repeating: VASurfaceAttrib(), count: Int(count))
        try check(vaQuerySurfaceAttributes(pointer, config, &list, &count), "vaQuerySurfaceAttributes")
        return SurfaceCapabilities(list.prefix(Int(count)))
    }
}

extension SurfaceCapabilities {
    init(_ list: some Sequence<VASurfaceAttrib>) {
        self.init()
        var numbers: [UInt32: Int] = [:]
        for attribute in list where attribute.value.type == VAGenericValueTypeInteger {
            let value = attribute.value.value.i
            switch attribute.type {
            case VASurfaceAttribPixelFormat: formats.append(FourCC(rawValue: UInt32(bitPattern: value)))
            case VASurfaceAttribMemoryType: memoryTypes.insert(MemoryTypes(rawValue: UInt32(bitPattern: value)))
            default: numbers[attribute.type.rawValue] = Int(value)
            }
        }
        minSize = Self.size(numbers[VASurfaceAttribMinWidth.rawValue], numbers[VASurfaceAttribMinHeight.rawValue])
        maxSize = Self.size(numbers[VASurfaceAttribMaxWidth.rawValue], numbers[VASurfaceAttribMaxHeight.rawValue])
    }

    private static func size(_ width: Int?, _ height: Int?) -> PixelSize? {
        guard let width, let height, width > 0, height > 0 else { return nil }
        return PixelSize(width, height)
    }
}
