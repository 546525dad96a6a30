package import VTXMedia

/// The properties of a NAL unit in a list.
package struct NALUnitInfo: Sendable {
    /// The index, from 0.
    package var number: Int
    /// The index of its access unit, from 0.
    package var accessUnit: Int
    package var place: Place
    /// The size in bytes, without start code or length.
    package var size: Int64
    /// `nal_unit_type`
    package var type: Int
    /// The type's name in the specification.
    package var name: String
    /// `nal_ref_idc` of H.264.
    package var refIDC: Int?
    /// `nuh_layer_id` and TemporalId of HEVC.
    package var layerID: Int?
    package var temporalID: Int?
    /// Whether decoding can start at this slice's picture.
    package var isKeyFrame = false
    package var slice: SliceInfo?
    package var parameterSet: ParameterSetInfo?
    /// The names of SEI messages.
    package var messages: [String] = []
    /// Why the headers could not be parsed further.
    package var problem: String?

    package init(number: Int, accessUnit: Int, place: Place, size: Int64, type: Int, name: String) {
        self.number = number
        self.accessUnit = accessUnit
        self.place = place
        self.size = size
        self.type = type
        self.name = name
    }

    /// The location of the first byte.
    package enum Place: Sendable, Hashable {
        /// In a byte stream: the offset from its beginning, after a start code of this many bytes.
        case stream(offset: Int64, startCodeSize: Int)
        /// In a container's packet, and in the file if it stores packets contiguously and unchanged.
        case packet(number: Int, offset: Int, fileOffset: Int64?, pts: MediaTime?)
        /// In the container's configuration record.
        case record
    }
}

/// The fields of a slice header; nil if the codec lacks them or the header ends before them.
package struct SliceInfo: Sendable, Encodable {
    /// `I`, `P` or `B`; nil in a dependent slice segment.
    package var type: String?
    /// `first_mb_in_slice`
    package var firstMacroblock: Int?
    /// `slice_segment_address`
    package var segmentAddress: Int?
    package var isDependent: Bool?
    package var ppsId: Int
    package var frameNum: Int?
    package var idrPicId: Int?
    /// `top` or `bottom`
    package var field: String?
    package var picOrderCntLsb: Int?
    /// The PicOrderCnt of the picture, in its first slice.
    package var picOrderCnt: Int?

    package init(ppsId: Int) { self.ppsId = ppsId }
}

/// The most important fields of a parameter set.
package struct ParameterSetInfo: Sendable, Encodable {
    package var id: Int
    /// The ID of the SPS that it refers to.
    package var spsId: Int?
    package var vpsId: Int?
    package var profile: String?
    package var level: String?
    package var tier: String?
    package var codedWidth: Int?
    package var codedHeight: Int?
    package var width: Int?
    package var height: Int?
    package var chroma: String?
    package var bitDepth: Int?
    /// `30000/1001`
    package var frameRate: String?
    package var sampleAspectRatio: String?
    /// Code points of ITU-T H.273.
    package var colourPrimaries: Int?
    package var transferCharacteristics: Int?
    package var matrixCoefficients: Int?
    package var isFullRange: Bool?
    package var maxReorder: Int?
    package var picOrderCntType: Int?
    package var entropyCoding: String?
    package var subLayers: Int?

    package init(id: Int) { self.id = id }
}
