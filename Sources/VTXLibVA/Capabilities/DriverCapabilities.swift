import CLibVA
package import VTXMedia

/// Everything that a driver reports about itself; a value, so that interpreting it requires no GPU.
package struct DriverCapabilities: Sendable, Hashable {
    /// The version of VA-API: 1.17 for libva 2.17.
    package var apiVersion: APIVersion
    /// `vaQueryVendorString`.
    package var vendorString: String
    /// In the driver's order.
    package var rows: [Row]
    /// nil if the driver has no video processing.
    package var videoProcessing: VideoProcessingCapabilities?

    package init(
        apiVersion: APIVersion, vendorString: String, rows: [Row], videoProcessing: VideoProcessingCapabilities? = nil
    ) {
        self.apiVersion = apiVersion
        self.vendorString = vendorString
        self.rows = rows
        self.videoProcessing = videoProcessing
    }

    /// A profile with an entrypoint.
    package struct Row: Sendable, Hashable {
        package var profile: Profile
        package var entrypoint: Entrypoint
        /// `vaGetConfigAttributes`, without attributes that the driver does not support.
        package var attributes: [ConfigAttribute: UInt32]
        /// `vaQuerySurfaceAttributes`; nil if the driver did not answer.
        package var surfaces: SurfaceCapabilities?

        package init(
            profile: Profile, entrypoint: Entrypoint, attributes: [ConfigAttribute: UInt32] = [:],
            surfaces: SurfaceCapabilities? = nil
        ) {
            self.profile = profile
            self.entrypoint = entrypoint
            self.attributes = attributes
            self.surfaces = surfaces
        }
    }

    package func row(_ profile: Profile, _ entrypoint: Entrypoint) -> Row? {
        rows.first { $0.profile == profile && $0.entrypoint == entrypoint }
    }

    package func has(_ profile: Profile, _ entrypoint: Entrypoint) -> Bool { row(profile, entrypoint) != nil }

    /// The entrypoints that encode this profile; `encSlice` first, which has the better quality if both exist.
    package func encodingRows(_ profile: Profile) -> [Row] {
        [Entrypoint.encSlice, .encSliceLP].compactMap { row(profile, $0) }
    }

    package var encodesVideo: Bool { rows.contains { $0.entrypoint.encodesVideo } && !lacksShaders }

    /// Whether it is i965 without its non-free shaders. That build lists encoders, each of which aborts the process
    /// when opened (an assertion). The full build has a video processor on every GPU, and encodes HEVC if it decodes
    /// HEVC.
    package var lacksShaders: Bool {
        driverName == "i965"
            && !(has(.none, .videoProc) && (has(.hevcMain, .encSlice) || !has(.hevcMain, .vld)))
    }
}

/// The surfaces that a profile with an entrypoint supports.
package struct SurfaceCapabilities: Sendable, Hashable {
    /// In the driver's order of preference.
    package var formats: [FourCC]
    /// nil if the driver reports no limit.
    package var minSize: PixelSize?
    package var maxSize: PixelSize?
    package var memoryTypes: MemoryTypes

    package init(
        formats: [FourCC] = [], minSize: PixelSize? = nil, maxSize: PixelSize? = nil, memoryTypes: MemoryTypes = []
    ) {
        self.formats = formats
        self.minSize = minSize
        self.maxSize = maxSize
        self.memoryTypes = memoryTypes
    }
}

// The attributes, decoded by the layouts in va.h. nil or empty if the driver does not report them.
extension DriverCapabilities.Row {
    package var rtFormats: RTFormat { RTFormat(rawValue: attributes[.rtFormat] ?? 0) }

    package var rateControlModes: RateControlModes { RateControlModes(rawValue: attributes[.rateControl] ?? 0) }

    package var packedHeaders: PackedHeaders { PackedHeaders(rawValue: attributes[.encPackedHeaders] ?? 0) }

    /// The maximum number of references in list 0 and list 1. Without list 1, there are no B frames.
    package var maxReferences: (list0: Int, list1: Int)? {
        attributes[.encMaxRefFrames].map { (Int($0 & 0xffff), Int($0 >> 16)) }
    }

    package var predictionDirections: PredictionDirections {
        PredictionDirections(rawValue: attributes[.predictionDirection] ?? 0)
    }

    /// The number of quality levels: 1 is the best, this number the fastest; nil if there is only one.
    package var qualityLevels: Int? {
        attributes[.encQualityRange].map { Int($0) }.flatMap { $0 > 1 ? $0 : nil }
    }

    /// `VAConfigAttribValEncROI`: how many regions of interest a frame may have, and whether they are quantizer offsets
    /// when a bit rate is used.
    package var regions: (maxCount: Int, takesOffsets: Bool)? {
        attributes[.encROI].map { (Int($0 & 0xff), $0 & 0x200 != 0) }
    }

    package var maxSlices: Int? { attributes[.encMaxSlices].map { Int($0) } }

    package var maxPictureSize: PixelSize? {
        guard let width = attributes[.maxPictureWidth], let height = attributes[.maxPictureHeight],
            width > 0, height > 0
        else { return nil }
        return PixelSize(Int(width), Int(height))
    }

    package var hevcFeatures: HEVCFeatures? { attributes[.encHEVCFeatures].map { HEVCFeatures(rawValue: $0) } }

    package var hevcBlockSizes: EncHEVCBlockSizes? {
        attributes[.encHEVCBlockSizes].map { EncHEVCBlockSizes(rawValue: $0) }
    }
}

extension DriverCapabilities {
    /// Queries everything. Configurations and a context for video processing are created and destroyed; nothing is
    /// encoded or decoded.
    ///
    /// - Parameter memory: Known capabilities that need no context; nil to query all.
    /// - Throws: `VAError` if the profiles cannot be listed. Failures of single rows are omitted.
    package init(
        asking display: Display, with memory: ProcessingMemory? = nil, in system: SystemView = .live
    ) throws(VAError) {
        self.init(apiVersion: display.apiVersion, vendorString: display.vendorString, rows: [])
        for profile in try display.profiles() {
            for entrypoint in (try? display.entrypoints(of: profile)) ?? [] {
                rows.append(display.row(profile, entrypoint))
            }
        }
        guard has(.none, .videoProc) else { return }
        videoProcessing = memory?.answer(of: self, on: display.node, in: system)
        guard videoProcessing == nil else { return }
        videoProcessing = try? display.videoProcessing()
        if videoProcessing != nil { memory?.keep(self, on: display.node, in: system) }
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

    /// Queries all attributes at once. Drivers leave those that they do not know as "not supported".
    private func attributes(
        _ profile: Profile, _ entrypoint: Entrypoint
    ) throws(VAError) -> [ConfigAttribute: UInt32] {
        var list = Self.askedAttributes
        try check(
            vaGetConfigAttributes(pointer, profile.native, entrypoint.native, &list, Int32(list.count)),
            "vaGetConfigAttributes")
        let supported = list.filter { $0.value != VA_ATTRIB_NOT_SUPPORTED }
        return Dictionary(
            supported.map { (ConfigAttribute(rawValue: $0.type.rawValue), $0.value) }, uniquingKeysWith: { $1 })
    }

    private static let askedAttributes = ConfigAttribute.table.keys.sorted()
        .filter { $0 < VAConfigAttribTypeMax.rawValue }
        .map { VAConfigAttrib(type: VAConfigAttribType(rawValue: $0), value: VA_ATTRIB_NOT_SUPPORTED) }

    /// Calls `body` with a `VAConfigID` and destroys it afterwards.
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
    /// Calls `vaQuerySurfaceAttributes` twice: for the count, then for the list.
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
