import VTXBitstream
import VTXMedia

extension Sample {
    /// The dependencies between a frame and others. A sender that has to drop frames should begin with those that no
    /// other frame refers to.
    public struct Dependency: Sendable, Hashable {
        /// Whether the frame refers to others; false if it consists of intra slices only
        /// (`kCMSampleAttachmentKey_DependsOnOthers`).
        public var dependsOnOthers: Bool
        /// Whether other frames refer to it. If false, it can be dropped
        /// (`kCMSampleAttachmentKey_IsDependedOnByOthers`).
        public var isDependedOnByOthers: Bool
        /// The temporal level: frames of a level refer to none of higher levels
        /// (`kCMHEVCTemporalLevelInfoKey_TemporalLevel`). It is the `TemporalId` of HEVC, and at least 1 for a frame
        /// that no other frame refers to.
        public var temporalLevel: Int
    }

    /// The dependencies according to NAL unit and slice headers, which are parsed on each access; nil if they cannot be
    /// parsed, and for AV1.
    public var dependency: Dependency? {
        guard let codec = formatDescription.codec.nal, let units = try? content.nalUnits(formatDescription) else {
            return nil
        }
        var boundary = AccessUnitBoundary(codec: codec)
        for set in formatDescription.parameterSets { _ = boundary.append(set.span.bytes) }
        _ = boundary.finish()
        // Two fields are two access units' worth of slices.
        var pictures: [AccessUnit.Summary] = []
        var level = 0
        content.withBytes { bytes in
            for range in units.map(\.range) {
                let unit = bytes.extracting(range)
                if let picture = boundary.append(unit) { pictures.append(picture) }
                if codec == .hevc, let header = try? HEVCNALUnitHeader(unit) { level = Int(header.temporalID) }
            }
        }
        if let last = boundary.finish() { pictures.append(last) }
        let types = pictures.filter(\.hasPicture).map(\.sliceType)
        guard !types.isEmpty, !types.contains(nil) else { return nil }
        let isReference = pictures.contains(where: \.isReference)
        return Dependency(
            dependsOnOthers: types.contains { $0 != .i }, isDependedOnByOthers: isReference,
            temporalLevel: isReference ? level : max(level, 1))
    }
}
