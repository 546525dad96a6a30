import Testing
import VTXConformance
import VTXMedia
import VTXSession

@testable import VTXVAAPI

@Suite("The GPU's video processor conforms to the contract", .onSoftwareGPU)
struct VAAPIFilterTests {
    @Test("a frame that needs no filter is not copied", arguments: SoftwareGPU.all)
    func passThrough(gpu: SoftwareGPU) throws { try gpu.conformance.passesUntouched() }

    @Test("rotations and mirrors in the matrix", arguments: SoftwareGPU.all)
    func turns(gpu: SoftwareGPU) throws {
        guard case .some(let processing) = gpu.matrix.filtering else { return }
        #expect(processing.orientations.count == 6)
        for orientation in processing.orientations { try gpu.conformance.turns(orientation) }
    }

    @Test("a region of the frame", arguments: SoftwareGPU.processing, [1, 2])
    func crops(gpu: SoftwareGPU, scale: Int) throws {
        guard case .some(let processing) = gpu.matrix.filtering else { return }
        for orientation in processing.orientations { try gpu.conformance.crops(orientation, scale: scale) }
    }

    @Test("letterbox, trim and fill", arguments: SoftwareGPU.processing, ScalingMode.allCases)
    func scaling(gpu: SoftwareGPU, mode: ScalingMode) throws {
        for isFullRange in [false, true] { try gpu.conformance.scales(mode, isFullRange: isFullRange) }
    }

    @Test("samples that are not square, at the same size", arguments: SoftwareGPU.processing, ScalingMode.allCases)
    func squares(gpu: SoftwareGPU, mode: ScalingMode) throws { try gpu.conformance.squaresSamples(mode) }

    @Test("formats", arguments: ["nv12", "yuv420p", "yuv420p10le"], [8, 10])
    func formats(source: String, bitDepth: Int) throws {
        for gpu in SoftwareGPU.processing {
            try gpu.conformance.converts(from: source, to: .planar(.yuv420, bitDepth: bitDepth))
        }
    }

    @Test("full range", arguments: SoftwareGPU.processing)
    func fullRange(gpu: SoftwareGPU) throws { try gpu.conformance.keepsFullRange() }

    @Test("HDR becomes SDR, and SDR is unchanged", arguments: SoftwareGPU.processing, [8, 10])
    func toneMapping(gpu: SoftwareGPU, bitDepth: Int) throws {
        guard case .some(let processing) = gpu.matrix.filtering, processing.mapsTones else { return }
        try gpu.conformance.mapsTones(to: bitDepth)
        try gpu.conformance.leavesSDRAlone()
    }

    @Test(
        "denoising and sharpening increase with strength", arguments: SoftwareGPU.processing,
        [8, 10])
    func strengths(gpu: SoftwareGPU, bitDepth: Int) throws {
        guard case .some(let processing) = gpu.matrix.filtering else { return }
        #expect(processing.denoises && processing.sharpens)
        try gpu.conformance.denoises(bitDepth: bitDepth)
        try gpu.conformance.sharpens(bitDepth: bitDepth)
    }

    @Test("interlaced frames, only if requested", arguments: SoftwareGPU.processing)
    func deinterlacing(gpu: SoftwareGPU) throws { try gpu.conformance.deinterlaces() }

    @Test("each field as a frame", arguments: SoftwareGPU.processing)
    func fields(gpu: SoftwareGPU) throws { try gpu.conformance.separatesFields() }

    @Test("a source that changes in mid-stream", arguments: SoftwareGPU.processing)
    func changes(gpu: SoftwareGPU) throws { try gpu.conformance.followsTheSource() }

    @Test("another frame rate", arguments: SoftwareGPU.all, [(50, 50), (25, 25), (5, 5)])
    func rate(gpu: SoftwareGPU, rate: (frames: Int, count: Int)) throws {
        try gpu.conformance.changesRate(to: rate.frames, count: rate.count)
    }

    @Test("another time base", arguments: SoftwareGPU.all)
    func timeBase(gpu: SoftwareGPU) throws { try gpu.conformance.countsInItsOwnUnit() }
}

extension SoftwareGPU {
    /// The GPUs with a video processor.
    fileprivate static let processing = all.filter { $0.matrix.filtering != .nothing }
}
