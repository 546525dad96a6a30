import Testing
import VTXBitstream
import VTXMedia

/// Syntax that no available encoder writes: generated, written, and read again.
@Suite("Rare parts of parameter sets")
struct RareSyntaxTests {
    @Test("slice groups of every type", arguments: 0...6)
    func sliceGroups(type: Int) throws {
        var set = H264PPS()
        set.sliceGroups.countMinus1 = 4
        set.sliceGroups.mapType = type
        if type == 0 { set.sliceGroups.runLengthMinus1 = [0, 1, 2, 300, 4] }
        if type == 2 { set.sliceGroups.corners = [0, 9, 1, 8, 2, 7, 3, 6] }
        if (3...5).contains(type) { (set.sliceGroups.changeDirection, set.sliceGroups.changeRateMinus1) = (true, 77) }
        if type == 6 { set.sliceGroups.ids = [0, 1, 2, 3, 4, 4, 3, 2, 1, 0] }
        #expect(try H264PPS(nalUnit: set.nalUnit()) == set)
    }

    @Test func `picture order count type 1, cropped fields, and two HRDs`() throws {
        var set = H264SPS()
        set.profileIDC = 77
        (set.widthInMacroblocksMinus1, set.heightInMapUnitsMinus1) = (119, 33)
        (set.isFrameMacroblocksOnly, set.isMBAFF) = (false, true)
        set.pictureOrderCount.type = 1
        set.pictureOrderCount.offsetForNonRefPic = -5
        set.pictureOrderCount.offsetsForRefFrame = [1, -2, 0x7fff_ffff]
        set.cropping = CroppingOffsets(left: 0, right: 0, top: 0, bottom: 2)
        var vui = H264VUI()
        (vui.nalHRD, vui.vclHRD, vui.isLowDelayHRD) = (H264HRD(), H264HRD(), true)
        vui.nalHRD?.cpbs = [.init(), .init(), .init()]
        vui.nalHRD?.cpbs[1].bitRateValueMinus1 = 0xffff_fffe
        set.vui = vui
        let read = try H264SPS(nalUnit: set.nalUnit())
        #expect(read == set)
        // The cropping unit is four rows if frames may be fields.
        #expect(read.displaySize == PixelSize(1920, 1080))
    }

    @Test func `HEVC with sub-layers, PCM, long-term pictures and decoding units`() throws {
        var set = HEVCSPS()
        (set.maxSubLayersMinus1, set.orderings.isForEach) = (2, true)
        set.orderings.list = [.init(), .init(), .init()]
        set.profileTierLevel.subLayers = [.init(), .init()]
        set.profileTierLevel.subLayers[1].profile = HEVCProfile()
        set.profileTierLevel.subLayers[1].levelIDC = 93
        set.tools.pcm = .init()
        set.longTermRefPics = HEVCLongTermRefPics()
        set.longTermRefPics?.pictures = [.init(), .init()]
        set.longTermRefPics?.pictures[1].pocLsb = 200
        var vui = HEVCVUI()
        var timing = HEVCTimingInfo()
        (timing.timeScale, timing.numUnitsInTick, timing.ticksPerPOCMinus1) = (60000, 1001, 3)
        var hrd = HEVCHRD()
        (hrd.common.hasNAL, hrd.common.hasVCL, hrd.common.subPicture) = (true, true, .init())
        var layer = HEVCSubLayerHRD()
        (layer.cpbCountMinus1, layer.nalCPBs, layer.vclCPBs) = (1, [.init(), .init()], [.init(), .init()])
        hrd.subLayers = [layer, layer, layer]
        (vui.timing, vui.hrd) = (timing, hrd)
        set.vui = vui
        let read = try HEVCSPS(nalUnit: set.nalUnit())
        #expect(read == set)
        #expect(read.frameRate == Rational(60000, 1001))
    }

    @Test func `HEVC tiles of several widths`() throws {
        var set = HEVCPPS()
        var tiles = HEVCTiles()
        (tiles.columnsMinus1, tiles.rowsMinus1, tiles.isUniform) = (2, 1, false)
        (tiles.columnWidthsMinus1, tiles.rowHeightsMinus1) = ([3, 5], [7])
        (set.tiles, set.deblocking, set.scalingLists) = (tiles, HEVCDeblockingControl(), HEVCScalingListData())
        #expect(try HEVCPPS(nalUnit: set.nalUnit()) == set)
    }

    @Test func `a predicted reference picture set has as many flags as the set before has pictures, and one more`()
        throws
    {
        var set = HEVCSPS()
        var (first, second) = (HEVCShortTermRefPicSet(), HEVCShortTermRefPicSet())
        first.negative = [.init(), .init()]
        first.positive = [.init()]
        (second.isPredicted, second.deltaRPSIsNegative) = (true, true)
        second.predicted = [.init(), .init(), .init(), .init()]
        second.predicted[2].isUsed = true
        second.predicted[1].usesDelta = false
        set.shortTermRefPicSets = [first, second, second]
        // The second set has -2, -1 and no 0 (1 - 1): three flags are left for the third.
        set.shortTermRefPicSets[2].predicted.removeLast()
        #expect(try HEVCSPS(nalUnit: set.nalUnit()) == set)
    }

    @Test func `bits of extensions are kept`() throws {
        var set = HEVCSPS()
        set.hasExtension = true
        set.trailing.bits = [true, false, false, true, false, true, true]
        let read = try HEVCSPS(nalUnit: set.nalUnit())
        #expect(read == set)
        #expect(try read.completing(sampleAspectRatio: Rational(1, 1)).value.trailing == set.trailing)
    }

    @Test func `levels without VUI infer the reordering of the whole buffer`() throws {
        var set = H264SPS()
        (set.profileIDC, set.levelIDC, set.widthInMacroblocksMinus1, set.heightInMapUnitsMinus1) = (100, 40, 119, 67)
        #expect(set.maxReorder == 4 && set.levelName == "4")
        (set.profileIDC, set.levelIDC, set.constraintFlags) = (66, 11, 0x50)
        #expect(set.levelName == "1b" && set.profileName == "Constrained Baseline")
    }
}
