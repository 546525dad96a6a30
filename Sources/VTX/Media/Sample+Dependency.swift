import VTXBitstream
import VTXMedia

extension Sample {
    /// What the frame has to do with others: a sender that has to leave frames out begins with those to which no other refers.
    public struct Dependency: Sendable, Hashable {
        /// False for a frame of intra slices alone (`kCMSampleAttachmentKey_DependsOnOthers`).
        public var dependsOnOthers: Bool
        /// False where no other frame refers to it: it can be left out (`kCMSampleAttachmentKey_IsDependedOnByOthers`).
        public var isDependedOnByOthers: Bool
        /// `TemporalId`: frames of a level refer to none of higher levels (`kCMHEVCTemporalLevelInfoKey_TemporalLevel`). 0 in H.264.
        public var temporalLevel: Int
    }

    /// The same by what NAL units and slice headers say. They are read each time; nil where they cannot be, and for AV1.
    public var dependency: Dependency? {
        guard let codec = formatDescription.codec.nal, let units = try? nalUnits() else { return nil }
        var boundary = AccessUnitBoundary(codec: codec)
        for set in formatDescription.parameterSets { _ = boundary.append(set.span.bytes) }
        _ = boundary.finish()
        // Two fields are two access units' worth of slices.
        var pictures: [AccessUnit.Summary] = []
        var level = 0
        for unit in units {
            let bytes = data.span.bytes.extracting(unit.range)
            if let picture = boundary.append(bytes) { pictures.append(picture) }
            if codec == .hevc, let header = try? HEVCNALUnitHeader(bytes) { level = Int(header.temporalID) }
        }
        if let last = boundary.finish() { pictures.append(last) }
        let types = pictures.filter(\.hasPicture).map(\.sliceType)
        guard !types.isEmpty, !types.contains(nil) else { return nil }
        return Dependency(
            dependsOnOthers: types.contains { $0 != .i }, isDependedOnByOthers: pictures.contains(where: \.isReference),
            temporalLevel: level)
    }
}
