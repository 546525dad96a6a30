import Testing
import VTXBitstream
import VTXMedia

@Suite("HEVC's layers above the base")
struct LayerTests {
    /// Pictures of 64x64 have 16 blocks of 16x16, so an address has four bits.
    private static let sps: HEVCSPS = {
        var sps = HEVCSPS()
        (sps.format.width, sps.format.height) = (64, 64)
        sps.blocks.log2DiffMaxMinCodingBlock = 1
        return sps
    }()

    private func header(_ type: HEVCNALUnitType) -> [UInt8] { HEVCNALUnitHeader(type: type, layerID: 1).bytes }

    /// Like a second view's: MultiLayerExtSpsFlag, with other bit widths of the picture order count and of blocks.
    private var extensionSPS: [UInt8] {
        var bits = BitWriter()
        bits.u(4, 0)
        bits.u(3, 7)
        bits.ue(1)
        bits.flag(false)
        for value: UInt32 in [0, 0, 0, 0, 0, 0, 0] { bits.ue(value) }
        bits.u(16, 0x8000)
        return header(.sps) + EmulationPrevention.insert(into: bits.bytes)
    }

    private func layerPPS() throws -> [UInt8] {
        var pps = HEVCPPS()
        (pps.id, pps.spsID) = (1, 1)
        let unit = try pps.nalUnit()
        return header(.pps) + unit.dropFirst(2)
    }

    /// A P slice of PPS 1.
    private func slice(_ type: HEVCNALUnitType, address: UInt64, lsb: UInt64?) -> [UInt8] {
        var bits = BitWriter()
        bits.flag(address == 0)
        if type.isIRAP { bits.flag(false) }
        bits.ue(1)
        if address > 0 { bits.u(6, address) }
        bits.ue(1)
        if let lsb { bits.u(4, lsb) }
        bits.u(16, 0xffff)
        return header(type) + EmulationPrevention.insert(into: bits.bytes)
    }

    private func sets() throws -> HEVCParameterSets {
        var sets = HEVCParameterSets()
        for unit in [try Self.sps.nalUnit(), try HEVCPPS().nalUnit(), extensionSPS, try layerPPS()] {
            let isNew = sets.insert(unit.span.bytes)
            #expect(isNew)
        }
        return sets
    }

    @Test("an SPS that extends the base layer's has its size, and its own blocks")
    func extensionSet() throws {
        let sets = try sets()
        #expect(sets.sps.keys.sorted() == [0] && sets.pps.keys.sorted() == [0])
        let sps = try sets.layerSPS(extensionSPS.span.bytes)
        #expect(sps.id == 1 && sps.format.width == 64 && sps.log2MaxPOCLsbMinus4 == 0 && sps.blocks.log2CTB == 3)
    }

    @Test("slices are read with the sets of their layer")
    func slices() throws {
        let sets = try sets()
        let picture = try HEVCSliceSegmentHeader(slice(.trailR, address: 0, lsb: 9).span.bytes, sets)
        #expect(picture.ppsID == 1 && picture.type == .p && picture.pocLsb == 9)
        let second = try HEVCSliceSegmentHeader(slice(.trailR, address: 33, lsb: 9).span.bytes, sets)
        #expect(second.address == 33 && second.type == .p && second.pocLsb == 9)
        let key = try HEVCSliceSegmentHeader(slice(.idrWRADL, address: 0, lsb: nil).span.bytes, sets)
        #expect(key.type == .p && key.pocLsb == nil)
    }

    @Test("without its sets a slice is refused, unless it refers to the base layer's")
    func withoutSets() throws {
        var sets = HEVCParameterSets()
        #expect(throws: BitstreamError.self) {
            try HEVCSliceSegmentHeader(slice(.trailR, address: 0, lsb: 9).span.bytes, sets)
        }
        var pps = HEVCPPS()
        pps.id = 1
        for unit in [try Self.sps.nalUnit(), try pps.nalUnit()] { _ = sets.insert(unit.span.bytes) }
        let picture = try HEVCSliceSegmentHeader(slice(.trailR, address: 0, lsb: 9).span.bytes, sets)
        #expect(picture.type == .p)
    }

    @Test("a layer does not change the base layer's picture")
    func summary() throws {
        var boundary = AccessUnitBoundary(codec: .hevc)
        var sets = [try Self.sps.nalUnit(), extensionSPS, try layerPPS()]
        var pps = HEVCPPS()
        pps.id = 0
        sets.append(try pps.nalUnit())
        var bits = BitWriter()
        for flag in [true, false] { bits.flag(flag) }
        for value: UInt32 in [0, 2] { bits.ue(value) }
        bits.u(16, 0xffff)
        let key = HEVCNALUnitHeader(type: .idrWRADL).bytes + EmulationPrevention.insert(into: bits.bytes)
        for unit in sets + [key, slice(.trailR, address: 0, lsb: 9)] { _ = boundary.append(unit.span.bytes) }
        #expect(boundary.summary.isIDR && boundary.summary.sliceType == .i && boundary.summary.pocLsb == 0)
    }

    @Test("an lhvC box has the layers' parameter sets, and an invalid one is refused")
    func record() throws {
        let units = [extensionSPS, try layerPPS()]
        var bytes: [UInt8] = [1, 0xf0, 0, 0xfc, 0xcf, 2]
        for unit in units { bytes += [0x80 | unit[0] >> 1, 0, 1, 0, UInt8(unit.count)] + unit }
        let record = try LHEVCDecoderConfigurationRecord(bytes)
        #expect(record.units == units && record.lengthSize == 4)
        for length in 0..<bytes.count {
            #expect(throws: BitstreamError.self) { try LHEVCDecoderConfigurationRecord(Array(bytes[..<length])) }
        }
    }
}
