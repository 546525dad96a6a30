package import VTXMedia

/// Everything that a driver says about itself; a value, so that what follows from it needs no GPU.
package struct DriverCapabilities: Sendable, Hashable {
    /// Of libva's interface, 1.17 for libva 2.17.
    package var apiVersion: APIVersion
    /// `vaQueryVendorString`.
    package var vendorString: String
    /// In the driver's order.
    package var rows: [Row]
    /// Nil where the driver has no video processing.
    package var videoProcessing: VideoProcessingCapabilities?

    package init(
        apiVersion: APIVersion, vendorString: String, rows: [Row], videoProcessing: VideoProcessingCapabilities? = nil
    ) {
        self.apiVersion = apiVersion
        self.vendorString = vendorString
        self.rows = rows
        self.videoProcessing = videoProcessing
    }

    /// One profile with one entrypoint.
    package struct Row: Sendable, Hashable {
        package var profile: Profile
        package var entrypoint: Entrypoint
        /// `vaGetConfigAttributes`; what the driver does not support is not here.
        package var attributes: [ConfigAttribute: UInt32]
        /// `vaQuerySurfaceAttributes`; nil where the driver did not answer.
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

    /// The entrypoints that encode this profile; `encSlice` first, which has the better quality where both exist.
    package func encodingRows(_ profile: Profile) -> [Row] {
        [Entrypoint.encSlice, .encSliceLP].compactMap { row(profile, $0) }
    }

    package var encodesVideo: Bool { rows.contains { $0.entrypoint.encodesVideo } && !lacksShaders }

    /// i965 without the shaders that are not free software. It lists encoders, and each ends the process when it is
    /// opened (an assertion). The whole driver has a video processor on every GPU, and encodes HEVC where it decodes it.
    package var lacksShaders: Bool {
        driverName == "i965"
            && !(has(.none, .videoProc) && (has(.hevcMain, .encSlice) || !has(.hevcMain, .vld)))
    }
}

/// What surfaces a profile with an entrypoint takes or makes.
package struct SurfaceCapabilities: Sendable, Hashable {
    /// In the driver's order: its preferred one comes first.
    package var formats: [FourCC]
    /// Nil where the driver sets no bound.
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

// The attributes in words, each by the layout that va.h gives it. Nil or empty means that the driver does not say.
extension DriverCapabilities.Row {
    package var rtFormats: RTFormat { RTFormat(rawValue: attributes[.rtFormat] ?? 0) }

    package var rateControlModes: RateControlModes { RateControlModes(rawValue: attributes[.rateControl] ?? 0) }

    package var packedHeaders: PackedHeaders { PackedHeaders(rawValue: attributes[.encPackedHeaders] ?? 0) }

    /// References in list 0 and list 1; no entries in list 1 means no B frames.
    package var maxReferences: (list0: Int, list1: Int)? {
        attributes[.encMaxRefFrames].map { (Int($0 & 0xffff), Int($0 >> 16)) }
    }

    package var predictionDirections: PredictionDirections {
        PredictionDirections(rawValue: attributes[.predictionDirection] ?? 0)
    }

    /// Quality levels: 1 is the best, this number the fastest; nil where there is only one.
    package var qualityLevels: Int? {
        attributes[.encQualityRange].map { Int($0) }.flatMap { $0 > 1 ? $0 : nil }
    }

    package var maxSlices: Int? { attributes[.encMaxSlices].map { Int($0) } }

    package var maxPictureSize: PixelSize? {
        guard let width = attributes[.maxPictureWidth], let height = attributes[.maxPictureHeight],
            width > 0, height > 0
        else { return nil }
        return PixelSize(Int(width), Int(height))
    }

    package var hevcFeatures: HEVCFeatures? { attributes[.encHEVCFeatures].map { HEVCFeatures(rawValue: $0) } }

    package var hevcBlockSizes: HEVCBlockSizes? {
        attributes[.encHEVCBlockSizes].map { HEVCBlockSizes(rawValue: $0) }
    }
}
