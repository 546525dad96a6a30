import Glibc
import Testing
import VTXConformance
import VTXMedia
import VTXSession

@testable import VTXVAAPI

/// A GPU of the software driver. `Tests/Support/SoftwareDriver/with-gpus` gives a process four of them, each with its
/// own abilities.
struct SoftwareGPU: Sendable, CustomTestStringConvertible {
    let matrix: CapabilityMatrix

    /// One for all tests: what it has opened stays open.
    static let backend = VAAPIBackend()

    /// `with-gpus` has started this process.
    static let areExpected = getenv("SOFTVA_DEVICES") != nil

    static let four = areExpected ? backend.probe().map(SoftwareGPU.init) : []

    /// Tests run side by side, so the one that runs out of surfaces is not among these.
    static let all = Array(four.prefix(3))

    /// Each codec of each of these.
    static let encoders = all.flatMap { gpu in
        VideoCodec.allCases.filter(gpu.matrix.encodes).map { GPUEncoder(gpu: gpu, codec: $0) }
    }

    var conformance: Conformance { Conformance(Self.backend, device: matrix.device) }
    var testDescription: String { matrix.device.name }
}

struct GPUEncoder: Sendable, CustomTestStringConvertible {
    var gpu: SoftwareGPU
    var codec: VideoCodec

    var testDescription: String { "\(codec) on \(gpu.testDescription)" }
}

extension Trait where Self == ConditionTrait {
    /// Counts as skipped where the process is to have no such GPU.
    static var onSoftwareGPU: Self {
        .enabled(
            if: SoftwareGPU.areExpected,
            "the software VA-API driver is not loaded; Tests/Support/SoftwareDriver/with-gpus loads it")
    }
}
