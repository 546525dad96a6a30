package import VTXMedia

/// What a listing says of one NAL unit.
package struct NALUnitInfo: Sendable {
    /// Counted from 0.
    package var number: Int
    /// Which access unit it belongs to, counted from 0.
    package var accessUnit: Int
    package var place: Place
    /// In bytes, without start code or length.
    package var size: Int64
    /// `nal_unit_type`
    package var type: Int
    /// The type's name in the specification's table.
    package var name: String
    /// `nal_ref_idc` of H.264.
    package var refIDC: Int?
    /// `nuh_layer_id` and TemporalId of HEVC.
    package var layerID: Int?
    package var temporalID: Int?
    /// Decoding can begin at this slice's picture.
    package var isKeyFrame = false
    package var slice: SliceInfo?
    package var parameterSet: ParameterSetInfo?
    /// Names of SEI messages.
    package var messages: [String] = []
    /// Why there is no more to be said.
    package var problem: String?

    package init(number: Int, accessUnit: Int, place: Place, size: Int64, type: Int, name: String) {
        self.number = number
        self.accessUnit = accessUnit
        self.place = place
        self.size = size
        self.type = type
        self.name = name
    }

    /// Where its first byte is.
    package enum Place: Sendable, Hashable {
        /// In a byte stream, from its beginning, after a start code of this many bytes.
        case stream(offset: Int64, startCodeSize: Int)
        /// In a container's packet, and in the file where its packets lie there as they are.
        case packet(number: Int, offset: Int, fileOffset: Int64?, pts: MediaTime?)
        /// In the container's record of the stream.
        case record
    }
}

/// What a slice's header says; what the codec has not, or the header does not reach, is nil.
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
    /// PicOrderCnt of the picture, in its first slice.
    package var picOrderCnt: Int?

    package init(ppsId: Int) { self.ppsId = ppsId }
}

/// What a parameter set says, as far as people ask for it.
package struct ParameterSetInfo: Sendable, Encodable {
    package var id: Int
    /// The set that it builds upon.
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
